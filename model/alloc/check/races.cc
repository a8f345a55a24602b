#include "model/alloc/check/races.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/alloc/check/byte_access.h"
#include "model/alloc/check/byte_plane.h"
#include "model/alloc/check/happens_before.h"
#include "model/alloc/check/instance_walk.h"
#include "model/alloc/check/rules.h"

namespace spillway {
namespace check {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFF;

struct Touch {
  std::uint32_t instance = kNobody;
  TensorId tensor;
  std::int64_t block = 0;
};

/// Last writer of some bytes and those that read them since.
struct History {
  Touch writer;
  std::vector<Touch> readers;
};

struct Pair {
  Touch first;
  Touch second;
  bool first_writes = false;
  bool second_writes = false;
  Space space = Space::kSbuf;
  Rectangle where;
  std::int64_t count = 0;
};

class Judge {
 public:
  explicit Judge(const PlayedKernel& played)
      : played_(played), order_(played.program, played.target), result_{"races", 0, {}} {}

  CheckResult Run() {
    InstanceWalk walk(played_.kernel);
    ByteAccesses accesses(played_.kernel, played_.places);
    std::uint32_t number = 0;
    const std::size_t played = played_.program.instances().size();
    for (; walk.Next(); ++number) {
      if (number >= played) continue;
      instructions_.push_back(walk.instruction());
      // What never starts meets nobody.
      if (!order_.Happens(InstanceId(number))) continue;
      for (const ByteAccess& access : accesses.Of(walk.instruction(), walk.values()))
        Visit(number, access);
    }
    if (number != played) {
      Violation violation;
      violation.kind = Kind::kRace;
      violation.text = fmt::format("the program plays {} instances; {} has {}", played,
                                   played_.kernel.name, number);
      result_.violations.push_back(std::move(violation));
      return std::move(result_);
    }
    Report();
    return std::move(result_);
  }

 private:
  void Visit(std::uint32_t number, const ByteAccess& access) {
    BytePlane<History>& plane = planes_[static_cast<std::size_t>(access.space)];
    const Touch touch{number, access.tensor, access.block};
    if (!access.is_write) {
      plane.ForEach(access.where, [&](History& history, const Rectangle& where) {
        Meet(history.writer, true, touch, false, access.space, where);
        NoteReader(history.readers, touch);
      });
      return;
    }
    plane.Replace(access.where, {touch, {}}, [&](const History& history, const Rectangle& where) {
      Meet(history.writer, true, touch, true, access.space, where);
      for (const Touch& reader : history.readers)
        Meet(reader, false, touch, true, access.space, where);
    });
  }

  // Of the readers on one compute stream the latest stands for all: they read in order.
  void NoteReader(std::vector<Touch>& readers, const Touch& touch) const {
    for (Touch& reader : readers) {
      if (reader.instance != touch.instance &&
          !order_.InOneStream(InstanceId(reader.instance), InstanceId(touch.instance)))
        continue;
      reader = touch;
      return;
    }
    // One that has ended before a later one starts is ordered before all that the later one is.
    constexpr std::size_t kMany = 16;
    if (readers.size() >= kMany && (readers.size() & (readers.size() - 1)) == 0) {
      std::erase_if(readers, [&](const Touch& reader) {
        return order_.EndsBefore(InstanceId(reader.instance), InstanceId(touch.instance));
      });
    }
    readers.push_back(touch);
  }

  void Meet(const Touch& first, bool first_writes, const Touch& second, bool second_writes,
            Space space, const Rectangle& where) {
    if (first.instance == kNobody || first.instance == second.instance) return;
    ++result_.checked;
    const InstanceId a(first.instance);
    const InstanceId b(second.instance);
    const bool on_its_way = first_writes && !second_writes;
    if (!on_its_way && order_.InOneStream(a, b)) return;
    if (order_.EndsBefore(a, b)) return;
    const auto key = std::make_tuple(instructions_[first.instance], instructions_[second.instance],
                                     first.tensor, second.tensor, first_writes, second_writes);
    Pair& pair = pairs_[key];
    if (pair.count++ == 0) {
      pair = {first, second, first_writes, second_writes, space, where, 1};
      order_of_discovery_.push_back(key);
    }
  }

  void Report() {
    std::unordered_map<std::uint32_t, std::string> labels;
    for (const auto& [key, pair] : pairs_) {
      labels[pair.first.instance];
      labels[pair.second.instance];
    }
    for (const HappensBefore::Stuck& stuck : order_.stuck()) labels[stuck.instance.value];
    if (labels.empty()) return;
    InstanceWalk walk(played_.kernel);
    for (std::uint32_t number = 0; walk.Next(); ++number) {
      const auto wanted = labels.find(number);
      if (wanted == labels.end()) continue;
      const StreamId stream = played_.program.instance(InstanceId(number)).stream;
      wanted->second = fmt::format("{} on {}", walk.Label(number), StreamName(stream));
    }
    for (const auto& key : order_of_discovery_)
      result_.violations.push_back(Race(pairs_[key], labels));
    for (const HappensBefore::Stuck& stuck : order_.stuck())
      result_.violations.push_back(Deadlock(stuck, labels));
  }

  std::string NameOfTouch(const Touch& touch) const {
    return NameOf(played_.kernel.tensors[touch.tensor], static_cast<std::size_t>(touch.block));
  }

  Violation Race(const Pair& pair, std::unordered_map<std::uint32_t, std::string>& labels) const {
    const InstanceId a(pair.first.instance);
    const InstanceId b(pair.second.instance);
    Violation violation;
    violation.kind = Kind::kRace;
    violation.tensors = {played_.kernel.tensors[pair.second.tensor].name};
    if (pair.first.tensor != pair.second.tensor)
      violation.tensors.push_back(played_.kernel.tensors[pair.first.tensor].name);
    violation.space = pair.space;
    violation.range = pair.where.bytes;
    violation.text = fmt::format(
        "{} {} {} and {} {} {}, both at {} partitions [{}, {}), bytes [{}, {}): expected the first "
        "to end before the second starts, found {} ({}){}",
        labels.at(a.value), pair.first_writes ? "writes" : "reads", NameOfTouch(pair.first),
        labels.at(b.value), pair.second_writes ? "writes" : "reads", NameOfTouch(pair.second),
        SpaceName(pair.space), pair.where.partitions.begin.value, pair.where.partitions.end.value,
        pair.where.bytes.begin.value, pair.where.bytes.end.value,
        order_.EndsBefore(b, a) ? "the other way round" : "no order", order_.Knows(b, a),
        pair.count > 1 ? fmt::format("; {} more such meetings", pair.count - 1) : "");
    return violation;
  }

  Violation Deadlock(const HappensBefore::Stuck& stuck,
                     std::unordered_map<std::uint32_t, std::string>& labels) const {
    Violation violation;
    violation.kind = Kind::kDeadlock;
    const HwProgram& program = played_.program;
    const bool exists = stuck.wait.semaphore.value < program.semaphore_count();
    violation.text = fmt::format(
        "{} waits for {} of {}, which never come", labels.at(stuck.instance.value),
        stuck.wait.at_least,
        exists ? program.SemaphoreName(stuck.wait.semaphore)
               : fmt::format("semaphore {}, which nobody has", stuck.wait.semaphore.value));
    return violation;
  }

  using Key = std::tuple<InstructionId, InstructionId, TensorId, TensorId, bool, bool>;

  const PlayedKernel& played_;
  HappensBefore order_;
  std::vector<InstructionId> instructions_;  ///< of the instances so far
  std::array<BytePlane<History>, 3> planes_;
  std::map<Key, Pair> pairs_;
  std::vector<Key> order_of_discovery_;
  CheckResult result_;
};

}  // namespace
}  // namespace check

CheckResult CheckRaces(const PlayedKernel& played) { return check::Judge(played).Run(); }

}  // namespace spillway
