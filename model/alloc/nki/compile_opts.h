// The options that ride in an NKI kernel: who places it, and what is skipped on its way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/ir/attr.h"
#include "model/hw/error.h"

namespace spillway::nki {

/// A user-space allocator, which replaces the colourers of SBUF and PSUM.
/// Source: seed 000 §5. It observes `stack` alone. `linear_scan` is a member that it infers, and
/// the one of those that exists here (model/alloc/baseline); the colourer is none, since it is what
/// a kernel without an allocator type gets, and what every allocator type switches off.
enum class AllocatorType { kStack, kLinearScan };
std::string_view AllocatorTypeName(AllocatorType type);

/// How much of the compiler a kernel passes through.
/// Source: seed 000 §4, guard 3. Its third member, skip_allocators, is the value of the flag of
/// that name alone and never the level of a kernel, so that the flag is a bool here.
enum class OptLevel { kDefault, kSkipMiddleEnd };
std::string_view OptLevelName(OptLevel level);

/// An immutable value; `Replace` makes another one. Starts with nothing chosen and nothing skipped.
/// Source: nki_surface.md "CompileOpts fields", seed 000 §1.1.
class CompileOpts {
 public:
  std::optional<AllocatorType> allocator_type() const { return allocator_type_; }
  /// Derived from `allocator_type`; read only.
  std::optional<AllocatorType> allocator_class() const { return allocator_type_; }
  /// OptLevel.skip_allocators stands in the field.
  bool skip_allocators() const { return skip_allocators_; }
  /// OptLevel.skip_middle_end stands in the field.
  bool skip_middle_end() const { return skip_middle_end_; }
  /// kSkipMiddleEnd exactly where `skip_middle_end` is set, whichever of the two was written.
  OptLevel opt_level() const {
    return skip_middle_end_ ? OptLevel::kSkipMiddleEnd : OptLevel::kDefault;
  }
  /// Nothing: the kernel's own target.
  const std::optional<std::string>& platform_target() const { return platform_target_; }
  bool force_auto_alloc() const { return force_auto_alloc_; }

  friend bool operator==(const CompileOpts&, const CompileOpts&) = default;
  friend Result<CompileOpts> Replace(const CompileOpts& opts, const std::vector<Attr>& fields,
                                     std::string_view where);

 private:
  std::optional<AllocatorType> allocator_type_;
  std::optional<std::string> platform_target_;
  bool skip_allocators_ = false;
  bool skip_middle_end_ = false;
  bool force_auto_alloc_ = false;
};

struct CompileOptsField {
  std::string_view name;
  std::string_view expected;  ///< what may be written, for messages
  bool is_read_only = false;
};
/// Every field, in the order in which `FieldsOf` and JSON list them.
std::span<const CompileOptsField> CompileOptsFields();

/// The values of all fields by name: enumerators as their names, null where nothing is set.
std::vector<Attr> FieldsOf(const CompileOpts& opts);

/// `opts` with the named fields replaced. Of skip_middle_end and opt_level one may be written and
/// the other follows; both, where they agree. `where` stands before the fields' names in messages.
/// Errors: nki-unknown-field, nki-duplicate-field, nki-read-only-field (allocator_class),
/// nki-wrong-type, nki-unknown-allocator, nki-unknown-opt-level, nki-empty-target,
/// nki-target-not-utf8, nki-opt-level-disagrees; each names the field, what was expected and found,
/// and the fields that may be written.
/// Source: seed 000 §2 (dataclasses.replace).
Result<CompileOpts> Replace(const CompileOpts& opts, const std::vector<Attr>& fields,
                            std::string_view where = "");

/// The error of `Replace` for a value that no Attr can hold, such as an object; `found` describes
/// it.
Error WrongFieldType(std::string_view name, std::string_view found, std::string_view where = "");

}  // namespace spillway::nki
