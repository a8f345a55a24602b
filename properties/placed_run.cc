#include "properties/placed_run.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"
#include "model/alloc/ir/print_kernel.h"
#include "model/hw/target.h"
#include "properties/for_each_instance.h"
#include "sim/values/pattern.h"
#include "sim/values/value_model.h"

namespace spillway {
namespace {

constexpr std::int64_t kPartitions = 128;

class SharedMemory final : public MemoryView {
 public:
  SharedMemory(const Kernel& kernel, const Placement& placement, Bytes capacity,
               const Inputs& inputs)
      : kernel_(kernel),
        placement_(placement),
        capacity_(capacity.value),
        sbuf_(static_cast<std::size_t>(kPartitions * capacity.value), std::byte{0xff}),
        own_(kernel.tensors.size()) {
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      const Tensor& tensor = kernel.tensors[TensorId(t)];
      if (tensor.space == Space::kSbuf) continue;
      const std::int64_t rows = tensor.space == Space::kDram ? 1 : Partitions(tensor).value;
      own_[TensorId(t)].resize(
          static_cast<std::size_t>(rows * BlockBytes(tensor).value * BlockCount(tensor)),
          std::byte{0xff});
      if (tensor.space == Space::kDram) FillInitialDram(own_[TensorId(t)]);
      const auto input = inputs.find(tensor.name);
      if (input != inputs.end()) own_[TensorId(t)] = input->second.bytes;
    }
  }

  BlockView Block(TensorId id, std::int64_t block) override {
    const Tensor& tensor = kernel_.tensors[id];
    if (tensor.space == Space::kSbuf) {
      return {sbuf_.data() + StartOfBlock(id, block), capacity_};
    }
    const std::int64_t rows = tensor.space == Space::kDram ? 1 : Partitions(tensor).value;
    const std::int64_t row = BlockBytes(tensor).value;
    return {own_[id].data() + block * rows * row, row};
  }

  std::int64_t StartOfBlock(TensorId id, std::int64_t block) const {
    const Address& at = placement_.addresses[id].at(static_cast<std::size_t>(block));
    return at.partition.value * capacity_ + at.byte.value;
  }
  std::size_t size() const { return sbuf_.size(); }
  std::int64_t capacity() const { return capacity_; }
  const std::vector<std::byte>& Own(TensorId id) const { return own_[id]; }

 private:
  const Kernel& kernel_;
  const Placement& placement_;
  std::int64_t capacity_;
  std::vector<std::byte> sbuf_;
  IdVector<TensorId, std::vector<std::byte>> own_;
};

class Runner {
 public:
  Runner(const Kernel& kernel, const Placement& placement, Bytes capacity, Bytes granule,
         const Inputs& inputs)
      : kernel_(kernel),
        placement_(placement),
        memory_(kernel, placement, capacity, inputs),
        owners_(memory_.size(), 0) {
    CheckPlaces(capacity, granule);
  }

  PlacedRun Run() {
    // What lies outside the memory can't be run.
    if (!result_.faults.empty()) return std::move(result_);
    ForEachInstance(kernel_, [&](InstructionId id, std::span<const std::int64_t> values) {
      const Instruction& instruction = kernel_.instructions[id];
      ++result_.instructions;
      CheckApart(instruction, values);
      const std::vector<Access> accesses = AccessesOf(instruction);
      for (const Access& access : accesses) {
        if (!access.is_write && !IsSpillDma(instruction)) Visit(access, values, instruction, false);
      }
      const InstructionResult computed =
          Compute(kernel_, instruction, values, ValueMode::kTags, memory_);
      Commit(kernel_, instruction, values, computed, memory_);
      for (const Access& access : accesses) {
        if (access.is_write) Visit(access, values, instruction, true);
      }
    });
    for (std::size_t t = 0; t < kernel_.tensors.size(); ++t) {
      const Tensor& tensor = kernel_.tensors[TensorId(t)];
      if (tensor.role == Role::kOutput)
        result_.outputs[tensor.name].bytes = memory_.Own(TensorId(t));
    }
    return std::move(result_);
  }

 private:
  void Fault(std::string kind, const Tensor& tensor, const std::string& where) {
    if (!reported_.emplace(kind, tensor.name).second) return;
    result_.faults.push_back(fmt::format("{}: {} {}", kind, tensor.name, where));
  }

  void CheckPlaces(Bytes capacity, Bytes granule) {
    std::vector<bool> accessed(kernel_.tensors.size(), false);
    for (const Instruction& instruction : kernel_.instructions) {
      for (const Access& access : AccessesOf(instruction)) accessed[access.tensor.value] = true;
    }
    for (std::size_t t = 0; t < kernel_.tensors.size(); ++t) {
      const Tensor& tensor = kernel_.tensors[TensorId(t)];
      if (tensor.space != Space::kSbuf || !accessed[t]) continue;
      const std::vector<Address>& at = placement_.addresses[TensorId(t)];
      if (static_cast<std::int64_t>(at.size()) != BlockCount(tensor)) {
        Fault("no place", tensor, fmt::format("has {} addresses", at.size()));
        continue;
      }
      for (const Address& address : at) {
        const Rectangle place = RectangleOf(tensor, address);
        const std::string text =
            fmt::format("at partition {}, byte {}", address.partition.value, address.byte.value);
        if (place.bytes.begin < ByteOffset(0) || place.bytes.end > ByteOffset(0) + capacity) {
          Fault("out of range", tensor, text);
        }
        if (!tensor.at.empty()) continue;
        if (address.byte.value % granule.value != 0) Fault("misaligned", tensor, text);
        bool legal = false;
        for (const Partition start : LegalStartPartitions(Partitions(tensor))) {
          legal = legal || start == address.partition;
        }
        if (!legal) Fault("start partition", tensor, text);
      }
    }
  }

  void CheckApart(const Instruction& instruction, std::span<const std::int64_t> values) {
    std::map<std::pair<TensorId, std::int64_t>, Rectangle> places;
    for (const Access& access : AccessesOf(instruction)) {
      if (kernel_.tensors[access.tensor].space != Space::kSbuf) continue;
      const Tensor& tensor = kernel_.tensors[access.tensor];
      const std::int64_t block = BlockIndex(tensor, *access.operand, values);
      const Rectangle place = RectangleOf(
          tensor, placement_.addresses[access.tensor].at(static_cast<std::size_t>(block)));
      for (const auto& [other, rectangle] : places) {
        if (other == std::pair{access.tensor, block} || !Overlap(rectangle, place)) continue;
        Fault("operands overlap", tensor, PrintInstruction(kernel_, instruction));
      }
      places.emplace(std::pair{access.tensor, block}, place);
    }
  }

  /// Checks, or sets, who owns each byte of an access.
  void Visit(const Access& access, std::span<const std::int64_t> values,
             const Instruction& instruction, bool is_write) {
    const Tensor& tensor = kernel_.tensors[access.tensor];
    if (tensor.space != Space::kSbuf) return;
    const Pattern pattern = PatternOf(kernel_, *access.operand, values);
    const std::int64_t start = memory_.StartOfBlock(access.tensor, pattern.block);
    const std::uint64_t owner = (std::uint64_t{access.tensor.value} + 1) << 40 |
                                static_cast<std::uint64_t>(pattern.block) << 32;
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
      const std::int64_t base = start + (pattern.first_row + row) * memory_.capacity();
      ForEachVector(pattern, [&](std::int64_t offset) {
        for (std::int64_t i = 0; i < pattern.inner.count; ++i) {
          for (std::int64_t b = 0; b < pattern.element; ++b) {
            const std::int64_t byte = offset + i * pattern.inner.step + b;
            std::uint64_t& cell = owners_[static_cast<std::size_t>(base + byte)];
            const std::uint64_t mine = owner | static_cast<std::uint64_t>(byte);
            if (is_write) {
              cell = mine;
            } else if (cell != mine) {
              Fault(cell == 0 ? "uninitialized read" : "clobbered", tensor,
                    PrintInstruction(kernel_, instruction));
            }
          }
        }
      });
    }
  }

  const Kernel& kernel_;
  const Placement& placement_;
  SharedMemory memory_;
  std::vector<std::uint64_t> owners_;
  std::set<std::pair<std::string, std::string>> reported_;
  PlacedRun result_;
};

}  // namespace

PlacedRun RunPlaced(const Kernel& kernel, const Placement& placement, Bytes capacity, Bytes granule,
                    const Inputs& inputs) {
  return Runner(kernel, placement, capacity, granule, inputs).Run();
}

}  // namespace spillway
