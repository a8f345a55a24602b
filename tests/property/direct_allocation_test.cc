// Directly allocated kernels: what verification lets pass runs without an overlap, a race or wrong
// data, and what would run wrong was reported before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/without_places.h"
#include "model/alloc/nki/allocate.h"
#include "model/alloc/nki/check_tile_lifetimes.h"
#include "properties/judge.h"
#include "properties/rapidcheck_kernels.h"
#include "properties/rotating_kernel.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

std::int64_t Up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

// Allocation functions for a kernel's tensors, from any bytes: side by side mostly, each by a law
// of random depth or by a function of its own.
class Author {
 public:
  Author(const Kernel& kernel, const Target& target, std::vector<std::uint8_t> bytes)
      : kernel_(kernel), target_(target), bytes_(std::move(bytes)) {}

  nki::Assignments Assign() {
    nki::Assignments all;
    for (const Tensor& tensor : kernel_.tensors) {
      if (tensor.space == Space::kSbuf) all.emplace(tensor.name, Sbuf(tensor));
      if (tensor.space == Space::kPsum) all.emplace(tensor.name, Psum(tensor));
    }
    return all;
  }

 private:
  std::uint8_t Next() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }
  bool OneIn(int n) { return Next() % n == n - 1; }

  // As many physical tiles as blocks, or in half of the dimensions perhaps fewer.
  std::vector<std::int64_t> Depths(const Tensor& tensor, std::int64_t& product) {
    std::vector<std::int64_t> depths;
    product = 1;
    for (const std::int64_t blocks : tensor.blocks) {
      depths.push_back(OneIn(2) ? 1 + Next() % blocks : blocks);
      product *= depths.back();
    }
    return depths;
  }

  nki::AllocFunc Sbuf(const Tensor& tensor) {
    std::int64_t tiles = 1;
    const std::vector<std::int64_t> depths = Depths(tensor, tiles);
    const std::int64_t size = BlockBytes(tensor).value;
    // Any byte is legal; one in eight lies on an earlier tensor.
    std::int64_t base = OneIn(4) ? end_ + Next() % 7 : Up(end_, target_.sbuf_granule.value.value);
    if (OneIn(8) && end_ > 0) base = Next() * 64 % end_;
    end_ = std::max(end_, base + size * tiles);
    if (OneIn(3)) {
      const std::vector<Partition> starts = LegalStartPartitions(Partitions(tensor));
      const Partition start = starts.empty() ? Partition(0) : starts[Next() % starts.size()];
      end_ = std::max(end_, base + size * BlockCount(tensor));
      return nki::SbufAllocFunc{
          [=, shape = tensor.blocks](std::span<const std::int64_t> idx, PartitionCount, Bytes) {
            return std::vector<std::int64_t>{start.value, base + size * Number(idx, shape)};
          }};
    }
    return nki::SbufModuloAllocFunc{
        ModuloLaw{.base_addr = ByteOffset(base), .num_free_tiles = depths}};
  }

  nki::AllocFunc Psum(const Tensor& tensor) {
    std::int64_t tiles = 1;
    const std::vector<std::int64_t> depths = Depths(tensor, tiles);
    const std::int64_t banks = UsablePsumBanks(target_).value;
    if (bank_ + tiles > banks || OneIn(8)) bank_ = 0;
    const std::int64_t base = bank_;
    bank_ = (bank_ + tiles) % banks;
    if (OneIn(3)) {
      return nki::PsumAllocFunc{
          [=, shape = tensor.blocks](std::span<const std::int64_t> idx, PartitionCount, Bytes) {
            return std::vector<std::int64_t>{(base + Number(idx, shape)) % banks, 0, 0};
          }};
    }
    return nki::PsumModuloAllocFunc{ModuloLaw{.base_bank = BankId(base), .num_bank_tiles = depths}};
  }

  static std::int64_t Number(std::span<const std::int64_t> idx,
                             const std::vector<std::int64_t>& shape) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + idx[d];
    return number;
  }

  const Kernel& kernel_;
  const Target& target_;
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::int64_t end_ = 0;
  std::int64_t bank_ = 0;
};

// A kernel as its author placed it, or what stands against the functions.
struct Written {
  Kernel original;
  Target target;
  std::vector<Violation> broken_rules;
  Kernel placed;
  Placement placement;
};

Target AnyTarget() {
  static const std::vector<std::string> kTargets = {"trn1", "trn2", "trn3"};
  return FindTarget(kTargets[*AnyByte() % kTargets.size()]).value();
}

Written Place(Kernel original, Target target, const nki::Assignments& assignments) {
  Written written{std::move(original), std::move(target), {}, {}, {}};
  nki::Verified<Kernel> placed =
      nki::Allocate(written.original, assignments, written.target, nki::AllocationLimits{});
  if (!placed) {
    written.broken_rules = std::move(placed.error());
    return written;
  }
  written.placed = *std::move(placed);
  written.placement = FixedPlacement(written.placed);
  return written;
}

Written AnyWritten(const KernelCase& c, bool wide) {
  Kernel original = c.Decode();
  Target target = AnyTarget();
  const nki::Assignments assignments =
      Author(original, target, *AnyBytes(wide ? 120 : 60)).Assign();
  return Place(std::move(original), std::move(target), assignments);
}

// A software pipeline, whose author knows how many tiles its skew asks for, but sometimes counts
// one too few. Random depths under random loops seldom rotate and are right.
Written AnyPipeline() {
  const Kernel pipeline = DecodeRotating(*AnyBytes(12)).kernel;
  nki::Assignments assignments;
  std::int64_t end = 0;
  for (const Tensor& tensor : pipeline.tensors) {
    if (tensor.space != Space::kSbuf) continue;
    const std::uint8_t choice = *AnyByte();
    std::int64_t tiles = tensor.alloc.value().num_free_tiles.front();
    if (choice % 8 == 7) --tiles;
    // Any byte is legal.
    const std::int64_t base = end + choice / 16 % 4;
    end = base + BlockBytes(tensor).value * tiles;
    if (choice / 64 == 3) {
      assignments.emplace(tensor.name, nki::SbufAllocFunc{[=](std::span<const std::int64_t> idx,
                                                              PartitionCount, Bytes size) {
                            return std::vector<std::int64_t>{0, base + idx[0] % tiles * size.value};
                          }});
    } else {
      assignments.emplace(tensor.name,
                          nki::SbufModuloAllocFunc{
                              ModuloLaw{.base_addr = ByteOffset(base), .num_free_tiles = {tiles}}});
    }
  }
  return Place(WithoutPlaces(pipeline), AnyTarget(), assignments);
}

// Everything that `spillway check` asks before anything runs.
std::string Verify(const Written& written, JudgedCase& judged) {
  std::string text;
  for (const JudgeId judge : {JudgeId::kLegality, JudgeId::kOverlap, JudgeId::kDataflow}) {
    for (const Finding& finding : judged.Ask(judge))
      text += fmt::format("{}: {}\n", JudgeName(judge), finding.text);
  }
  const CheckResult tiles =
      nki::CheckTileLifetimes(Linearize(written.placed), written.placement, written.target);
  for (const Violation& violation : tiles.violations) text += violation.text + "\n";
  return text;
}

// What the run shows: each byte's writer, the waits, and the machine's data against the reference.
std::string RunOf(JudgedCase& judged) {
  std::string text;
  for (const JudgeId judge : {JudgeId::kReachingWriter, JudgeId::kRaces, JudgeId::kExecution}) {
    for (const Finding& finding : judged.Ask(judge))
      text += fmt::format("{}: {}\n", JudgeName(judge), finding.text);
    // The first that objects is enough, and a run of wrong values is the longest.
    if (!text.empty()) break;
  }
  return text;
}

struct Touches {
  bool sbuf = false;
  bool psum = false;
  bool rotates = false;  // several blocks of a tensor lie at one place
};

Touches TouchesOf(const Kernel& kernel) {
  Touches touches;
  for (const Tensor& tensor : kernel.tensors) {
    touches.sbuf |= tensor.space == Space::kSbuf;
    touches.psum |= tensor.space == Space::kPsum;
    for (std::size_t b = 1; b < tensor.at.size(); ++b)
      touches.rotates |= tensor.at[b] == tensor.at[0];
  }
  return touches;
}

TEST(DirectAllocation, ThatIsVerifiedRunsWithoutOverlapRaceOrWrongData) {
  Shares shares;
  CheckProperty("verified runs right", 600, [&](const KernelCase& c) {
    const Written written = *AnyByte() % 5 == 4 ? AnyPipeline() : AnyWritten(c, true);
    shares.Case();
    const bool rules = !written.broken_rules.empty();
    shares.Count("a rule broken", rules);
    for (const Violation& violation : written.broken_rules)
      RC_ASSERT(!violation.text.empty() && !violation.tensors.empty());
    if (rules) return;
    JudgedCase judged({&written.original, &written.placed, &written.placement, &written.target,
                       written.target.sbuf_usable_bytes, std::nullopt});
    const std::string reported = Verify(written, judged);
    const std::string wrong = RunOf(judged);
    if (reported.empty() && !wrong.empty()) RC_FAIL("verified, and yet\n" + wrong);
    const bool verified = reported.empty();
    const Touches touches = TouchesOf(written.placed);
    shares.Count("verified", verified);
    shares.Count("verified with psum", verified && touches.psum);
    shares.Count("verified and rotating", verified && touches.rotates);
    shares.Count("wrong and reported", !wrong.empty());
    for (const char* name : {"trn1", "trn2", "trn3"})
      shares.Count(std::string("verified on ") + name, verified && written.target.name == name);
  });
  shares.AtLeast("verified", 20);
  shares.AtLeast("verified with psum", 5);
  shares.AtLeast("verified and rotating", 8);
  shares.AtLeast("wrong and reported", 10);
  for (const char* name : {"trn1", "trn2", "trn3"})
    shares.AtLeast(std::string("verified on ") + name, 4);
}

// One block of a verified allocation moves onto another tensor's place, at a byte or a bank that is
// legal by itself: wherever the run would differ, verification says so.
TEST(DirectAllocation, WhoseTilesAreMovedOntoOthersIsReportedWhereverItRunsWrong) {
  Shares shares;
  CheckProperty("moved tiles", 600, [&](const KernelCase& c) {
    Written written = AnyWritten(c, false);
    if (!written.broken_rules.empty()) return;
    {
      JudgedCase judged({&written.original, &written.placed, &written.placement, &written.target,
                         written.target.sbuf_usable_bytes, std::nullopt});
      if (!Verify(written, judged).empty()) return;
    }
    const Space space = *AnyByte() % 2 == 0 ? Space::kSbuf : Space::kPsum;
    std::vector<std::size_t> candidates;
    for (std::size_t t = 0; t < written.placed.tensors.size(); ++t) {
      if (written.placed.tensors[TensorId(t)].space == space) candidates.push_back(t);
    }
    if (candidates.size() < 2) return;
    const std::size_t from = *AnyByte() % candidates.size();
    const std::size_t to = (from + 1 + *AnyByte() % (candidates.size() - 1)) % candidates.size();
    Tensor& moved = written.placed.tensors[TensorId(candidates[from])];
    const Tensor& other = written.placed.tensors[TensorId(candidates[to])];
    Address& address = moved.at[*AnyByte() % moved.at.size()];
    address.byte = other.at[*AnyByte() % other.at.size()].byte;
    moved.alloc.reset();  // a place that no law gives
    written.placement = FixedPlacement(written.placed);
    JudgedCase judged({&written.original, &written.placed, &written.placement, &written.target,
                       written.target.sbuf_usable_bytes, std::nullopt});
    const bool reported = !Verify(written, judged).empty();
    const std::string wrong = RunOf(judged);
    if (!wrong.empty() && !reported) RC_FAIL("nothing was reported, and yet\n" + wrong);
    shares.Case();
    shares.Count("reported", reported);
    shares.Count("wrong in sbuf", !wrong.empty() && space == Space::kSbuf);
    shares.Count("wrong in psum", !wrong.empty() && space == Space::kPsum);
  });
  shares.AtLeast("reported", 40);
  shares.AtLeast("wrong in sbuf", 10);
  shares.AtLeast("wrong in psum", 3);
}

}  // namespace
}  // namespace spillway
