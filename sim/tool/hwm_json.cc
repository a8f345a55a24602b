#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "sim/tool/hwm_command.h"

namespace spillway {
namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void Put(Writer& out, const char* key, std::string_view value) {
  out.Key(key);
  out.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}
void Put(Writer& out, const char* key, std::int64_t value) {
  out.Key(key);
  out.Int64(value);
}

void PutPrice(Writer& out, std::string_view oracle, const OraclePrice& price) {
  out.Key(oracle.data(), static_cast<rapidjson::SizeType>(oracle.size()));
  if (!price.cycles) {
    out.Null();
    return;
  }
  out.StartObject();
  Put(out, "cycles", price.cycles->value);
  Put(out, "source", price.rule.source);
  Put(out, "confidence", ConfidenceName(price.rule.confidence));
  out.EndObject();
}

void PutProbe(Writer& out, const HwmProbe& probe) {
  out.StartObject();
  Put(out, "kind", probe.kind);
  Put(out, "name", probe.name);
  if (!probe.engine.empty()) Put(out, "engine", probe.engine);
  if (!probe.dtype.empty()) Put(out, "dtype", probe.dtype);
  Put(out, "partitions", probe.partitions);
  Put(out, probe.kind == "instruction" ? "elements" : "bytes", probe.size);
  out.Key("prices");
  out.StartObject();
  for (std::size_t i = 0; i < kOracleNames.size(); ++i)
    PutPrice(out, kOracleNames[i], probe.prices[i]);
  out.EndObject();
  out.Key("difference");
  if (const auto difference = probe.Difference()) {
    out.Double(*difference);
  } else {
    out.Null();
  }
  out.Key("differs");
  out.Bool(probe.Differs());
  out.EndObject();
}

}  // namespace

std::string HwmJson(const std::vector<std::pair<Target, std::vector<HwmProbe>>>& tables) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.SetIndent(' ', 1);
  out.StartObject();
  out.Key("targets");
  out.StartArray();
  for (const auto& [target, probes] : tables) {
    out.StartObject();
    Put(out, "name", target.name);
    Put(out, "reference_hertz", target.reference_hertz.value);
    out.Key("probes");
    out.StartArray();
    for (const HwmProbe& probe : probes) PutProbe(out, probe);
    out.EndArray();
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace spillway
