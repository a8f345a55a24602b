#include "model/hw/rtl/lockstep.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/rtl/dma_queue_engine_traffic.h"
#include "tests/rtl/psum_bank_stimulus.h"
#include "tests/rtl/sbuf_bank_group_stimulus.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;

// The first block of an FST: its kind (0), its length, then numbers of 64 bits, high byte first.
struct FstHeader {
  std::uint64_t end_time = 0;
  std::uint64_t variables = 0;
};

FstHeader ReadFstHeader(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < 57 || bytes[0] != 0) return {};
  const auto number = [&bytes](std::size_t offset) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
    }
    return value;
  };
  return {number(17), number(49)};
}

// A pair whose twin has another parameter must diverge, say so, and leave a trace.
LockstepResult ExpectCaught(RtlModule module, const StimulusFactory& traffic) {
  const std::filesystem::path folder = TraceFolder();
  std::filesystem::remove_all(folder);
  ::testing::internal::CaptureStderr();
  LockstepResult result = RunLockstep(module, TwinShape::kOther, traffic, 5000, folder);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  if (!result.divergence) {
    ADD_FAILURE() << "no divergence in " << result.cycles << " cycles";
    return result;
  }
  const Divergence& divergence = *result.divergence;
  EXPECT_EQ(divergence.cycle + 1, result.cycles) << "nothing runs on after the first divergence";
  EXPECT_NE(divergence.rtl, divergence.twin);
  EXPECT_THAT(printed, HasSubstr(fmt::format("{}: first divergence after the edge of cycle {}\n",
                                             RtlModuleName(module), divergence.cycle)));
  EXPECT_THAT(printed,
              HasSubstr(fmt::format("pin {}: RTL {}, twin {}\n", divergence.pin,
                                    divergence.rtl.ToString(), divergence.twin.ToString())));
  EXPECT_FALSE(divergence.recent.empty());
  for (const std::string& transaction : divergence.recent) {
    EXPECT_THAT(printed, HasSubstr(transaction));
  }
  const FstHeader header = ReadFstHeader(divergence.trace);
  EXPECT_GE(header.end_time, 2 * divergence.cycle + 1) << "two half periods a cycle, from reset on";
  EXPECT_GT(header.variables, 20U);
  EXPECT_GT(std::filesystem::file_size(divergence.trace), 1000U) << "values, beyond the header";
  return result;
}

TEST(Lockstep, ATwinWithASlowerAdderIsCaughtPrintedAndTraced) {
  const LockstepResult result = ExpectCaught(RtlModule::kPsumBank, [] {
    return std::make_unique<RandomPsumTraffic>(std::make_shared<Findings>(),
                                               PsumMix{.seed = 1, .addresses = 2});
  });
  EXPECT_GT(result.cycles, kPsumWords) << "nothing is ready before the poison is in";
}

TEST(Lockstep, ATwinThatHoldsMoreAnswersIsCaughtPrintedAndTraced) {
  ExpectCaught(RtlModule::kSbufBankGroup, [] {
    return std::make_unique<RandomSbufTraffic>(std::make_shared<Findings>(), SbufMix{.seed = 1});
  });
}

TEST(Lockstep, ATwinWithASmallerRingIsCaughtPrintedAndTraced) {
  ExpectCaught(RtlModule::kDmaQueueEngine, [] {
    return std::make_unique<RandomDmaTraffic>(std::make_shared<Findings>(),
                                              std::make_shared<DmaEvents>(), DmaMix{.seed = 1});
  });
}

TEST(Lockstep, ARunDependsOnNothingThatRanBefore) {
  const auto cycles_of_first_values = [] {
    const auto events = std::make_shared<DmaEvents>();
    ExpectLockstep<RandomDmaTraffic>(RtlModule::kDmaQueueEngine, 2000, std::make_shared<Findings>(),
                                     events, DmaMix{.seed = 5});
    return events->starts;
  };
  const std::vector<std::uint64_t> first = cycles_of_first_values();
  ExpectLockstep<RandomDmaTraffic>(RtlModule::kDmaQueueEngine, 777, std::make_shared<Findings>(),
                                   std::make_shared<DmaEvents>(),
                                   DmaMix{.seed = 6, .wide_times = true});
  EXPECT_EQ(cycles_of_first_values(), first);
  EXPECT_GT(first.size(), 10U);
}

TEST(Lockstep, APinThatNoModuleHasIsAContractViolation) {
  struct Misnamed : Stimulus {
    void Drive(Pins& pins, std::uint64_t /*cycle*/) override { pins.Set("no_such_pin", 1); }
  };
  EXPECT_THROW(RunLockstep(
                   RtlModule::kPsumBank, TwinShape::kSame,
                   [] { return std::make_unique<Misnamed>(); }, 10, TraceFolder()),
               ContractViolation);
}

// ci/rtl_coverage runs all tests in one process and names a file for the counts.
class CoverageAtEnd : public ::testing::Environment {
 public:
  void TearDown() override {
    const char* file = std::getenv("SPILLWAY_RTL_COVERAGE_FILE");
    if (file == nullptr) return;
    EXPECT_TRUE(WriteRtlCoverage(file)) << "a build without coverage";
  }
};
const ::testing::Environment* const kCoverageAtEnd =
    ::testing::AddGlobalTestEnvironment(new CoverageAtEnd);

}  // namespace
}  // namespace spillway
