// Seams where a fault can be planted, to measure which judge finds it.
#pragma once

#ifdef SPILLWAY_FAULTS

#include <string_view>

namespace spillway {

/// The fault that this process plants everywhere; empty: none. Starts as $SPILLWAY_FAULT.
/// Not to be changed while another thread works.
std::string_view ActiveFault();
/// `id` as in docs/mutation.md, for example "A1"; empty: none any more. An id without a seam
/// changes nothing, which the catalogue of faults in properties/ has to rule out.
void PlantFault(std::string_view id);

namespace fault {
/// Names a seam once, so that a switch costs a comparison of two integers.
int IndexOf(std::string_view id);
extern int active;
}  // namespace fault

}  // namespace spillway

/// `bad` where fault `id` is planted, else `good`; only one of them is evaluated.
#define SPILLWAY_FAULT(id, good, bad)                                        \
  ([&]() -> bool {                                                           \
    static const int spillway_fault_index = ::spillway::fault::IndexOf(#id); \
    return ::spillway::fault::active == spillway_fault_index;                \
  }()                                                                        \
                ? (bad)                                                      \
                : (good))

#else

/// Release builds hold no trace of `id` and `bad`.
#define SPILLWAY_FAULT(id, good, bad) (good)

#endif
