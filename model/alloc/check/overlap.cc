#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

#include "model/alloc/check/active_set.h"
#include "model/alloc/check/block_reuse.h"
#include "model/alloc/check/liveness.h"
#include "model/alloc/check/rules.h"
#include "model/hw/fault.h"

namespace spillway::check {
namespace {

// A checker has to end on any input.
constexpr std::int64_t kMaxReuseSteps = 1'000'000;

// A block with its place and the stretches of points in which it is alive.
struct Occupant {
  TensorId tensor;
  std::size_t block = 0;
  Interval<Partition> partitions;
  Interval<ByteOffset> bytes;
  std::vector<Interval<PointId>> stretches;
  bool shares_with_own = false;  ///< loops choose among the blocks: FindBlockClobbers judges them
};

Interval<Partition> PartitionsOf(const Tensor& tensor, const Address& address) {
  const PartitionCount count =
      tensor.space == Space::kDram
          ? PartitionCount(1)
          : SPILLWAY_FAULT(E4, Partitions(tensor),
                           fault::variant == 0 ? PartitionCount(1) : Partitions(tensor));
  const Partition start = tensor.space == Space::kDram ? Partition(0) : address.partition;
  return {start, start + count};
}

// Whether a loop's variable says which block an access touches. Lives of single blocks don't tell:
// accesses under predicates may touch fewer blocks than those beside them.
bool LoopsChooseBlocks(const LinearKernel& linear, TensorId tensor) {
  for (const PointAccess& access : linear.accesses_of[tensor]) {
    const Operand* const operand = linear.accesses[access.point][access.access].operand;
    if (operand == nullptr) continue;
    for (const AffineExpr& index : operand->block) {
      if (!index.IsConstant()) return true;
    }
  }
  return false;
}

std::vector<Occupant> OccupantsOf(const Subject& subject, Space space) {
  std::vector<Occupant> occupants;
  for (std::size_t i = 0; i < subject.kernel().tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = subject.kernel().tensors[id];
    const std::vector<Address>& addresses = subject.AddressesOf(id);
    if (tensor.space != space || addresses.empty()) continue;
    const std::vector<BlockLife> lives = LivesOf(subject.linear, id);
    const bool by_loops = LoopsChooseBlocks(subject.linear, id);
    for (const BlockLife& life : lives) {
      for (const std::int64_t index : life.blocks) {
        const auto block = static_cast<std::size_t>(index);
        if (block >= addresses.size()) continue;
        Occupant occupant{id,
                          block,
                          PartitionsOf(tensor, addresses[block]),
                          BytesOf(tensor, addresses[block]),
                          life.stretches,
                          by_loops};
        if (!occupant.bytes.empty() && !occupant.partitions.empty())
          occupants.push_back(std::move(occupant));
      }
    }
  }
  return occupants;
}

// Blocks with an address, those that no instruction touches included.
std::int64_t PlacedBlocks(const Subject& subject, Space space) {
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < subject.kernel().tensors.size(); ++i) {
    if (subject.kernel().tensors[TensorId(i)].space != space) continue;
    blocks += static_cast<std::int64_t>(subject.AddressesOf(TensorId(i)).size());
  }
  return blocks;
}

// Two occupants that meet, when first, and in how many pairs of stretches.
struct Meeting {
  Interval<PointId> first;
  std::int64_t times = 0;
};
using Meetings = std::map<std::pair<std::size_t, std::size_t>, Meeting>;

// Sweeps over the points: what is alive now is switched on, and each newcomer asks who is there.
Meetings FindMeetings(const std::vector<Occupant>& occupants) {
  struct Stretch {
    Interval<PointId> points;
    std::size_t occupant = 0;
  };
  std::vector<Stretch> stretches;
  std::vector<Interval<ByteOffset>> ranges;
  for (std::size_t i = 0; i < occupants.size(); ++i) {
    ranges.push_back(occupants[i].bytes);
    for (const Interval<PointId>& points : occupants[i].stretches) stretches.push_back({points, i});
  }
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return std::pair(a.points.begin, a.occupant) < std::pair(b.points.begin, b.occupant);
  });
  ActiveSet active(ranges);
  using End = std::pair<PointId, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::vector<PointId> end_of(occupants.size());
  Meetings meetings;
  for (const Stretch& stretch : stretches) {
    for (; !ends.empty() && ends.top().first <= stretch.points.begin; ends.pop()) {
      active.SwitchOff(ends.top().second);
    }
    const Occupant& newcomer = occupants[stretch.occupant];
    for (const std::size_t other : active.Overlapping(newcomer.bytes)) {
      const Occupant& resident = occupants[other];
      if (!Overlap(newcomer.partitions, resident.partitions)) continue;
      if (newcomer.tensor == resident.tensor && newcomer.shares_with_own) continue;
      Meeting& meeting = meetings[std::minmax(stretch.occupant, other)];
      if (meeting.times++ == 0) {
        meeting.first = {stretch.points.begin, std::min(stretch.points.end, end_of[other])};
      }
    }
    active.SwitchOn(stretch.occupant);
    end_of[stretch.occupant] = stretch.points.end;
    ends.push({stretch.points.end, stretch.occupant});
  }
  return meetings;
}

Violation OverlapViolation(const Kernel& kernel, const Occupant& a, const Occupant& b,
                           const Meeting& meeting) {
  const Tensor& first = kernel.tensors[a.tensor];
  const Tensor& second = kernel.tensors[b.tensor];
  const Interval<ByteOffset> bytes = Intersect(a.bytes, b.bytes);
  const Interval<Partition> partitions = Intersect(a.partitions, b.partitions);
  Violation violation;
  violation.kind = Kind::kOverlap;
  violation.tensors = {first.name, second.name};
  violation.space = first.space;
  violation.range = bytes;
  violation.time = meeting.first;
  const std::string rows =
      first.space == Space::kDram
          ? ""
          : fmt::format(" of partitions [{}, {})", partitions.begin.value, partitions.end.value);
  violation.text = fmt::format(
      "{} and {} share bytes [{}, {}){} of {} while both are alive, points [{}, {})",
      NameOf(first, a.block), NameOf(second, b.block), bytes.begin.value, bytes.end.value, rows,
      SpaceName(first.space), meeting.first.begin.value, meeting.first.end.value);
  if (meeting.times > 1) violation.text += fmt::format(" and {} more times", meeting.times - 1);
  return violation;
}

bool SomeShareBytes(std::vector<Occupant> blocks) {
  std::sort(blocks.begin(), blocks.end(),
            [](const Occupant& a, const Occupant& b) { return a.bytes.begin < b.bytes.begin; });
  ByteOffset reached(0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0 && blocks[i].bytes.begin < reached) return true;
    reached = i == 0 ? blocks[i].bytes.end : std::max(reached, blocks[i].bytes.end);
  }
  return false;
}

Violation NotProven(const Tensor& tensor) {
  Violation violation;
  violation.kind = Kind::kLimit;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.text = fmt::format(
      "not proven: blocks of {} share bytes, and loops access them more than {} times "
      "before they repeat",
      tensor.name, kMaxReuseSteps);
  return violation;
}

void CheckRings(const Subject& subject, const std::vector<Occupant>& occupants,
                CheckResult& result) {
  for (std::size_t i = 0; i < occupants.size();) {
    std::size_t end = i;
    while (end < occupants.size() && occupants[end].tensor == occupants[i].tensor) ++end;
    const std::vector<Occupant> blocks(occupants.begin() + i, occupants.begin() + end);
    const TensorId id = occupants[i].tensor;
    i = end;
    if (!blocks.front().shares_with_own || !SomeShareBytes(blocks)) continue;
    const Tensor& tensor = subject.kernel().tensors[id];
    const BlockReuse reuse =
        FindBlockClobbers(subject.linear, id, subject.AddressesOf(id), kMaxReuseSteps);
    for (const BlockClobber& clobber : reuse.clobbers) {
      Violation violation;
      violation.kind = Kind::kOverlap;
      violation.tensors = {tensor.name};
      violation.space = tensor.space;
      violation.range = clobber.bytes;
      violation.time = Interval<PointId>{std::min(clobber.write, clobber.read),
                                         PointId(std::max(clobber.write, clobber.read).value + 1)};
      violation.text = fmt::format(
          "{} and {} share bytes [{}, {}): the write at point {} destroys what point {} reads",
          NameOf(tensor, clobber.victim), NameOf(tensor, clobber.culprit),
          clobber.bytes.begin.value, clobber.bytes.end.value, clobber.write.value,
          clobber.read.value);
      result.violations.push_back(std::move(violation));
    }
    if (!reuse.is_complete) result.violations.push_back(NotProven(tensor));
  }
}

}  // namespace

CheckResult CheckOverlap(const Subject& subject) {
  CheckResult result{"overlap", 0, {}};
  for (const Space space : {Space::kSbuf, Space::kPsum, Space::kDram}) {
    const std::vector<Occupant> occupants = OccupantsOf(subject, space);
    for (const auto& [pair, meeting] : FindMeetings(occupants)) {
      result.violations.push_back(OverlapViolation(subject.kernel(), occupants[pair.first],
                                                   occupants[pair.second], meeting));
    }
    CheckRings(subject, occupants, result);
    result.checked += PlacedBlocks(subject, space);
  }
  return result;
}

}  // namespace spillway::check
