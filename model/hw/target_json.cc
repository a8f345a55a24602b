// Targets from JSON files: a built-in generation with some of its rows replaced.
#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <optional>
#include <set>

#include "model/hw/target.h"
#include "model/hw/target_rows.h"

namespace spillway {
namespace {

using rapidjson::Value;

std::string_view Text(const Value& value) { return {value.GetString(), value.GetStringLength()}; }

// What was found where something else was expected, for messages.
std::string Describe(const Value& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType: return "null";
    case rapidjson::kFalseType: return "false";
    case rapidjson::kTrueType: return "true";
    case rapidjson::kObjectType: return "an object";
    case rapidjson::kArrayType: return "a list";
    case rapidjson::kStringType: return fmt::format("the text \"{}\"", Text(value).substr(0, 80));
    case rapidjson::kNumberType: break;
  }
  if (value.IsInt64()) return fmt::format("{}", value.GetInt64());
  if (value.IsUint64()) return fmt::format("{}", value.GetUint64());
  return fmt::format("{}", value.GetDouble());
}

// Reads one file; the first error ends it.
class TargetReader {
 public:
  explicit TargetReader(const std::string& file) : file_(file) {}

  Result<Target> Read(std::string_view text) {
    rapidjson::Document document;
    // Iterative, so that a deeply nested file can't exhaust the stack.
    document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
        text.data(), text.size());
    if (document.HasParseError()) {
      const std::string_view before = text.substr(0, document.GetErrorOffset());
      Error error = MakeError(Kind::kSyntax, "target-not-json",
                              fmt::format("not JSON: {} (at byte {})",
                                          rapidjson::GetParseError_En(document.GetParseError()),
                                          document.GetErrorOffset()));
      error.line = 1 + std::ranges::count(before, '\n');
      return Fail(std::move(error));
    }
    if (auto error =
            CheckKeys("the target", document, {"name", "base", "rows"}, {"name", "base"})) {
      return Fail(*std::move(error));
    }
    const Result<std::string> name = ReadText("name", document["name"]);
    if (!name) return Fail(name.error());
    const Result<std::string> base = ReadText("base", document["base"]);
    if (!base) return Fail(base.error());
    const std::vector<Target>& known = BuiltInTargets();
    const auto found = std::ranges::find(known, *base, &Target::name);
    if (found == known.end()) {
      return Fail(MakeError(Kind::kUnknownName, "target-unknown-base",
                            fmt::format("key \"base\": expected one of {}, found \"{}\"",
                                        Join(known, &Target::name), *base)));
    }
    for (const Target& target : known) {
      if (target.name == *name || std::ranges::count(target.aliases, *name) > 0) {
        return Fail(MakeError(Kind::kDuplicateName, "target-name-taken",
                              fmt::format("key \"name\": expected a name of its own, found \"{}\", "
                                          "which means the built-in {}",
                                          *name, target.name)));
      }
    }
    Target target = *found;
    target.name = *name;
    target.aliases.clear();
    if (document.HasMember("rows")) {
      if (auto error = ReadRows(document["rows"], target)) return Fail(*std::move(error));
    }
    if (const std::string broken = BrokenRelation(target); !broken.empty()) {
      return Fail(MakeError(Kind::kSyntax, "target-rows-disagree", broken));
    }
    return target;
  }

 private:
  template <class Items, class Member>
  static std::string Join(const Items& items, Member member) {
    std::string joined;
    for (const auto& item : items) {
      joined += (joined.empty() ? "" : ", ") + std::string(std::invoke(member, item));
    }
    return joined;
  }

  Error MakeError(Kind kind, const char* code, std::string message) const {
    return {kind, code, std::move(message), file_};
  }

  Error WrongType(std::string_view key, std::string_view expected, const Value& found) const {
    return MakeError(
        Kind::kSyntax, "target-wrong-type",
        fmt::format("key \"{}\": expected {}, found {}", key, expected, Describe(found)));
  }

  // An object with only `allowed` keys, each once, and all `required` ones.
  std::optional<Error> CheckKeys(std::string_view what, const Value& object,
                                 const std::vector<std::string_view>& allowed,
                                 const std::vector<std::string_view>& required) const {
    if (!object.IsObject()) return WrongType(what, "an object", object);
    std::set<std::string_view> seen;
    for (const auto& member : object.GetObject()) {
      const std::string_view key = Text(member.name);
      if (std::ranges::count(allowed, key) == 0) {
        return MakeError(Kind::kUnknownName, "target-unknown-key",
                         fmt::format("{}: unknown key \"{}\"; expected one of {}", what, key,
                                     Join(allowed, std::identity())));
      }
      if (!seen.insert(key).second) {
        return MakeError(Kind::kDuplicateName, "target-duplicate-key",
                         fmt::format("{}: key \"{}\" expected once, found twice", what, key));
      }
    }
    for (const std::string_view key : required) {
      if (seen.contains(key)) continue;
      return MakeError(Kind::kSyntax, "target-missing-key",
                       fmt::format("{}: key \"{}\" expected, found none", what, key));
    }
    return std::nullopt;
  }

  Result<std::string> ReadText(std::string_view key, const Value& value) const {
    if (!value.IsString()) return Fail(WrongType(key, "a text", value));
    if (Text(value).empty()) {
      return Fail(
          MakeError(Kind::kSyntax, "target-empty-text",
                    fmt::format("key \"{}\": expected a text that isn't empty, found \"\"", key)));
    }
    return std::string(Text(value));
  }

  std::optional<Error> ReadRows(const Value& rows, Target& target) const {
    std::vector<std::string_view> keys;
    ForEachRow(target, [&](std::string_view key, std::string_view, RowLimits, const auto&) {
      keys.push_back(key);
    });
    if (auto error = CheckKeys("rows", rows, keys, {})) return error;
    std::optional<Error> error;
    ForEachRow(
        target, [&](std::string_view key, std::string_view unit, RowLimits limits, auto& row) {
          if (error) return;
          const auto member = rows.FindMember(Value(rapidjson::StringRef(key.data(), key.size())));
          if (member != rows.MemberEnd()) error = ReadRow(key, unit, limits, member->value, row);
        });
    return error;
  }

  template <class T>
  std::optional<Error> ReadRow(std::string_view key, std::string_view unit, RowLimits limits,
                               const Value& object, Sourced<T>& row) const {
    const std::vector<std::string_view> parts = {"value", "source", "confidence"};
    if (auto error = CheckKeys(fmt::format("row \"{}\"", key), object, parts, parts)) return error;

    const Value& value = object["value"];
    if (!value.IsInt64()) {
      return WrongType(fmt::format("{}.value", key), fmt::format("an integer ({})", unit), value);
    }
    if (value.GetInt64() < limits.min || value.GetInt64() > limits.max) {
      return MakeError(Kind::kLimit, "target-value-out-of-range",
                       fmt::format("key \"{}.value\": expected {} to {} {}, found {}", key,
                                   limits.min, limits.max, unit, value.GetInt64()));
    }
    const Result<std::string> source = ReadText(fmt::format("{}.source", key), object["source"]);
    if (!source) return source.error();
    const Result<std::string> spelled =
        ReadText(fmt::format("{}.confidence", key), object["confidence"]);
    if (!spelled) return spelled.error();
    for (const Confidence confidence :
         {Confidence::kDocumented, Confidence::kDerived, Confidence::kAssumed}) {
      if (ConfidenceName(confidence) != *spelled) continue;
      RawNumber(row.value) = value.GetInt64();
      row.source = *source;
      row.confidence = confidence;
      return std::nullopt;
    }
    return MakeError(Kind::kUnknownName, "target-unknown-confidence",
                     fmt::format("key \"{}.confidence\": expected documented, derived or assumed, "
                                 "found \"{}\"",
                                 key, *spelled));
  }

  const std::string& file_;
};

}  // namespace

Result<Target> ParseTargetJson(std::string_view text, const std::string& file) {
  return TargetReader(file).Read(text);
}

}  // namespace spillway
