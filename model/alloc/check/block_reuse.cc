#include "model/alloc/check/block_reuse.h"

#include <algorithm>
#include <map>

#include "model/alloc/check/loop_pattern.h"
#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

// A shorter loop runs through before a comparison of states pays.
constexpr std::int64_t kShortLoop = 3;

// When the iterations of each loop touch the same of the tensor again.
std::vector<LoopPattern> PatternsOf(const LinearKernel& linear, TensorId tensor) {
  std::vector<LoopPattern> patterns(linear.kernel.loops.size());
  for (const PointAccess& point_access : linear.accesses_of[tensor]) {
    const Operand* operand = linear.accesses[point_access.point][point_access.access].operand;
    for (const LoopId id : NestOf(linear, point_access.point)) {
      const Loop& loop = linear.kernel.loops[id];
      LoopPattern& pattern = patterns[id.value];
      for (const Predicate& predicate : linear.instruction(point_access.point).when) {
        pattern.AddPredicate(predicate, id, loop);
      }
      if (operand == nullptr) continue;
      for (const AffineExpr& index : operand->block) pattern.AddIndex(index, id, loop);
      pattern.AddIndex(operand->partition_start, id, loop);
      pattern.AddIndex(operand->free_offset, id, loop);
    }
  }
  return patterns;
}

class ExecutionWalk {
 public:
  ExecutionWalk(const LinearKernel& linear, TensorId tensor, const std::vector<Address>& addresses,
                std::int64_t max_steps)
      : linear_(linear),
        tensor_(tensor),
        addresses_(addresses),
        patterns_(PatternsOf(linear, tensor)),
        steps_left_(max_steps),
        values_(linear.kernel.loops.size(), 0) {}

  BlockReuse Run(const std::vector<AccessNode>& nodes) {
    Visit(nodes);
    BlockReuse found;
    found.is_complete = steps_left_ >= 0;
    for (const auto& [pair, clobber] : clobbers_) found.clobbers.push_back(clobber);
    return found;
  }

 private:
  struct Destroyed {
    std::size_t culprit = 0;
    PointId write;
    PlaneSet where;
    friend bool operator==(const Destroyed&, const Destroyed&) = default;
  };
  struct State {
    std::map<std::size_t, PlaneSet> held;  ///< what each block wrote and nobody destroyed
    std::map<std::size_t, std::vector<Destroyed>> destroyed;
    friend bool operator==(const State&, const State&) = default;
  };

  void Visit(const std::vector<AccessNode>& nodes) {
    for (const AccessNode& node : nodes) {
      if (steps_left_ < 0) return;
      if (node.loop) {
        VisitLoop(node, linear_.kernel.loops[*node.loop]);
      } else {
        Execute(node.first);
      }
    }
  }

  void VisitLoop(const AccessNode& node, const Loop& loop) {
    const std::int64_t trips = TripCount(loop);
    const auto& [period, turns] = patterns_[node.loop->value];
    const bool may_settle = period > 0 && trips > std::max(kShortLoop, 2 * period);
    std::optional<State> before;  // iteration `since`
    std::int64_t since = 0;
    for (std::int64_t i = 0; i < trips && steps_left_ >= 0; ++i) {
      const auto turn = std::lower_bound(turns.begin(), turns.end(), i);
      const bool is_turn = turn != turns.end() && *turn == i;
      if (may_settle && (!before || i == since + period || is_turn)) {
        // A whole period that changed nothing changes nothing again, up to the next turn.
        const bool settled = before && i == since + period && *before == state_;
        const std::int64_t next = turn == turns.end() ? trips : std::min(*turn, trips);
        if (settled && next > i) i += (next - i) / period * period;
        if (!settled) before = state_;
        since = i;
        if (i == trips) break;
      }
      values_[node.loop->value] = loop.begin + i * loop.step;
      // An iteration counts, so that one without instructions that run ends too.
      --steps_left_;
      Visit(node.children);
    }
  }

  void Execute(PointId point) {
    --steps_left_;
    if (!Holds(linear_.instruction(point).when, values_)) return;
    for (const Access& access : linear_.accesses[point]) {
      if (access.tensor != tensor_) continue;
      const Footprint footprint = FootprintOf(linear_.kernel, access, values_);
      for (std::size_t block = 0; block < addresses_.size(); ++block) {
        if (footprint.block >= 0 && static_cast<std::size_t>(footprint.block) != block) continue;
        PlaneSet touched(footprint.partitions, footprint.runs);
        touched = touched.Shifted(addresses_[block].partition - Partition(0),
                                  addresses_[block].byte - ByteOffset(0));
        if (access.is_write) {
          Write(point, block, touched);
        } else {
          Read(point, block, touched);
        }
      }
    }
  }

  // All planes are in the memory's own coordinates.
  void Write(PointId point, std::size_t block, const PlaneSet& touched) {
    for (Destroyed& destroyed : state_.destroyed[block]) destroyed.where.Subtract(touched);
    Forget(block);
    state_.held[block].Unite(touched);
    for (auto& [other, held] : state_.held) {
      if (other == block) continue;
      PlaneSet hit = held;
      hit.IntersectWith(touched);
      if (hit.empty()) continue;
      held.Subtract(hit);
      state_.destroyed[other].push_back({block, point, std::move(hit)});
    }
  }

  void Read(PointId point, std::size_t block, const PlaneSet& touched) {
    for (const Destroyed& destroyed : state_.destroyed[block]) {
      PlaneSet hit = destroyed.where;
      hit.IntersectWith(touched);
      if (hit.empty()) continue;
      clobbers_.try_emplace({block, destroyed.culprit},
                            BlockClobber{block, destroyed.culprit, destroyed.write, point,
                                         hit.bands().front().runs.front()});
    }
  }

  // What was written anew isn't destroyed any more.
  void Forget(std::size_t block) {
    std::erase_if(state_.destroyed[block],
                  [](const Destroyed& destroyed) { return destroyed.where.empty(); });
  }

  const LinearKernel& linear_;
  TensorId tensor_;
  const std::vector<Address>& addresses_;
  std::vector<LoopPattern> patterns_;  // by loop
  std::int64_t steps_left_;
  std::vector<std::int64_t> values_;
  State state_;
  std::map<std::pair<std::size_t, std::size_t>, BlockClobber> clobbers_;
};

}  // namespace

BlockReuse FindBlockClobbers(const LinearKernel& linear, TensorId tensor,
                             const std::vector<Address>& addresses, std::int64_t max_steps) {
  const std::vector<PlacedAccess> accesses = PlacedAccessesOf(linear, tensor);
  const std::vector<AccessNode> nodes = AccessTreeOf(linear, accesses, BlockPlanes());
  return ExecutionWalk(linear, tensor, addresses, max_steps).Run(nodes);
}

}  // namespace spillway::check
