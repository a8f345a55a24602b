// The DRAM tensors of a random kernel: one a type, as long as what is read or written of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/alloc/ir/kernel_builder.h"
#include "properties/region_choice.h"

namespace spillway {

class DramSlabs {
 public:
  /// `builder` must outlive this. Names are `prefix` and the type.
  DramSlabs(KernelBuilder& builder, std::string prefix, Role role)
      : builder_(builder), prefix_(std::move(prefix)), role_(role) {}

  /// `elements` from `offset` on; in each iteration of `loop`, where there is one, a place of its
  /// own. Makes the tensor where it is the first of its type, and longer where it has to be.
  Operand Part(DType type, std::int64_t elements, std::int64_t offset, const OpenLoopShape* loop);
  /// Elements of that type so far.
  std::int64_t EndOf(DType type) const;
  /// Gives the tensors of `kernel`, built by `builder`, their lengths.
  void SetShapes(Kernel& kernel) const;

 private:
  struct Slab {
    TensorId tensor;
    std::int64_t elements = 0;
  };

  KernelBuilder& builder_;
  std::string prefix_;
  Role role_;
  std::map<DType, Slab> slabs_;
};

}  // namespace spillway
