#include "model/alloc/nki/required_tiles.h"

#include <algorithm>

#include "model/alloc/check/byte_plane.h"
#include "model/alloc/nki/tile_footprint.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

constexpr std::int64_t kMaxComparisons = std::int64_t{1} << 25;

/// The tensor's accesses in program order, all blocks apart.
class NeedsWalk {
 public:
  NeedsWalk(const Kernel& kernel, TensorId tensor, const std::vector<Address>& addresses)
      : kernel_(kernel),
        tensor_(kernel.tensors[tensor]),
        id_(tensor),
        addresses_(addresses),
        from_the_start_(tensor_.role == Role::kInput || tensor_.role == Role::kConstant),
        conflicts(tensor_),
        neighbours(tensor_),
        planes_(static_cast<std::size_t>(BlockCount(tensor_))),
        last_read_(planes_.size()) {}

  /// False where a limit ended the walk.
  bool Run(std::int64_t max_steps) {
    IdVector<TensorId, bool> followed(kernel_.tensors.size(), false);
    followed[id_] = true;
    const IdVector<InstructionId, bool> wanted = InstructionsThatTouch(kernel_, followed);
    IdVector<InstructionId, std::optional<TileFootprints>> footprints;
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      footprints.push_back(std::nullopt);
      const InstructionId instruction(i);
      if (wanted[instruction])
        footprints[instruction].emplace(kernel_, kernel_.instructions[instruction]);
    }
    TileWalk walk(kernel_, wanted, max_steps);
    std::vector<TileTouch> touches;
    while (walk.Next() && comparisons_left_ > 0) {
      touches.clear();
      footprints[walk.instruction()]->Append(walk.values(), touches);
      std::erase_if(touches, [&](const TileTouch& touch) { return touch.tensor != id_; });
      instance_ = walk.number();
      engine_ = EngineOf(kernel_, kernel_.instructions[walk.instruction()]);
      for (const TileTouch& touch : touches) {
        walk.Charge(touch.runs->size() * (touch.block < 0 ? planes_.size() : 1));
        Visit(touch, touches);
      }
    }
    if (waits) {
      NameInstances(TileWalk(kernel_, wanted, max_steps), kernel_,
                    {{waits->read.instance, &waits->read}, {waits->write.instance, &waits->write}});
    }
    return walk.complete() && comparisons_left_ > 0;
  }

 private:
  struct Age {
    std::size_t written = 0;  ///< writes so far when the byte was written; 0: it wasn't
    std::size_t seen = 0;     ///< of the writes so far, those that were compared
  };
  struct Written {
    std::int64_t block = 0;
    TileTouch touch;
  };
  struct LastRead {
    std::int64_t instance = -1;
    Engine engine = Engine::kDma;
  };

  void Visit(const TileTouch& touch, const std::vector<TileTouch>& all) {
    const auto blocks = static_cast<std::int64_t>(planes_.size());
    const std::int64_t first = std::max<std::int64_t>(touch.block, 0);
    const std::int64_t end = touch.block < 0 ? blocks : std::min(first + 1, blocks);
    for (std::int64_t block = first; block < end; ++block) {
      if (touch.is_write) {
        Write(block, touch, all);
      } else {
        Read(block, touch);
      }
    }
  }

  void Read(std::int64_t block, const TileTouch& touch) {
    last_read_[static_cast<std::size_t>(block)] = {instance_, engine_};
    for (std::size_t run = 0; run < touch.runs->size(); ++run) {
      planes_[static_cast<std::size_t>(block)].ForEach(
          RectangleOfRun(touch, run, {}), [&](Age& age, const Rectangle& where) {
            if (age.written == 0 && !from_the_start_) return;
            const std::size_t since = std::max(age.seen, age.written);
            for (std::size_t w = SPILLWAY_FAULT(N51, since, since + 1); w < writes_.size(); ++w)
              Conflict(block, writes_[w], where);
            age.seen = writes_.size();
          });
    }
  }

  void Conflict(std::int64_t block, const Written& write, const Rectangle& where) {
    --comparisons_left_;
    if (write.block == block) return;
    const std::size_t distance = conflicts.Between(block, write.block);
    if (conflicts.Has(distance) || !Overlap(where.partitions, write.touch.partitions)) return;
    comparisons_left_ -= static_cast<std::int64_t>(write.touch.runs->size() / kRunsPerStep);
    const Bytes shift = write.touch.shift;
    const bool shares = std::any_of(
        write.touch.runs->begin(), write.touch.runs->end(), [&](const Interval<ByteOffset>& run) {
          return Overlap(where.bytes, Interval<ByteOffset>{run.begin + shift, run.end + shift});
        });
    if (shares) conflicts.Add(distance);
  }

  void Write(std::int64_t block, const TileTouch& touch, const std::vector<TileTouch>& all) {
    for (const TileTouch& read : all) {
      if (read.is_write || read.block < 0 || touch.block < 0 || read.block == block) continue;
      if (FirstShared(read, {}, touch, {})) conflicts.Add(conflicts.Between(read.block, block));
    }
    if (!writes_.empty() && writes_.back().block != block) previous_ = writes_.back().block;
    if (previous_ != block && previous_ >= 0) Follow(previous_, block);
    writes_.push_back({block, touch});
    last_read_[static_cast<std::size_t>(block)] = {};
    for (std::size_t run = 0; run < touch.runs->size(); ++run) {
      planes_[static_cast<std::size_t>(block)].Replace(RectangleOfRun(touch, run, {}),
                                                       {writes_.size(), writes_.size()},
                                                       [](const Age&, const Rectangle&) {});
    }
  }

  // A write of `block` right after one of `before`, which somebody read meanwhile.
  void Follow(std::int64_t before, std::int64_t block) {
    const LastRead& read = last_read_[static_cast<std::size_t>(before)];
    if (read.instance < 0 || (read.engine == engine_ && engine_ != Engine::kDma)) return;
    neighbours.Add(neighbours.Between(before, block));
    if (waits || !SharePlace(before, block)) return;
    waits.emplace();
    waits->read.tensor = waits->write.tensor = id_;
    waits->read.block = before;
    waits->read.instance = read.instance;
    waits->write.block = block;
    waits->write.instance = instance_;
  }

  bool SharePlace(std::int64_t a, std::int64_t b) const {
    if (addresses_.size() < planes_.size()) return false;
    return Overlap(RectangleOf(tensor_, addresses_[static_cast<std::size_t>(a)]),
                   RectangleOf(tensor_, addresses_[static_cast<std::size_t>(b)]));
  }

  const Kernel& kernel_;
  const Tensor& tensor_;
  TensorId id_;
  const std::vector<Address>& addresses_;
  bool from_the_start_;

 public:
  TileDistances conflicts;
  TileDistances neighbours;
  std::optional<NeighbourWait> waits;

 private:
  std::vector<check::BytePlane<Age>> planes_;  ///< a block's bytes, from its own start
  std::vector<LastRead> last_read_;            ///< of each block since its last write
  std::vector<Written> writes_;
  std::int64_t previous_ = -1;
  std::int64_t instance_ = 0;
  Engine engine_ = Engine::kDma;
  std::int64_t comparisons_left_ = kMaxComparisons;
};

}  // namespace

std::optional<TileDistances> FindConflicts(const Kernel& kernel, TensorId tensor,
                                           std::int64_t max_steps) {
  if (BlockCount(kernel.tensors[tensor]) > kMaxRingBlocks) return std::nullopt;
  const std::vector<Address> nowhere;
  NeedsWalk walk(kernel, tensor, nowhere);
  if (!walk.Run(max_steps)) return std::nullopt;
  return walk.conflicts;
}

TileNeeds RequiredTiles(const Kernel& kernel, const Placement& placement, TensorId tensor,
                        std::int64_t max_steps) {
  const Tensor& blocks_of = kernel.tensors[tensor];
  TileNeeds needs;
  if (BlockCount(blocks_of) > kMaxRingBlocks) return needs;
  static const std::vector<Address> kNowhere;
  const std::vector<Address>& addresses =
      placement.addresses.contains(tensor) ? placement.addresses[tensor] : kNowhere;
  NeedsWalk walk(kernel, tensor, addresses);
  const bool complete = walk.Run(max_steps);
  needs.waits = walk.waits;
  if (!complete) return needs;
  const ModuloLaw law = LawOf(blocks_of, addresses);
  needs.correct = FewestTiles(blocks_of, law, walk.conflicts);
  walk.neighbours.Add(walk.conflicts);
  needs.overlapped = FewestTiles(blocks_of, law, walk.neighbours);
  return needs;
}

}  // namespace spillway::nki
