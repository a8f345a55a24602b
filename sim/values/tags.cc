#include "sim/values/tags.h"

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"
#include "sim/values/hash.h"
#include "sim/values/pattern.h"

namespace spillway {
namespace {

/// Text that tells every two attribute values apart.
void AppendValue(std::string& text, const AttrValue& value) {
  text += static_cast<char>('0' + value.value.index());
  if (const auto* flag = std::get_if<bool>(&value.value)) {
    text += *flag ? 't' : 'f';
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
    text += std::to_string(*integer);
  } else if (const auto* real = std::get_if<double>(&value.value)) {
    text += std::to_string(std::bit_cast<std::uint64_t>(*real));
  } else if (const auto* string = std::get_if<std::string>(&value.value)) {
    text += std::to_string(string->size()) + ':' + *string;
  } else if (const auto* list = std::get_if<AttrValue::List>(&value.value)) {
    text += '[' + std::to_string(list->size());
    for (const AttrValue& item : *list) AppendValue(text, item);
  }
  text += ';';
}

/// What the instruction does, apart from data: operation, attributes, and how many elements of
/// which type each operand has.
std::string Describe(const Kernel& kernel, const Instruction& instruction) {
  std::string text = instruction.op + '\n';
  for (const Attr& attr : instruction.attrs) {
    if (attr.name == "spill") continue;
    text += attr.name + '=';
    AppendValue(text, attr.value);
  }
  for (const auto* groups : {&instruction.inputs, &instruction.outputs}) {
    text += '\n';
    for (const OperandGroup& group : *groups) {
      text += group.name + '(';
      for (const Operand& operand : group.operands) {
        text += std::to_string(static_cast<int>(OperandDType(kernel, operand))) + ',' +
                std::to_string(operand.partition_count) + ',' +
                std::to_string(ElementCount(operand)) + (operand.indirect.empty() ? ";" : "i;");
      }
      text += ')';
    }
  }
  return text;
}

class InputHasher {
 public:
  explicit InputHasher(MemoryView& memory) : memory_(memory) {}

  /// Hashes row by row, so that contiguous rows need no copy. How rows lie in memory doesn't
  /// matter: a row that isn't contiguous is packed first.
  std::uint64_t Operand(const Pattern& pattern) {
    const BlockView view = memory_.Block(pattern.tensor, pattern.block);
    const auto row_bytes = static_cast<std::size_t>(pattern.row_bytes());
    rows_.clear();
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
      if (pattern.contiguous_row()) {
        rows_.push_back(HashBytes({RowBase(pattern, view, row) + pattern.start, row_bytes}));
      } else {
        if (packed_.size() < row_bytes) packed_.resize(row_bytes);
        GatherRow(pattern, view, row, std::span(packed_).first(row_bytes));
        rows_.push_back(HashBytes(std::span(packed_).first(row_bytes)));
      }
    }
    return HashBytes(std::as_bytes(std::span(rows_)));
  }

 private:
  MemoryView& memory_;
  std::vector<std::uint64_t> rows_;
  std::vector<std::byte> packed_;
};

std::uint64_t HashInputs(const Kernel& kernel, const Instruction& instruction,
                         std::span<const std::int64_t> loop_values, MemoryView& memory) {
  std::vector<std::uint64_t> parts = {HashText(Describe(kernel, instruction))};
  InputHasher hasher(memory);
  for (const Access& access : AccessesOf(instruction)) {
    if (access.is_write) continue;
    if (access.operand != nullptr && !access.whole_tensor) {
      parts.push_back(hasher.Operand(PatternOf(kernel, *access.operand, loop_values)));
      continue;
    }
    for (std::int64_t block = 0; block < BlockCount(kernel.tensors[access.tensor]); ++block) {
      parts.push_back(hasher.Operand(WholeBlock(kernel, access.tensor, block)));
    }
    // An indirect operand's own place in the tensor matters too, whatever supplies the rest.
    if (access.operand != nullptr) {
      const Pattern pattern = PatternOf(kernel, *access.operand, loop_values);
      parts.push_back(Mix(static_cast<std::uint64_t>(pattern.start)));
      parts.push_back(Mix(static_cast<std::uint64_t>(pattern.first_row)));
    }
  }
  return HashBytes(std::as_bytes(std::span(parts)));
}

/// `size` bytes of eight counters that advance by odd steps of their own: no multiplication per
/// word, so that filling runs at memory speed.
std::vector<std::byte> Fill(std::uint64_t seed, std::size_t size) {
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kChunk = kLanes * sizeof(std::uint64_t);
  std::array<std::uint64_t, kLanes> counters{};
  std::array<std::uint64_t, kLanes> steps{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    counters[lane] = Mix(seed + (2 * lane + 1) * kCounterStep);
    steps[lane] = Mix(seed + (2 * lane + 2) * kCounterStep) | 1u;
  }
  std::vector<std::byte> bytes(size);
  std::array<std::uint64_t, kLanes> words{};
  for (std::size_t at = 0; at < size; at += kChunk) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      words[lane] = counters[lane] ^ (counters[lane] >> 29);
      counters[lane] += steps[lane];
    }
    if (size - at >= kChunk) {
      std::memcpy(bytes.data() + at, words.data(), kChunk);
    } else {
      std::memcpy(bytes.data() + at, words.data(), size - at);
    }
  }
  return bytes;
}

}  // namespace

InstructionResult TagResult(const Kernel& kernel, const Instruction& instruction,
                            std::span<const std::int64_t> loop_values, MemoryView& memory) {
  const std::uint64_t hash = HashInputs(kernel, instruction, loop_values, memory);
  InstructionResult result;
  for (const OperandGroup& group : instruction.outputs) {
    for (const Operand& operand : group.operands) {
      const std::uint64_t index = result.outputs.size();
      const Tensor& tensor = kernel.tensors[operand.tensor];
      std::int64_t bytes = ElementCount(operand) * ElementSize(OperandDType(kernel, operand)).value;
      if (!operand.indirect.empty()) {
        const std::int64_t rows = tensor.space == Space::kDram ? 1 : Partitions(tensor).value;
        bytes = BlockCount(tensor) * rows * BlockBytes(tensor).value;
      }
      result.outputs.push_back(
          Fill(Mix(hash + (index + 1) * kCounterStep), static_cast<std::size_t>(bytes)));
    }
  }
  return result;
}

}  // namespace spillway
