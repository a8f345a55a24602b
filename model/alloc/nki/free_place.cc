#include "model/alloc/nki/free_place.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "model/alloc/ir/live_intervals.h"
#include "model/alloc/nki/tile_lifetimes.h"

namespace spillway::nki {
namespace {

// Pairs of a place and a tile on it: more are no message's worth.
constexpr std::size_t kMaxComparisons = std::size_t{1} << 24;

std::vector<Rectangle> RectanglesOf(const Tensor& tensor, const std::vector<Address>& addresses) {
  const auto less = [](const Address& a, const Address& b) {
    return std::pair(a.partition, a.byte) < std::pair(b.partition, b.byte);
  };
  const std::set<Address, decltype(less)> distinct(addresses.begin(), addresses.end(), less);
  std::vector<Rectangle> rectangles;
  for (const Address& address : distinct) rectangles.push_back(RectangleOf(tensor, address));
  return rectangles;
}

bool Meet(const Rectangle& a, const Rectangle& b, Bytes shift_of_a) {
  return Overlap(a.partitions, b.partitions) &&
         Overlap(Interval<ByteOffset>{a.bytes.begin + shift_of_a, a.bytes.end + shift_of_a},
                 b.bytes);
}

std::int64_t RoundUpTo(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

// Starts at which a lowest place may be: those right behind tiles that are in the way.
std::vector<ByteOffset> Starts(const Tensor& tensor, ByteOffset now, const Target& target,
                               const std::vector<Rectangle>& in_the_way) {
  std::set<ByteOffset> starts;
  const auto add = [&](ByteOffset free) {
    if (tensor.space == Space::kPsum) {
      // Tiles keep their distance to the start of their bank.
      const std::int64_t bank = target.psum_bank_bytes.value.value;
      const std::int64_t inside = now.value % bank;
      starts.insert(
          ByteOffset(RoundUpTo(std::max<std::int64_t>(free.value - inside, 0), bank) + inside));
      return;
    }
    const std::int64_t step =
        std::lcm(target.sbuf_min_align.value.value, ElementSize(tensor.dtype).value);
    starts.insert(ByteOffset(RoundUpTo(free.value, step)));
  };
  add(ByteOffset(0));
  for (const Rectangle& other : in_the_way) add(other.bytes.end);
  return {starts.begin(), starts.end()};
}

}  // namespace

Interval<ByteOffset> BytesOfAll(const Tensor& tensor, const std::vector<Address>& addresses) {
  Interval<ByteOffset> bytes = RectangleOf(tensor, addresses.front()).bytes;
  for (const Address& address : addresses) bytes = Hull(bytes, RectangleOf(tensor, address).bytes);
  return bytes;
}

Bytes WindowOf(const Target& target, Space space) {
  if (space == Space::kPsum) return target.psum_bank_bytes.value * UsablePsumBanks(target).value;
  return target.sbuf_usable_bytes.value;
}

FreePlaceSearch FindFreePlace(const LinearKernel& linear, const Placement& placement,
                              const Target& target, TensorId id) {
  const Tensor& tensor = linear.kernel.tensors[id];
  const auto lives = LiveIntervals(linear);
  if (!lives[id]) return {};
  std::vector<Rectangle> in_the_way;
  for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
    const TensorId other(t);
    if (other == id || linear.kernel.tensors[other].space != tensor.space) continue;
    if (!IsPlacedOnChip(linear.kernel, placement, other)) continue;
    if (!lives[other] || !Overlap(*lives[other], *lives[id])) continue;
    const std::vector<Rectangle> more =
        RectanglesOf(linear.kernel.tensors[other], placement.addresses[other]);
    in_the_way.insert(in_the_way.end(), more.begin(), more.end());
  }
  const std::vector<Address>& addresses = placement.addresses[id];
  const std::vector<Rectangle> tiles = RectanglesOf(tensor, addresses);
  const Interval<ByteOffset> now = BytesOfAll(tensor, addresses);
  const Bytes size = now.end - now.begin;
  const std::vector<ByteOffset> starts = Starts(tensor, now.begin, target, in_the_way);
  if (starts.size() > kMaxComparisons / std::max<std::size_t>(tiles.size() * in_the_way.size(), 1))
    return {std::nullopt, false};
  for (const ByteOffset start : starts) {
    if (start + size > ByteOffset(0) + WindowOf(target, tensor.space)) break;
    const Bytes shift = start - now.begin;
    const bool is_free = std::none_of(tiles.begin(), tiles.end(), [&](const Rectangle& tile) {
      return std::any_of(in_the_way.begin(), in_the_way.end(),
                         [&](const Rectangle& other) { return Meet(tile, other, shift); });
    });
    if (!is_free) continue;
    const Address first{addresses.front().partition, addresses.front().byte + shift};
    return {FreePlace{id, first, {start, start + size}}, true};
  }
  return {};
}

}  // namespace spillway::nki
