#include "traces/names.h"

#include <array>

namespace spillway {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"internal", "input", "output", "constant"};
constexpr std::array<std::string_view, 4> kLoopKinds = {"affine", "sequential", "static",
                                                        "dynamic"};
constexpr std::array<std::string_view, 6> kComparisons = {">=0", ">0", "<=0", "<0", "==0", "!=0"};
constexpr std::array<std::string_view, 3> kSpillRoles = {"", "save", "reload"};

template <class Enum, std::size_t N>
std::optional<Enum> Find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name && !name.empty()) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view RoleName(Role role) { return kRoles[static_cast<std::size_t>(role)]; }
std::optional<Role> ParseRole(std::string_view name) { return Find<Role>(kRoles, name); }

std::string_view LoopKindName(LoopKind kind) { return kLoopKinds[static_cast<std::size_t>(kind)]; }
std::optional<LoopKind> ParseLoopKind(std::string_view name) {
  return Find<LoopKind>(kLoopKinds, name);
}

std::string_view ComparisonName(Comparison comparison) {
  return kComparisons[static_cast<std::size_t>(comparison)];
}
std::optional<Comparison> ParseComparison(std::string_view name) {
  return Find<Comparison>(kComparisons, name);
}

std::string_view SpillRoleName(SpillRole role) {
  return kSpillRoles[static_cast<std::size_t>(role)];
}
std::optional<SpillRole> ParseSpillRole(std::string_view name) {
  return Find<SpillRole>(kSpillRoles, name);
}

}  // namespace spillway
