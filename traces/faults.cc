#include "traces/faults.h"

#include <array>
#include <utility>

namespace spillway {
namespace {

constexpr std::array kRows = {
    FaultRow{Fault::kFileNotOpened, "file-not-opened", Kind::kFile, "the file can't be opened"},
    FaultRow{Fault::kFileUnreadable, "file-unreadable", Kind::kFile, "reading the file fails"},
    FaultRow{Fault::kZstdCorrupt, "zstd-corrupt", Kind::kSyntax, "the compressed stream is broken"},
    FaultRow{Fault::kZstdTruncated, "zstd-truncated", Kind::kSyntax,
             "the compressed stream stops inside a frame"},
    FaultRow{Fault::kEmptyFile, "empty-file", Kind::kSyntax, "the file has no line"},
    FaultRow{Fault::kLineTooLong, "line-too-long", Kind::kLimit, "a line of more than 1 MiB"},
    FaultRow{Fault::kTooManyLines, "too-many-lines", Kind::kLimit, "more than 100 million lines"},
    FaultRow{Fault::kFileTooLong, "file-too-long", Kind::kLimit,
             "more than 16 GiB of lines, decompressed"},
    FaultRow{Fault::kNotUtf8, "not-utf8", Kind::kSyntax, "a line that isn't UTF-8"},
    FaultRow{Fault::kEmptyLine, "empty-line", Kind::kSyntax, "a line without an object"},

    FaultRow{Fault::kMalformedJson, "malformed-json", Kind::kSyntax, "a line that isn't JSON"},
    FaultRow{Fault::kTrailingGarbage, "trailing-garbage", Kind::kSyntax,
             "something follows the line's object"},
    FaultRow{Fault::kNestedTooDeep, "nested-too-deep", Kind::kLimit,
             "lists or objects nest too deep"},
    FaultRow{Fault::kDuplicateKey, "duplicate-key", Kind::kSyntax, "an object has a key twice"},
    FaultRow{Fault::kLineNotAnObject, "line-not-an-object", Kind::kSyntax,
             "a line holds another JSON value"},

    FaultRow{Fault::kUnknownLine, "unknown-line", Kind::kSyntax,
             "an object that is none of the five kinds of lines"},
    FaultRow{Fault::kMissingHeader, "missing-header", Kind::kSyntax,
             "the first line isn't the header"},
    FaultRow{Fault::kHeaderNotFirst, "header-not-first", Kind::kSyntax,
             "a header after the first line"},
    FaultRow{Fault::kUnknownVersion, "unknown-version", Kind::kSyntax,
             "a version that this reader doesn't know"},
    FaultRow{Fault::kUnknownKey, "unknown-key", Kind::kSyntax,
             "a key that the format doesn't have there"},
    FaultRow{Fault::kMissingKey, "missing-key", Kind::kSyntax, "a required key is absent"},
    FaultRow{Fault::kWrongType, "wrong-type", Kind::kSyntax, "a value of another JSON type"},
    FaultRow{Fault::kWrongLength, "wrong-length", Kind::kSyntax, "a list of another length"},
    FaultRow{Fault::kNotAnInteger, "not-an-integer", Kind::kSyntax,
             "floating point where an integer is needed"},
    FaultRow{Fault::kNumberOutOfRange, "number-out-of-range", Kind::kLimit,
             "a number beyond the bounds of its key"},
    FaultRow{Fault::kEmptyName, "empty-name", Kind::kSyntax, "an empty name"},

    FaultRow{Fault::kDuplicateTensor, "duplicate-tensor", Kind::kDuplicateName,
             "two tensors of one name"},
    FaultRow{Fault::kDuplicateLoop, "duplicate-loop", Kind::kDuplicateName,
             "two open loops of one name"},
    FaultRow{Fault::kReservedLoopName, "reserved-loop-name", Kind::kSyntax,
             "a loop named c or mod, which index expressions use"},
    FaultRow{Fault::kUnknownTensor, "unknown-tensor", Kind::kUnknownName,
             "an operand of a tensor that no line declared before"},
    FaultRow{Fault::kUnknownLoop, "unknown-loop", Kind::kUnknownName,
             "an index over a loop that isn't open"},
    FaultRow{Fault::kUnknownDtype, "unknown-dtype", Kind::kUnknownName,
             "an element type that the format doesn't have"},
    FaultRow{Fault::kUnknownSpace, "unknown-space", Kind::kUnknownName,
             "a memory that the format doesn't have"},
    FaultRow{Fault::kUnknownRole, "unknown-role", Kind::kUnknownName,
             "a role that the format doesn't have"},
    FaultRow{Fault::kUnknownEngine, "unknown-engine", Kind::kUnknownName,
             "an engine that the format doesn't have"},
    FaultRow{Fault::kUnknownLoopKind, "unknown-loop-kind", Kind::kUnknownName,
             "a loop kind that the format doesn't have"},
    FaultRow{Fault::kUnknownComparison, "unknown-comparison", Kind::kUnknownName,
             "a comparison that the format doesn't have"},
    FaultRow{Fault::kUnknownSpillRole, "unknown-spill-role", Kind::kUnknownName,
             "an attribute spill other than save and reload"},

    FaultRow{Fault::kShapeNotPositive, "shape-not-positive", Kind::kShape, "a dimension below 1"},
    FaultRow{Fault::kShapeWithoutPartitions, "shape-without-partitions", Kind::kShape,
             "an on-chip tensor without a partition dimension"},
    FaultRow{Fault::kTooManyPartitions, "too-many-partitions", Kind::kPartitionRange,
             "an on-chip tensor of more than 128 partitions"},
    FaultRow{Fault::kTensorTooLarge, "tensor-too-large", Kind::kLimit,
             "a tensor of more than 1 TiB"},
    FaultRow{Fault::kAddressCount, "address-count", Kind::kShape, "not one address a block"},
    FaultRow{Fault::kNegativeAddress, "negative-address", Kind::kSyntax,
             "a negative partition or byte"},
    FaultRow{Fault::kDramAddressPartition, "dram-address-partition", Kind::kSyntax,
             "a DRAM address with a partition other than 0"},
    FaultRow{Fault::kAllocOnDram, "alloc-on-dram", Kind::kMemorySpace,
             "an allocation function of a DRAM tensor"},
    FaultRow{Fault::kAllocAndAt, "alloc-and-at", Kind::kSyntax,
             "a tensor with both a modulo allocation and at"},
    FaultRow{Fault::kAllocFuncWithoutAt, "alloc-func-without-at", Kind::kSyntax,
             "a custom function without the addresses that it gave"},
    FaultRow{Fault::kUnknownAlloc, "unknown-alloc", Kind::kUnknownName,
             "an allocation other than func and mod_alloc"},
    FaultRow{Fault::kAllocTooManyBlocks, "alloc-too-many-blocks", Kind::kLimit,
             "a modulo allocation of more than 2^18 blocks"},
    FaultRow{Fault::kAllocTileCounts, "alloc-tile-counts", Kind::kShape,
             "tile counts below 1, or neither () nor one a block dimension"},
    FaultRow{Fault::kAllocAddressTooLarge, "alloc-address-too-large", Kind::kLimit,
             "a modulo allocation that leaves 2^40 bytes"},

    FaultRow{Fault::kLoopStepZero, "loop-step-zero", Kind::kSyntax, "a loop that never advances"},
    FaultRow{Fault::kLoopsTooDeep, "loops-too-deep", Kind::kLimit, "more than 64 open loops"},
    FaultRow{Fault::kEndWithoutLoop, "end-without-loop", Kind::kSyntax,
             "an end while no loop is open"},
    FaultRow{Fault::kEndOfWrongLoop, "end-of-wrong-loop", Kind::kSyntax,
             "an end that doesn't name the innermost loop"},
    FaultRow{Fault::kLoopNotClosed, "loop-not-closed", Kind::kSyntax,
             "the file stops inside a loop"},

    FaultRow{Fault::kCountNotPositive, "count-not-positive", Kind::kShape,
             "a pattern count below 1"},
    FaultRow{Fault::kModulusNotPositive, "modulus-not-positive", Kind::kSyntax, "a mod below 1"},
    FaultRow{Fault::kOperandTooLarge, "operand-too-large", Kind::kLimit,
             "a pattern of more than 2^40 elements"},
    FaultRow{Fault::kMissingPartitions, "missing-partitions", Kind::kShape,
             "an on-chip operand without p"},
    FaultRow{Fault::kPartitionsOnDram, "partitions-on-dram", Kind::kShape, "a DRAM operand with p"},
    FaultRow{Fault::kMissingBlockIndex, "missing-block-index", Kind::kShape,
             "a tensor with blocks used without b"},
    FaultRow{Fault::kUnexpectedBlockIndex, "unexpected-block-index", Kind::kShape,
             "b on a tensor without blocks"},
    FaultRow{Fault::kBlockIndexCount, "block-index-count", Kind::kShape,
             "not one index a block dimension"},
    FaultRow{Fault::kBlockOutsideTensor, "block-outside-tensor", Kind::kShape,
             "a block index beyond the blocks"},
    FaultRow{Fault::kPartitionsOutsideTensor, "partitions-outside-tensor", Kind::kShape,
             "operand partitions beyond the tensor's"},
    FaultRow{Fault::kOperandOutsideTensor, "operand-outside-tensor", Kind::kShape,
             "operand elements beyond the tensor's"},
    FaultRow{Fault::kReinterpretationOutsideTensor, "reinterpretation-outside-tensor", Kind::kShape,
             "elements of another type beyond the tensor's bytes"},
    FaultRow{Fault::kWriteToInput, "write-to-input", Kind::kSyntax,
             "an instruction writes an input"},
    FaultRow{Fault::kWriteToConstant, "write-to-constant", Kind::kSyntax,
             "an instruction writes a constant"},
    FaultRow{Fault::kEngineCannotRead, "engine-cannot-read", Kind::kMemorySpace,
             "an input in a memory that the engine can't read"},
    FaultRow{Fault::kEngineCannotWrite, "engine-cannot-write", Kind::kMemorySpace,
             "an output in a memory that the engine can't write"},
    FaultRow{Fault::kSpillNotACopy, "spill-not-a-copy", Kind::kShape,
             "spill code other than a copy of one operand to another of as many bytes"},
    FaultRow{Fault::kOutputNeverWritten, "output-never-written", Kind::kSyntax,
             "no instruction writes an output"},
};

}  // namespace

std::span<const FaultRow> AllFaults() { return kRows; }

const FaultRow& RowOf(Fault fault) {
  const auto index = static_cast<std::size_t>(fault);
  SPILLWAY_CHECK(index < kRows.size() && kRows[index].fault == fault, "rows stand in enum order");
  return kRows[index];
}

Error MakeError(Fault fault, std::string message) {
  const FaultRow& row = RowOf(fault);
  return {row.kind, std::string(row.code), std::move(message), {}, 0};
}

}  // namespace spillway
