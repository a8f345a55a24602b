#include "sim/exec/self_overlap.h"

#include <algorithm>

#include "model/alloc/ir/access.h"

namespace spillway {
namespace {

// An operand's pattern, or those of all blocks where it may touch any of them.
std::vector<Pattern> PatternsOf(const Kernel& kernel, TensorId tensor, const Operand* operand,
                                bool whole, std::span<const std::int64_t> values) {
  if (!whole) return {PatternOf(kernel, *operand, values)};
  std::vector<Pattern> patterns;
  for (std::int64_t block = 0; block < BlockCount(kernel.tensors[tensor]); ++block)
    patterns.push_back(WholeBlock(kernel, tensor, block));
  return patterns;
}

// Calls `visit(std::byte*)` for the first byte of every element, in element order.
template <class Visit>
void ForEachElement(const Pattern& pattern, PlacedMemory& memory, Visit visit) {
  const BlockView view = memory.Block(pattern.tensor, pattern.block);
  for (std::int64_t row = 0; row < pattern.rows; ++row) {
    ForEachVector(pattern, [&](std::int64_t offset) {
      std::byte* at = RowBase(pattern, view, row) + offset;
      for (std::int64_t i = 0; i < pattern.inner.count; ++i) visit(at + i * pattern.inner.step);
    });
  }
}

struct WrittenByte {
  std::byte* place = nullptr;
  std::int64_t element = 0;
  std::byte value{};
};

// By place; a place that is written twice keeps its first time.
std::vector<WrittenByte> BytesWritten(const Pattern& to, std::span<const std::byte> packed,
                                      PlacedMemory& memory) {
  std::vector<WrittenByte> written;
  written.reserve(packed.size());
  std::int64_t element = 0;
  ForEachElement(to, memory, [&](std::byte* place) {
    for (std::int64_t b = 0; b < to.element; ++b) {
      const auto index = static_cast<std::size_t>(element * to.element + b);
      written.push_back({place + b, element, packed[index]});
    }
    ++element;
  });
  std::stable_sort(written.begin(), written.end(), [](const WrittenByte& a, const WrittenByte& b) {
    return std::less<>()(a.place, b.place);
  });
  return written;
}

// The bytes of `from` that are read after `to` was written over them.
bool Spoil(const Pattern& to, std::span<const std::byte> packed, const Pattern& from,
           PlacedMemory& memory) {
  const std::vector<WrittenByte> written = BytesWritten(to, packed, memory);
  const std::int64_t reads = from.rows * from.columns;
  const std::int64_t writes = to.rows * to.columns;
  bool spoiled = false;
  std::int64_t element = 0;
  ForEachElement(from, memory, [&](std::byte* place) {
    for (std::int64_t b = 0; b < from.element; ++b) {
      const auto found = std::lower_bound(
          written.begin(), written.end(), place + b,
          [](const WrittenByte& a, std::byte* p) { return std::less<>()(a.place, p); });
      if (found == written.end() || found->place != place + b) continue;
      if ((found->element + 1) * reads > element * writes) continue;
      *found->place = found->value;
      spoiled = true;
    }
    ++element;
  });
  return spoiled;
}

}  // namespace

bool SpoilSources(const Kernel& kernel, const Instruction& instruction,
                  std::span<const std::int64_t> values, const InstructionResult& result,
                  PlacedMemory& memory) {
  const std::vector<Access> accesses = AccessesOf(instruction);
  bool spoiled = false;
  std::size_t output = 0;
  for (const Access& write : accesses) {
    if (!write.is_write) continue;
    std::span<const std::byte> packed = result.outputs[output++];
    for (const Pattern& to :
         PatternsOf(kernel, write.tensor, write.operand, write.whole_tensor, values)) {
      const auto bytes = static_cast<std::size_t>(to.bytes());
      for (const Access& read : accesses) {
        if (read.is_write) continue;
        for (const Pattern& from :
             PatternsOf(kernel, read.tensor, read.operand, read.whole_tensor, values)) {
          const bool own = from.tensor == to.tensor && from.block == to.block;
          if (own || !Overlap(memory.HullOf(from), memory.HullOf(to))) continue;
          spoiled = Spoil(to, packed.first(bytes), from, memory) || spoiled;
        }
      }
      packed = packed.subspan(bytes);
    }
  }
  return spoiled;
}

std::vector<std::byte> OutputBytes(const Kernel& kernel, const Operand& output,
                                   std::span<const std::int64_t> values, PlacedMemory& memory) {
  std::vector<std::byte> bytes;
  for (const Pattern& pattern :
       PatternsOf(kernel, output.tensor, &output, !output.indirect.empty(), values)) {
    const std::vector<std::byte> packed = Gather(pattern, memory);
    bytes.insert(bytes.end(), packed.begin(), packed.end());
  }
  return bytes;
}

}  // namespace spillway
