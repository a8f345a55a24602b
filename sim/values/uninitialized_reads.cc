#include "sim/values/uninitialized_reads.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/hw/error.h"

namespace spillway {
namespace {

/// Calls visit(begin, end) for the byte runs of a row, relative to the row's first byte, in element
/// order.
template <class Visit>
void ForEachRun(const Pattern& pattern, Visit visit) {
  ForEachVector(pattern, [&](std::int64_t offset) {
    if (pattern.inner.step == pattern.element || pattern.inner.count <= 1) {
      visit(offset, offset + pattern.inner.count * pattern.element);
      return;
    }
    for (std::int64_t i = 0; i < pattern.inner.count; ++i) {
      const std::int64_t at = offset + i * pattern.inner.step;
      visit(at, at + pattern.element);
    }
  });
}

/// What of an access isn't defined: partitions and, over all of them, the hull of the bytes.
struct Missing {
  Interval<std::int64_t> rows;
  Interval<std::int64_t> bytes;
  std::int64_t count = 0;
};

Missing FindMissing(const Pattern& pattern, std::int64_t row_bytes, const DefinedBytes& defined) {
  Missing missing;
  for (std::int64_t r = 0; r < pattern.rows; ++r) {
    const std::int64_t row = pattern.first_row + r;
    const std::int64_t base = row * row_bytes;
    ForEachRun(pattern, [&](std::int64_t begin, std::int64_t end) {
      const auto hole = defined.UndefinedIn(base + begin, base + end);
      if (!hole) return;
      const Interval<std::int64_t> bytes{hole->begin - base, hole->end - base};
      missing.bytes = missing.count == 0 ? bytes : Hull(missing.bytes, bytes);
      missing.rows = {missing.count == 0 ? row : missing.rows.begin, row + 1};
      missing.count += defined.CountUndefined(base + begin, base + end);
    });
  }
  return missing;
}

std::string LoopText(const Kernel& kernel, const RunningInstruction& step) {
  // Only loops that are open here have a say; they are those around the point.
  std::string text;
  std::vector<LoopId> open;
  for (std::size_t i = 0; i <= step.point.value; ++i) {
    const BodyItem& item = kernel.body[i];
    if (item.kind == BodyKind::kLoopBegin) open.push_back(item.loop());
    if (item.kind == BodyKind::kLoopEnd) open.pop_back();
  }
  for (const LoopId loop : open) {
    text += fmt::format(", {}={}", kernel.loops[loop].name, step.loop_values[loop.value]);
  }
  return text;
}

}  // namespace

void UninitializedReads::Step(const RunningInstruction& step) {
  const Access* source = nullptr;
  for (const Access& access : step.accesses) {
    if (access.is_write) continue;
    source = &access;
    if (step.instruction.spill == SpillRole::kNone) CheckRead(step, access);
  }
  for (const Access& access : step.accesses) {
    if (!access.is_write) continue;
    if (access.whole_tensor || access.operand == nullptr) {
      const std::int64_t blocks = BlockCount(kernel_.tensors[access.tensor]);
      for (std::int64_t block = 0; block < blocks; ++block) {
        MarkWritten(WholeBlock(kernel_, access.tensor, block));
      }
      continue;
    }
    const Pattern to = PatternOf(kernel_, *access.operand, step.loop_values);
    if (step.instruction.spill != SpillRole::kNone && source != nullptr &&
        source->operand != nullptr) {
      PassOn(PatternOf(kernel_, *source->operand, step.loop_values), to);
    } else {
      MarkWritten(to);
    }
  }
}

void UninitializedReads::CheckRead(const RunningInstruction& step, const Access& access) {
  ++checked_;
  if (access.operand != nullptr && !access.whole_tensor) {
    CheckPattern(step, access, PatternOf(kernel_, *access.operand, step.loop_values));
    return;
  }
  const std::int64_t blocks = BlockCount(kernel_.tensors[access.tensor]);
  for (std::int64_t block = 0; block < blocks; ++block) {
    CheckPattern(step, access, WholeBlock(kernel_, access.tensor, block));
  }
}

void UninitializedReads::CheckPattern(const RunningInstruction& step, const Access& access,
                                      const Pattern& pattern) {
  const DefinedBytes& defined = memory_.Defined(pattern.tensor, pattern.block);
  if (defined.all()) return;
  const Missing missing = FindMissing(pattern, memory_.RowBytes(pattern.tensor), defined);
  if (missing.count == 0 || !reported_.emplace(pattern.tensor, step.point).second) return;
  if (violations_.size() >= kListed) return;
  const Tensor& tensor = kernel_.tensors[pattern.tensor];
  std::string where = fmt::format("bytes [{}, {})", missing.bytes.begin, missing.bytes.end);
  if (tensor.space != Space::kDram) {
    where = fmt::format("partitions [{}, {}), bytes [{}, {}) of each", missing.rows.begin,
                        missing.rows.end, missing.bytes.begin, missing.bytes.end);
  }
  if (!tensor.blocks.empty()) where = fmt::format("block {}, {}", pattern.block, where);
  Violation violation;
  violation.kind = Kind::kUninitializedRead;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.range = {{ByteOffset(missing.bytes.begin), ByteOffset(missing.bytes.end)}};
  violation.time = {{step.point, PointId(step.point.value + 1)}};
  violation.text = fmt::format(
      "tensor \"{}\" is read before anything wrote it: {}, {} bytes in all, by {} (operand {}) at "
      "point {}{}{}",
      tensor.name, where, missing.count, step.instruction.op, access.name, step.point.value,
      LoopText(kernel_, step),
      step.instruction.src.empty() ? std::string() : ", " + step.instruction.src);
  violations_.push_back(std::move(violation));
}

void UninitializedReads::MarkWritten(const Pattern& pattern) {
  DefinedBytes& defined = memory_.Defined(pattern.tensor, pattern.block);
  if (defined.all()) return;
  const std::int64_t row_bytes = memory_.RowBytes(pattern.tensor);
  if (pattern.contiguous_row() && pattern.row_bytes() == row_bytes) {
    defined.Set(pattern.first_row * row_bytes, (pattern.first_row + pattern.rows) * row_bytes,
                true);
    return;
  }
  for (std::int64_t r = 0; r < pattern.rows; ++r) {
    const std::int64_t base = (pattern.first_row + r) * row_bytes;
    ForEachRun(pattern, [&](std::int64_t begin, std::int64_t end) {
      defined.Set(base + begin, base + end, true);
    });
  }
}

void UninitializedReads::PassOn(const Pattern& from, const Pattern& to) {
  const DefinedBytes& source = memory_.Defined(from.tensor, from.block);
  if (source.all() && memory_.Defined(to.tensor, to.block).all()) return;
  std::vector<bool> flags;
  flags.reserve(static_cast<std::size_t>(from.bytes()));
  for (std::int64_t r = 0; r < from.rows; ++r) {
    const std::int64_t base = (from.first_row + r) * memory_.RowBytes(from.tensor);
    ForEachRun(from, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin; at < end; ++at) flags.push_back(source.Get(base + at));
    });
  }
  if (std::find(flags.begin(), flags.end(), false) == flags.end()) {
    MarkWritten(to);
    return;
  }
  DefinedBytes& target = memory_.Defined(to.tensor, to.block);
  std::size_t next = 0;
  for (std::int64_t r = 0; r < to.rows; ++r) {
    const std::int64_t base = (to.first_row + r) * memory_.RowBytes(to.tensor);
    ForEachRun(to, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin; at < end; ++at, ++next) {
        target.Set(base + at, base + at + 1, flags.at(next));
      }
    });
  }
}

}  // namespace spillway
