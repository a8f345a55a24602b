// The format's words for roles, loop kinds, comparisons and spill roles.
#pragma once

#include <optional>
#include <string_view>

#include "model/alloc/ir/kernel.h"

namespace spillway {

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
