#include "model/alloc/dram/allocate_dram.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "model/alloc/ir/live_intervals.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

// Source: colorer.md §6.
constexpr Bytes kPage{4096};

using Ranges = std::set<Interval<ByteOffset>>;

struct Home {
  TensorId tensor;
  Interval<PointId> life;
  HomeLayout layout;
};

// A block that its author placed.
struct Reservation {
  Interval<PointId> life;
  Interval<ByteOffset> bytes;
};

struct Work {
  std::vector<Home> homes;  // by definition
  std::vector<Reservation> reservations;
};

Work CollectWork(const LinearKernel& linear) {
  const auto lives = LiveIntervals(linear);
  Work work;
  for (std::size_t i = 0; i < linear.kernel.tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = linear.kernel.tensors[id];
    if (tensor.space != Space::kDram || tensor.role != Role::kInternal || !lives[id]) continue;
    if (tensor.at.empty()) work.homes.push_back({id, *lives[id], LayoutOf(tensor)});
    for (const Address& address : tensor.at) {
      work.reservations.push_back({*lives[id], {address.byte, address.byte + BlockBytes(tensor)}});
    }
  }
  std::sort(work.homes.begin(), work.homes.end(), [](const Home& a, const Home& b) {
    return std::pair(a.life.begin, a.tensor) < std::pair(b.life.begin, b.tensor);
  });
  return work;
}

// `taken`, and the reservations that are alive together with `life`.
Ranges WithReservations(Ranges taken, const std::vector<Reservation>& reservations,
                        const Interval<PointId>& life) {
  for (const Reservation& reservation : reservations) {
    if (Overlap(reservation.life, life) && !reservation.bytes.empty()) {
      taken.insert(reservation.bytes);
    }
  }
  return taken;
}

// The lowest page from which `extent` bytes are free of `taken`.
ByteOffset LowestGap(const Ranges& taken, Bytes extent) {
  ByteOffset start(0);
  for (const Interval<ByteOffset>& range : taken) {
    if (start + extent <= range.begin) break;
    start = std::max(start, ByteOffset(RoundUp(range.end.value, kPage.value)));
  }
  return start;
}

bool IsSpillHome(const LinearKernel& linear, TensorId tensor) {
  const std::vector<PointAccess>& accesses = linear.accesses_of[tensor];
  return std::any_of(accesses.begin(), accesses.end(), [&](const PointAccess& access) {
    return linear.instruction(access.point).spill == SpillRole::kSave;
  });
}

}  // namespace

HomeLayout LayoutOf(const Tensor& tensor) {
  const Bytes block = BlockBytes(tensor);
  const std::int64_t blocks = BlockCount(tensor);
  // A power of two divides the page, so that steps of it never straddle one.
  const Bytes stride = block >= kPage ? RoundUp(block, kPage)
                                      : Bytes(static_cast<std::int64_t>(std::bit_ceil(
                                            static_cast<std::uint64_t>(block.value))));
  const Bytes extent = blocks > 0 ? stride * (blocks - 1) + block : Bytes(0);
  return {stride, SPILLWAY_FAULT(B9, extent, Bytes(static_cast<std::int32_t>(extent.value)))};
}

Result<DramAllocation> AllocateDram(const LinearKernel& linear, const Target& target) {
  DramAllocation allocation;
  allocation.placement.addresses.resize(linear.kernel.tensors.size());
  const Work work = CollectWork(linear);
  Ranges taken;
  std::set<std::pair<PointId, Interval<ByteOffset>>> by_end;
  for (std::size_t i = 0; i < linear.kernel.tensors.size(); ++i) {
    const Tensor& tensor = linear.kernel.tensors[TensorId(i)];
    if (tensor.space == Space::kDram) allocation.placement.addresses[TensorId(i)] = tensor.at;
  }
  for (const Home& home : work.homes) {
    while (!by_end.empty() && SPILLWAY_FAULT(C14, by_end.begin()->first <= home.life.begin, true)) {
      taken.erase(by_end.begin()->second);
      by_end.erase(by_end.begin());
    }
    const Tensor& tensor = linear.kernel.tensors[home.tensor];
    const ByteOffset start =
        work.reservations.empty()
            ? LowestGap(taken, home.layout.extent)
            : LowestGap(WithReservations(taken, work.reservations, home.life), home.layout.extent);
    const Interval<ByteOffset> range{start, start + home.layout.extent};
    if (range.end.value > target.dram_bytes.value.value) {
      return Fail({Kind::kCapacity, "dram-capacity",
                   fmt::format("{} of {} bytes would end at byte {} of DRAM, one core of {} has {}",
                               tensor.name, home.layout.extent.value, range.end.value, target.name,
                               target.dram_bytes.value.value),
                   "", 0});
    }
    if (!range.empty()) {
      const Interval<ByteOffset> kept = SPILLWAY_FAULT(
          C13, range,
          (Interval<ByteOffset>{start, start + Bytes((home.layout.extent.value + 3) / 4)}));
      taken.insert(kept);
      by_end.insert({home.life.end, kept});
    }
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      allocation.placement.addresses[home.tensor].push_back(
          {Partition(0), start + home.layout.block_stride * block});
    }
    DramStats& stats = allocation.stats;
    stats.high_water_bytes = std::max(stats.high_water_bytes, range.end - ByteOffset(0));
    if (!IsSpillHome(linear, home.tensor)) continue;
    ++stats.homes;
    stats.spill_bytes += BlockBytes(tensor) * BlockCount(tensor);
    stats.aligned_spill_bytes += RoundUp(home.layout.extent, kPage);
  }
  return allocation;
}

}  // namespace spillway
