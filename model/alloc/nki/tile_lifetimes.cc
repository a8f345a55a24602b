#include "model/alloc/nki/tile_lifetimes.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/alloc/check/byte_plane.h"
#include "model/alloc/nki/tile_footprint.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFF;
constexpr std::int64_t kFromTheStart = -1;

/// A write of a tile: tiles are numbered by tensor and block.
struct Write {
  std::uint32_t tile = kNobody;
  InstructionId instruction;
  std::int64_t instance = kFromTheStart;
};

/// Bytes that a tile had until another one took them.
struct Loss {
  Write by;
  std::int64_t written = kFromTheStart;
};

class LifetimeWalk {
 public:
  LifetimeWalk(const Kernel& kernel, const Placement& placement, std::int64_t max_steps)
      : kernel_(kernel), placement_(placement), max_steps_(max_steps) {
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      const bool placed = IsPlacedOnChip(kernel, placement, TensorId(t));
      followed_.push_back(placed);
      first_tile_.push_back(static_cast<std::uint32_t>(tiles_.size()));
      if (!placed) continue;
      for (std::int64_t block = 0; block < BlockCount(kernel.tensors[TensorId(t)]); ++block)
        tiles_.push_back({TensorId(t), block});
    }
    for (const Instruction& instruction : kernel.instructions)
      footprints_.push_back(TileFootprints(kernel, instruction));
    HoldInputs();
  }

  TileLifetimes Run() {
    const IdVector<InstructionId, bool> wanted = InstructionsThatTouch(kernel_, followed_);
    TileWalk walk(kernel_, wanted, max_steps_);
    while (walk.Next()) Execute(walk);
    result_.complete = walk.complete();
    std::multimap<std::int64_t, TileUse*> uses;
    const auto add = [&](std::optional<TileUse>& use) {
      if (use && use->instance == kFromTheStart) use.reset();
      if (use) uses.emplace(use->instance, &*use);
    };
    for (TileFault& fault : result_.faults) {
      uses.emplace(fault.read.instance, &fault.read);
      add(fault.written);
      add(fault.clobber);
      add(fault.too_late);
    }
    NameInstances(TileWalk(kernel_, wanted, max_steps_), kernel_, uses);
    return std::move(result_);
  }

 private:
  struct Tile {
    TensorId tensor;
    std::int64_t block = 0;
  };
  using Key = std::tuple<TileFaultKind, InstructionId, TensorId, TensorId, InstructionId>;
  struct Known {
    std::size_t fault = 0;
    std::int64_t last_instance = 0;
  };

  void HoldInputs() {
    for (std::size_t t = 0; t < kernel_.tensors.size(); ++t) {
      const Tensor& tensor = kernel_.tensors[TensorId(t)];
      if (!followed_[TensorId(t)]) continue;
      if (tensor.role != Role::kInput && tensor.role != Role::kConstant) continue;
      for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
        const Rectangle where = RectangleOf(tensor, AddressOf(TensorId(t), block));
        Take(tensor.space, {TileOf(TensorId(t), block), {}, kFromTheStart}, where);
      }
    }
  }

  const Address& AddressOf(TensorId tensor, std::int64_t block) const {
    return placement_.addresses[tensor][static_cast<std::size_t>(block)];
  }

  void Execute(TileWalk& walk) {
    instance_ = walk.number();
    instruction_ = walk.instruction();
    is_save_ = kernel_.instructions[instruction_].spill == SpillRole::kSave;
    touches_.clear();
    footprints_[instruction_].Append(walk.values(), touches_);
    for (const TileTouch& touch : touches_) {
      const Interval<std::int64_t> blocks = BlocksOf(touch);
      walk.Charge(touch.runs->size() * static_cast<std::size_t>(blocks.end - blocks.begin));
    }
    for (const TileTouch& touch : touches_) {
      if (!touch.is_write)
        ForEachRectangle(touch, [&](Space space, std::uint32_t tile, const Rectangle& where) {
          Read(space, tile, touch.is_exact, where);
        });
    }
    for (const TileTouch& touch : touches_) {
      if (!touch.is_write) continue;
      for (const TileTouch& other : touches_) {
        if (!other.is_write) Compare(other, touch);
      }
      ForEachRectangle(touch, [&](Space space, std::uint32_t tile, const Rectangle& where) {
        Take(space, {tile, instruction_, instance_}, where);
        Fill(tile, where);
      });
    }
  }

  Interval<std::int64_t> BlocksOf(const TileTouch& touch) const {
    const std::int64_t blocks = BlockCount(kernel_.tensors[touch.tensor]);
    if (touch.block >= blocks) return {};
    return touch.block < 0 ? Interval<std::int64_t>{0, blocks}
                           : Interval<std::int64_t>{touch.block, touch.block + 1};
  }
  std::uint32_t TileOf(TensorId tensor, std::int64_t block) const {
    return first_tile_[tensor] + static_cast<std::uint32_t>(block);
  }

  template <class Visit>
  void ForEachRectangle(const TileTouch& touch, Visit visit) {
    if (!followed_[touch.tensor]) return;
    const Space space = kernel_.tensors[touch.tensor].space;
    const Interval<std::int64_t> blocks = BlocksOf(touch);
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
      const Address& at = AddressOf(touch.tensor, block);
      for (std::size_t run = 0; run < touch.runs->size(); ++run)
        visit(space, TileOf(touch.tensor, block), RectangleOfRun(touch, run, at));
    }
  }

  void Take(Space space, const Write& write, const Rectangle& where) {
    memory_[space == Space::kPsum].Replace(
        where, write, [&](const Write& before, const Rectangle& piece) {
          if (before.tile == kNobody || before.tile == write.tile) return;
          lost_[before.tile].Replace(piece, {write, before.instance},
                                     [](const Loss&, const Rectangle&) {});
        });
  }

  // What waited for these bytes knows when they come.
  void Fill(std::uint32_t tile, const Rectangle& where) {
    const auto waiting = waiting_.find(tile);
    if (waiting == waiting_.end()) return;
    std::erase_if(waiting->second, [&](std::size_t index) {
      TileFault& fault = result_.faults[index];
      if (!Overlap(fault.where, where)) return false;
      fault.too_late = UseOf(tile, instance_);
      return true;
    });
    if (waiting->second.empty()) waiting_.erase(waiting);
  }

  void Read(Space space, std::uint32_t tile, bool is_exact, const Rectangle& where) {
    ++result_.reads;
    memory_[space == Space::kPsum].Look(where, [&](const Write& holder, const Rectangle& piece) {
      if (SPILLWAY_FAULT(N52, holder.tile == tile, IsOfOneTensor(holder.tile, tile))) return;
      const auto lost = lost_.find(tile);
      if (lost == lost_.end()) return Unloaded(space, tile, is_exact, holder, piece);
      lost->second.Look(piece, [&](const Loss& loss, const Rectangle& part) {
        if (loss.by.tile == kNobody) return Unloaded(space, tile, is_exact, holder, part);
        Note(KindOf(tile, loss.by.tile), space, tile, loss.by, loss.written, part);
      });
    });
  }

  bool IsOfOneTensor(std::uint32_t a, std::uint32_t b) const {
    return a != kNobody && b != kNobody && tiles_[a].tensor == tiles_[b].tensor;
  }
  TileFaultKind KindOf(std::uint32_t a, std::uint32_t b) const {
    return IsOfOneTensor(a, b) ? TileFaultKind::kTooFewTiles : TileFaultKind::kOverlap;
  }

  void Unloaded(Space space, std::uint32_t tile, bool is_exact, const Write& holder,
                const Rectangle& where) {
    if (!is_exact || is_save_) return;
    Note(TileFaultKind::kUnloaded, space, tile, holder, kFromTheStart, where);
  }

  // One instruction that reads a tile and writes another one on top of it.
  void Compare(const TileTouch& read, const TileTouch& write) {
    if (!followed_[read.tensor] || !followed_[write.tensor]) return;
    const Tensor& tensor = kernel_.tensors[read.tensor];
    if (tensor.space != kernel_.tensors[write.tensor].space) return;
    const bool same_tensor = read.tensor == write.tensor;
    if (same_tensor && (read.block == write.block || read.block < 0 || write.block < 0)) return;
    const Interval<std::int64_t> from = BlocksOf(read);
    const Interval<std::int64_t> to = BlocksOf(write);
    for (std::int64_t b = from.begin; b < from.end; ++b) {
      for (std::int64_t w = to.begin; w < to.end; ++w) {
        const std::optional<Rectangle> shared =
            FirstShared(read, AddressOf(read.tensor, b), write, AddressOf(write.tensor, w));
        if (!shared) continue;
        const std::uint32_t by = TileOf(write.tensor, w);
        const std::uint32_t tile = TileOf(read.tensor, b);
        Note(KindOf(tile, by), tensor.space, tile, {by, instruction_, instance_}, kFromTheStart,
             *shared);
      }
    }
  }

  TileUse UseOf(std::uint32_t tile, std::int64_t instance) const {
    TileUse use;
    use.tensor = tiles_[tile].tensor;
    use.block = tiles_[tile].block;
    use.instance = instance;
    return use;
  }

  void Note(TileFaultKind kind, Space space, std::uint32_t tile, const Write& by,
            std::int64_t written, const Rectangle& where) {
    const bool has_other = by.tile != kNobody;
    const Key key{kind, instruction_, tiles_[tile].tensor,
                  has_other ? tiles_[by.tile].tensor : TensorId(kNobody), by.instruction};
    const auto [known, is_new] = known_.try_emplace(key, Known{result_.faults.size(), instance_});
    if (!is_new) {
      TileFault& fault = result_.faults[known->second.fault];
      if (fault.read.instance == instance_ && fault.read.block == tiles_[tile].block) {
        fault.where = {Hull(fault.where.partitions, where.partitions),
                       Hull(fault.where.bytes, where.bytes)};
      } else if (known->second.last_instance != instance_) {
        ++fault.count;
      }
      known->second.last_instance = instance_;
      return;
    }
    TileFault fault;
    fault.kind = kind;
    fault.read = UseOf(tile, instance_);
    if (written != kFromTheStart) fault.written = UseOf(tile, written);
    if (has_other) fault.clobber = UseOf(by.tile, by.instance);
    fault.space = space;
    fault.where = where;
    if (kind == TileFaultKind::kUnloaded) waiting_[tile].push_back(result_.faults.size());
    result_.faults.push_back(std::move(fault));
  }

  const Kernel& kernel_;
  const Placement& placement_;
  std::int64_t max_steps_;
  IdVector<TensorId, bool> followed_;
  IdVector<TensorId, std::uint32_t> first_tile_;
  std::vector<Tile> tiles_;
  IdVector<InstructionId, TileFootprints> footprints_;
  std::vector<TileTouch> touches_;
  InstructionId instruction_;
  std::int64_t instance_ = 0;
  bool is_save_ = false;
  std::array<check::BytePlane<Write>, 2> memory_;  ///< SBUF, PSUM
  std::unordered_map<std::uint32_t, check::BytePlane<Loss>> lost_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> waiting_;
  std::map<Key, Known> known_;
  TileLifetimes result_;
};

}  // namespace

bool IsPlacedOnChip(const Kernel& kernel, const Placement& placement, TensorId tensor) {
  constexpr std::int64_t kMaxAddress = std::int64_t{1} << 40;
  if (kernel.tensors[tensor].space == Space::kDram) return false;
  if (!placement.addresses.contains(tensor)) return false;
  const std::vector<Address>& addresses = placement.addresses[tensor];
  if (addresses.empty()) return false;
  if (static_cast<std::int64_t>(addresses.size()) < BlockCount(kernel.tensors[tensor]))
    return false;
  return std::all_of(addresses.begin(), addresses.end(), [](const Address& address) {
    return address.partition.value >= 0 && address.partition.value <= kMaxAddress &&
           address.byte.value >= 0 && address.byte.value <= kMaxAddress;
  });
}

TileLifetimes FindTileFaults(const Kernel& kernel, const Placement& placement,
                             std::int64_t max_steps) {
  return LifetimeWalk(kernel, placement, max_steps).Run();
}

}  // namespace spillway::nki
