// The instruction instances of a kernel in program order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"

namespace spillway {

/// One execution of an instruction.
struct Instance {
  InstructionId instruction;
  std::uint32_t values = 0;  ///< which snapshot of the loop values
  friend bool operator==(const Instance&, const Instance&) = default;
};

/// Instances share a snapshot of the loop values as long as no loop steps.
struct InstanceSequence {
  std::size_t loop_count = 0;
  std::vector<Instance> instances;
  std::vector<std::int64_t> snapshots;  ///< loop_count values each

  std::size_t size() const { return instances.size(); }
  /// Value of loop l at index l; loops that aren't open hold any value.
  std::span<const std::int64_t> ValuesOf(std::size_t instance) const {
    return std::span(snapshots).subspan(instances[instance].values * loop_count, loop_count);
  }
};

inline constexpr std::size_t kMaxInstances = 20'000'000;
/// Loop values over all snapshots: 1 GiB of them.
inline constexpr std::size_t kMaxSnapshotValues = std::size_t{1} << 27;

/// Runs the loops; an instruction whose predicates don't all hold has no instance. A dynamic loop
/// runs to its bound.
/// Errors: kLimit for more than `max_instances`, loops that step far more often than that, or more
/// loop values to remember than `kMaxSnapshotValues`.
Result<InstanceSequence> Unroll(const Kernel& kernel, std::size_t max_instances = kMaxInstances);

}  // namespace spillway
