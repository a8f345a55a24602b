// What the probes of the machine gave, in the form in which the oracle looks it up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/hw/instruction_shape.h"
#include "model/hw/target.h"
#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/latency_curve.h"

namespace spillway {

inline constexpr int kDescriptorKinds = 4;
/// What can change the price of an instruction besides its sizes, as bits.
inline constexpr int kInstructionVariants = 32;

/// The two sizes that a product or a transpose on PE depends on.
struct PeSizes {
  std::int64_t outer = 1;  ///< stationary columns; partitions of what is transposed
  std::int64_t inner = 1;  ///< moving columns; elements per partition
};

struct MeasuredTables {
  LatencyCurve sbuf;  ///< by bytes per partition
  LatencyCurve psum;
  std::array<LatencyGrid, kDescriptorKinds> dma;  ///< by DescriptorKind; rows, bytes of each
  std::vector<LatencyCurve> instructions;         ///< by elements per partition
  std::vector<LatencyGrid> products;              ///< by PeSizes
  /// Per operation of PricedOperations and variant: the curve, or the grid on PE.
  std::vector<std::array<std::uint16_t, kInstructionVariants>> of;
  friend bool operator==(const MeasuredTables&, const MeasuredTables&) = default;
};

/// The variant that `shape` belongs to. On PE: bit 0, the moving operand is float32; 4: an
/// innermost step is wide. Else bit 0: an
/// operand lies in PSUM; 1: all are 16 bits wide; 2: all are contiguous; 3: zeros are written; 4:
/// an innermost step is wide.
int VariantOf(const InstructionShape& shape);
PeSizes PeSizesOf(const InstructionShape& shape);
/// Most elements per partition of any operand.
std::int64_t ElementsOf(const InstructionShape& shape);

/// Probes the machine: accesses and DMAs by size, and each operation of PricedOperations in all its
/// variants, those that the cost table doesn't tell apart once.
MeasuredTables MeasureTables(const Target& target);

/// The tables as words, and back; nothing where the words can't be tables.
std::vector<std::int64_t> ToWords(const MeasuredTables& tables);
std::optional<MeasuredTables> FromWords(std::span<const std::int64_t> words);

}  // namespace spillway
