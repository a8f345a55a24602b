// An allocation problem from any bytes: a kernel, a target, and how much of it there is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/hwm.h"
#include "model/hw/target.h"

namespace spillway {

struct AllocationProblem {
  Kernel kernel;
  Target target;
  Bytes sbuf_bytes;  ///< of each partition, at least what the largest instruction needs
  BankCount psum_banks;
};

/// The knobs of a problem, in front of its choices; all zero: trn2 with all of its memory.
struct ProblemKnobs {
  std::uint8_t tightness = 0;  ///< 0: room for the peak; 255: for the largest instruction alone
  std::uint8_t banks = 0;      ///< mostly all of them
  std::uint8_t target = 0;     ///< mostly trn2
  std::uint8_t flags = 0;      ///< in one of eight, tensors that their author placed
};
inline constexpr std::size_t kKnobBytes = 4;

/// Total: every byte string is a problem; what is missing is 0. The first four bytes are the knobs,
/// the rest choices (kernel_choices.h).
AllocationProblem DecodeProblem(std::span<const std::uint8_t> bytes);

/// Bytes of problem `index` of the run `seed`: the same on every machine. Lengths climb from 1 to
/// 60 choices and begin anew, since long kernels find more and short ones read better.
std::vector<std::uint8_t> ProblemBytes(std::uint64_t seed, std::uint64_t index);

/// Bytes per partition between what the largest instruction of `kernel` needs and what its peak
/// does, by `tightness`.
Bytes CapacityBetween(const Kernel& kernel, const Target& target, std::uint8_t tightness);

/// The compiler's closed form for `target`, made once a generation and thread.
const Hwm& ClosedFormFor(const Target& target);

}  // namespace spillway
