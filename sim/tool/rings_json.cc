#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "sim/tool/rings_report.h"

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
void PutError(Writer& out, const char* key, const Error& error) {
  out.Key(key);
  out.StartObject();
  Put(out, "kind", KindName(error.kind));
  Put(out, "code", error.code);
  Put(out, "message", error.message);
  if (error.line > 0) Put(out, "line", error.line);
  out.EndObject();
}

void PutRow(Writer& out, const RingRow& row) {
  out.StartObject();
  Put(out, "tensor", row.tensor);
  Put(out, "space", SpaceName(row.space));
  Put(out, "fills", row.fills);
  Put(out, "stages", row.stages);
  Put(out, "stage_bytes", row.stage_bytes.value);
  PutFlag(out, "pipeline", row.is_pipeline);
  if (row.reason) PutError(out, "reason", *row.reason);
  if (row.unknown) PutError(out, "unknown", *row.unknown);
  if (row.depth) {
    Put(out, "skew", row.depth->skew);
    Put(out, "needed", row.depth->needed);
    if (!row.depth->with_fewer.empty()) Put(out, "with_fewer", row.depth->with_fewer);
    if (!row.depth->as_it_is.empty()) Put(out, "as_it_is", row.depth->as_it_is);
    PutFlag(out, "too_short", row.IsTooShort());
    Put(out, "spare_bytes", row.Spare().value);
  }
  if (row.live) Put(out, "runs_with", *row.live);
  out.EndObject();
}

void PutSystem(Writer& out, const char* key, const SystemFindings& found) {
  out.Key(key);
  out.StartObject();
  Put(out, "events", found.events);
  if (found.waits > 0) Put(out, "waits", found.waits);
  out.Key("violations");
  out.StartArray();
  for (const task::Finding& finding : found.judged.findings) {
    out.StartObject();
    Put(out, "kind", KindName(finding.kind));
    Put(out, "code", finding.code);
    Put(out, "text", finding.text);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
}

}  // namespace

std::string ToJson(const RingsReport& report) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  Put(out, "file", report.file);
  if (!report.kernel.empty()) Put(out, "kernel", report.kernel);
  Put(out, "verdict", report.VerdictName());
  if (report.error) PutError(out, "error", *report.error);
  Put(out, "instances", report.instances);
  out.Key("streams");
  out.StartArray();
  for (const std::string& stream : report.streams) PutText(out, stream);
  out.EndArray();
  Put(out, "pipelines", report.pipelines);
  Put(out, "semaphores", report.semaphores);
  PutFlag(out, "cut", report.is_cut);
  out.Key("tensors");
  out.StartArray();
  for (const RingRow& row : report.rows) PutRow(out, row);
  out.EndArray();
  if (report.rings) PutSystem(out, "rings", *report.rings);
  if (report.placement) PutSystem(out, "placement", *report.placement);
  if (report.not_written) PutError(out, "not_written", *report.not_written);
  if (!report.written.empty()) Put(out, "written", report.written);
  out.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace spillway
