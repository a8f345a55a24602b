// Which instances must end before which others start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"
#include "sim/lower/memory_map.h"
#include "sim/lower/unroll.h"

namespace spillway {

enum class Hazard { kReadAfterWrite, kWriteAfterRead, kWriteAfterWrite };
std::string_view HazardName(Hazard hazard);

/// `to` may start only when the earlier instance `from` has ended.
struct Dependence {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Hazard hazard = Hazard::kReadAfterWrite;
  bool anti = false;  ///< only because two tensors (or two blocks) share bytes by their placement
  friend bool operator==(const Dependence&, const Dependence&) = default;
};

struct Dependences {
  std::vector<Dependence> edges;     ///< by `to`, then by `from`, latest first; one edge a pair
  std::vector<std::uint32_t> first;  ///< of each instance and one more: where its edges begin

  std::span<const Dependence> EdgesInto(std::size_t instance) const {
    return std::span(edges).subspan(first[instance], first[instance + 1] - first[instance]);
  }
};

/// Hazards on the bytes of all three memories, in program order. Exact by partition and byte;
/// patterns of more than 4,096 runs, and of fewer once a kernel has very many, count as their hull.
/// The edges between the instances of one compute engine are among them. Reads by one engine are
/// represented by its latest.
/// Errors: kShape ("operand-outside-tensor") for an instance that reaches outside its tensor.
/// Source: house.md, ordering contract.
Result<Dependences> FindDependences(const Kernel& kernel, const InstanceSequence& sequence,
                                    const MemoryMap& memory);

}  // namespace spillway
