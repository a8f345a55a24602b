// Other times at which a program may run: what waits must be enough for.
#pragma once

#include <cstdint>
#include <vector>

#include "model/hw/timing/hw_program.h"

namespace spillway {

/// When, between its start and its end, an instance samples its sources and its bytes land.
enum class ByteTiming : std::uint8_t {
  kFirstToLast,  ///< sampled at the start, landing at the end: the machine's own
  kAllAtEnd,     ///< sampled as late as the end
  kAllAtStart,   ///< landing as early as the start
  kInTwoPieces,  ///< the first half at the start, the second at the end
};

/// A program with the same instances, streams and waits, and other times.
struct AdversarialPlan {
  HwProgram program;
  std::vector<ByteTiming> bytes;  ///< per instance
};

/// How many plans there are for a program before the random ones: two for each stream in use.
int DirectedPlans(const HwProgram& program);

/// Plan number `number` of a program. First, for every stream in use: it alone is very slow, its
/// sources are sampled late and the bytes of all others land early; then the same with its own
/// bytes in two pieces. From DirectedPlans on: every instance has its own random times, which
/// `seed` and the number decide. A pure function.
/// What the machine promises stays true: an engine that ends an instance before it starts the next
/// still does; the results of one that doesn't land at their end, since they land in order.
AdversarialPlan MakeAdversarialPlan(const HwProgram& program, int number, std::uint64_t seed);

}  // namespace spillway
