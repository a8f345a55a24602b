// A kernel and what an allocator made of it, side by side.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/check/equations.h"
#include "tests/unit/check/test_kernel.h"

namespace spillway {

/// The original has its tensors without places; the allocated function names them as it likes, each
/// with its places. Both get their instructions one by one.
struct SpillPair {
  TestKernel original;
  TestKernel allocated;
  Placement placement;

  /// A tensor that both functions have.
  struct Both {
    TensorId original;
    TensorId allocated;
  };
  Both Add(Space space, const std::string& name, std::int64_t partitions, std::int64_t bytes,
           std::vector<Address> at, std::vector<std::int64_t> blocks = {}) {
    const TensorId theirs = AddCopy(space, name, partitions, bytes, std::move(at), blocks);
    return {original.Add(space, name, partitions, bytes, std::move(blocks)), theirs};
  }
  Both Sbuf(const std::string& name, std::int64_t byte, std::int64_t partitions = 128,
            std::int64_t bytes = 4) {
    return Add(Space::kSbuf, name, partitions, bytes, {Place(0, byte)});
  }
  /// A tensor of the allocated function alone.
  TensorId AddCopy(Space space, const std::string& name, std::int64_t partitions,
                   std::int64_t bytes, std::vector<Address> at,
                   std::vector<std::int64_t> blocks = {}) {
    placement.addresses.push_back(std::move(at));
    return allocated.Add(space, name, partitions, bytes, std::move(blocks));
  }
  TensorId Copy(const std::string& name, std::int64_t byte, std::int64_t partitions = 128,
                std::int64_t bytes = 4) {
    return AddCopy(Space::kSbuf, name, partitions, bytes, {Place(0, byte)});
  }
  TensorId Home(const std::string& name, std::int64_t byte, std::int64_t bytes = 512) {
    return AddCopy(Space::kDram, name, 0, bytes, {Place(0, byte)});
  }
  /// 512 bytes of DRAM that nobody writes.
  Both Input(const std::string& name) {
    const Both both = Add(Space::kDram, name, 0, 512, {});
    original.tensor(both.original).role = Role::kInput;
    allocated.tensor(both.allocated).role = Role::kInput;
    return both;
  }

  LoopId Open(std::int64_t trips, LoopKind kind = LoopKind::kSequential) {
    original.Open(trips, kind);
    return allocated.Open(trips, kind);
  }
  void Close() {
    original.Close();
    allocated.Close();
  }
  /// "work" on both sides, on a part of `ours` that lies in `theirs`.
  void Write(TensorId ours, TensorId theirs, const Part& part = {},
             const std::vector<Predicate>& when = {}) {
    original.Op({original.At(ours, part)}, {}, "work").when = when;
    allocated.Op({allocated.At(theirs, part)}, {}, "work").when = when;
  }
  void Write(const Both& both, const Part& part = {}, const std::vector<Predicate>& when = {}) {
    Write(both.original, both.allocated, part, when);
  }
  void Read(TensorId ours, TensorId theirs, const Part& part = {},
            const std::vector<Predicate>& when = {}) {
    original.Op({}, {original.At(ours, part)}, "work").when = when;
    allocated.Op({}, {allocated.At(theirs, part)}, "work").when = when;
  }
  void Read(const Both& both, const Part& part = {}, const std::vector<Predicate>& when = {}) {
    Read(both.original, both.allocated, part, when);
  }
  /// Spill code: a reload if `from` lies in DRAM.
  Instruction& Move(Operand from, Operand to) {
    Instruction& copy = allocated.Op({std::move(to)}, {std::move(from)}, "dma_copy");
    const bool reload = allocated.tensor(copy.inputs[0].operands[0].tensor).space == Space::kDram;
    copy.spill = reload ? SpillRole::kReload : SpillRole::kSave;
    return copy;
  }
  Instruction& Move(TensorId from, TensorId to) {
    return Move(allocated.At(from), allocated.At(to));
  }
  /// A load that the original has and, where `theirs` is given, the allocated function too.
  void Load(const Both& input, TensorId ours, std::vector<TensorId> theirs, const Part& part = {}) {
    original.Op({original.At(ours)}, {original.At(input.original, part)}, "dma_copy");
    for (const TensorId t : theirs) {
      allocated.Op({allocated.At(t)}, {allocated.At(input.allocated, part)}, "dma_copy");
    }
  }

  CheckResult Result() {
    return CheckEquations(original.kernel(), allocated.Linear(), placement,
                          FindTarget("trn2").value());
  }
  /// Kinds of all violations.
  std::vector<Kind> Found() {
    std::vector<Kind> kinds;
    for (const Violation& violation : Result().violations) kinds.push_back(violation.kind);
    return kinds;
  }
};

}  // namespace spillway
