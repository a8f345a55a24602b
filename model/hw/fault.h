// Seams where a fault can be planted, to measure which judge finds it.
#pragma once

#ifdef SPILLWAY_FAULTS

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace spillway {

/// The fault that this process plants everywhere; empty: none. Starts as $SPILLWAY_FAULT.
/// Not to be changed while another thread works.
std::string_view ActiveFault();
/// `id` as in docs/mutation.md, for example "A1", or "B10.17" for the 17th of a row's variants;
/// empty: none any more. An id without a seam changes nothing, which the catalogue of faults in
/// properties/ has to rule out.
void PlantFault(std::string_view id);

namespace fault {

/// FNV-1a of the row's name: a seam compares two numbers, one of them constant.
constexpr std::uint64_t NumberOf(std::string_view row) {
  std::uint64_t number = 14695981039346656037u;
  for (const char c : row) number = (number ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return number;
}

extern std::uint64_t active;   ///< NumberOf the row; 0: none
extern int variant;            ///< what follows the dot of the id; -1: nothing does
extern std::uint64_t reached;  ///< how often a seam of the active fault was passed

/// Whether the row with this number is planted.
inline bool IsPlanted(std::uint64_t row) {
  if (active != row) return false;
  ++reached;
  return true;
}
/// The same in a function that the compiler may evaluate: then nothing is planted.
constexpr bool IsPlantedAtRunTime(std::uint64_t row) {
  return !std::is_constant_evaluated() && IsPlanted(row);
}
inline bool IsVariant(std::size_t number) { return static_cast<std::size_t>(variant) == number; }

}  // namespace fault
}  // namespace spillway

/// `bad` where row `id` is planted, else `good`; only one of them is evaluated. `bad` may ask
/// fault::variant.
#define SPILLWAY_FAULT(id, good, bad) \
  (::spillway::fault::IsPlanted(::spillway::fault::NumberOf(#id)) ? (bad) : (good))
/// For constexpr functions. Not for the initialiser of a constant, which the compiler evaluates.
#define SPILLWAY_CONSTEXPR_FAULT(id, good, bad) \
  (::spillway::fault::IsPlantedAtRunTime(::spillway::fault::NumberOf(#id)) ? (bad) : (good))

#else

/// Release builds hold no trace of `id` and `bad`.
#define SPILLWAY_FAULT(id, good, bad) (good)
#define SPILLWAY_CONSTEXPR_FAULT(id, good, bad) (good)

#endif
