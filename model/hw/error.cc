#include "model/hw/error.h"

#include <fmt/format.h>

namespace spillway {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kOutOfRange: return "out-of-range";
    case Kind::kPartitionRange: return "partition-range";
    case Kind::kStartPartition: return "start-partition";
    case Kind::kMisaligned: return "misaligned";
    case Kind::kOverlap: return "overlap";
    case Kind::kPsumBank: return "psum-bank";
    case Kind::kUninitializedRead: return "uninitialized-read";
    case Kind::kWrongValue: return "wrong-value";
    case Kind::kRace: return "race";
    case Kind::kDeadlock: return "deadlock";
    case Kind::kDataMismatch: return "data-mismatch";
    case Kind::kAccumulate: return "accumulate";
    case Kind::kMemorySpace: return "memory-space";
    case Kind::kShape: return "shape";
    case Kind::kInstructionWorkingSet: return "instruction-working-set";
    case Kind::kCapacity: return "capacity";
    case Kind::kSpillCap: return "spill-cap";
    case Kind::kChangedKernel: return "changed-kernel";
    case Kind::kAllocator: return "allocator";
    case Kind::kMixedAllocation: return "mixed-allocation";
    case Kind::kLifecycle: return "lifecycle";
    case Kind::kSyntax: return "syntax";
    case Kind::kUnknownName: return "unknown-name";
    case Kind::kDuplicateName: return "duplicate-name";
    case Kind::kLimit: return "limit";
    case Kind::kFile: return "file";
  }
  return "unknown";
}

std::string Error::ToString() const {
  std::string where = file;
  if (line > 0) where += fmt::format(":{}", line);
  if (!where.empty()) where += ": ";
  return fmt::format("{}error: {} [{}/{}]", where, message, KindName(kind), code);
}

void ThrowContractViolation(const char* expression, const char* file, int line,
                            std::string_view detail) {
  throw ContractViolation(
      fmt::format("{}:{}: contract violated: {} ({})", file, line, expression, detail));
}

}  // namespace spillway
