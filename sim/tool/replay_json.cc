#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "sim/tool/replay_report.h"

namespace spillway {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void PutText(Writer& out, std::string_view text) {
  out.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
void Put(Writer& out, const char* key, std::string_view value) {
  out.Key(key);
  PutText(out, value);
}
void Put(Writer& out, const char* key, std::int64_t value) {
  out.Key(key);
  out.Int64(value);
}
void PutFlag(Writer& out, const char* key, bool value) {
  out.Key(key);
  out.Bool(value);
}
void PutNumbers(Writer& out, const char* key, std::initializer_list<std::int64_t> numbers) {
  out.Key(key);
  out.StartArray();
  for (const std::int64_t number : numbers) out.Int64(number);
  out.EndArray();
}
void PutNames(Writer& out, const char* key, const task::PipelineSystem& system,
              const task::PlayedAccess& access) {
  out.Key(key);
  out.StartArray();
  for (const std::string& name : task::PlayedNames(system, access.what)) PutText(out, name);
  out.EndArray();
}

/// A list of objects; `put` writes the members of one.
template <class Items, class PutItem>
void PutObjects(Writer& out, const char* key, const Items& items, const PutItem& put) {
  out.Key(key);
  out.StartArray();
  for (const auto& item : items) {
    out.StartObject();
    put(item);
    out.EndObject();
  }
  out.EndArray();
}
template <class Items, class TextOf>
void PutTexts(Writer& out, const char* key, const Items& items, const TextOf& text_of) {
  out.Key(key);
  out.StartArray();
  for (const auto& item : items) PutText(out, text_of(item));
  out.EndArray();
}

void PutFindings(Writer& out, const task::PipelineSystem& system, const task::Replay& replay) {
  PutTexts(out, "blocked", replay.blocked,
           [](const task::ReplayedBlock& blocked) { return blocked.name; });
  PutObjects(out, "races", replay.races, [&](const task::ReplayedRace& race) {
    PutNames(out, "a", system, race.a);
    PutNames(out, "b", system, race.b);
    PutNumbers(out, "seen", {race.a.occurrence, race.b.occurrence});
    Put(out, "space", task::MemorySpaceName(race.space));
    PutNumbers(out, "range", {race.range.begin.value, race.range.end.value});
    PutFlag(out, "overlapped", race.overlapped);
  });
  PutObjects(out, "clobbers", replay.clobbers, [&](const task::SeenClobber& clobber) {
    PutNames(out, "read", system, clobber.read);
    PutNames(out, "write", system, clobber.write);
    PutNumbers(out, "seen", {clobber.read.occurrence, clobber.write.occurrence});
  });
  PutObjects(out, "uninitialized", replay.uninitialized, [&](const task::PlayedAccess& read) {
    PutNames(out, "read", system, read);
    Put(out, "seen", read.occurrence);
  });
  PutObjects(out, "stale", replay.stale, [&](const task::SeenStale& stale) {
    PutNames(out, "read", system, stale.read);
    PutNames(out, "write", system, stale.write);
    PutNumbers(out, "seen", {stale.read.occurrence, stale.write.occurrence});
    PutNumbers(out, "fills", {stale.expected, stale.found});
  });
  PutObjects(out, "phase_skew", replay.lagging, [&](const task::LaggingWait& lagging) {
    Put(out, "task", system.tasks[lagging.task].name);
    Put(out, "pipeline", system.pipelines[lagging.pipeline].name);
    Put(out, "side", lagging.side == task::Side::kProducer ? "full" : "empty");
    Put(out, "number", lagging.number);
  });
}

void PutBarriers(Writer& out, const task::PipelineSystem& system, const task::Replay& replay) {
  out.Key("barriers");
  out.StartArray();
  for (std::size_t i = 0; i < replay.objects.size(); ++i) {
    const SyncObjectEnd& end = replay.objects[i];
    out.StartObject();
    Put(out, "name", SyncPlaceName(system, replay.places[i]));
    if (replay.places[i].is_barrier) {
      Put(out, "phase", end.barrier.generation);
      Put(out, "parity", std::int64_t{end.barrier.parity ? 1 : 0});
      Put(out, "pending_arrivals", static_cast<std::int64_t>(end.barrier.lacking.size()));
      Put(out, "pending_bytes", end.barrier.pending_bytes.value);
    } else {
      Put(out, "value", end.value);
    }
    PutTexts(out, "waiting", end.waiting,
             [&](TaskStreamId stream) { return system.tasks[task::TaskId(stream.value)].name; });
    out.EndObject();
  }
  out.EndArray();
}

}  // namespace

std::string ReplayJson(const task::PipelineSystem& system, const ReplayReport& report) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  PutFlag(out, "played", report.replay.has_value());
  Put(out, "target", report.target);
  if (report.skipped) Put(out, "skipped", report.skipped->message);
  if (report.replay) {
    const task::Replay& replay = *report.replay;
    constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
    Put(out, "cycles", report.cycles.value);
    Put(out, "nanoseconds", replay.time.value / kPicosecondsPerNanosecond);
    Put(out, "runs", replay.runs);
    Put(out, "skipped_runs", replay.skipped_runs);
    PutFlag(out, "agrees", report.contradictions.empty());
    PutTexts(out, "contradictions", report.contradictions,
             [](const std::string& text) { return text; });
    for (const auto& [key, list] :
         {std::pair("findings", &report.findings), std::pair("notes", &report.notes)}) {
      PutObjects(out, key, *list, [&](const ReplayFinding& finding) {
        Put(out, "code", finding.code);
        Put(out, "text", finding.text);
      });
    }
    PutFindings(out, system, replay);
    PutBarriers(out, system, replay);
  }
  out.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace spillway
