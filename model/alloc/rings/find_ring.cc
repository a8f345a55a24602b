#include "model/alloc/rings/find_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/hw/fault.h"

namespace spillway::rings {
namespace {

using task::OperationKind;
using task::Side;
using task::SideKind;

constexpr std::uint32_t kNever = 0xFFFFFFFF;

/// When one stream works on one fill; instances.
struct Part {
  std::uint32_t first_write = kNever;
  std::uint32_t last_write = kNever;
  std::uint32_t first_read = kNever;  ///< behind its own last write
  std::uint32_t last_read = kNever;

  bool Writes() const { return first_write != kNever; }
  bool Reads() const { return first_read != kNever; }
};

class Finder {
 public:
  Finder(const Kernel& kernel, const Placement& placement, const StreamWork& work,
         const FillSequence& sequence)
      : kernel_(kernel),
        placement_(placement),
        work_(work),
        sequence_(sequence),
        tensor_(kernel.tensors[sequence.tensor]) {}

  Result<Ring> Run() {
    ring_.tensor = sequence_.tensor;
    ring_.fills = Count();
    if (tensor_.role == Role::kInput || tensor_.role == Role::kConstant)
      return Refuse("ring-initial", "holds data from the start, so its first fill has no producer");
    for (const Fill& fill : sequence_.fills) {
      if (fill.is_written) continue;
      return Refuse("ring-unwritten", fmt::format("{} reads it before anything was written",
                                                  Named(fill.first_write)));
    }
    if (auto error = FindStages()) return Fail(*error);
    // Transfers of one queue complete in any order, so that their stream's order is not enough.
    const std::uint32_t first = sequence_.touches.front().instance;
    if (ring_.stages == 1 && sequence_.is_private &&
        KindOf(work_.instances[first].stream) != SideKind::kDma)
      return Refuse("ring-one-stream",
                    fmt::format("{} alone uses its one place: the stream's order is enough",
                                StreamName(first)));
    CollectParts();
    if (auto error = FindSides()) return Fail(*error);
    if (auto error = CheckOrder()) return Fail(*error);
    if (auto error = AddSteps()) return Fail(*error);
    return std::move(ring_);
  }

 private:
  std::int64_t Count() const { return static_cast<std::int64_t>(sequence_.fills.size()); }

  Error Because(const std::string& code, const std::string& why) const {
    return {Kind::kShape, code, fmt::format("tensor {}: {}", tensor_.name, why), "", 0};
  }
  tl::unexpected<Error> Refuse(const std::string& code, const std::string& why) const {
    return Fail(Because(code, why));
  }

  std::string Named(std::uint32_t instance) const {
    const InstructionId id = work_.instances[instance].instruction;
    const Instruction& instruction = kernel_.instructions[id];
    return fmt::format("instruction {} ({}{}{})", id.value, instruction.op,
                       instruction.src.empty() ? "" : ", ", instruction.src);
  }
  const std::string& StreamName(std::uint32_t instance) const {
    return work_.streams[work_.instances[instance].stream].name;
  }
  SideKind KindOf(std::uint32_t stream) const { return work_.streams[stream].kind; }

  std::optional<Error> FindStages() {
    std::vector<Address> places;
    for (std::int64_t k = 0; k < Count(); ++k) {
      const Fill& fill = sequence_.fills[static_cast<std::size_t>(k)];
      const Address& at = placement_.addresses[ring_.tensor][static_cast<std::size_t>(fill.block)];
      if (std::find(places.begin(), places.end(), at) == places.end()) {
        if (static_cast<std::int64_t>(places.size()) == k) {
          places.push_back(at);
          continue;
        }
      } else if (places[static_cast<std::size_t>(k) % places.size()] == at) {
        continue;
      }
      const Address& expected = places[static_cast<std::size_t>(k) % places.size()];
      return Because("ring-places",
                     fmt::format("fill {}, by {}, lies at partition {}, byte {}; expected the "
                                 "place of fill {} of {}, partition {}, byte {}",
                                 k, Named(fill.first_write), at.partition.value, at.byte.value,
                                 k % static_cast<std::int64_t>(places.size()), places.size(),
                                 expected.partition.value, expected.byte.value));
    }
    ring_.stages = static_cast<std::int64_t>(places.size());
    ring_.first_block = sequence_.fills.front().block;
    if (Count() == ring_.stages) {
      return Because("ring-once",
                     ring_.stages == 1
                         ? std::string("it is filled once, so that nothing rotates")
                         : fmt::format("each of its {} places is filled once, so that nothing "
                                       "rotates",
                                       ring_.stages));
    }
    if (ring_.stages == 1) return std::nullopt;
    ring_.stride = places[1].byte - places[0].byte;
    for (std::size_t s = 1; s < places.size(); ++s) {
      const Bytes step = places[s].byte - places[s - 1].byte;
      if (places[s].partition == places[0].partition && step == ring_.stride &&
          step >= BlockBytes(tensor_))
        continue;
      return Because(
          "ring-stride",
          fmt::format("place {} lies {} bytes behind place {}; expected all in the same "
                      "partitions, {} bytes apart, and at least the block's {}",
                      s, step.value, s - 1, ring_.stride.value, BlockBytes(tensor_).value));
    }
    return std::nullopt;
  }

  void CollectParts() {
    for (const FillTouch& at : sequence_.touches) {
      Part& part = parts_[{at.number, work_.instances[at.instance].stream}];
      if (!work_.touches[at.touch].is_write) continue;
      if (!part.Writes()) part.first_write = at.instance;
      part.last_write = at.instance;
    }
    for (const FillTouch& at : sequence_.touches) {
      Part& part = parts_[{at.number, work_.instances[at.instance].stream}];
      if (work_.touches[at.touch].is_write) {
        ring_.touches.push_back({at.touch, at.number, Side::kProducer});
        continue;
      }
      const bool is_producer = part.Writes() && at.instance <= part.last_write;
      ring_.touches.push_back(
          {at.touch, at.number, is_producer ? Side::kProducer : Side::kConsumer});
      if (is_producer) continue;
      if (!part.Reads()) part.first_read = at.instance;
      part.last_read = at.instance;
    }
  }

  std::optional<Error> FindSides() {
    std::map<std::uint32_t, std::int64_t> written;  // stream -> fills, the first ones
    std::map<std::uint32_t, std::int64_t> read;
    for (const auto& [key, part] : parts_) {
      const auto& [number, stream] = key;
      if (part.Writes() && written[stream]++ != number)
        return NotEvery("ring-producers", "written", stream, written[stream] - 1);
      if (part.Reads() && read[stream]++ != number)
        return NotEvery("ring-consumers", "read", stream, read[stream] - 1);
    }
    for (const auto& [stream, fills] : written) {
      if (fills != Count()) return NotEvery("ring-producers", "written", stream, fills);
      ring_.producers.push_back(stream);
    }
    if (read.empty()) return Because("ring-unread", "nobody reads any of its fills");
    for (const auto& [stream, fills] : read) {
      if (Count() - fills > ring_.stages) return NotEvery("ring-consumers", "read", stream, fills);
      ring_.consumers.push_back(stream);
      ring_.unread.push_back(Count() - fills);
    }
    return ring_.producers.size() > 1 ? CheckProducers() : std::nullopt;
  }

  Error NotEvery(const std::string& code, std::string_view what, std::uint32_t stream,
                 std::int64_t number) const {
    return Because(
        code,
        fmt::format("fill {}, which begins in {}, is not {} by {}, as others are; a "
                    "pipeline needs all fills {} by the same streams",
                    number, Named(sequence_.fills[static_cast<std::size_t>(number)].first_write),
                    what, work_.streams[stream].name, what));
  }

  /// Several streams fill together only where each has bytes of its own.
  std::optional<Error> CheckProducers() const {
    std::set<std::pair<std::uint32_t, ShapeId>> written;
    std::set<std::pair<std::uint32_t, ShapeId>> used;
    for (const RingTouch& at : ring_.touches) {
      if (at.side != Side::kProducer) continue;
      const Touch& touch = work_.touches[at.touch];
      used.emplace(StreamOf(at.touch), touch.shape);
      if (touch.is_write) written.emplace(StreamOf(at.touch), touch.shape);
    }
    for (const auto& [stream, shape] : used) {
      for (const auto& [other, other_shape] : written) {
        if (other == stream || !Meet(work_.shapes[other_shape], work_.shapes[shape])) continue;
        return Because("ring-producers",
                       fmt::format("{} and {} work on the same bytes of one fill while it is "
                                   "written; each needs bytes of its own",
                                   work_.streams[std::min(stream, other)].name,
                                   work_.streams[std::max(stream, other)].name));
      }
    }
    return std::nullopt;
  }

  std::uint32_t StreamOf(std::uint32_t touch) const {
    const auto after = std::upper_bound(
        work_.instances.begin(), work_.instances.end(), touch,
        [](std::uint32_t t, const WorkInstance& instance) { return t < instance.first_touch; });
    return std::prev(after)->stream;
  }

  static bool Meet(const Shape& a, const Shape& b) {
    if (!Overlap(a.partitions, b.partitions)) return false;
    for (const Interval<ByteOffset>& run : a.runs) {
      for (const Interval<ByteOffset>& other : b.runs) {
        if (Overlap(run, other)) return true;
      }
    }
    return false;
  }

  std::optional<Error> CheckOrder() const {
    std::map<std::pair<std::uint32_t, Side>, std::uint32_t>
        closed;  // last instance of its last fill
    const auto check = [&](std::uint32_t stream, Side side, std::int64_t number,
                           std::uint32_t first, std::uint32_t last) -> std::optional<Error> {
      const auto [at, is_new] = closed.try_emplace({stream, side}, last);
      if (!is_new && first <= at->second) {
        return Because(
            "ring-held",
            fmt::format("{} {} fill {} in {}, before it is done with fill {}; a slot "
                        "number reaches the latest one alone",
                        work_.streams[stream].name, side == Side::kProducer ? "opens" : "reads",
                        number, Named(first), number - 1));
      }
      at->second = last;
      if (KindOf(stream) != SideKind::kDma || first == last) return std::nullopt;
      return Because("ring-transfers",
                     fmt::format("fill {} is {} by {} and by {}; several transfers complete in any "
                                 "order, and a pipeline counts one for each fill",
                                 number, side == Side::kProducer ? "written" : "read", Named(first),
                                 Named(last)));
    };
    for (const auto& [key, part] : parts_) {
      const auto& [number, stream] = key;
      if (part.Writes()) {
        if (auto error = check(stream, Side::kProducer, number, part.first_write, part.last_write))
          return error;
      }
      if (part.Reads()) {
        if (auto error = check(stream, Side::kConsumer, number, part.first_read, part.last_read))
          return error;
      }
    }
    return std::nullopt;
  }

  std::optional<Error> AddSteps() {
    std::map<std::uint32_t, std::int64_t> released_in;  // instance -> fill
    for (const auto& [key, part] : parts_) {
      if (part.Reads()) released_in[part.last_read] = key.first;
    }
    for (const auto& [key, part] : parts_) {
      const auto& [number, stream] = key;
      if (part.Writes()) {
        RingStep acquire{part.first_write, OperationKind::kAcquire, number, false};
        if (const auto own = released_in.find(part.first_write);
            own != released_in.end() && own->second <= number - ring_.stages) {
          acquire.behind_reads = true;
          if (KindOf(stream) != SideKind::kThread)
            return Because("ring-in-place",
                           fmt::format("{} reads fill {} and writes fill {} in its place; its "
                                       "result would wait for its own end",
                                       Named(part.first_write), own->second, number));
        }
        ring_.steps.push_back(acquire);
        const std::uint32_t last = SPILLWAY_FAULT(N71, part.last_write, part.first_write);
        ring_.steps.push_back({last, OperationKind::kCommit, number, false});
      }
      if (part.Reads()) {
        ring_.steps.push_back({part.first_read, OperationKind::kWait, number, false});
        const std::uint32_t last = SPILLWAY_FAULT(N70, part.last_read, part.first_read);
        ring_.steps.push_back({last, OperationKind::kRelease, number, false});
      }
    }
    std::stable_sort(ring_.steps.begin(), ring_.steps.end(),
                     [](const RingStep& a, const RingStep& b) { return a.instance < b.instance; });
    return std::nullopt;
  }

  const Kernel& kernel_;
  const Placement& placement_;
  const StreamWork& work_;
  const FillSequence& sequence_;
  const Tensor& tensor_;
  std::map<std::pair<std::int64_t, std::uint32_t>, Part> parts_;  ///< by fill, then stream
  Ring ring_;
};

}  // namespace

Result<Ring> FindRing(const Kernel& kernel, const Placement& placement, const StreamWork& work,
                      const FillSequence& sequence) {
  return Finder(kernel, placement, work, sequence).Run();
}

std::int64_t PlacesOf(const Placement& placement, const FillSequence& sequence) {
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (const Fill& fill : sequence.fills) {
    const Address& at = placement.addresses[sequence.tensor][static_cast<std::size_t>(fill.block)];
    places.emplace(at.partition.value, at.byte.value);
  }
  return static_cast<std::int64_t>(places.size());
}

}  // namespace spillway::rings
