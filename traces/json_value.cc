#include "traces/json_value.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "traces/decoder.h"
#include "traces/faults.h"

namespace spillway {
namespace {

std::optional<JsonValue> ParseNumber(std::string_view text) {
  JsonValue value;
  value.text = text;
  value.type = JsonType::kDouble;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") {
    value.number = std::numeric_limits<double>::quiet_NaN();
    return value;
  }
  if (text == "Infinity" || text == "-Infinity") {
    value.number = text.front() == '-' ? -kInfinity : kInfinity;
    return value;
  }
  // Other spellings of these three aren't JSON to anybody, though the parser lets some pass.
  if (text.find_first_of("IN") != std::string_view::npos) return std::nullopt;
  const char* const end = text.data() + text.size();
  const bool is_integer = text.find_first_not_of("-0123456789") == std::string_view::npos;
  const std::from_chars_result read = is_integer ? std::from_chars(text.data(), end, value.integer)
                                                 : std::from_chars(text.data(), end, value.number);
  if (read.ec == std::errc::result_out_of_range) {
    value.type = JsonType::kHugeNumber;
    return value;
  }
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  value.type = is_integer ? JsonType::kInteger : JsonType::kDouble;
  return value;
}

/// Builds the value bottom up; `open` holds the lists and objects that haven't ended.
class Builder {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool Null() { return Add({}); }
  bool Bool(bool b) {
    JsonValue value;
    value.type = JsonType::kBool;
    value.boolean = b;
    return Add(std::move(value));
  }
  // Numbers arrive as written, so these are never called.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    std::optional<JsonValue> value = ParseNumber({text, length});
    if (!value) {
      return Stop(Fault::kMalformedJson,
                  fmt::format("expected a JSON number, found {}", std::string_view(text, length)));
    }
    return Add(std::move(*value));
  }
  bool String(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    JsonValue value;
    value.type = JsonType::kString;
    value.text = {text, length};
    return Add(std::move(value));
  }
  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    open_.back().next_key = {text, length};
    return true;
  }
  bool StartObject() { return Open(JsonType::kObject); }
  bool StartArray() { return Open(JsonType::kList); }
  bool EndArray(rapidjson::SizeType /*count*/) { return Close(); }
  bool EndObject(rapidjson::SizeType /*count*/) {
    const std::string_view twice = RepeatedKey(open_.back().value);
    if (twice.data() != nullptr) {
      stopped_at_ = twice.data();
      return Stop(Fault::kDuplicateKey,
                  fmt::format("key {}: expected once in its object, found twice",
                              Decoder::Quoted(PathOfObject() + std::string(twice))));
    }
    return Close();
  }

  JsonValue& root() { return root_; }
  std::optional<Error>& error() { return error_; }
  /// Where in the text the error is, if that's not where the parser stopped.
  const char* stopped_at() const { return stopped_at_; }

 private:
  struct Level {
    JsonValue value;
    std::string_view next_key;
  };

  bool Stop(Fault fault, std::string message) {
    error_ = MakeError(fault, std::move(message));
    return false;
  }

  bool Open(JsonType type) {
    if (open_.size() >= static_cast<std::size_t>(limits_.max_depth)) {
      return Stop(Fault::kNestedTooDeep,
                  fmt::format("expected lists and objects to nest at most {} deep, found more",
                              limits_.max_depth));
    }
    open_.emplace_back();
    open_.back().value.type = type;
    return true;
  }

  bool Close() {
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    return Add(std::move(value));
  }

  bool Add(JsonValue value) {
    if (++values_ > limits_.max_values) {
      return Stop(Fault::kFileTooLong,
                  fmt::format("expected at most {} JSON values, found more", limits_.max_values));
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    value.key = open_.back().next_key;
    open_.back().value.items.push_back(std::move(value));
    return true;
  }

  // Of the innermost open object, with the dot that goes before its members; empty for the root.
  std::string PathOfObject() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Level& outer = open_[i];
      if (outer.value.type == JsonType::kList) {
        path += fmt::format("[{}]", outer.value.items.size());
      } else {
        path += fmt::format("{}{}", path.empty() ? "" : ".", outer.next_key);
      }
    }
    return path.empty() ? path : path + ".";
  }

  static std::string_view RepeatedKey(const JsonValue& object) {
    std::vector<std::string_view> keys;
    keys.reserve(object.items.size());
    for (const JsonValue& item : object.items) keys.push_back(item.key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    return twice == keys.end() ? std::string_view() : *twice;
  }

  JsonLimits limits_;
  std::int64_t values_ = 0;
  JsonValue root_;
  std::vector<Level> open_;
  std::optional<Error> error_;
  const char* stopped_at_ = nullptr;
};

/// Line and column of an offset, both from 1; line 0 where the text is one line of a file.
struct TextPlace {
  std::int64_t line = 0;
  std::size_t column = 0;
};

TextPlace PlaceOf(std::string_view lines, std::size_t offset) {
  if (lines.empty()) return {0, offset + 1};
  const std::string_view before = lines.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  return {std::count(before.begin(), before.end(), '\n') + 1,
          newline == std::string_view::npos ? offset + 1 : offset - newline};
}

}  // namespace

const JsonValue* FindMember(const JsonValue& object, std::string_view key) {
  for (const JsonValue& item : object.items) {
    if (item.key == key) return &item;
  }
  return nullptr;
}

std::string_view JsonTypeName(JsonType type) {
  switch (type) {
    case JsonType::kNull: return "null";
    case JsonType::kBool: return "a boolean";
    case JsonType::kInteger: return "an integer";
    case JsonType::kDouble: return "a floating-point number";
    case JsonType::kHugeNumber: return "a number beyond 64 bits";
    case JsonType::kString: return "a string";
    case JsonType::kList: return "a list";
    case JsonType::kObject: return "an object";
  }
  return "nothing";
}

Result<JsonValue> ParseJsonLine(std::string& line, const JsonLimits& limits) {
  const auto fail = [&](std::size_t offset, Error error, bool with_column) {
    const TextPlace place = PlaceOf(limits.lines, offset);
    if (with_column) error.message = fmt::format("column {}: {}", place.column, error.message);
    error.line = place.line;
    return Fail(std::move(error));
  };
  // The in-place parser takes a zero byte for the end of its input.
  const std::size_t zero = line.find('\0');
  if (zero != std::string::npos) {
    return fail(zero, MakeError(Fault::kMalformedJson, "expected JSON, found a zero byte"), true);
  }
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  Builder builder(limits);
  rapidjson::Reader reader;
  rapidjson::InsituStringStream stream(line.data());
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (builder.error()) {
    const char* const at = builder.stopped_at();
    const auto offset =
        at != nullptr ? static_cast<std::size_t>(at - line.data()) : result.Offset();
    // A duplicate key has its path; everything else is found where the parser stands.
    return fail(offset, std::move(*builder.error()), at == nullptr);
  }
  if (result.IsError()) {
    const bool trailing = result.Code() == rapidjson::kParseErrorDocumentRootNotSingular;
    if (trailing) {
      return fail(result.Offset(),
                  MakeError(Fault::kTrailingGarbage,
                            "expected the end of the line, found more after its object"),
                  true);
    }
    return fail(result.Offset(),
                MakeError(Fault::kMalformedJson, std::string("expected JSON: ") +
                                                     rapidjson::GetParseError_En(result.Code())),
                true);
  }
  return std::move(builder.root());
}

}  // namespace spillway
