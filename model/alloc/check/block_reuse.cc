#include "model/alloc/check/block_reuse.h"

#include <map>

#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

class ExecutionWalk {
 public:
  ExecutionWalk(const LinearKernel& linear, TensorId tensor, const std::vector<Address>& addresses,
                std::int64_t max_steps)
      : linear_(linear),
        tensor_(tensor),
        addresses_(addresses),
        steps_left_(max_steps),
        values_(linear.kernel.loops.size(), 0) {}

  std::vector<BlockClobber> Run(const std::vector<AccessNode>& nodes) {
    Visit(nodes);
    std::vector<BlockClobber> found;
    for (const auto& [pair, clobber] : clobbers_) found.push_back(clobber);
    return found;
  }

 private:
  struct Destroyed {
    std::size_t culprit = 0;
    PointId write;
    PlaneSet where;
  };

  void Visit(const std::vector<AccessNode>& nodes) {
    for (const AccessNode& node : nodes) {
      if (steps_left_ <= 0) return;
      if (!node.loop) {
        Execute(node.first);
        continue;
      }
      const Loop& loop = linear_.kernel.loops[*node.loop];
      const std::int64_t trips = TripCount(loop);
      for (std::int64_t i = 0; i < trips && steps_left_ > 0; ++i) {
        values_[node.loop->value] = loop.begin + i * loop.step;
        Visit(node.children);
      }
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
    for (Destroyed& destroyed : destroyed_[block]) destroyed.where.Subtract(touched);
    held_[block].Unite(touched);
    for (auto& [other, held] : held_) {
      if (other == block) continue;
      PlaneSet hit = held;
      hit.IntersectWith(touched);
      if (hit.empty()) continue;
      held.Subtract(hit);
      destroyed_[other].push_back({block, point, std::move(hit)});
    }
  }

  void Read(PointId point, std::size_t block, const PlaneSet& touched) {
    for (const Destroyed& destroyed : destroyed_[block]) {
      PlaneSet hit = destroyed.where;
      hit.IntersectWith(touched);
      if (hit.empty()) continue;
      clobbers_.try_emplace({block, destroyed.culprit},
                            BlockClobber{block, destroyed.culprit, destroyed.write, point,
                                         hit.bands().front().runs.front()});
    }
    std::erase_if(destroyed_[block],
                  [](const Destroyed& destroyed) { return destroyed.where.empty(); });
  }

  const LinearKernel& linear_;
  TensorId tensor_;
  const std::vector<Address>& addresses_;
  std::int64_t steps_left_;
  std::vector<std::int64_t> values_;
  std::map<std::size_t, PlaneSet> held_;  ///< what each block wrote and nobody destroyed
  std::map<std::size_t, std::vector<Destroyed>> destroyed_;
  std::map<std::pair<std::size_t, std::size_t>, BlockClobber> clobbers_;
};

}  // namespace

std::vector<BlockClobber> FindBlockClobbers(const LinearKernel& linear, TensorId tensor,
                                            const std::vector<Address>& addresses,
                                            std::int64_t max_steps) {
  const std::vector<PlacedAccess> accesses = PlacedAccessesOf(linear, tensor);
  const std::vector<AccessNode> nodes = AccessTreeOf(linear, accesses, BlockPlanes());
  return ExecutionWalk(linear, tensor, addresses, max_steps).Run(nodes);
}

}  // namespace spillway::check
