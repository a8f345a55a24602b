#include "properties/allocation_problem.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "properties/colouring_round.h"
#include "properties/kernel_choices.h"
#include "properties/random_kernel.h"

namespace spillway {
namespace {

const Target& TargetOf(std::uint8_t choice) {
  static const std::array<Target, 4> targets = {
      FindTarget("trn2").value(), FindTarget("trn1").value(), FindTarget("trn3").value(),
      FindTarget("inf1").value()};
  constexpr std::array<std::size_t, 16> kShares = {0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 3};
  return targets[kShares[choice % kShares.size()]];
}

// Banks that the tensor needs by itself, all of its blocks side by side.
std::int64_t BanksOf(const Tensor& tensor, const Target& target) {
  const Bytes bank = target.psum_bank_bytes;
  return RoundUp(BlockBytes(tensor), bank) / bank * BlockCount(tensor);
}

BankCount BanksFor(std::uint8_t choice, const Kernel& kernel, const Target& target) {
  const std::int64_t all = UsablePsumBanks(target).value;
  if (choice % 2 == 0) return BankCount(all);
  // Few kernels have more than three banks alive at once.
  constexpr std::int64_t kFew = 3;
  std::int64_t banks = 1 + choice / 2 % kFew;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.space == Space::kPsum) banks = std::max(banks, BanksOf(tensor, target));
  }
  return BankCount(std::min(banks, all));
}

std::uint64_t Scrambled(std::uint64_t x) {
  // The finaliser of SplitMix64.
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

const Hwm& ClosedFormFor(const Target& target) {
  thread_local std::map<std::string, std::unique_ptr<Hwm>> oracles;
  std::unique_ptr<Hwm>& oracle = oracles[target.name];
  if (oracle == nullptr) oracle = MakeClosedFormHwm(target);
  return *oracle;
}

Bytes CapacityBetween(const Kernel& kernel, const Target& target, std::uint8_t tightness) {
  const MemoryNeeds needs = NeedsOf(kernel, target.sbuf_granule);
  const std::int64_t room =
      std::max<std::int64_t>(0, (needs.peak - needs.largest_working_set).value);
  return needs.largest_working_set + Bytes(room * (255 - tightness) / 255);
}

AllocationProblem DecodeProblem(std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, kKnobBytes> header{};
  for (std::size_t i = 0; i < kKnobBytes && i < bytes.size(); ++i) header[i] = bytes[i];
  const ProblemKnobs knobs{header[0], header[1], header[2], header[3]};
  AllocationProblem problem;
  problem.target = TargetOf(knobs.target);
  const bool fixed = knobs.flags % 8 == 1;
  problem.kernel = DecodeKernel(
      bytes.subspan(std::min(bytes.size(), kKnobBytes)),
      {.fixed_tensors = fixed, .psum_partitions = problem.target.psum_partitions.value});
  problem.kernel.target = problem.target.name;
  problem.psum_banks = BanksFor(knobs.banks, problem.kernel, problem.target);
  problem.sbuf_bytes = CapacityBetween(problem.kernel, problem.target, knobs.tightness);
  if (fixed) problem.sbuf_bytes += kFixedTensorBytes;
  problem.sbuf_bytes = std::min<Bytes>(problem.sbuf_bytes, problem.target.sbuf_usable_bytes);
  return problem;
}

std::vector<std::uint8_t> ProblemBytes(std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint64_t kLongest = 60;
  const std::uint64_t own = Scrambled(seed + Scrambled(index + 1));
  const std::vector<std::uint8_t> choices = ChoiceBytesFromSeed(own, 1 + index % kLongest);
  // Two problems in five get no more than their largest instruction needs.
  const auto tightness = own % 5 < 2 ? std::uint8_t{255} : static_cast<std::uint8_t>(own >> 8);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(kKnobBytes + choices.size());
  for (const std::uint64_t knob : {std::uint64_t{tightness}, own >> 16, own >> 24, own >> 32}) {
    bytes.push_back(static_cast<std::uint8_t>(knob));
  }
  bytes.insert(bytes.end(), choices.begin(), choices.end());
  return bytes;
}

}  // namespace spillway
