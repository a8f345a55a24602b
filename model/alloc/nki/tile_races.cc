#include "model/alloc/nki/tile_races.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "model/alloc/check/happens_before.h"
#include "model/alloc/nki/tile_footprint.h"
#include "model/alloc/nki/tile_texts.h"

namespace spillway::nki {
namespace {

constexpr std::int64_t kMaxComparisons = std::int64_t{1} << 25;

/// One access to a block, in program order.
struct BlockTouch {
  std::int64_t instance = 0;
  InstructionId instruction;
  std::int64_t block = 0;
  TileTouch touch;
};

class RingRaces {
 public:
  RingRaces(const PlayedKernel& played, const check::HappensBefore& order, TensorId ring,
            std::int64_t& comparisons_left)
      : played_(played),
        order_(order),
        ring_(ring),
        tensor_(played.kernel.tensors[ring]),
        comparisons_left_(comparisons_left),
        unordered_(tensor_) {}

  std::vector<TileRace> Run(const std::vector<BlockTouch>& touches) {
    for (std::size_t second = 0; second < touches.size() && comparisons_left_ > 0; ++second) {
      for (std::size_t first = 0; first < second; ++first) Meet(touches[first], touches[second]);
    }
    if (races_.empty() || comparisons_left_ <= 0) return std::move(races_);
    const std::optional<EnoughTiles> enough = Enough();
    for (TileRace& race : races_) {
      race.tiles_there = TilesThere(played_.places.addresses[ring_]);
      race.enough = enough;
    }
    return std::move(races_);
  }

 private:
  void Meet(const BlockTouch& first, const BlockTouch& second) {
    --comparisons_left_;
    if (first.block == second.block || first.instance == second.instance) return;
    if (!first.touch.is_write && !second.touch.is_write) return;
    const std::size_t distance = unordered_.Between(first.block, second.block);
    const Address& at_first =
        played_.places.addresses[ring_][static_cast<std::size_t>(first.block)];
    const Address& at_second =
        played_.places.addresses[ring_][static_cast<std::size_t>(second.block)];
    const bool share_place =
        Overlap(RectangleOf(tensor_, at_first), RectangleOf(tensor_, at_second));
    if (unordered_.Has(distance) && !share_place) return;
    const InstanceId a(static_cast<std::uint32_t>(first.instance));
    const InstanceId b(static_cast<std::uint32_t>(second.instance));
    const bool on_its_way = first.touch.is_write && !second.touch.is_write;
    if ((!on_its_way && order_.InOneStream(a, b)) || order_.EndsBefore(a, b)) return;
    comparisons_left_ -= static_cast<std::int64_t>(
        (first.touch.runs->size() + second.touch.runs->size()) / kRunsPerStep);
    if (FirstShared(first.touch, {}, second.touch, {})) unordered_.Add(distance);
    if (!share_place) return;
    if (const auto where = FirstShared(first.touch, at_first, second.touch, at_second))
      Note(first, second, *where);
  }

  void Note(const BlockTouch& first, const BlockTouch& second, const Rectangle& where) {
    const auto key = std::make_tuple(first.instruction, second.instruction, first.touch.is_write,
                                     second.touch.is_write);
    const auto [known, is_new] = known_.try_emplace(key, races_.size());
    if (!is_new) {
      ++races_[known->second].count;
      return;
    }
    TileRace race;
    race.first.tensor = race.second.tensor = ring_;
    race.first.block = first.block;
    race.first.instance = first.instance;
    race.second.block = second.block;
    race.second.instance = second.instance;
    race.first_writes = first.touch.is_write;
    race.second_writes = second.touch.is_write;
    race.where = where;
    races_.push_back(std::move(race));
  }

  // Blocks stay apart that program order needs apart, and those that no wait orders.
  std::optional<EnoughTiles> Enough() {
    const std::vector<Address>& addresses = played_.places.addresses[ring_];
    const std::optional<TileDistances> conflicts = FindConflicts(played_.kernel, ring_);
    if (!conflicts) return std::nullopt;
    unordered_.Add(*conflicts);
    const std::optional<TileCounts> counts =
        FewestTiles(tensor_, LawOf(tensor_, addresses), unordered_);
    if (!counts) return std::nullopt;
    return PlaceEnoughTiles(played_.kernel, played_.places, played_.target, ring_, *counts);
  }

  const PlayedKernel& played_;
  const check::HappensBefore& order_;
  TensorId ring_;
  const Tensor& tensor_;
  std::int64_t& comparisons_left_;
  TileDistances unordered_;
  std::map<std::tuple<InstructionId, InstructionId, bool, bool>, std::size_t> known_;
  std::vector<TileRace> races_;
};

bool IsRing(const PlayedKernel& played, TensorId id) {
  const Tensor& tensor = played.kernel.tensors[id];
  return !tensor.blocks.empty() && BlockCount(tensor) <= kMaxRingBlocks &&
         IsPlacedOnChip(played.kernel, played.places, id) &&
         TilesThere(played.places.addresses[id]) < BlockCount(tensor);
}

std::string DescribeRace(const Kernel& kernel, const TileRace& race) {
  const Tensor& tensor = kernel.tensors[race.first.tensor];
  std::string text = fmt::format(
      "{} {} {} and {} {} {}, both on bytes [{}, {}) of {}, and nothing makes the second wait for "
      "the first. {} has {} tiles; ",
      DescribeUse(kernel, race.first), race.first_writes ? "writes" : "reads",
      TileName(tensor, race.first.block), DescribeUse(kernel, race.second),
      race.second_writes ? "writes" : "reads", TileName(tensor, race.second.block),
      race.where.bytes.begin.value, race.where.bytes.end.value, SpaceName(tensor.space),
      tensor.name, race.tiles_there);
  text += race.enough ? fmt::format("with the waits that are there {} would do: {}",
                                    race.enough->counts.tiles, DescribeEnough(tensor, *race.enough))
                      : "how many would do wasn't found within the limits of the search";
  if (race.count > 1)
    text += fmt::format(". {} more such pair{}", race.count - 1, race.count == 2 ? "" : "s");
  return text;
}

}  // namespace

TileRaces FindTileRaces(const PlayedKernel& played) {
  TileRaces result;
  const Kernel& kernel = played.kernel;
  IdVector<TensorId, bool> is_ring;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t)
    is_ring.push_back(IsRing(played, TensorId(t)));
  // All instances count, since the program numbers them all.
  const IdVector<InstructionId, bool> all(kernel.instructions.size(), true);
  std::vector<TileFootprints> footprints;
  for (const Instruction& instruction : kernel.instructions)
    footprints.emplace_back(kernel, instruction);
  std::map<TensorId, std::vector<BlockTouch>> touches_of;
  std::vector<TileTouch> touches;
  std::int64_t instances = 0;
  TileWalk walk(kernel, all);
  for (; walk.Next(); ++instances) {
    touches.clear();
    footprints[walk.instruction().value].Append(walk.values(), touches);
    for (const TileTouch& touch : touches) {
      walk.Charge(touch.runs->size());
      if (!is_ring[touch.tensor]) continue;
      const std::int64_t blocks = BlockCount(kernel.tensors[touch.tensor]);
      const std::int64_t begin = std::max<std::int64_t>(touch.block, 0);
      const std::int64_t end = touch.block < 0 ? blocks : std::min(begin + 1, blocks);
      for (std::int64_t block = begin; block < end; ++block)
        touches_of[touch.tensor].push_back({instances, walk.instruction(), block, touch});
    }
  }
  result.complete = walk.complete();
  if (!result.complete) return result;
  if (instances != static_cast<std::int64_t>(played.program.instances().size())) return result;
  const check::HappensBefore order(played.program, played.target);
  std::int64_t comparisons_left = kMaxComparisons;
  for (const auto& [ring, uses] : touches_of) {
    for (TileRace& race : RingRaces(played, order, ring, comparisons_left).Run(uses))
      result.races.push_back(std::move(race));
  }
  result.complete = comparisons_left > 0;
  std::multimap<std::int64_t, TileUse*> names;
  for (TileRace& race : result.races) {
    names.emplace(race.first.instance, &race.first);
    names.emplace(race.second.instance, &race.second);
  }
  NameInstances(TileWalk(kernel, all), kernel, names);
  return result;
}

CheckResult CheckTileRaces(const PlayedKernel& played) {
  CheckResult check{"tile-races", static_cast<std::int64_t>(played.program.instances().size()), {}};
  const TileRaces found = FindTileRaces(played);
  for (const TileRace& race : found.races) {
    Violation violation;
    violation.kind = Kind::kRace;
    violation.tensors = {played.kernel.tensors[race.first.tensor].name};
    violation.space = played.kernel.tensors[race.first.tensor].space;
    violation.range = race.where.bytes;
    violation.text = DescribeRace(played.kernel, race);
    check.violations.push_back(std::move(violation));
  }
  if (!found.complete) {
    Violation violation;
    violation.kind = Kind::kLimit;
    violation.text =
        "tile-races is inconclusive: it reached its limit; what it didn't look at may race";
    check.violations.push_back(std::move(violation));
  }
  return check;
}

}  // namespace spillway::nki
