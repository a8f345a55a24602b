#include "model/alloc/nki/compile_opts.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "model/alloc/nki/field_text.h"
#include "traces/line_reader.h"

namespace spillway::nki {
namespace {

constexpr std::array kAllocators = {AllocatorType::kStack, AllocatorType::kLinearScan};
constexpr std::array kLevels = {OptLevel::kDefault, OptLevel::kSkipMiddleEnd};

constexpr std::array kFields = {
    CompileOptsField{"allocator_type", "\"stack\", \"linear_scan\" or null"},
    CompileOptsField{"allocator_class", "nothing, since it follows allocator_type", true},
    CompileOptsField{"skip_allocators", "true or false"},
    CompileOptsField{"skip_middle_end", "true or false"},
    CompileOptsField{"opt_level", "\"default\" or \"skip_middle_end\""},
    CompileOptsField{"platform_target", "the name of a target or null"},
    CompileOptsField{"force_auto_alloc", "true or false"},
};

const CompileOptsField* FindField(std::string_view name) {
  for (const CompileOptsField& field : kFields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

// Writes one after another; the first that can't be written ends it.
class Writer {
 public:
  explicit Writer(std::string_view where) : where_(where) {}

  Error Refuse(Kind kind, std::string code, std::string_view name, std::string_view problem) const {
    std::string legal;
    for (const CompileOptsField& field : kFields) {
      if (!field.is_read_only) legal += (legal.empty() ? "" : ", ") + std::string(field.name);
    }
    return {kind, std::move(code),
            fmt::format("field {}{}: {}; the fields that may be set are {}", where_, name, problem,
                        legal),
            "", 0};
  }

  Error UnknownField(std::string_view name) const {
    return Refuse(Kind::kUnknownName, "nki-unknown-field", Quoted(name),
                  "expected a field of CompileOpts, found none of that name");
  }

  Error Unexpected(Kind kind, std::string code, std::string_view name,
                   std::string_view found) const {
    return Refuse(kind, std::move(code), name,
                  fmt::format("expected {}, found {}", FindField(name)->expected, found));
  }

  Error WrongType(std::string_view name, const AttrValue& found) const {
    return Unexpected(Kind::kSyntax, "nki-wrong-type", name, Shown(found));
  }

  Result<bool> Flag(std::string_view name, const AttrValue& value) const {
    if (const bool* flag = std::get_if<bool>(&value.value)) return *flag;
    return Fail(WrongType(name, value));
  }

  Result<std::optional<AllocatorType>> Allocator(std::string_view name,
                                                 const AttrValue& value) const {
    if (std::holds_alternative<std::monostate>(value.value)) return std::nullopt;
    const auto* text = std::get_if<std::string>(&value.value);
    if (text == nullptr) return Fail(WrongType(name, value));
    for (const AllocatorType type : kAllocators) {
      if (AllocatorTypeName(type) == *text) return type;
    }
    return Fail(Unexpected(Kind::kUnknownName, "nki-unknown-allocator", name, Shown(value)));
  }

  Result<OptLevel> Level(std::string_view name, const AttrValue& value) const {
    const auto* text = std::get_if<std::string>(&value.value);
    if (text == nullptr) return Fail(WrongType(name, value));
    for (const OptLevel level : kLevels) {
      if (OptLevelName(level) == *text) return level;
    }
    return Fail(Unexpected(Kind::kUnknownName, "nki-unknown-opt-level", name, Shown(value)));
  }

  Result<std::optional<std::string>> Target(std::string_view name, const AttrValue& value) const {
    if (std::holds_alternative<std::monostate>(value.value)) return std::nullopt;
    const auto* text = std::get_if<std::string>(&value.value);
    if (text == nullptr) return Fail(WrongType(name, value));
    if (text->empty())
      return Fail(Unexpected(Kind::kSyntax, "nki-empty-target", name, Shown(value)));
    // What stands here must survive JSON.
    if (!IsUtf8(*text)) {
      return Fail(Unexpected(Kind::kSyntax, "nki-target-not-utf8", name,
                             fmt::format("{} bytes that aren't UTF-8", text->size())));
    }
    return *text;
  }

 private:
  std::string_view where_;
};

template <class T, class Member>
std::optional<Error> Store(Result<T> value, Member& member) {
  if (!value) return std::move(value.error());
  member = std::move(*value);
  return std::nullopt;
}

}  // namespace

std::string_view AllocatorTypeName(AllocatorType type) {
  switch (type) {
    case AllocatorType::kStack: return "stack";
    case AllocatorType::kLinearScan: return "linear_scan";
  }
  return "unknown";
}

std::string_view OptLevelName(OptLevel level) {
  switch (level) {
    case OptLevel::kDefault: return "default";
    case OptLevel::kSkipMiddleEnd: return "skip_middle_end";
  }
  return "unknown";
}

std::span<const CompileOptsField> CompileOptsFields() { return kFields; }

std::vector<Attr> FieldsOf(const CompileOpts& opts) {
  const auto name_of = [](const std::optional<AllocatorType>& type) {
    return type ? AttrValue(std::string(AllocatorTypeName(*type))) : AttrValue();
  };
  return {
      {"allocator_type", name_of(opts.allocator_type())},
      {"allocator_class", name_of(opts.allocator_class())},
      {"skip_allocators", opts.skip_allocators()},
      {"skip_middle_end", opts.skip_middle_end()},
      {"opt_level", std::string(OptLevelName(opts.opt_level()))},
      {"platform_target",
       opts.platform_target() ? AttrValue(*opts.platform_target()) : AttrValue()},
      {"force_auto_alloc", opts.force_auto_alloc()},
  };
}

Error WrongFieldType(std::string_view name, std::string_view found, std::string_view where) {
  const Writer writer(where);
  if (FindField(name) == nullptr) return writer.UnknownField(name);
  return writer.Unexpected(Kind::kSyntax, "nki-wrong-type", name, found);
}

Result<CompileOpts> Replace(const CompileOpts& opts, const std::vector<Attr>& fields,
                            std::string_view where) {
  const Writer writer(where);
  CompileOpts replaced = opts;
  std::optional<bool> flag;
  std::optional<OptLevel> level;
  std::set<std::string_view> seen;
  for (const auto& [name, value] : fields) {
    const CompileOptsField* field = FindField(name);
    if (field == nullptr) return Fail(writer.UnknownField(name));
    if (field->is_read_only) {
      return Fail(writer.Unexpected(Kind::kSyntax, "nki-read-only-field", name, Shown(value)));
    }
    if (!seen.insert(name).second) {
      return Fail(writer.Refuse(Kind::kDuplicateName, "nki-duplicate-field", name,
                                "expected once, found twice"));
    }
    std::optional<Error> error;
    if (name == "allocator_type") {
      error = Store(writer.Allocator(name, value), replaced.allocator_type_);
    } else if (name == "skip_allocators") {
      error = Store(writer.Flag(name, value), replaced.skip_allocators_);
    } else if (name == "skip_middle_end") {
      error = Store(writer.Flag(name, value), flag);
    } else if (name == "opt_level") {
      error = Store(writer.Level(name, value), level);
    } else if (name == "platform_target") {
      error = Store(writer.Target(name, value), replaced.platform_target_);
    } else {
      SPILLWAY_CHECK(name == "force_auto_alloc", "every field that may be set is set");
      error = Store(writer.Flag(name, value), replaced.force_auto_alloc_);
    }
    if (error) return Fail(*std::move(error));
  }
  if (flag) replaced.skip_middle_end_ = *flag;
  if (level) replaced.skip_middle_end_ = *level == OptLevel::kSkipMiddleEnd;
  // Where both are written, the level won; does it say what the flag says?
  if (flag && replaced.skip_middle_end_ != *flag) {
    return Fail(writer.Refuse(
        Kind::kSyntax, "nki-opt-level-disagrees", "opt_level",
        fmt::format("expected \"{}\", since {}skip_middle_end is {}, found \"{}\"",
                    OptLevelName(*flag ? OptLevel::kSkipMiddleEnd : OptLevel::kDefault), where,
                    *flag, OptLevelName(*level))));
  }
  return replaced;
}

}  // namespace spillway::nki
