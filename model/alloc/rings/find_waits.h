// The waits that a placement needs: whoever touches the same bytes does it in program order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/rings/stream_work.h"
#include "model/alloc/rings/unit_plan.h"
#include "model/hw/error.h"

namespace spillway::rings {

/// Earlier instances that each instance waits for until they have ended.
struct Waits {
  std::vector<std::uint32_t> producers;
  std::vector<std::uint32_t> first;  ///< of each instance, and one more

  std::size_t size() const { return producers.size(); }
  std::span<const std::uint32_t> Of(std::size_t instance) const {
    return std::span(producers).subspan(first[instance], first[instance + 1] - first[instance]);
  }
};

/// Which dependences become waits.
struct WaitOptions {
  /// Those of different units on the same bytes too: what a placement adds. Without them only the
  /// program's own dependences are kept, as if everything had a place of its own.
  bool across_units = true;
};

/// Pairs of dependent accesses that are looked at: a bound on time.
inline constexpr std::int64_t kMaxDependences = 20'000'000;

/// Waits for the last writer of the bytes that an instance touches, and where it writes for the
/// readers since, exact by partition and byte. What a compute stream's order or other waits imply
/// is left out, and so is what the pipeline of a ring orders: pairs of its own accesses.
/// Errors: kLimit ("ring-limit") beyond kMaxDependences.
/// Source: house.md, ordering contract; ts_pipelines.md §16.
Result<Waits> FindWaits(const StreamWork& work, const UnitPlan& plan,
                        const WaitOptions& options = {});

}  // namespace spillway::rings
