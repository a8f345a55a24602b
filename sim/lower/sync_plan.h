// The waits that are needed, given that streams are in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/hw/timing/hw_program.h"
#include "sim/lower/dependences.h"

namespace spillway {

/// Which earlier instances each instance waits for.
struct SyncPlan {
  std::vector<std::uint32_t> producers;
  std::vector<std::uint32_t> first;  ///< of each instance and one more
  std::size_t dependences = 0;       ///< edges that the plan enforces
  std::size_t by_stream_order = 0;   ///< of them, those that one engine's order gives
  std::size_t by_other_waits = 0;    ///< of them, those that other waits imply

  std::span<const std::uint32_t> WaitsOf(std::size_t instance) const {
    return std::span(producers).subspan(first[instance], first[instance + 1] - first[instance]);
  }
};

/// Drops dependences that a compute engine's order or other waits imply. A pipelined engine starts
/// an instruction while the results of earlier ones are on their way, so its order implies all but
/// reads after writes. The order of a DMA queue implies nothing: its transfers overlap in flight,
/// but a transfer is issued behind the one before it and so behind what that one waited for. No
/// wait can be spared: none follows from the others.
/// Source: house.md, ordering contract; a vector clock per instance.
SyncPlan PlanSync(const Dependences& dependences, std::span<const StreamId> streams);

}  // namespace spillway
