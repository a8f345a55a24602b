#include "sim/values/reference_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/alloc/ir/access.h"
#include "sim/values/byte_move.h"
#include "sim/values/copy_pattern.h"
#include "sim/values/numeric_ops.h"
#include "sim/values/reference_memory.h"
#include "sim/values/uninitialized_reads.h"

namespace spillway {
namespace {

// DRAM keeps its bytes, and an output is wanted wherever it lies.
bool OutlivesTheRun(const Tensor& tensor) {
  return tensor.space == Space::kDram || tensor.role == Role::kOutput;
}

Result<void> CheckData(const Kernel& kernel, ValueMode mode, const Inputs& inputs) {
  if (mode == ValueMode::kNone) return {};
  std::int64_t left = kDataLimit;
  for (const Tensor& tensor : kernel.tensors) {
    const Result<std::int64_t> bytes = TensorBytes(tensor, left);
    if (!bytes) return Fail(bytes.error());
    if (tensor.space == Space::kDram) left -= *bytes;
    if (tensor.role != Role::kInput && tensor.role != Role::kConstant) continue;
    const auto found = inputs.find(tensor.name);
    if (found == inputs.end()) {
      return Fail({Kind::kUnknownName,
                   "missing-input",
                   fmt::format("input \"{}\" has no data", tensor.name),
                   {}});
    }
    if (found->second.bytes.size() != static_cast<std::size_t>(*bytes)) {
      return Fail({Kind::kShape,
                   "input-size",
                   fmt::format("input \"{}\" has {} bytes of data, expected {}", tensor.name,
                               found->second.bytes.size(), *bytes),
                   {}});
    }
  }
  return {};
}

/// For every point the tensors that no later point touches. Inside a loop every tensor lives until
/// the outermost loop ends, since the next iteration may read it.
std::vector<std::vector<TensorId>> LastUses(const Kernel& kernel) {
  std::vector<std::optional<std::size_t>> last(kernel.tensors.size());
  std::vector<TensorId> in_loop;
  int depth = 0;
  for (std::size_t point = 0; point < kernel.body.size(); ++point) {
    const BodyItem& item = kernel.body[point];
    if (item.kind == BodyKind::kLoopBegin) ++depth;
    if (item.kind == BodyKind::kLoopEnd && --depth == 0) {
      for (const TensorId tensor : in_loop) last[tensor.value] = point;
      in_loop.clear();
    }
    if (item.kind != BodyKind::kInstruction) continue;
    for (const Access& access : AccessesOf(kernel.instructions[item.instruction()])) {
      last[access.tensor.value] = point;
      if (depth > 0) in_loop.push_back(access.tensor);
    }
  }
  std::vector<std::vector<TensorId>> uses(kernel.body.size());
  for (std::size_t i = 0; i < last.size(); ++i) {
    const bool keeps = OutlivesTheRun(kernel.tensors[TensorId(i)]);
    if (last[i] && !keeps) uses[*last[i]].push_back(TensorId(i));
  }
  return uses;
}

std::vector<std::size_t> LoopEnds(const Kernel& kernel) {
  std::vector<std::size_t> ends(kernel.loops.size(), 0);
  for (std::size_t point = 0; point < kernel.body.size(); ++point) {
    const BodyItem& item = kernel.body[point];
    if (item.kind == BodyKind::kLoopEnd) ends[item.index] = point;
  }
  return ends;
}

class Run {
 public:
  Run(const Kernel& kernel, ValueMode mode, const Inputs& inputs)
      : kernel_(kernel),
        mode_(mode),
        memory_(kernel, inputs),
        reads_(kernel, memory_),
        last_uses_(LastUses(kernel)),
        loop_ends_(LoopEnds(kernel)),
        loop_values_(kernel.loops.size(), 0),
        accesses_(kernel.instructions.size()),
        reasons_(kernel.instructions.size()),
        moves_(kernel.instructions.size(), false) {
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
      const Instruction& instruction = kernel.instructions[InstructionId(i)];
      accesses_[i] = AccessesOf(instruction);
      moves_[i] = OnlyMovesBytes(kernel, instruction);
      if (mode == ValueMode::kNumeric) reasons_[i] = WhyOpaque(kernel, instruction);
    }
  }

  Result<InterpreterReport> Execute(const InterpreterOptions& options) {
    struct OpenLoop {
      std::size_t begin = 0;
      std::int64_t left = 0;
    };
    std::vector<OpenLoop> open;
    std::int64_t steps = 0;
    for (std::size_t point = 0; point < kernel_.body.size(); ++point) {
      if (++steps > options.max_steps) {
        return Fail({Kind::kLimit,
                     "interpreter-steps",
                     fmt::format("the reference gave up after {} steps: fewer iterations, or "
                                 "--values none, would help",
                                 options.max_steps),
                     {}});
      }
      const BodyItem& item = kernel_.body[point];
      const std::size_t here = point;
      SPILLWAY_CHECK(item.kind != BodyKind::kLoopEnd || !open.empty(),
                     "a loop ends that isn't open");
      if (item.kind == BodyKind::kInstruction) {
        RunInstruction(item.instruction(), PointId(point));
      } else if (item.kind == BodyKind::kLoopBegin) {
        const Loop& loop = kernel_.loops[item.loop()];
        loop_values_[item.index] = loop.begin;
        if (TripCount(loop) > 0) {
          open.push_back({point, TripCount(loop)});
          continue;
        }
        point = loop_ends_[item.index];
      } else if (--open.back().left > 0) {
        loop_values_[item.index] += kernel_.loops[item.loop()].step;
        point = open.back().begin;
        continue;
      } else {
        open.pop_back();
      }
      if (open.empty()) ReleaseAfter(here, point);
    }
    return Report();
  }

 private:
  void RunInstruction(InstructionId id, PointId point) {
    const Instruction& instruction = kernel_.instructions[id];
    if (!Holds(instruction.when, loop_values_)) return;
    ++report_.instructions;
    reads_.Step({instruction, accesses_[id.value], loop_values_, point});
    if (reasons_[id.value]) ++opaque_[{instruction.op, *reasons_[id.value]}];
    if (mode_ == ValueMode::kNone) return;
    if (moves_[id.value] && MoveAtOnce(instruction)) return;
    const InstructionResult result = Compute(kernel_, instruction, loop_values_, mode_, memory_);
    for (const Access& access : accesses_[id.value]) {
      if (access.is_write && !access.whole_tensor) {
        memory_.PrepareWrite(PatternOf(kernel_, *access.operand, loop_values_));
      }
    }
    Commit(kernel_, instruction, loop_values_, result, memory_);
  }

  /// Sampling and landing coincide here; only within one tensor may the two sides share bytes.
  bool MoveAtOnce(const Instruction& instruction) {
    const ByteMove move = MoveOf(kernel_, instruction, loop_values_);
    if (move.from.tensor == move.to.tensor) return false;
    memory_.PrepareWrite(move.to);
    CopyPattern(move.from, move.to, memory_);
    return true;
  }

  /// Points from `first` to `last`: more than one where a loop was skipped.
  void ReleaseAfter(std::size_t first, std::size_t last) {
    for (std::size_t point = first; point <= last; ++point) {
      for (const TensorId tensor : last_uses_[point]) memory_.Release(tensor);
    }
  }

  InterpreterReport Report() {
    for (std::size_t i = 0; i < kernel_.tensors.size() && mode_ != ValueMode::kNone; ++i) {
      const Tensor& tensor = kernel_.tensors[TensorId(i)];
      if (OutlivesTheRun(tensor)) report_.dram.emplace(tensor.name, memory_.Copy(TensorId(i)));
    }
    for (const auto& [key, count] : opaque_) {
      report_.opaque.push_back({key.first, key.second, count});
    }
    report_.uninitialized = reads_.violations();
    report_.uninitialized_total = reads_.total();
    report_.reads_checked = reads_.checked();
    report_.peak_bytes = memory_.peak_bytes();
    return std::move(report_);
  }

  const Kernel& kernel_;
  ValueMode mode_;
  ReferenceMemory memory_;
  UninitializedReads reads_;
  std::vector<std::vector<TensorId>> last_uses_;
  std::vector<std::size_t> loop_ends_;
  std::vector<std::int64_t> loop_values_;
  std::vector<std::vector<Access>> accesses_;
  std::vector<std::optional<std::string>> reasons_;
  std::vector<bool> moves_;  // by instruction: what OnlyMovesBytes
  std::map<std::pair<std::string, std::string>, std::int64_t> opaque_;
  InterpreterReport report_;
};

}  // namespace

Result<InterpreterReport> Interpret(const Kernel& kernel, ValueMode mode, const Inputs& inputs,
                                    const InterpreterOptions& options) {
  if (Result<void> checked = CheckData(kernel, mode, inputs); !checked) {
    return Fail(checked.error());
  }
  return Run(kernel, mode, inputs).Execute(options);
}

}  // namespace spillway
