// The whole allocator in order: PSUM, then SBUF, then the spill homes in DRAM.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/sbuf/allocate_sbuf.h"

namespace spillway {

struct AllocateOptions {
  std::optional<Bytes> sbuf_bytes;      ///< fewer than the target's usable bytes per partition
  std::optional<BankCount> psum_banks;  ///< fewer than the target's banks
  bool reallocate = false;              ///< ignore the addresses that the kernel gives
  std::function<void(const std::string&)> progress;  ///< may be empty
  std::int64_t attempts = 1;  ///< orders that the colourer tries in each iteration: ColourBest
};

struct Allocation {
  Kernel kernel;        ///< the function that runs: spill code in place
  Placement placement;  ///< SBUF, PSUM and internal DRAM tensors
  SbufStats sbuf;
  std::int64_t psum_spilled = 0;
  BankCount psum_peak_banks;  ///< most that hold something alive at one point
  Bytes dram_spill_bytes;
  Bytes dram_high_water_bytes;
  std::vector<std::string> messages;  ///< the seed's phrases, in the order of the passes
};

/// Errors: those of AllocatePsum, AllocateSbuf and AllocateDram.
/// Source: colorer.md §1 (driver).
Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& hwm,
                            const AllocateOptions& options);

}  // namespace spillway
