// Everything that the kernel reader refuses, each with a stable code.
#pragma once

#include <span>
#include <string_view>

#include "model/hw/error.h"

namespace spillway {

/// A cause for refusing a kernel file. Every one has a file in traces/invalid or a test that makes
/// its input.
enum class Fault {
  // The file and its lines
  kFileNotOpened,
  kFileUnreadable,
  kZstdCorrupt,
  kZstdTruncated,
  kEmptyFile,
  kLineTooLong,
  kTooManyLines,
  kFileTooLong,
  kNotUtf8,
  kEmptyLine,
  // JSON
  kMalformedJson,
  kTrailingGarbage,
  kNestedTooDeep,
  kDuplicateKey,
  kLineNotAnObject,
  // Lines and keys
  kUnknownLine,
  kMissingHeader,
  kHeaderNotFirst,
  kUnknownVersion,
  kUnknownKey,
  kMissingKey,
  kWrongType,
  kWrongLength,
  kNotAnInteger,
  kNumberOutOfRange,
  kEmptyName,
  // Names
  kDuplicateTensor,
  kDuplicateLoop,
  kReservedLoopName,
  kUnknownTensor,
  kUnknownLoop,
  kUnknownDtype,
  kUnknownSpace,
  kUnknownRole,
  kUnknownEngine,
  kUnknownLoopKind,
  kUnknownComparison,
  kUnknownSpillRole,
  // Tensors
  kShapeNotPositive,
  kShapeWithoutPartitions,
  kTooManyPartitions,
  kTensorTooLarge,
  kAddressCount,
  kNegativeAddress,
  kDramAddressPartition,
  kAllocOnDram,
  kAllocAndAt,
  kAllocFuncWithoutAt,
  kUnknownAlloc,
  kAllocTooManyBlocks,
  kAllocTileCounts,
  kAllocAddressTooLarge,
  // Loops
  kLoopStepZero,
  kLoopsTooDeep,
  kEndWithoutLoop,
  kEndOfWrongLoop,
  kLoopNotClosed,
  // Operands and instructions
  kCountNotPositive,
  kModulusNotPositive,
  kOperandTooLarge,
  kMissingPartitions,
  kPartitionsOnDram,
  kMissingBlockIndex,
  kUnexpectedBlockIndex,
  kBlockIndexCount,
  kBlockOutsideTensor,
  kPartitionsOutsideTensor,
  kOperandOutsideTensor,
  kReinterpretationOutsideTensor,
  kWriteToInput,
  kWriteToConstant,
  kEngineCannotRead,
  kEngineCannotWrite,
  kSpillNotACopy,
  kOutputNeverWritten,
};

struct FaultRow {
  Fault fault;
  std::string_view code;  ///< stable, for example "duplicate-key"
  Kind kind;
  std::string_view meaning;  ///< one line for the documentation
};

/// Every fault once, in enum order.
std::span<const FaultRow> AllFaults();
const FaultRow& RowOf(Fault fault);

/// An error of that fault's code and kind, without file and line.
Error MakeError(Fault fault, std::string message);

}  // namespace spillway
