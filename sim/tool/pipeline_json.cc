#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "sim/tool/pipeline_report.h"

namespace spillway {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void PutText(Writer& out, std::string_view text) {
  out.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
void PutKey(Writer& out, std::string_view key) {
  out.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}
void Put(Writer& out, const char* key, std::string_view value) {
  out.Key(key);
  PutText(out, value);
}
void Put(Writer& out, const char* key, std::int64_t value) {
  out.Key(key);
  out.Int64(value);
}
void PutNumbers(Writer& out, const char* key, std::initializer_list<std::int64_t> numbers) {
  out.Key(key);
  out.StartArray();
  for (const std::int64_t number : numbers) out.Int64(number);
  out.EndArray();
}
void PutNames(Writer& out, const char* key, const task::PipelineSystem& system,
              const task::AccessClass& what) {
  out.Key(key);
  out.StartArray();
  for (const std::string& name : task::NamesOf(system, what)) PutText(out, name);
  out.EndArray();
}

template <class Items, class PutItem>
void PutList(Writer& out, const char* key, const Items& items, const PutItem& put) {
  out.Key(key);
  out.StartArray();
  for (const auto& item : items) put(item);
  out.EndArray();
}

void PutVerdict(Writer& out, const task::PipelineSystem& system, const task::Verdict& verdict) {
  out.Key("deadlock");
  out.Bool(!verdict.blocked.empty());
  PutList(out, "blocked", verdict.blocked,
          [&](const task::BlockedTask& blocked) { PutText(out, blocked.name); });
  PutList(out, "races", verdict.races, [&](const task::Race& race) {
    out.StartObject();
    PutNames(out, "a", system, race.a.what);
    PutNames(out, "b", system, race.b.what);
    PutNumbers(out, "first", {race.a.occurrence, race.b.occurrence});
    Put(out, "space", task::MemorySpaceName(race.space));
    PutNumbers(out, "range", {race.range.begin.value, race.range.end.value});
    out.EndObject();
  });
  PutList(out, "clobbers", verdict.clobbers, [&](const task::Clobber& clobber) {
    out.StartObject();
    PutNames(out, "read", system, clobber.read.what);
    PutNames(out, "write", system, clobber.write.what);
    PutNumbers(out, "first", {clobber.read.occurrence, clobber.write.occurrence});
    out.EndObject();
  });
  PutList(out, "uninitialized", verdict.uninitialized, [&](const task::UninitializedRead& one) {
    out.StartObject();
    PutNames(out, "read", system, one.read.what);
    Put(out, "first", one.read.occurrence);
    out.EndObject();
  });
  PutList(out, "structure", task::StructureCodes(verdict.structure),
          [&](const std::string& code) { PutText(out, code); });
  Put(out, "events", verdict.events);
}

void PutArena(Writer& out, const task::BarrierLayout& arena) {
  out.Key("arena");
  out.StartObject();
  out.Key("offsets");
  out.StartObject();
  for (const task::BarrierEntry& entry : arena.entries) {
    PutKey(out, entry.name);
    out.Int64(entry.offset.value);
  }
  out.EndObject();
  Put(out, "used", arena.used.value);
  Put(out, "padded", arena.padded.value);
  PutList(out, "runs", arena.runs, [&](const task::BarrierRun& run) {
    out.StartArray();
    for (const std::int64_t number : {run.begin.value, run.end.value, run.arrivals})
      out.Int64(number);
    out.EndArray();
  });
  out.EndObject();
}

void PutLayout(Writer& out, const task::PipelineSystem& system, const task::SystemLayout& layout) {
  out.Key("layout");
  out.StartObject();
  out.Key("offsets");
  out.StartObject();
  for (std::size_t i = 0; i < system.allocations.size(); ++i) {
    const task::AllocationId id(i);
    PutKey(out, system.allocations[id].name);
    out.Int64(layout.offsets[id].value);
  }
  for (const task::BarrierStoragePlace& place : layout.barriers) {
    PutKey(out, place.name);
    out.Int64(place.offset.value);
  }
  out.EndObject();
  out.Key("totals");
  out.StartObject();
  for (const task::MemorySpace space : task::kMemorySpaces) {
    if (!layout.totals[space]) continue;
    PutKey(out, task::MemorySpaceName(space));
    out.Int64(layout.totals[space]->value);
  }
  out.EndObject();
  Put(out, "barrier_bytes", layout.barrier_bytes.value);
  if (layout.arena) PutArena(out, *layout.arena);
  out.EndObject();
}

void PutWitness(Writer& out, const task::PipelineSystem& system, const task::Witness& witness) {
  out.Key("witness");
  out.StartObject();
  Put(out, "events", witness.events);
  Put(out, "skipped_rows", witness.skipped_rows);
  PutList(out, "rows", witness.rows, [&](const task::WitnessRow& row) {
    out.StartObject();
    out.Key("tasks");
    out.StartObject();
    for (const auto& [task, text] : row.cells) {
      PutKey(out, system.tasks[task].name);
      PutText(out, text);
    }
    out.EndObject();
    out.Key("credits");
    out.StartObject();
    for (std::size_t i = 0; i < row.credits.size(); ++i) {
      PutKey(out, system.pipelines[witness.pipelines[i]].name);
      out.StartArray();
      out.Int64(row.credits[i].empty);
      out.Int64(row.credits[i].full);
      out.EndArray();
    }
    out.EndObject();
    PutList(out, "in_progress", row.in_progress,
            [&](const std::string& what) { PutText(out, what); });
    out.EndObject();
  });
  out.EndObject();
}

}  // namespace

std::string ToJson(const PipelineReport& report) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  Put(out, "file", report.file);
  if (report.system) Put(out, "system", report.system->name);
  Put(out, "verdict", report.VerdictName());
  if (report.error) {
    out.Key("error");
    out.StartObject();
    Put(out, "kind", KindName(report.error->kind));
    Put(out, "code", report.error->code);
    Put(out, "message", report.error->message);
    if (report.error->line > 0) Put(out, "line", report.error->line);
    out.EndObject();
  }
  if (report.verdict) {
    PutVerdict(out, *report.system, *report.verdict);
    out.Key("states");
    if (report.exploration.complete) {
      out.Int64(report.exploration.states);
    } else {
      out.Null();
    }
  }
  if (!report.verdict && report.IsInconclusive()) {
    for (const char* key : {"deadlock", "blocked", "races", "clobbers", "uninitialized",
                            "structure", "events", "states"}) {
      out.Key(key);
      out.Null();
    }
  }
  if (report.IsInconclusive()) {
    out.Key("inconclusive");
    out.Bool(true);
  }
  if (report.iterations) {
    Put(out, "iterations", *report.iterations);
    out.Key("cut_off");
    if (report.cut_off) {
      out.Int64(*report.cut_off);
    } else {
      out.Null();
    }
  }
  if (report.layout) PutLayout(out, *report.system, *report.layout);
  if (report.replay) {
    const std::string replay = ReplayJson(*report.system, *report.replay);
    out.Key("replay");
    out.RawValue(replay.data(), replay.size(), rapidjson::kObjectType);
  }
  if (const std::int64_t count = WithoutRun(report); count > 0) Put(out, "without_witness", count);
  PutList(out, "violations", report.findings, [&](const task::Finding& finding) {
    out.StartObject();
    Put(out, "kind", KindName(finding.kind));
    Put(out, "code", finding.code);
    Put(out, "text", finding.text);
    if (finding.witness) PutWitness(out, *report.system, *finding.witness);
    out.EndObject();
  });
  out.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace spillway
