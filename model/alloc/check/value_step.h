// The steps of an allocated function with their operands resolved, ready to run.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/alloc/check/copied_bytes.h"
#include "model/alloc/check/loop_pattern.h"
#include "model/alloc/check/matched_code.h"

namespace spillway::check {

/// The program's tensors whose values are followed: all but the caller's own in DRAM.
class ProgramValues {
 public:
  explicit ProgramValues(const Kernel& kernel);

  const Kernel& kernel() const { return *kernel_; }
  bool IsFollowed(TensorId tensor) const { return first_[tensor.value] != kNone; }
  ValueId ValueOf(TensorId tensor, std::int64_t block) const {
    return first_[tensor.value] + static_cast<ValueId>(block);
  }
  TensorId TensorOf(ValueId value) const { return tensor_of_[value]; }
  std::int64_t BlockOf(ValueId value) const { return value - first_[tensor_of_[value].value]; }
  /// Bytes from one partition to the next in a row-major home; 0 for a DRAM tensor.
  std::int64_t RowBytes(ValueId value) const;
  const PlaneSet& Whole(ValueId value) const { return wholes_[value]; }
  const std::vector<PlaneSet>& wholes() const { return wholes_; }

 private:
  static constexpr ValueId kNone = ~ValueId{0};
  const Kernel* kernel_;
  std::vector<ValueId> first_;
  std::vector<TensorId> tensor_of_;
  std::vector<PlaneSet> wholes_;
};

/// Bytes of a value, and where the allocated function has them.
struct ResolvedUse {
  ValueId value = 0;
  PlaneSet bytes;
  Location at;
  std::vector<StoreRegion> regions;  ///< of a write: RegionsOf(bytes, at)
};

/// One operand that the program reads or writes, beside what stands for it.
struct OperandUse {
  const Operand* original = nullptr;  ///< null: the offsets of an indirect operand
  const Operand* allocated = nullptr;
  TensorId tensor;      ///< the program's
  TensorId stands_for;  ///< the allocated function's
  std::string_view name;
  bool is_write = false;
  bool is_exact = true;  ///< a write certainly reaches all the bytes
  bool whole = false;    ///< any element of any block
  bool is_reported = false;
  Runs pattern;                         ///< of both operands
  std::optional<ResolvedUse> constant;  ///< where no loop moves it
};

/// A copy with the way through its patterns.
struct CopyUse {
  const Operand* from = nullptr;
  const Operand* to = nullptr;
  Runs from_pattern;
  Runs to_pattern;
  std::optional<std::vector<CopyDim>> dims;  ///< nothing: what arrives is unknown
};

struct ValueStep {
  CodeStep code;
  const std::vector<Predicate>* when = nullptr;
  std::vector<OperandUse> uses;  ///< kOriginal: reads first
  /// kCopy: of the allocated function. kDropped, and loads that a reload may repeat: of the
  /// program.
  std::optional<CopyUse> copy;
  LoopPattern pattern;  ///< kLoopBegin: of all that is inside
};

/// The place in `location`'s memory of a byte of its block.
Start PlaceIn(const Location& location, std::int64_t partition, std::int64_t byte);
/// The bytes of the memory that `bytes` of a block at `at` are; one region a partition where the
/// memory is linear.
std::vector<StoreRegion> RegionsOf(const PlaneSet& bytes, const Location& at);

/// Operands and copies of `steps`; `steps` belong to `values.kernel()` and `allocated`.
std::vector<ValueStep> ResolveSteps(const std::vector<CodeStep>& steps, const ProgramValues& values,
                                    const LinearKernel& allocated);

/// Where operand `use` has its bytes at these loop values; nothing for a block that doesn't exist.
std::optional<ResolvedUse> Resolve(const OperandUse& use, const ProgramValues& values,
                                   const PlacedMemory& memory,
                                   std::span<const std::int64_t> loop_values);

}  // namespace spillway::check
