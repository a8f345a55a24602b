// What an allocator is to the judges: a name, and a function from a kernel to its allocation.
#pragma once

#include <memory>
#include <string>

#include "model/alloc/allocate.h"

namespace spillway {

/// An allocator under test; write a class of yours to have it judged.
class Allocator {
 public:
  Allocator() = default;
  virtual ~Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// As reports show it.
  virtual std::string name() const = 0;

  /// `kernel` with spill code in place, and an address a block for every accessed SBUF and PSUM
  /// tensor and for every internal DRAM tensor (`WithHomes` places those). An address that the
  /// author gave stays unless `options.reallocate`. Judges trust no figure of it: they look at the
  /// kernel and the placement alone. The same arguments give the same answer, and several threads
  /// may ask at once.
  /// Errors: kCapacity, kInstructionWorkingSet, kSpillCap, kLimit where it can't be allocated;
  /// kAllocator where the allocator itself failed, which is a failure and no refusal.
  virtual Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& hwm,
                                      const AllocateOptions& options) const = 0;
};

/// The loop-aware colourer, "coloring": `Allocate` of allocate.h.
std::unique_ptr<Allocator> MakeColoringAllocator();

}  // namespace spillway
