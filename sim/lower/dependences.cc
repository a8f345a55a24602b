#include "sim/lower/dependences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"
#include "model/hw/fault.h"
#include "sim/lower/byte_history.h"

namespace spillway {
namespace {

constexpr std::size_t kMaxRuns = 4096;
// After this many runs in all, patterns count as their hull from a few runs on: more waits than
// needed, never fewer, and the time stays in proportion to the instances.
constexpr std::size_t kManyRuns = 8'000'000;
constexpr std::size_t kFewRuns = 16;

class Finder {
 public:
  Finder(const Kernel& kernel, const MemoryMap& memory)
      : kernel_(kernel), memory_(memory), written_(kernel.tensors.size(), false) {
    for (const Instruction& instruction : kernel.instructions) {
      accesses_.push_back(AccessesOf(instruction));
      const Engine engine = EngineOf(kernel, instruction);
      engines_.push_back(engine == Engine::kDma ? -1 : static_cast<int>(engine));
      for (const Access& access : accesses_[InstructionId(accesses_.size() - 1)]) {
        if (access.is_write) written_[access.tensor] = true;
      }
    }
  }

  std::optional<Error> Visit(std::uint32_t instance, InstructionId instruction,
                             std::span<const std::int64_t> values) {
    found_.clear();
    for (const Access& access : accesses_[instruction]) {
      const Tensor& tensor = kernel_.tensors[access.tensor];
      const Footprint footprint =
          FootprintOf(kernel_, access, values, runs_ < kManyRuns ? kMaxRuns : kFewRuns);
      runs_ += footprint.runs.size();
      const bool inside = SPILLWAY_FAULT(D8, Inside(tensor, footprint), true);
      if (!inside) return Outside(instruction, tensor, footprint);
      // Nothing ever overwrites what nobody writes in bytes of its own.
      if (memory_.own_dram[access.tensor] && !written_[access.tensor]) continue;
      const Touch touch{instance, access.tensor, footprint.block, engines_[instruction]};
      const std::int64_t blocks = BlockCount(tensor);
      for (std::int64_t block = std::max<std::int64_t>(footprint.block, 0); block < blocks;
           ++block) {
        Apply(access.is_write, tensor, footprint,
              memory_.addresses[access.tensor][static_cast<std::size_t>(block)], touch);
        if (footprint.block >= 0) break;
      }
    }
    return std::nullopt;
  }

  /// Edges into the visited instance, latest first, one a pair.
  void MoveEdgesTo(std::vector<Dependence>& edges) {
    const auto before = [](const Dependence& a, const Dependence& b) {
      if (a.from != b.from) return a.from > b.from;
      if (a.anti != b.anti) return b.anti;  // a logical reason first: it is the stronger one
      return a.hazard < b.hazard;
    };
    std::sort(found_.begin(), found_.end(), before);
    const auto same_pair = [](const Dependence& a, const Dependence& b) {
      return a.from == b.from;
    };
    edges.insert(edges.end(), found_.begin(), std::unique(found_.begin(), found_.end(), same_pair));
  }

 private:
  bool Inside(const Tensor& tensor, const Footprint& footprint) const {
    if (footprint.block < -1 || footprint.block >= BlockCount(tensor)) return false;
    const PartitionCount rows =
        tensor.space == Space::kDram ? PartitionCount(1) : Partitions(tensor);
    const Interval<Partition> all{Partition(0), Partition(0) + rows};
    if (!all.Covers(footprint.partitions)) return false;
    return footprint.runs.empty() ||
           (footprint.runs.front().begin >= ByteOffset(0) &&
            footprint.runs.back().end <= ByteOffset(0) + BlockBytes(tensor));
  }

  Error Outside(InstructionId instruction, const Tensor& tensor, const Footprint& footprint) const {
    const std::int64_t begin = footprint.runs.empty() ? 0 : footprint.runs.front().begin.value;
    const std::int64_t end = footprint.runs.empty() ? 0 : footprint.runs.back().end.value;
    return {
        Kind::kShape, "operand-outside-tensor",
        fmt::format(
            "instruction {} ({}) reaches block {}, partitions [{}, {}), bytes [{}, {}) of {}, "
            "which has {} blocks of {} partitions x {} bytes",
            instruction.value, kernel_.instructions[instruction].op, footprint.block,
            footprint.partitions.begin.value, footprint.partitions.end.value, begin, end,
            tensor.name, BlockCount(tensor), Partitions(tensor).value, BlockBytes(tensor).value),
        "", 0};
  }

  void Apply(bool is_write, const Tensor& tensor, const Footprint& footprint,
             const Address& address, const Touch& touch) {
    ByteHistory& history = histories_[static_cast<std::size_t>(tensor.space)];
    const PartitionCount shift = address.partition - Partition(0);
    for (const Interval<ByteOffset>& run : footprint.runs) {
      const Rectangle where{
          {footprint.partitions.begin + shift, footprint.partitions.end + shift},
          {address.byte + (run.begin - ByteOffset(0)), address.byte + (run.end - ByteOffset(0))}};
      conflicts_.clear();
      is_write ? history.Write(where, touch, conflicts_) : history.Read(where, touch, conflicts_);
      for (const ByteHistory::Conflict& conflict : conflicts_) Add(conflict, is_write, touch);
    }
  }

  void Add(const ByteHistory::Conflict& conflict, bool is_write, const Touch& touch) {
    const Touch& earlier = conflict.earlier;
    if (earlier.instance == touch.instance) return;
    const Hazard hazard = !is_write                 ? Hazard::kReadAfterWrite
                          : conflict.earlier_writes ? Hazard::kWriteAfterWrite
                                                    : Hazard::kWriteAfterRead;
    const bool same_block = earlier.block == touch.block || earlier.block < 0 || touch.block < 0;
    const Dependence edge{earlier.instance, touch.instance, hazard,
                          earlier.tensor != touch.tensor || !same_block};
    if (found_.empty() || found_.back() != edge) found_.push_back(edge);
  }

  const Kernel& kernel_;
  const MemoryMap& memory_;
  IdVector<TensorId, bool> written_;
  IdVector<InstructionId, std::vector<Access>> accesses_;
  IdVector<InstructionId, int> engines_;
  std::array<ByteHistory, 3> histories_;
  std::vector<ByteHistory::Conflict> conflicts_;
  std::vector<Dependence> found_;
  std::size_t runs_ = 0;
};

}  // namespace

std::string_view HazardName(Hazard hazard) {
  switch (hazard) {
    case Hazard::kReadAfterWrite: return "read-after-write";
    case Hazard::kWriteAfterRead: return "write-after-read";
    case Hazard::kWriteAfterWrite: return "write-after-write";
  }
  return "";
}

Result<Dependences> FindDependences(const Kernel& kernel, const InstanceSequence& sequence,
                                    const MemoryMap& memory) {
  Finder finder(kernel, memory);
  Dependences result;
  result.first.reserve(sequence.size() + 1);
  result.first.push_back(0);
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const std::optional<Error> error = finder.Visit(
        static_cast<std::uint32_t>(i), sequence.instances[i].instruction, sequence.ValuesOf(i));
    if (error) return Fail(*error);
    finder.MoveEdgesTo(result.edges);
    result.first.push_back(static_cast<std::uint32_t>(result.edges.size()));
  }
  return result;
}

}  // namespace spillway
