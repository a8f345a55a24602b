// One line of JSON as a value; numbers keep whether they were written as integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/hw/error.h"

namespace spillway {

enum class JsonType { kNull, kBool, kInteger, kDouble, kHugeNumber, kString, kList, kObject };

/// Strings, keys and numbers as written are views into the line that was parsed.
struct JsonValue {
  JsonType type = JsonType::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text;         ///< a string, or a number as written
  std::string_view key;          ///< where the value is a member of an object
  std::vector<JsonValue> items;  ///< of a list, or members of an object in order
};

/// The member of that key, or null.
const JsonValue* FindMember(const JsonValue& object, std::string_view key);

/// "an integer", "a list", …
std::string_view JsonTypeName(JsonType type);

/// Lists and objects may nest this deep, the line's own object included. A line of the format needs
/// 7 levels without its attributes.
inline constexpr int kMaxJsonDepth = 16;

/// Bounds of one JSON text.
struct JsonLimits {
  int max_depth = kMaxJsonDepth;
  std::int64_t max_values = std::int64_t{1} << 40;  ///< scalars, lists and objects together
  /// The text as given, where it has several lines: then errors have their line.
  std::string_view lines = {};
};

/// Parses `line` in place: the value's views point into it, and it is changed.
/// Python's NaN, Infinity and -Infinity are numbers. A number beyond int64 or double is
/// kHugeNumber. Errors: malformed-json, trailing-garbage, nested-too-deep, duplicate-key, without
/// file and line; file-too-long for more values than `limits` allows.
Result<JsonValue> ParseJsonLine(std::string& line, const JsonLimits& limits = {});

}  // namespace spillway
