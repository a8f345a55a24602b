#include "model/alloc/baseline/linear_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/allocate_without_spills.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/live_intervals.h"

namespace spillway {
namespace {

// A block that has its place, and the life of its tensor.
struct Held {
  Interval<PointId> life;
  Rectangle place;
};

struct Memory {
  Space space = Space::kSbuf;
  Bytes capacity;
  Bytes step;                 ///< places start at multiples of it
  PartitionCount partitions;  ///< of the memory
  Bytes whole;                ///< a block takes whole multiples of it
};

// The lowest start of `bytes` between the byte ranges of what lies in `rows`; past the end if full.
ByteOffset LowestGap(const Memory& memory, const Interval<Partition>& rows, Bytes bytes,
                     const std::vector<Rectangle>& held) {
  ByteOffset start(0);
  for (const Rectangle& other : held) {
    if (!Overlap(rows, other.partitions)) continue;
    if (start + bytes <= other.bytes.begin) break;
    start = std::max(start, ByteOffset(RoundUp(other.bytes.end.value, memory.step.value)));
  }
  return start;
}

// The lowest place of `bytes` x `rows` that overlaps none of `held`, which is sorted by its first
// bytes; lower bytes before lower partitions.
std::optional<Address> LowestPlace(const Memory& memory, PartitionCount rows, Bytes bytes,
                                   const std::vector<Rectangle>& held) {
  std::optional<Address> lowest;
  for (const Partition first : LegalStartPartitions(rows)) {
    if (first + rows > Partition(0) + memory.partitions) continue;
    const ByteOffset start = LowestGap(memory, {first, first + rows}, bytes, held);
    if (start + bytes > ByteOffset(0) + memory.capacity) continue;
    if (!lowest || start < lowest->byte) lowest = Address{first, start};
  }
  return lowest;
}

void InsertSorted(std::vector<Rectangle>& held, const Rectangle& place) {
  const auto before = [](const Rectangle& a, const Rectangle& b) {
    return a.bytes.begin < b.bytes.begin;
  };
  held.insert(std::upper_bound(held.begin(), held.end(), place, before), place);
}

class Scan {
 public:
  Scan(const LinearKernel& linear, const Memory& memory)
      : kernel_(linear.kernel), memory_(memory), lives_(LiveIntervals(linear)) {}

  Result<void> Run(Placement& placement) {
    for (const TensorId id : Order()) {
      const Tensor& tensor = kernel_.tensors[id];
      const Interval<PointId> life = *lives_[id];
      std::erase_if(active_, [&](const Held& held) { return held.life.end <= life.begin; });
      std::vector<Rectangle> held;
      for (const Held& other : active_) {
        if (Overlap(other.life, life)) InsertSorted(held, other.place);
      }
      const Bytes bytes = RoundUp(BlockBytes(tensor), memory_.whole);
      for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
        const auto address = LowestPlace(memory_, Partitions(tensor), bytes, held);
        if (!address) return Fail(NoRoom(tensor, block, life));
        placement.addresses[id].push_back(*address);
        const Rectangle place{{address->partition, address->partition + Partitions(tensor)},
                              {address->byte, address->byte + bytes}};
        InsertSorted(held, place);
        active_.push_back({life, place});
      }
    }
    return {};
  }

 private:
  bool Concerns(TensorId id) const {
    return kernel_.tensors[id].space == memory_.space && lives_[id].has_value();
  }

  // Tensors without a place by the start of their lives; those with one are active from the start.
  std::vector<TensorId> Order() {
    std::vector<TensorId> order;
    for (std::size_t t = 0; t < kernel_.tensors.size(); ++t) {
      const TensorId id(t);
      if (!Concerns(id)) continue;
      const Tensor& tensor = kernel_.tensors[id];
      if (tensor.at.empty()) order.push_back(id);
      for (const Address& address : tensor.at) {
        active_.push_back({*lives_[id], RectangleOf(tensor, address)});
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](TensorId a, TensorId b) { return lives_[a]->begin < lives_[b]->begin; });
    return order;
  }

  Error NoRoom(const Tensor& tensor, std::int64_t block, const Interval<PointId>& life) const {
    return {Kind::kCapacity, "linear-scan-capacity",
            fmt::format("linear-scan spills nothing, and block {} of {} ({} partitions x {} bytes) "
                        "has no place in the {} bytes of {} over points [{}, {})",
                        block, tensor.name, Partitions(tensor).value, BlockBytes(tensor).value,
                        memory_.capacity.value, SpaceName(memory_.space), life.begin.value,
                        life.end.value),
            "", 0};
  }

  const Kernel& kernel_;
  const Memory memory_;
  const IdVector<TensorId, std::optional<Interval<PointId>>> lives_;
  std::vector<Held> active_;
};

class LinearScanAllocator : public Allocator {
 public:
  std::string name() const override { return "linear-scan"; }

  Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& /*hwm*/,
                              const AllocateOptions& options) const override {
    const auto place = [&](const LinearKernel& linear, Placement placement,
                           const OnChipRoom& room) -> Result<PlacedTensors> {
      const Bytes bank = target.psum_bank_bytes;
      const Memory sbuf{Space::kSbuf, room.sbuf_bytes, target.sbuf_granule, target.sbuf_partitions,
                        Bytes(1)};
      const Memory psum{Space::kPsum, bank * room.psum_banks.value, bank, target.psum_partitions,
                        bank};
      for (const Memory& memory : {sbuf, psum}) {
        if (const auto placed = Scan(linear, memory).Run(placement); !placed)
          return Fail(placed.error());
      }
      return PlacedTensors{std::move(placement), {}};
    };
    return AllocateWithoutSpills(kernel, target, options, place);
  }
};

}  // namespace

std::unique_ptr<Allocator> MakeLinearScanAllocator() {
  return std::make_unique<LinearScanAllocator>();
}

}  // namespace spillway
