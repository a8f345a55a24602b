// The format's words for roles, loop kinds, comparisons and spill roles.
#pragma once

#include <optional>
#include <string_view>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// The element types, for messages.
inline constexpr std::string_view kDtypeWords =
    "float32, bfloat16, float16, tfloat32, float8_e4m3, float8_e5m2, int8, uint8, int16, uint16, "
    "int32 or uint32";

std::string_view RoleName(Role role);
std::optional<Role> ParseRole(std::string_view name);

std::string_view LoopKindName(LoopKind kind);
std::optional<LoopKind> ParseLoopKind(std::string_view name);

/// ">=0", ">0", …
std::string_view ComparisonName(Comparison comparison);
std::optional<Comparison> ParseComparison(std::string_view name);

/// "save" and "reload"; empty for kNone, which files don't spell.
std::string_view SpillRoleName(SpillRole role);
std::optional<SpillRole> ParseSpillRole(std::string_view name);

}  // namespace spillway
