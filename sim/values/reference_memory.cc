#include "sim/values/reference_memory.h"

#include <algorithm>
#include <cstring>

#include "model/hw/error.h"

namespace spillway {
namespace {

bool HoldsInput(const Tensor& tensor) {
  return tensor.role == Role::kInput || tensor.role == Role::kConstant;
}

}  // namespace

ReferenceMemory::ReferenceMemory(const Kernel& kernel, const Inputs& inputs)
    : kernel_(kernel),
      inputs_(inputs),
      storage_(kernel.tensors.size()),
      defined_(kernel.tensors.size()) {
  for (const Tensor& tensor : kernel.tensors) {
    const std::int64_t rows = tensor.space == Space::kDram ? 1 : Partitions(tensor).value;
    layouts_.push_back({BlockCount(tensor), rows, BlockBytes(tensor).value});
  }
}

BlockView ReferenceMemory::Block(TensorId tensor, std::int64_t block) {
  if (!storage_[tensor.value]) {
    Allocate(tensor);
    Initialize(tensor);
  }
  const Layout& layout = layouts_[tensor];
  const bool partitioned = kernel_.tensors[tensor].space != Space::kDram;
  return {storage_[tensor.value].get() + block * layout.block_bytes(),
          partitioned ? layout.row_bytes : 0};
}

void ReferenceMemory::PrepareWrite(const Pattern& pattern) {
  const Layout& layout = layouts_[pattern.tensor];
  if (!storage_[pattern.tensor.value] && pattern.contiguous_row() &&
      pattern.bytes() == layout.bytes()) {
    Allocate(pattern.tensor);
  }
}

void ReferenceMemory::Release(TensorId tensor) {
  Storage& storage = storage_[tensor.value];
  if (storage) {
    held_bytes_ -= layouts_[tensor].bytes();
    free_[layouts_[tensor].bytes()].push_back(std::move(storage));
  }
  storage.reset();
  defined_[tensor.value] = {};
}

DefinedBytes& ReferenceMemory::Defined(TensorId tensor, std::int64_t block) {
  const Layout& layout = layouts_[tensor];
  std::vector<DefinedBytes>& blocks = defined_[tensor.value];
  if (blocks.empty()) {
    blocks.assign(static_cast<std::size_t>(layout.blocks),
                  DefinedBytes(layout.block_bytes(), HoldsInput(kernel_.tensors[tensor])));
  }
  return blocks[static_cast<std::size_t>(block)];
}

TensorData ReferenceMemory::Copy(TensorId tensor) {
  const std::byte* from = Block(tensor, 0).base;
  return {std::vector<std::byte>(from, from + layouts_[tensor].bytes())};
}

void ReferenceMemory::Allocate(TensorId tensor) {
  const std::int64_t bytes = layouts_[tensor].bytes();
  held_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, held_bytes_);
  std::vector<Storage>& reusable = free_[bytes];
  if (reusable.empty()) {
    storage_[tensor.value] =
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  } else {
    storage_[tensor.value] = std::move(reusable.back());
    reusable.pop_back();
  }
}

void ReferenceMemory::Initialize(TensorId tensor) {
  const Tensor& declared = kernel_.tensors[tensor];
  const std::span<std::byte> bytes(storage_[tensor.value].get(),
                                   static_cast<std::size_t>(layouts_[tensor].bytes()));
  if (HoldsInput(declared)) {
    const auto found = inputs_.find(declared.name);
    SPILLWAY_CHECK(found != inputs_.end() && found->second.bytes.size() == bytes.size(),
                   "inputs were checked before the run");
    if (!bytes.empty()) std::memcpy(bytes.data(), found->second.bytes.data(), bytes.size());
  } else if (declared.space == Space::kDram) {
    FillInitialDram(bytes);
  } else if (!bytes.empty()) {
    std::memset(bytes.data(), std::to_integer<int>(kPoison), bytes.size());
  }
}

}  // namespace spillway
