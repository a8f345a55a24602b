// The judges of an allocation under one name each, so that drivers can count who finds what.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/error.h"
#include "model/hw/target.h"

namespace spillway {

enum class JudgeId {
  kLegality,   ///< bounds, partitions, alignment, PSUM banks, accumulation groups
  kOverlap,    ///< live tensors that share bytes, by the checker's own liveness
  kDataflow,   ///< every operand finds the program's bytes, followed through spill code and homes
  kEquations,  ///< the same backwards: equations walked from each use to its definition
  kReachingWriter,  ///< the unrolled run, each byte with who made it; compared with the original's
  kRaces,           ///< the lowered program's waits against its accesses, by vector clocks
  kShadow,          ///< the unrolled run on one scratchpad, each byte with the element it holds
  kExecution,       ///< the machine's run with poisoned memory, against the reference's outputs
  kStreaming,       ///< the same where instructions read and write element by element
  kTiming,          ///< the same at other times: slow streams, late samples, early landings, jitter
  kRelations,  ///< asked by name alone: the built-in colourer on this kernel and on ones made from
               ///< it
  kProgress,   ///< not asked: the allocator threw, crashed, hung or refused without a good reason
};

/// Stable spelling: "legality", …
std::string_view JudgeName(JudgeId judge);
/// Every judge of allocations, static ones first, each kind from the quickest to the slowest.
const std::vector<JudgeId>& AllJudges();
/// The same and those that are only asked by name, at the end.
const std::vector<JudgeId>& NamedJudges();
/// Whether the judge looks at the code alone and never executes it.
bool IsStatic(JudgeId judge);

/// What a judge found, with the key under which equal failures are kept together.
struct Finding {
  JudgeId judge = JudgeId::kLegality;
  Kind kind = Kind::kOverlap;
  std::string place;  ///< the tensor, or the instruction's operation, concerned
  std::string text;   ///< for a person
  /// What a smaller kernel with the same fault still has: the memory and the operations, with their
  /// role in spilling, at both ends of the violation. Empty where the judge can't say.
  std::string site = {};
};

/// An allocator's answer beside what it was asked.
struct Allocated {
  const Kernel* original = nullptr;  ///< as its author wrote it
  const Kernel* kernel = nullptr;    ///< the function that runs, spill code in place
  const Placement* placement = nullptr;
  const Target* target = nullptr;
  Bytes sbuf_bytes;                     ///< capacity per partition that the allocator was given
  std::optional<BankCount> psum_banks;  ///< fewer than the target's
};

/// Judges one allocation. What several judges need (linear form, lowered program, reference
/// outputs) is made once, when the first of them asks. The values behind `allocated` must outlive
/// this.
class JudgedCase {
 public:
  explicit JudgedCase(const Allocated& allocated);
  ~JudgedCase();

  /// All findings of `judge`; empty: no objection.
  std::vector<Finding> Ask(JudgeId judge);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace spillway
