#include "sim/tool/json_report.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <type_traits>

#include "model/hw/timing/timing_rules.h"
#include "sim/tool/version.h"

namespace spillway {
namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

class JsonOut {
 public:
  JsonOut() : writer_(buffer_) { writer_.SetIndent(' ', 1); }

  void Open(const char* key) {
    Key(key);
    writer_.StartObject();
  }
  void OpenItem() { writer_.StartObject(); }
  void Close() { writer_.EndObject(); }
  void OpenList(const char* key) {
    Key(key);
    writer_.StartArray();
  }
  void CloseList() { writer_.EndArray(); }
  void Put(const char* key, std::string_view value) {
    Key(key);
    Item(value);
  }
  void Put(const char* key, std::int64_t value) {
    Key(key);
    writer_.Int64(value);
  }
  void Put(const char* key, double value) {
    Key(key);
    writer_.Double(value);
  }
  void PutNull(const char* key) {
    Key(key);
    writer_.Null();
  }
  void Item(std::string_view value) {
    writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void Item(std::int64_t value) { writer_.Int64(value); }
  std::string Take() const { return std::string(buffer_.GetString(), buffer_.GetSize()) + "\n"; }

 private:
  void Key(const char* key) {
    if (key != nullptr) writer_.Key(key);
  }
  rapidjson::StringBuffer buffer_;
  Writer writer_;
};

void PutViolation(JsonOut& out, const Violation& violation) {
  out.OpenItem();
  out.Put("kind", KindName(violation.kind));
  out.OpenList("tensors");
  for (const std::string& name : violation.tensors) out.Item(name);
  out.CloseList();
  if (violation.space) out.Put("space", SpaceName(*violation.space));
  if (violation.range) {
    out.OpenList("range");
    out.Item(violation.range->begin.value);
    out.Item(violation.range->end.value);
    out.CloseList();
  }
  if (violation.time) {
    out.OpenList("time");
    out.Item(std::int64_t{violation.time->begin.value});
    out.Item(std::int64_t{violation.time->end.value});
    out.CloseList();
  }
  out.Put("text", violation.text);
  out.Close();
}

void PutEstimate(JsonOut& out, const RunReport& report) {
  if (report.estimate) {
    const Estimate& estimate = *report.estimate;
    out.Put("estimate_cycles", estimate.cycles.value);
    out.Put("estimate_cycles_without_anti_dependences", estimate.without_anti_dependences.value);
    out.Put("slack_of_anti_dependences", estimate.slack());
    return;
  }
  out.PutNull("estimate_cycles");
  out.PutNull("estimate_cycles_without_anti_dependences");
  out.PutNull("slack_of_anti_dependences");
  if (!report.estimate_note.empty()) out.Put("estimate_note", report.estimate_note);
}

void PutSpill(JsonOut& out, const SpillReport& spill) {
  out.Open("spill");
  out.Put("iterations", spill.iterations);
  out.Put("tensors", spill.tensors);
  out.Put("saves", spill.saves);
  out.Put("reloads", spill.reloads);
  out.Put("reloads_removed", spill.reloads_removed);
  out.Put("saved_bytes", spill.saved_bytes.value);
  out.Put("reloaded_bytes", spill.reloaded_bytes.value);
  out.Put("predicted_cycles", spill.predicted_cycles);
  out.Put("measured_cycles", spill.measured_cycles);
  out.OpenList("spilled");
  for (const auto& [name, cycles] : spill.per_tensor) {
    out.OpenItem();
    out.Put("tensor", name);
    out.Put("predicted_cycles", cycles);
    out.Close();
  }
  out.CloseList();
  out.Close();
}

void PutMemories(JsonOut& out, const RunReport& report) {
  out.Open("sbuf");
  out.Put("capacity_bytes", report.sbuf.capacity_bytes.value);
  out.Put("high_water_bytes", report.sbuf.high_water_bytes.value);
  out.Put("peak_live_bytes", report.sbuf.peak_live_bytes.value);
  out.OpenList("quadrant_bytes");
  for (const Bytes bytes : report.sbuf.quadrant_bytes) out.Item(bytes.value);
  out.CloseList();
  out.Close();
  out.Open("psum");
  out.Put("banks", report.psum.banks.value);
  out.Put("peak_banks", report.psum.peak_banks.value);
  out.Close();
  out.Open("dram");
  out.Put("spill_bytes", report.dram.spill_bytes.value);
  out.Put("high_water_bytes", report.dram.high_water_bytes.value);
  out.Close();
}

void PutChecks(JsonOut& out, const RunReport& report) {
  out.Open("checks");
  for (const CheckResult& check : report.checks) {
    out.Open(check.name.c_str());
    out.Put("checked", check.checked);
    out.Put("violations", static_cast<std::int64_t>(check.violations.size()));
    out.Close();
  }
  out.Close();
  out.OpenList("violations");
  for (const Violation& violation : AllViolations(report)) PutViolation(out, violation);
  out.CloseList();
}

void PutRange(JsonOut& out, const char* key, const Interval<ByteOffset>& range) {
  out.OpenList(key);
  out.Item(range.begin.value);
  out.Item(range.end.value);
  out.CloseList();
}

void PutTile(JsonOut& out, const char* key, const nki::SectionTile& tile) {
  out.Open(key);
  out.Put("name", tile.name);
  out.Put("region", tile.region == nki::TileRegion::kHeap ? "heap" : "stack");
  PutRange(out, "bytes", tile.place.bytes);
  out.Close();
}

template <class Overlap>
void PutOverlap(JsonOut& out, const Overlap& overlap) {
  out.OpenItem();
  out.Put("scope", overlap.scope);
  out.Put("interleave_degree", overlap.interleave_degree);
  out.Put("earlier", overlap.earlier);
  out.Put("later", overlap.later);
  if constexpr (std::is_same_v<Overlap, nki::HeapOverlap>) {
    PutTile(out, "earlier_tile", overlap.earlier_tile);
    PutTile(out, "later_tile", overlap.later_tile);
  } else {
    PutRange(out, "earlier_bytes", overlap.earlier_bytes);
    PutRange(out, "later_bytes", overlap.later_bytes);
  }
  PutRange(out, "shared", overlap.shared);
  out.Put("text", overlap.text);
  out.Close();
}

// Where the stack allocator worked.
void PutStack(JsonOut& out, const nki::StackAccount& stack) {
  const nki::StackStatistics& statistics = stack.statistics;
  out.Open("stack");
  out.Put("window_bytes", statistics.window.value);
  out.Put("max_stack_bytes", statistics.max_stack.value);
  out.Put("max_heap_bytes", statistics.max_heap.value);
  out.Put("max_combined_bytes", statistics.max_combined.value);
  out.Put("stack_tiles", statistics.stack_tiles);
  out.Put("heap_tiles", statistics.heap_tiles);
  out.Put("unused_byte_partitions", statistics.unused_byte_partitions);
  out.Put("fullest_partition_bytes", statistics.fullest_partition.value);
  out.OpenList("overlaps");
  for (const nki::SectionOverlap& overlap : stack.overlaps) PutOverlap(out, overlap);
  out.CloseList();
  out.OpenList("heap_overlaps");
  for (const nki::HeapOverlap& overlap : stack.heap_overlaps) PutOverlap(out, overlap);
  out.CloseList();
  out.OpenList("log");
  std::istringstream lines(stack.tree);
  for (std::string line; std::getline(lines, line);) out.Item(line);
  out.CloseList();
  out.Close();
}

void PutReport(JsonOut& out, const RunReport& report) {
  out.OpenItem();
  out.Put("file", report.file);
  out.Put("kernel", report.kernel);
  out.Put("target", report.target);
  out.Put("allocator", report.allocator);
  out.Put("oracle", report.oracle);
  out.Put("verdict", VerdictName(report.verdict));
  out.Put("message", report.message);
  if (!report.error_kind.empty()) out.Put("kind", report.error_kind);
  out.OpenList("unpriced_ops");
  for (const std::string& op : report.unpriced_ops) out.Item(op);
  out.CloseList();
  out.OpenList("notes");
  for (const std::string& note : report.notes) out.Item(note);
  out.CloseList();
  out.Put("instructions", report.instructions);
  out.Put("tensors", report.tensors);
  out.Put("cycles", report.cycles);
  out.Put("nanoseconds", report.nanoseconds);
  PutEstimate(out, report);
  out.Open("engines");
  for (const auto& [engine, share] : report.engines) out.Put(engine.c_str(), share);
  out.Close();
  PutSpill(out, report.spill);
  PutMemories(out, report);
  if (report.stack) PutStack(out, *report.stack);
  PutChecks(out, report);
  out.Open("data");
  out.Put("mode", report.data.mode);
  out.Put("compared_bytes", report.data.compared_bytes);
  out.Put("mismatched_bytes", report.data.mismatched_bytes);
  out.OpenList("opaque_ops");
  for (const std::string& op : report.data.opaque_ops) out.Item(op);
  out.CloseList();
  out.Close();
  out.Open("seconds");
  out.Put("read", report.seconds.read);
  out.Put("allocate", report.seconds.allocate);
  out.Put("check", report.seconds.check);
  out.Put("estimate", report.seconds.estimate);
  out.Put("simulate", report.seconds.simulate);
  out.Close();
  out.Close();
}

void PutRules(JsonOut& out, const Target& target) {
  out.OpenList("rules");
  for (const TimingRule& rule : TimingRules(target)) {
    out.OpenItem();
    out.Put("resource", rule.resource);
    out.Put("rule", rule.rule);
    out.Put("expression", rule.expression);
    out.Put("unit", rule.unit);
    out.Put("source", rule.source);
    out.Put("confidence", ConfidenceName(rule.confidence));
    out.Close();
  }
  out.CloseList();
}

}  // namespace

std::string ToJson(const std::vector<RunReport>& reports) {
  JsonOut out;
  out.OpenItem();
  out.Put("spillway", kVersion);
  out.OpenList("results");
  for (const RunReport& report : reports) PutReport(out, report);
  out.CloseList();
  out.Close();
  return out.Take();
}

std::string TargetsToJson(const std::vector<Target>& targets, bool rules) {
  JsonOut out;
  out.OpenItem();
  out.OpenList("targets");
  for (const Target& target : targets) {
    out.OpenItem();
    out.Put("name", target.name);
    out.OpenList("aliases");
    for (const std::string& alias : target.aliases) out.Item(alias);
    out.CloseList();
    out.OpenList("rows");
    for (const TargetRow& row : Rows(target)) {
      out.OpenItem();
      out.Put("key", row.key);
      out.Put("value", row.value);
      out.Put("unit", row.unit);
      out.Put("source", row.source);
      out.Put("confidence", ConfidenceName(row.confidence));
      out.Close();
    }
    out.CloseList();
    if (rules) PutRules(out, target);
    out.Close();
  }
  out.CloseList();
  out.Close();
  return out.Take();
}

Result<void> WriteText(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text << std::flush;
    return {};
  }
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) return Fail({Kind::kFile, "cannot-write", "can't be written", path, 0});
  return {};
}

}  // namespace spillway
