// What a user can cause comes back as a value; what we broke ourselves throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace spillway {

/// Stable kinds of violations and errors: JSON, messages and tests name them by `KindName`.
enum class Kind {
  kOutOfRange,             ///< bytes beyond the usable partition
  kPartitionRange,         ///< past the last partition
  kStartPartition,         ///< the 0/32/64/96 rule
  kMisaligned,             ///< not on the granule that the target asks for
  kOverlap,                ///< two live tensors share bytes and partitions
  kPsumBank,               ///< a tile crosses a bank, or a bank that doesn't exist
  kUninitializedRead,      ///< reads bytes that nothing wrote
  kWrongValue,             ///< a use reads another definition than the program's
  kRace,                   ///< unordered conflicting accesses
  kDeadlock,               ///< the machine stopped with work left
  kDataMismatch,           ///< simulated bytes differ from the reference
  kAccumulate,             ///< accumulation onto a bank that no matmul opened
  kMemorySpace,            ///< an engine can't reach the space, or the operation needs another
  kShape,                  ///< operands that don't match, or reach outside their tensor
  kInstructionWorkingSet,  ///< one instruction's operands exceed the memory
  kCapacity,               ///< it doesn't fit, and spilling can't help
  kSpillCap,               ///< more reload copies than the cap
  kChangedKernel,          ///< an allocated kernel that isn't the author's program any more
  kAllocator,              ///< an allocator under test that failed: crash, time, unreadable answer
  kMixedAllocation,        ///< automatic and direct allocation in one kernel
  kLifecycle,              ///< a call out of its order, or an answer that changed between calls
  kSyntax,                 ///< a file that doesn't follow its format
  kUnknownName,            ///< a name that nothing declares
  kDuplicateName,          ///< a name declared twice
  kLimit,                  ///< a size limit of the format or the tool
  kFile,                   ///< a file that can't be opened, read or written
};

/// The stable spelling, for example "start-partition".
std::string_view KindName(Kind kind);

/// Why something could not be done. `code` is stable and unique per cause.
struct Error {
  Kind kind = Kind::kSyntax;
  std::string code;       ///< for example "operand-outside-tensor"
  std::string message;    ///< for a person: names, numbers, and what would help
  std::string file;       ///< empty where no file is involved
  std::int64_t line = 0;  ///< 1-based; 0 where no line is involved

  /// "file:line: error: message [kind/code]", without the parts that don't apply.
  std::string ToString() const;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

/// Thrown by SPILLWAY_CHECK: a bug of this project, so that a property run can shrink it.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void ThrowContractViolation(const char* expression, const char* file, int line,
                                         std::string_view detail);

}  // namespace spillway

/// SPILLWAY_CHECK(condition, "detail"): throws ContractViolation unless the condition holds.
#define SPILLWAY_CHECK(condition, detail)                                                         \
  do {                                                                                            \
    if (!(condition)) ::spillway::ThrowContractViolation(#condition, __FILE__, __LINE__, detail); \
  } while (false)
