// Every fault that the judges are measured with: what it does, where, and who is expected to see
// it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

enum class FaultStatus {
  kSeam,        ///< planted by SPILLWAY_FAULT in the real code
  kEquivalent,  ///< planted too, but changes nothing that a user could call wrong: `note` argues
  kNoCode,      ///< what it would break doesn't exist yet: `note` says what it waits for
};

/// Where the input that shows a fault comes from.
enum class FaultInput {
  kKernels,   ///< random kernels that are allocated
  kRotating,  ///< hand-placed kernels with rotating buffers
  kBatches,   ///< no allocation of a kernel shows it: geometry, programs, the named tests
  kJudges,    ///< a fault of a judge: known-bad allocations, which must stay rejected
  kStack,     ///< random kernels that the stack allocator places, in no more room than it needs
};

/// A row of the mutation suite. Source: verification.md §3.3; the ids are that list's. Rows "N…"
/// are the project's own and stand behind the list: the NKI surface, with the defects of
/// nki_kernels_and_issues.md 3.2, the rings of kernels, and from N80 on what ts_pipelines.md §14,
/// relation 12, asks for beyond D11 to D14.
struct FaultRow {
  std::string_view id;
  int variants;               ///< 0: the row is one fault; else "id.0" to "id.<variants - 1>"
  std::string_view what;      ///< what it does, in one sentence
  std::string_view where;     ///< the file with the seam
  std::string_view expected;  ///< the judges that the list names
  FaultInput input;
  std::string_view tests;  ///< GoogleTest executables that look at that code, separated by spaces
  FaultStatus status;
  std::string_view note;  ///< the argument, or what the row waits for
};

/// The rows in the order of the list, the project's own behind it.
std::span<const FaultRow> FaultCatalogue();
/// The ids that can be planted, each variant of a row by itself.
std::vector<std::string> PlantableFaults();
/// The row of "A1" or "B10.17"; null: there is none.
const FaultRow* FindFault(std::string_view id);

}  // namespace spillway
