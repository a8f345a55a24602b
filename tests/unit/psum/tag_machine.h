// Executes kernels on tags instead of numbers: every instruction hashes what it reads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/alloc/ir/footprint.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"

namespace spillway {

/// One byte a tag; tensors of uint8. With a placement, PSUM tensors share one memory.
class TagMachine {
 public:
  explicit TagMachine(const LinearKernel& linear, const Placement* psum = nullptr)
      : linear_(linear), psum_(psum), values_(linear.kernel.loops.size(), 0) {}

  /// The tag that each executed instruction of the program read, in order; spill code leaves none.
  std::vector<std::uint64_t> Run() {
    RunBody(0, linear_.point_count());
    return log_;
  }
  /// Accumulations onto what a copy brought back, which the hardware can't do.
  int broken_accumulations() const { return broken_accumulations_; }

 private:
  using Cell = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct Content {
    std::uint64_t tag = 0;
    bool is_copied_back = false;
  };

  void RunBody(std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const BodyItem& item = linear_.kernel.body[p];
      if (item.kind == BodyKind::kInstruction) Execute(PointId(p));
      if (item.kind != BodyKind::kLoopBegin) continue;
      const Loop& loop = linear_.kernel.loops[item.loop()];
      const std::size_t terminator = linear_.loop_points[item.loop()].terminator.value;
      for (std::int64_t i = 0; i < TripCount(loop); ++i) {
        values_[item.index] = loop.begin + i * loop.step;
        RunBody(p + 1, terminator);
      }
      p = terminator;
    }
  }

  std::vector<Cell> CellsOf(const Operand& operand) const {
    const Tensor& tensor = linear_.kernel.tensors[operand.tensor];
    const std::int64_t block = BlockIndex(tensor, operand, values_);
    std::vector<std::int64_t> offsets = {Evaluate(operand.free_offset, values_)};
    for (const FreeDim& dim : operand.free_dims) {
      std::vector<std::int64_t> next;
      for (const std::int64_t offset : offsets) {
        for (std::int64_t i = 0; i < dim.count; ++i) next.push_back(offset + i * dim.step);
      }
      offsets = std::move(next);
    }
    const std::int64_t first = Evaluate(operand.partition_start, values_);
    std::vector<Cell> cells;
    for (std::int64_t p = first; p < first + std::max<std::int64_t>(operand.partition_count, 1);
         ++p) {
      for (const std::int64_t offset : offsets) {
        if (tensor.space == Space::kPsum && psum_ != nullptr) {
          const Address& at = psum_->addresses[operand.tensor].at(static_cast<std::size_t>(block));
          cells.push_back({-1, 0, at.partition.value + p, at.byte.value + offset});
        } else {
          cells.push_back({operand.tensor.value, block, p, offset});
        }
      }
    }
    return cells;
  }

  static std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    return x ^ (x >> 29);
  }

  void Execute(PointId point) {
    const Instruction& instruction = linear_.instruction(point);
    if (!Holds(instruction.when, values_)) return;
    if (instruction.spill != SpillRole::kNone) {
      const std::vector<Cell> from = CellsOf(instruction.inputs.at(0).operands.at(0));
      const std::vector<Cell> to = CellsOf(instruction.outputs.at(0).operands.at(0));
      std::vector<Content> moved;
      for (const Cell& cell : from) moved.push_back(memory_[cell]);
      for (std::size_t i = 0; i < to.size(); ++i) {
        memory_[to.at(i)] = {moved.at(i).tag, instruction.spill == SpillRole::kReload};
      }
      return;
    }
    std::uint64_t tag = ++executed_;
    for (const Access& access : linear_.accesses[point]) {
      if (access.is_write || access.operand == nullptr) continue;
      for (const Cell& cell : CellsOf(*access.operand)) {
        tag = Mix(tag, memory_[cell].tag);
        const bool accumulates = IsReadModifyWrite(instruction) && access.name == "dst";
        if (accumulates && memory_[cell].is_copied_back) ++broken_accumulations_;
      }
    }
    log_.push_back(tag);
    std::uint64_t element = 0;
    for (const Access& access : linear_.accesses[point]) {
      if (!access.is_write) continue;
      for (const Cell& cell : CellsOf(*access.operand))
        memory_[cell] = {Mix(tag, ++element), false};
    }
  }

  const LinearKernel& linear_;
  const Placement* psum_;
  std::vector<std::int64_t> values_;
  std::map<Cell, Content> memory_;
  std::vector<std::uint64_t> log_;
  std::uint64_t executed_ = 0;
  int broken_accumulations_ = 0;
};

}  // namespace spillway
