// A memory without limits: every tensor has storage of its own for as long as it is needed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "sim/values/defined_bytes.h"
#include "sim/values/inputs.h"
#include "sim/values/memory_view.h"
#include "sim/values/pattern.h"

namespace spillway {

/// What on-chip bytes hold that nothing wrote: a NaN in every float type.
inline constexpr std::byte kPoison{0xff};

class ReferenceMemory final : public MemoryView {
 public:
  /// `inputs` must hold every input and constant of the kernel in its size; both must outlive this.
  ReferenceMemory(const Kernel& kernel, const Inputs& inputs);

  /// Storage comes into being when it is first asked for.
  BlockView Block(TensorId tensor, std::int64_t block) override;

  /// Before a write of `pattern`: storage that the write fills completely needs no initial bytes.
  void PrepareWrite(const Pattern& pattern);
  void Release(TensorId tensor);

  DefinedBytes& Defined(TensorId tensor, std::int64_t block);
  std::int64_t RowBytes(TensorId tensor) const { return layouts_[tensor].row_bytes; }
  std::int64_t Rows(TensorId tensor) const { return layouts_[tensor].rows; }

  /// Most bytes of storage that tensors held at one time.
  std::int64_t peak_bytes() const { return peak_bytes_; }

  /// All bytes of a tensor, with their initial values where nothing was written.
  TensorData Copy(TensorId tensor);

 private:
  struct Layout {
    std::int64_t blocks = 1;
    std::int64_t rows = 1;
    std::int64_t row_bytes = 0;
    std::int64_t block_bytes() const { return rows * row_bytes; }
    std::int64_t bytes() const { return blocks * block_bytes(); }
  };
  using Storage = std::unique_ptr<std::byte[]>;

  void Allocate(TensorId tensor);
  void Initialize(TensorId tensor);

  const Kernel& kernel_;
  std::int64_t held_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  const Inputs& inputs_;
  IdVector<TensorId, Layout> layouts_;
  std::vector<Storage> storage_;                       // by tensor id
  std::vector<std::vector<DefinedBytes>> defined_;     // by tensor id and block; empty until needed
  std::map<std::int64_t, std::vector<Storage>> free_;  // by size
};

}  // namespace spillway
