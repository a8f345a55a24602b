#include "model/alloc/nki/opts_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/nki/base64.h"
#include "model/alloc/nki/field_text.h"
#include "traces/json_print.h"
#include "traces/json_value.h"
#include "traces/line_reader.h"

namespace spillway::nki {
namespace {

constexpr std::string_view kOpts = "opts";
constexpr std::string_view kClass = "allocator_class";

tl::unexpected<Error> Refuse(Kind kind, std::string code, std::string message) {
  return Fail({kind, std::move(code), std::move(message), "", 0});
}

std::optional<Error> CheckLength(std::size_t json_bytes) {
  if (json_bytes <= kMaxOptsJsonBytes) return std::nullopt;
  return Error{
      Kind::kLimit, "nki-opts-too-long",
      fmt::format("expected at most {} bytes of JSON, found {}", kMaxOptsJsonBytes, json_bytes), "",
      0};
}

std::optional<Error> CheckUtf8(std::string_view json) {
  std::size_t column = 0;
  while (column < json.size()) {
    std::size_t length = 1;
    while (length < 4 && !IsUtf8(json.substr(column, length))) ++length;
    if (!IsUtf8(json.substr(column, length))) {
      return Error{Kind::kSyntax, "not-utf8",
                   fmt::format("column {}: expected UTF-8, found byte 0x{:02x}", column + 1,
                               static_cast<unsigned char>(json[column])),
                   "", 0};
    }
    column += length;
  }
  return std::nullopt;
}

// Views of the value point into `text`.
Result<JsonValue> Parse(std::string& text) {
  if (std::optional<Error> error = CheckLength(text.size())) return Fail(*std::move(error));
  if (std::optional<Error> error = CheckUtf8(text)) return Fail(*std::move(error));
  return ParseJsonLine(text);
}

std::string Print(const JsonValue& value) {
  switch (value.type) {
    case JsonType::kNull: return "null";
    case JsonType::kBool: return value.boolean ? "true" : "false";
    case JsonType::kInteger:
    case JsonType::kDouble:
    case JsonType::kHugeNumber: return std::string(value.text);
    case JsonType::kString: return JsonString(value.text);
    case JsonType::kList: {
      std::string text = "[";
      for (const JsonValue& item : value.items) text += (text.size() > 1 ? "," : "") + Print(item);
      return text + "]";
    }
    case JsonType::kObject: {
      std::string text = "{";
      for (const JsonValue& item : value.items) {
        text += (text.size() > 1 ? "," : "") + JsonString(item.key) + ":";
        text += Print(item);
      }
      return text + "}";
    }
  }
  SPILLWAY_CHECK(false, "a type of JSON value");
}

// What an option may hold; nothing for what none may.
std::optional<AttrValue> ToAttr(const JsonValue& value) {
  switch (value.type) {
    case JsonType::kNull: return AttrValue();
    case JsonType::kBool: return AttrValue(value.boolean);
    case JsonType::kInteger: return AttrValue(value.integer);
    case JsonType::kDouble: return AttrValue(value.number);
    case JsonType::kString: return AttrValue(std::string(value.text));
    case JsonType::kList: return AttrValue(AttrValue::List(value.items.size()));
    case JsonType::kHugeNumber:
    case JsonType::kObject: break;
  }
  return std::nullopt;
}

// Of the options, `where` being what stands before their keys in a path.
Result<CompileOpts> FromValue(const JsonValue& object, std::string_view where) {
  if (object.type != JsonType::kObject) {
    const std::string_view path = where.substr(0, where.size() - (where.empty() ? 0 : 1));
    return Refuse(Kind::kSyntax, "nki-opts-not-an-object",
                  fmt::format("{}: expected an object, found {}",
                              path.empty() ? "compile options" : fmt::format("key \"{}\"", path),
                              JsonTypeName(object.type)));
  }
  std::vector<Attr> fields;
  for (const JsonValue& item : object.items) {
    if (item.key == kClass) continue;
    std::optional<AttrValue> value = ToAttr(item);
    if (!value) return Fail(WrongFieldType(item.key, JsonTypeName(item.type), where));
    fields.push_back({std::string(item.key), *std::move(value)});
  }
  Result<CompileOpts> opts = Replace({}, fields, where);
  const JsonValue* written = FindMember(object, kClass);
  if (!opts || written == nullptr) return opts;
  const std::optional<AllocatorType> derived = opts->allocator_class();
  const std::string expected = derived ? Quoted(AllocatorTypeName(*derived)) : "null";
  if (Print(*written) == expected) return opts;
  const std::optional<AttrValue> found = ToAttr(*written);
  return Refuse(Kind::kSyntax, "nki-allocator-class-disagrees",
                fmt::format("field {0}{1}: expected {2}, since {0}allocator_type is {2}, found {3}",
                            where, kClass, expected,
                            found ? Shown(*found) : std::string(JsonTypeName(written->type))));
}

// `others` and the member "opts" where there is one, as an object with ascending keys.
std::string PrintConfig(const JsonValue& others, std::string_view opts) {
  std::vector<std::pair<std::string_view, std::string>> members;
  for (const JsonValue& item : others.items) {
    if (item.key != kOpts) members.emplace_back(item.key, Print(item));
  }
  if (!opts.empty()) members.emplace_back(kOpts, opts);
  std::sort(members.begin(), members.end());
  std::string text = "{";
  for (const auto& [key, value] : members)
    text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", JsonString(key), value);
  return text + "}";
}

// The object of a call's configuration.
Result<JsonValue> ParseConfig(std::string& text) {
  Result<JsonValue> config = Parse(text);
  if (config && config->type != JsonType::kObject) {
    return Refuse(
        Kind::kSyntax, "nki-config-not-an-object",
        fmt::format("backend_config: expected an object, found {}", JsonTypeName(config->type)));
  }
  return config;
}

}  // namespace

std::string CompileOptsToJson(const CompileOpts& opts) {
  std::string text = "{";
  for (const auto& [name, value] : FieldsOf(opts)) {
    text +=
        fmt::format("{}{}:{}", text.size() > 1 ? "," : "", JsonString(name), JsonAttribute(value));
  }
  return text + "}";
}

Result<CompileOpts> CompileOptsFromJson(std::string_view json) {
  if (std::optional<Error> error = CheckLength(json.size())) return Fail(*std::move(error));
  std::string text(json);
  const Result<JsonValue> value = Parse(text);
  if (!value) return Fail(value.error());
  return FromValue(*value, "");
}

Result<std::string> EncodeBackendConfig(const BackendConfig& config) {
  std::string text = config.others;
  const Result<JsonValue> others = ParseConfig(text);
  if (!others) return Fail(others.error());
  if (FindMember(*others, kOpts) != nullptr) {
    return Refuse(Kind::kDuplicateName, "nki-opts-twice",
                  "key \"opts\": expected the options of the configuration alone, found a second "
                  "one among the others");
  }
  const std::string json = PrintConfig(*others, CompileOptsToJson(config.opts));
  if (std::optional<Error> error = CheckLength(json.size())) return Fail(*std::move(error));
  return EncodeBase64(json);
}

Result<BackendConfig> DecodeBackendConfig(std::string_view base64) {
  // Padding stands for at most two bytes that aren't there.
  const std::size_t bytes = base64.size() / 4 * 3;
  if (std::optional<Error> error = CheckLength(bytes < 2 ? 0 : bytes - 2))
    return Fail(*std::move(error));
  Result<std::string> text = DecodeBase64(base64);
  if (!text) return Fail(std::move(text.error()));
  const Result<JsonValue> config = ParseConfig(*text);
  if (!config) return Fail(config.error());
  const JsonValue* written = FindMember(*config, kOpts);
  if (written == nullptr) {
    return Refuse(Kind::kSyntax, "nki-missing-opts",
                  "backend_config: expected a key \"opts\", found none");
  }
  Result<CompileOpts> opts = FromValue(*written, "opts.");
  if (!opts) return Fail(std::move(opts.error()));
  return BackendConfig{*std::move(opts), PrintConfig(*config, "")};
}

}  // namespace spillway::nki
