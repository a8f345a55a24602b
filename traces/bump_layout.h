// Hand allocation as authors of direct allocation write it: a pointer that only moves up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {

/// How many tiles a tensor has: as its program counts them, and in the memory.
struct TileCounts {
  std::vector<std::int64_t> blocks = {};          ///< logical dimensions of blocks
  std::vector<std::int64_t> num_free_tiles = {};  ///< of the law; empty: one tile for all blocks
};

/// SBUF tensors one after the other, each with a modulo law.
class BumpLayout {
 public:
  /// The builder must outlive the layout.
  explicit BumpLayout(KernelBuilder& builder) : builder_(builder) {}

  /// A tensor at the pointer, which moves past its physical tiles. What has no law throws
  /// ContractViolation.
  TensorId Add(std::string name, DType dtype, std::vector<std::int64_t> shape,
               const TileCounts& tiles = {});
  /// A tensor in bytes from `base` on that belong to another tensor at other times; the pointer
  /// stays.
  TensorId AddAt(ByteOffset base, std::string name, DType dtype, std::vector<std::int64_t> shape,
                 const TileCounts& tiles = {});
  /// Where the next tensor will lie: bytes of a partition that are taken.
  ByteOffset end() const { return end_; }

 private:
  KernelBuilder& builder_;
  ByteOffset end_{0};
};

/// The address of a PSUM tile at the start of a bank, as custom allocation functions give it.
Address AtPsumBank(std::int64_t bank);

}  // namespace spillway
