#include "sim/exec/placed_memory.h"

#include <algorithm>
#include <cstring>

#include "model/hw/error.h"

namespace spillway {
namespace {

struct RowShape {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

RowShape RowsOf(const Tensor& tensor) {
  return {tensor.space == Space::kDram ? 1 : Partitions(tensor).value, BlockBytes(tensor).value};
}

}  // namespace

const Address& PlacedMemory::AddressOf(TensorId tensor, std::int64_t block) const {
  const std::vector<Address>& places = map_.addresses[tensor];
  SPILLWAY_CHECK(block >= 0 && static_cast<std::size_t>(block) < places.size(),
                 "a block that has a place");
  return places[static_cast<std::size_t>(block)];
}

BlockView PlacedMemory::Block(TensorId tensor, std::int64_t block) {
  const Address& address = AddressOf(tensor, block);
  switch (kernel_.tensors[tensor].space) {
    case Space::kDram: return {memory_.dram().data() + address.byte.value, 0};
    case Space::kSbuf:
      return {memory_.sbuf().At(address.partition, address.byte), memory_.sbuf().row().value};
    case Space::kPsum:
      return {memory_.psum().At(address.partition, address.byte), memory_.psum().row().value};
  }
  return {};
}

PlacedBytes PlacedMemory::HullOf(const Pattern& pattern) const {
  const Address& address = AddressOf(pattern.tensor, pattern.block);
  const Partition first = address.partition + PartitionCount(pattern.first_row);
  const Interval<std::int64_t> bytes = spillway::HullOf(pattern);
  return {kernel_.tensors[pattern.tensor].space,
          {{first, first + PartitionCount(pattern.rows)},
           {address.byte + Bytes(bytes.begin), address.byte + Bytes(bytes.end)}}};
}

TensorData PlacedMemory::Copy(TensorId tensor) {
  const RowShape rows = RowsOf(kernel_.tensors[tensor]);
  const std::int64_t blocks = BlockCount(kernel_.tensors[tensor]);
  TensorData data;
  data.bytes.resize(static_cast<std::size_t>(blocks * rows.count * rows.bytes));
  std::byte* to = data.bytes.data();
  for (std::int64_t block = 0; block < blocks; ++block) {
    const BlockView view = Block(tensor, block);
    for (std::int64_t row = 0; row < rows.count && rows.bytes > 0; ++row, to += rows.bytes) {
      std::memcpy(to, view.base + row * view.partition_stride,
                  static_cast<std::size_t>(rows.bytes));
    }
  }
  return data;
}

void PlacedMemory::Fill(TensorId tensor, std::span<const std::byte> packed) {
  const RowShape rows = RowsOf(kernel_.tensors[tensor]);
  const std::int64_t blocks = BlockCount(kernel_.tensors[tensor]);
  SPILLWAY_CHECK(static_cast<std::int64_t>(packed.size()) == blocks * rows.count * rows.bytes,
                 "the tensor's size");
  const std::byte* from = packed.data();
  for (std::int64_t block = 0; block < blocks; ++block) {
    const BlockView view = Block(tensor, block);
    for (std::int64_t row = 0; row < rows.count && rows.bytes > 0; ++row, from += rows.bytes) {
      std::memcpy(view.base + row * view.partition_stride, from,
                  static_cast<std::size_t>(rows.bytes));
    }
  }
}

void LoadTensors(const Kernel& kernel, const MemoryMap& map, const Inputs& inputs,
                 PlacedMemory& memory) {
  for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = kernel.tensors[id];
    if (map.addresses[id].empty()) continue;
    if (tensor.role == Role::kInput || tensor.role == Role::kConstant) {
      memory.Fill(id, inputs.at(tensor.name).bytes);
    } else if (tensor.space == Space::kDram) {
      const std::int64_t bytes = BlockBytes(tensor).value;
      for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
        FillInitialDram({memory.Block(id, block).base, static_cast<std::size_t>(bytes)},
                        block * bytes);
      }
    }
  }
}

NamedData OutputsIn(const Kernel& kernel, PlacedMemory& memory) {
  NamedData outputs;
  for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
    const Tensor& tensor = kernel.tensors[TensorId(i)];
    if (tensor.role == Role::kOutput) outputs[tensor.name] = memory.Copy(TensorId(i));
  }
  return outputs;
}

}  // namespace spillway
