// Relations that change nothing but places, and the one of lives.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/alloc/allocate.h"
#include "model/alloc/check/equations.h"
#include "model/alloc/check/placement_checker.h"
#include "model/alloc/sbuf/interference.h"
#include "properties/allocation_relations.h"
#include "properties/kernel_transforms.h"
#include "properties/loop_transforms.h"

namespace spillway {
namespace {

constexpr std::int64_t kQuadrant = 32;

/// The allocation of `c` with `change(tensor, address)` done to every SBUF address is legal.
template <class Change>
RelationVerdict RequireLegalAfter(const RelationCase& c, Change change) {
  RelationVerdict verdict;
  AllocateOptions options;
  options.sbuf_bytes = c.capacity;
  const Result<Allocation> allocation = Allocate(c.kernel, c.target, c.hwm, options);
  if (!allocation) return verdict;
  Placement placement = allocation->placement;
  for (std::size_t t = 0; t < allocation->kernel.tensors.size(); ++t) {
    const Tensor& tensor = allocation->kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kSbuf) continue;
    for (Address& address : placement.addresses[TensorId(t)]) change(tensor, address);
  }
  verdict.facts.applies = placement != allocation->placement;
  verdict.facts.spilled = !allocation->sbuf.spilled.empty();
  const LinearKernel linear = Linearize(allocation->kernel);
  std::vector<CheckResult> results =
      CheckPlacement(linear, placement, c.target, {.sbuf_bytes = c.capacity, .psum_banks = {}});
  results.push_back(CheckEquations(c.kernel, linear, placement, c.target));
  for (const CheckResult& result : results) {
    for (const Violation& violation : result.violations) {
      verdict.faults.push_back(result.name + ": " + violation.text);
    }
  }
  return verdict;
}

using Block = std::pair<TensorId, std::int64_t>;

/// Pairs of live blocks that are live together, each in both orders.
std::set<std::pair<Block, Block>> Edges(const Kernel& kernel, const Target& target) {
  const LinearKernel linear = Linearize(kernel);
  Partners apart;
  apart.of.resize(kernel.tensors.size());
  apart.base.resize(kernel.tensors.size());
  const Nodes nodes = CreateIntervals(linear.kernel, FindLiveRanges(linear, target.sbuf_granule),
                                      apart, target.sbuf_granule);
  const InterferenceGraph graph = BuildInterference(nodes.all);
  std::set<std::pair<Block, Block>> edges;
  for (std::size_t n = 0; n < nodes.all.size(); ++n) {
    const Node& node = nodes.all[NodeId(n)];
    for (const NodeId other : graph.neighbors[NodeId(n)]) {
      edges.insert({{node.tensor, node.block}, {nodes.all[other].tensor, nodes.all[other].block}});
    }
  }
  return edges;
}

}  // namespace

RelationVerdict CheckMirroredBytes(const RelationCase& c) {
  const std::int64_t granule = c.target.sbuf_granule.value.value;
  const std::int64_t end = c.capacity.value / granule * granule;
  return RequireLegalAfter(c, [&](const Tensor& tensor, Address& address) {
    const std::int64_t size = RoundUp(BlockBytes(tensor).value, granule);
    address.byte = ByteOffset(end - address.byte.value - size);
  });
}

RelationVerdict CheckSwappedQuadrants(const RelationCase& c) {
  // The halves, and the quadrants of each half, change places as three bits of the seed say.
  const auto new_quadrant = [&](std::int64_t quadrant) {
    const std::int64_t half = quadrant / 2;
    const bool swap_within = (c.seed >> half & 1) != 0;
    const std::int64_t within = swap_within ? 1 - quadrant % 2 : quadrant % 2;
    return ((c.seed >> 2 & 1) != 0 ? 1 - half : half) * 2 + within;
  };
  return RequireLegalAfter(c, [&](const Tensor& tensor, Address& address) {
    const std::int64_t height = Partitions(tensor).value;
    if (height > 2 * kQuadrant) return;
    const std::int64_t quadrant = address.partition.value / kQuadrant;
    // What fills a half keeps its two quadrants together.
    const std::int64_t moved = height > kQuadrant
                                   ? std::min(new_quadrant(quadrant), new_quadrant(quadrant + 1))
                                   : new_quadrant(quadrant);
    address.partition = Partition(moved * kQuadrant);
  });
}

RelationVerdict CheckReversed(const RelationCase& c) {
  RelationVerdict verdict;
  const Kernel straight = Unrolled(c.kernel);
  // A loop that runs no times stays one, and has no way back through it.
  if (!straight.loops.empty()) return verdict;
  const auto forwards = Edges(straight, c.target);
  const auto backwards = Edges(Reversed(straight), c.target);
  verdict.facts.applies = !forwards.empty();
  for (const auto& [block, other] : forwards) {
    if (forwards.contains({other, block})) continue;
    verdict.faults.push_back(fmt::format("{} lives together with {}, but not the other way round",
                                         straight.tensors[block.first].name,
                                         straight.tensors[other.first].name));
    return verdict;
  }
  if (forwards != backwards) {
    verdict.faults.push_back(fmt::format("{} pairs live together forwards, {} backwards",
                                         forwards.size(), backwards.size()));
  }
  return verdict;
}

}  // namespace spillway
