#include "model/alloc/rings/stream_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"

namespace spillway::rings {
namespace {

constexpr std::size_t kMaxRuns = 1024;

enum class Purpose { kPe, kAct, kPool, kDve, kSp, kLoad, kStore, kReload, kSave };
constexpr std::array<std::string_view, 9> kNames = {"Pe",   "Act",   "Pool",   "Dve", "Sp",
                                                    "Load", "Store", "Reload", "Save"};

Purpose PurposeOf(const Kernel& kernel, const Instruction& instruction) {
  switch (EngineOf(kernel, instruction)) {
    case Engine::kPe: return Purpose::kPe;
    case Engine::kAct: return Purpose::kAct;
    case Engine::kPool: return Purpose::kPool;
    case Engine::kDve: return Purpose::kDve;
    case Engine::kSp: return Purpose::kSp;
    case Engine::kDma: break;
  }
  if (instruction.spill == SpillRole::kSave) return Purpose::kSave;
  if (instruction.spill == SpillRole::kReload) return Purpose::kReload;
  for (const OperandGroup& group : instruction.outputs) {
    for (const Operand& operand : group.operands) {
      if (kernel.tensors[operand.tensor].space == Space::kDram) return Purpose::kStore;
    }
  }
  return Purpose::kLoad;
}

task::SideKind KindOf(Purpose purpose) {
  if (purpose == Purpose::kPe) return task::SideKind::kMatrix;
  return purpose < Purpose::kLoad ? task::SideKind::kThread : task::SideKind::kDma;
}

class Collector {
 public:
  explicit Collector(const Kernel& kernel)
      : kernel_(kernel), left_of_loop_(kernel.loops.size()), end_of_loop_(kernel.loops.size()) {
    for (std::size_t at = 0; at < kernel.body.size(); ++at) {
      if (kernel.body[at].kind == BodyKind::kLoopEnd) end_of_loop_[kernel.body[at].index] = at;
    }
    std::array<std::int64_t, kNames.size()> stream_of{};
    stream_of.fill(-1);
    for (const Instruction& instruction : kernel.instructions)
      stream_of[static_cast<std::size_t>(PurposeOf(kernel, instruction))] = 0;
    for (std::size_t p = 0; p < kNames.size(); ++p) {
      if (stream_of[p] < 0) continue;
      stream_of[p] = static_cast<std::int64_t>(work_.streams.size());
      work_.streams.push_back({std::string(kNames[p]), KindOf(static_cast<Purpose>(p))});
    }
    for (const Instruction& instruction : kernel.instructions) {
      accesses_.push_back(AccessesOf(instruction));
      streams_.push_back(static_cast<std::uint32_t>(
          stream_of[static_cast<std::size_t>(PurposeOf(kernel, instruction))]));
    }
  }

  Result<StreamWork> Run() {
    std::vector<std::int64_t> values(kernel_.loops.size(), 0);
    std::vector<std::size_t> begin_of(kernel_.loops.size(), 0);
    for (std::size_t at = 0; at < kernel_.body.size(); ++at) {
      const BodyItem& item = kernel_.body[at];
      if (item.kind == BodyKind::kInstruction) {
        const InstructionId instruction = item.instruction();
        const std::vector<Predicate>& when = kernel_.instructions[instruction].when;
        // One that is skipped takes its time as well.
        spent_ += 1 + static_cast<std::int64_t>(when.size());
        if (spent_ > kMaxWork) return Fail(TooMuch());
        if (!Holds(when, values)) continue;
        if (std::optional<Error> error = Visit(instruction, values)) return Fail(*error);
        continue;
      }
      if (item.kind == BodyKind::kLoopBegin) {
        const Loop& loop = kernel_.loops[item.loop()];
        left_of_loop_[item.index] = TripCount(loop);
        if (left_of_loop_[item.index] < 1) {
          at = end_of_loop_[item.index];
          if (++spent_ > kMaxWork) return Fail(TooMuch());
          continue;
        }
        values[item.index] = loop.begin;
        begin_of[item.index] = at;
        Mark(LoopMark::Kind::kBegin);
      } else if (--left_of_loop_[item.index] > 0) {
        values[item.index] += kernel_.loops[item.loop()].step;
        at = begin_of[item.index];
        Mark(LoopMark::Kind::kNextTurn);
      } else {
        Mark(LoopMark::Kind::kEnd);
      }
      if (spent_ > kMaxWork) return Fail(TooMuch());
    }
    return std::move(work_);
  }

 private:
  void Mark(LoopMark::Kind kind) {
    ++spent_;
    work_.marks.push_back({kind, static_cast<std::uint32_t>(work_.instances.size())});
  }

  Error TooMuch() const {
    return {Kind::kLimit, "ring-limit",
            fmt::format("kernel {}: expected at most {} instances, turns of loops and accesses, "
                        "found more; fewer trips show the same",
                        kernel_.name, kMaxWork),
            "", 0};
  }

  Error TooManyRuns(InstructionId id) const {
    return {Kind::kLimit, "ring-limit",
            fmt::format("kernel {}: expected accesses of at most {} byte runs together, {} of them "
                        "in distinct shapes, found more at instruction {} ({}); fewer trips or "
                        "patterns with fewer pieces would fit",
                        kernel_.name, kMaxRunsSeen, kMaxRunsKept, id.value,
                        kernel_.instructions[id].op),
            "", 0};
  }

  std::optional<Error> Visit(InstructionId id, std::span<const std::int64_t> values) {
    WorkInstance instance{id, streams_[id], static_cast<std::uint32_t>(work_.touches.size()), 0};
    const bool is_save = kernel_.instructions[id].spill == SpillRole::kSave;
    for (const Access& access : accesses_[id]) {
      const Tensor& tensor = kernel_.tensors[access.tensor];
      const Footprint found = FootprintOf(kernel_, access, values, kMaxRuns);
      if (!Inside(tensor, found)) return Outside(id, tensor, found);
      runs_seen_ += static_cast<std::int64_t>(found.runs.size());
      Shape shape{found.partitions, found.runs, true};
      shape.is_exact = access.operand != nullptr && !access.whole_tensor &&
                       !IsHullOnly(access.operand->free_dims, kMaxRuns) &&
                       !(is_save && !access.is_write);
      const ShapeId shape_id = Intern(std::move(shape));
      if (runs_seen_ > kMaxRunsSeen || runs_kept_ > kMaxRunsKept) return TooManyRuns(id);
      const std::int64_t begin = std::max<std::int64_t>(found.block, 0);
      const std::int64_t end = found.block < 0 ? BlockCount(tensor) : begin + 1;
      if (end - begin > kMaxWork - spent_) return TooMuch();
      for (std::int64_t block = begin; block < end; ++block)
        work_.touches.push_back({access.tensor, block, shape_id, access.is_write});
      spent_ += end - begin;
    }
    instance.touch_count = static_cast<std::uint32_t>(work_.touches.size()) - instance.first_touch;
    work_.instances.push_back(instance);
    return std::nullopt;
  }

  ShapeId Intern(Shape shape) {
    const auto [at, is_new] = shape_ids_.try_emplace(shape, ShapeId(work_.shapes.size()));
    if (!is_new) return at->second;
    runs_kept_ += static_cast<std::int64_t>(shape.runs.size());
    work_.shapes.push_back(std::move(shape));
    return at->second;
  }

  static bool Inside(const Tensor& tensor, const Footprint& found) {
    if (found.block < -1 || found.block >= BlockCount(tensor)) return false;
    const PartitionCount rows =
        tensor.space == Space::kDram ? PartitionCount(1) : Partitions(tensor);
    if (!Interval<Partition>{Partition(0), Partition(0) + rows}.Covers(found.partitions))
      return false;
    return found.runs.empty() || (found.runs.front().begin >= ByteOffset(0) &&
                                  found.runs.back().end <= ByteOffset(0) + BlockBytes(tensor));
  }

  Error Outside(InstructionId id, const Tensor& tensor, const Footprint& found) const {
    return {Kind::kShape, "operand-outside-tensor",
            fmt::format("instruction {} ({}): expected a place in the {} blocks of {} bytes of {}, "
                        "found block {}",
                        id.value, kernel_.instructions[id].op, BlockCount(tensor),
                        BlockBytes(tensor).value, tensor.name, found.block),
            "", 0};
  }

  const Kernel& kernel_;
  IdVector<InstructionId, std::vector<Access>> accesses_;
  IdVector<InstructionId, std::uint32_t> streams_;
  std::vector<std::int64_t> left_of_loop_;
  std::vector<std::size_t> end_of_loop_;  ///< where it stands in the body
  std::map<Shape, ShapeId> shape_ids_;
  std::int64_t spent_ = 0;
  std::int64_t runs_seen_ = 0;
  std::int64_t runs_kept_ = 0;
  StreamWork work_;
};

}  // namespace

Result<StreamWork> CollectWork(const Kernel& kernel) { return Collector(kernel).Run(); }

}  // namespace spillway::rings
