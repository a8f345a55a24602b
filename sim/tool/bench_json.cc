#include "sim/tool/bench_json.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cmath>
#include <optional>

namespace spillway {
namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void Put(Writer& out, const char* key, const std::string& value) {
  out.Key(key);
  out.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}
void Put(Writer& out, const char* key, const char* value) { Put(out, key, std::string(value)); }
void Put(Writer& out, const char* key, bool value) {
  out.Key(key);
  out.Bool(value);
}
void Put(Writer& out, const char* key, std::optional<double> value) {
  out.Key(key);
  if (value && std::isfinite(*value)) {
    out.Double(*value);
  } else {
    out.Null();
  }
}

void PutCount(Writer& out, const char* key, std::int64_t value) {
  out.Key(key);
  out.Int64(value);
}

std::optional<double> UnlessZero(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

void PutFigure(Writer& out, const MachineFigure& figure) {
  out.StartObject();
  Put(out, "group", figure.group);
  Put(out, "name", figure.name);
  Put(out, "value", std::optional(figure.value));
  Put(out, "unit", figure.unit);
  Put(out, "bar", UnlessZero(figure.bar));
  Put(out, "meets_bar", figure.MeetsBar());
  Put(out, "to_bare", UnlessZero(figure.to_bare));
  out.EndObject();
}

void PutFigure(Writer& out, const PublishedFigure& figure) {
  out.StartObject();
  Put(out, "name", figure.name);
  Put(out, "published", std::optional(figure.published));
  Put(out, "simulated", std::optional(figure.simulated));
  Put(out, "unit", figure.unit);
  Put(out, "error", std::optional(figure.error()));
  Put(out, "bound", figure.bound);
  Put(out, "holds", figure.holds());
  Put(out, "source", figure.source);
  out.EndObject();
}

void PutFigure(Writer& out, const PropertyFigure& figure) {
  out.StartObject();
  Put(out, "name", figure.name);
  Put(out, "cases_per_second", std::optional(figure.cases_per_second));
  Put(out, "cases_per_yardstick", std::optional(figure.to_yardstick));
  Put(out, "bar", UnlessZero(figure.bar));
  Put(out, "meets_bar", figure.MeetsBar());
  out.EndObject();
}

template <class Figure>
void PutFigures(Writer& out, const std::vector<Figure>& figures) {
  out.Key("figures");
  out.StartArray();
  for (const Figure& figure : figures) PutFigure(out, figure);
  out.EndArray();
}

}  // namespace

std::string MachineJson(const std::vector<MachineFigure>& figures) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.SetIndent(' ', 1);
  out.StartObject();
  Put(out, "suite", "machine");
  PutFigures(out, figures);
  out.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

std::string PropertiesJson(const PropertyReport& report) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.SetIndent(' ', 1);
  out.StartObject();
  Put(out, "suite", "properties");
  Put(out, "cases", std::optional(static_cast<double>(report.cases)));
  Put(out, "judged", std::optional(static_cast<double>(report.judged)));
  Put(out, "instructions", std::optional(report.instructions));
  Put(out, "yardstick_seconds", std::optional(report.yardstick_seconds));
  PutFigures(out, report.figures);
  out.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

std::string PipelinesJson(const PipelinesReport& report) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.SetIndent(' ', 1);
  out.StartObject();
  Put(out, "suite", "pipelines");
  PutCount(out, "rounds", report.rounds);
  Put(out, "yardstick_seconds", std::optional(report.yardstick_seconds));
  out.Key("clocks");
  out.StartArray();
  for (const ClockFigure& figure : report.clocks) {
    out.StartObject();
    Put(out, "system", figure.system);
    PutCount(out, "events", figure.events);
    Put(out, "graph_seconds", std::optional(figure.graph_seconds));
    Put(out, "clock_seconds", std::optional(figure.clock_seconds));
    Put(out, "race_seconds", std::optional(figure.race_seconds));
    Put(out, "seconds", std::optional(figure.Seconds()));
    Put(out, "events_per_second",
        std::optional(static_cast<double>(figure.events) / figure.Seconds()));
    Put(out, "growth", std::optional(figure.growth));
    Put(out, "clobber_seconds", std::optional(figure.clobber_seconds));
    Put(out, "bar_seconds", UnlessZero(figure.bar_seconds));
    Put(out, "meets_bar", figure.MeetsBar());
    out.EndObject();
  }
  out.EndArray();
  out.Key("states");
  out.StartArray();
  for (const StateFigure& figure : report.states) {
    out.StartObject();
    Put(out, "system", figure.system);
    PutCount(out, "events", figure.events);
    PutCount(out, "states", figure.states);
    Put(out, "explore_seconds", std::optional(figure.explore_seconds));
    Put(out, "clock_seconds", std::optional(figure.clock_seconds));
    Put(out, "clobber_seconds", std::optional(figure.clobber_seconds));
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

std::string PublishedJson(const PublishedReport& report) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.SetIndent(' ', 1);
  out.StartObject();
  Put(out, "suite", "published");
  Put(out, "holds", report.holds());
  Put(out, "in_order", report.in_order);
  Put(out, "worst", report.Worst().name);
  PutFigures(out, report.figures);
  out.Key("not_modelled");
  out.StartArray();
  for (const std::string& left_out : FiguresLeftOut()) out.String(left_out.c_str());
  out.EndArray();
  out.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace spillway
