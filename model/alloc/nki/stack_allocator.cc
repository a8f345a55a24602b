#include "model/alloc/nki/stack_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/allocate_without_spills.h"
#include "model/alloc/ir/live_intervals.h"
#include "model/alloc/nki/scope_sites.h"
#include "model/alloc/nki/stack_manager.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

// The two memories behind one set of words: what a scan over a kernel's points asks of a stack.
class SbufStack {
 public:
  SbufStack(const Target& target, StackManager manager)
      : step_(target.sbuf_granule), manager_(std::move(manager)) {}

  Space space() const { return Space::kSbuf; }
  Bytes step() const { return step_; }
  Bytes Taken(const Tensor& tensor) const { return BlockBytes(tensor); }
  ByteOffset cursor() const { return *manager_.StackAddress(); }
  ByteOffset end() const { return manager_.window().end; }
  Result<void> Open(const std::string& name) { return manager_.OpenScope(1, name); }
  Result<void> Close() { return manager_.CloseScope(); }
  Result<Address> Take(const Tensor& tensor, ByteOffset from) {
    if (from > ByteOffset(RoundUp(cursor().value, step_.value))) {
      if (const auto skipped = manager_.SkipStack(from); !skipped) return Fail(skipped.error());
    }
    const Result<TileAllocation> tile =
        manager_.AllocStack({tensor.name, tensor.shape, std::string(DTypeName(tensor.dtype)),
                             Space::kSbuf, Partition(0), step_});
    if (!tile) return Fail(tile.error());
    return *tile->address;
  }
  StackAccount Account() const {
    return {manager_.statistics(), manager_.overlaps(), manager_.heap_overlaps(), manager_.Tree()};
  }

 private:
  Bytes step_;
  StackManager manager_;
};

class BankStack {
 public:
  BankStack(const Target& target, BankCount banks)
      : bank_(target.psum_bank_bytes),
        end_(ByteOffset(0) + bank_ * banks.value),
        scopes_(ByteOffset(0)) {}

  Space space() const { return Space::kPsum; }
  Bytes step() const { return bank_; }
  Bytes Taken(const Tensor& tensor) const { return RoundUp(BlockBytes(tensor), bank_); }
  ByteOffset cursor() const { return scopes_.cursor(); }
  ByteOffset end() const { return end_; }
  Result<void> Open(const std::string& name) {
    scopes_.Open(name, 1);
    return {};
  }
  Result<void> Close() {
    scopes_.Close();
    return {};
  }
  Result<Address> Take(const Tensor& tensor, ByteOffset from) {
    if (from + Taken(tensor) > end_) {
      return Fail({Kind::kCapacity, "stack-out-of-memory",
                   fmt::format("the banks from {} on are of {} in all", from.value / bank_.value,
                               (end_ - ByteOffset(0)) / bank_),
                   "", 0});
    }
    scopes_.Take(from, Taken(tensor));
    return Address{Partition(0), from};
  }

 private:
  Bytes bank_;
  ByteOffset end_;
  ScopeStack scopes_;
};

// A block that its author placed, with the life of its tensor.
struct Fixed {
  TensorId tensor;
  Interval<PointId> life;
  Rectangle place;
};

template <class Stack>
class Scan {
 public:
  Scan(const LinearKernel& linear, Stack stack)
      : linear_(linear), lives_(LiveIntervals(linear)), stack_(std::move(stack)) {}

  Result<void> Run(Placement& placement) {
    Sort();
    for (const Fixed& fixed : fixed_) {
      if (fixed.place.bytes.end > stack_.end()) return Fail(Outside(fixed));
    }
    const std::vector<BodyItem>& body = linear_.kernel.body;
    if (const auto opened = stack_.Open(linear_.kernel.name); !opened) return opened;
    for (std::size_t p = 0; p < body.size(); ++p) {
      for (const TensorId id : at_[p]) {
        if (const auto taken = Take(id, placement); !taken) return taken;
      }
      Result<void> moved;
      if (body[p].kind == BodyKind::kLoopBegin)
        moved = stack_.Open(linear_.kernel.loops[body[p].loop()].name);
      if (body[p].kind == BodyKind::kLoopEnd) moved = stack_.Close();
      if (!moved) return moved;
    }
    return stack_.Close();
  }

  const Stack& stack() const { return stack_; }

 private:
  // Tensors to place by the point before which they are taken; the others as obstacles by bytes.
  void Sort() {
    at_.resize(linear_.point_count());
    for (std::size_t t = 0; t < lives_.size(); ++t) {
      const TensorId id(t);
      const Tensor& tensor = linear_.kernel.tensors[id];
      if (tensor.space != stack_.space() || !lives_[id]) continue;
      for (const Address& address : tensor.at)
        fixed_.push_back({id, *lives_[id], RectangleOf(tensor, address)});
      if (tensor.at.empty()) at_[SiteOf(id).point.value].push_back(id);
    }
    std::stable_sort(fixed_.begin(), fixed_.end(), [](const Fixed& a, const Fixed& b) {
      return a.place.bytes.begin < b.place.bytes.begin;
    });
  }

  ScopeSite SiteOf(TensorId id) const {
    const ScopeSite site = ScopeSiteOf(linear_, *lives_[id]);
    return SPILLWAY_FAULT(N9, site, fault::IsVariant(0) ? FirstAccess(id) : site);
  }

  ScopeSite FirstAccess(TensorId id) const {
    const PointId first = linear_.accesses_of[id].front().point;
    return {linear_.loop_of[first], first};
  }

  // The lowest start from the cursor on that is free of fixed blocks which live with the tile.
  ByteOffset StartOf(const Tensor& tensor, const Interval<PointId>& life) const {
    const Interval<Partition> rows{Partition(0), Partition(0) + Partitions(tensor)};
    const std::int64_t step = stack_.step().value;
    ByteOffset start(RoundUp(stack_.cursor().value, step));
    if (SPILLWAY_FAULT(N9, false, fault::IsVariant(1))) return start;
    for (const Fixed& fixed : fixed_) {
      if (!Overlap(fixed.life, life) || !Overlap(fixed.place.partitions, rows)) continue;
      if (start + stack_.Taken(tensor) <= fixed.place.bytes.begin) break;
      start = std::max(start, ByteOffset(RoundUp(fixed.place.bytes.end.value, step)));
    }
    return start;
  }

  Result<void> Take(TensorId id, Placement& placement) {
    const Tensor& tensor = linear_.kernel.tensors[id];
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      const ByteOffset start = StartOf(tensor, *lives_[id]);
      const Result<Address> address = stack_.Take(tensor, start);
      if (!address && address.error().kind != Kind::kCapacity) return Fail(address.error());
      if (!address) return Fail(NoRoom(id, block, start, address.error().message));
      placement.addresses[id].push_back(*address);
    }
    return {};
  }

  Error Outside(const Fixed& fixed) const {
    const Tensor& tensor = linear_.kernel.tensors[fixed.tensor];
    return {
        Kind::kCapacity, "stack-allocator-fixed",
        fmt::format("{} lies at bytes [{}, {}) by its author's address, past the {} bytes of {}; "
                    "more memory or reallocation helps",
                    tensor.name, fixed.place.bytes.begin.value, fixed.place.bytes.end.value,
                    stack_.end().value, SpaceName(tensor.space)),
        "", 0};
  }

  Error NoRoom(TensorId id, std::int64_t block, ByteOffset start, const std::string& why) const {
    const Tensor& tensor = linear_.kernel.tensors[id];
    const ScopeSite site = SiteOf(id);
    return {
        Kind::kCapacity, "stack-allocator-capacity",
        fmt::format("the stack spills nothing and frees a scope as a whole: block {} of {} ({} "
                    "partitions x {} bytes) in the scope of {} has no place from byte {} on in "
                    "the {} bytes of {} ({}); the allocator 'coloring' reuses bytes earlier and "
                    "spills",
                    block, tensor.name, Partitions(tensor).value, BlockBytes(tensor).value,
                    site.scope ? "loop " + linear_.kernel.loops[*site.scope].name : "the kernel",
                    start.value, stack_.end().value, SpaceName(tensor.space), why),
        "", 0};
  }

  const LinearKernel& linear_;
  const IdVector<TensorId, std::optional<Interval<PointId>>> lives_;
  Stack stack_;
  std::vector<std::vector<TensorId>> at_;  // by point
  std::vector<Fixed> fixed_;
};

class StackAllocator : public Allocator {
 public:
  std::string name() const override { return std::string(kStackAllocator); }

  Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& /*hwm*/,
                              const AllocateOptions& options) const override {
    Result<StackAllocation> made = AllocateOnStack(kernel, target, options);
    if (!made) return Fail(made.error());
    return std::move(made->allocation);
  }
};

}  // namespace

Result<StackAllocation> AllocateOnStack(const Kernel& kernel, const Target& target,
                                        const AllocateOptions& options) {
  StackAccount account;
  const auto place = [&](const LinearKernel& linear, Placement placement,
                         const OnChipRoom& room) -> Result<PlacedTensors> {
    StackOptions window;
    window.window = Interval<ByteOffset>{ByteOffset(0), ByteOffset(0) + room.sbuf_bytes};
    Result<StackManager> manager = StackManager::Create(target, window);
    if (!manager) return Fail(manager.error());
    Scan sbuf(linear, SbufStack(target, *std::move(manager)));
    if (const auto placed = sbuf.Run(placement); !placed) return Fail(placed.error());
    Scan psum(linear, BankStack(target, room.psum_banks));
    if (const auto placed = psum.Run(placement); !placed) return Fail(placed.error());
    account = sbuf.stack().Account();
    return PlacedTensors{std::move(placement), {}};
  };
  Result<Allocation> allocation = AllocateWithoutSpills(kernel, target, options, place);
  if (!allocation) return Fail(allocation.error());
  return StackAllocation{*std::move(allocation), std::move(account)};
}

std::unique_ptr<Allocator> MakeStackAllocator() { return std::make_unique<StackAllocator>(); }

}  // namespace spillway::nki
