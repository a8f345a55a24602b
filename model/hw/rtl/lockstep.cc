#include "model/hw/rtl/lockstep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <verilated_cov.h>
#include <verilated_fst_c.h>

#include <cstdio>

#include "model/hw/error.h"
#include "model/hw/rtl/detail/pair.h"

namespace spillway {
namespace {

constexpr std::size_t kRecentTransactions = 8;
constexpr std::uint64_t kCyclesAfterDivergence = 4;
// The modules count cycles, not time, so any period serves.
const sc_core::sc_time kHalfPeriod(1, sc_core::SC_NS);

// Steps one pair. Nothing here runs inside a SystemC process, so that a stimulus may throw.
class Stepper {
 public:
  Stepper(detail::Pair& pair, Stimulus& stimulus) : pins_(*pair.pins), stimulus_(stimulus) {}

  /// Called before and after each rising edge, for the trace.
  std::function<void(std::uint64_t half_period)> after_half = [](std::uint64_t) {};

  /// The names of the outputs that differ after the edge.
  std::vector<std::string> Step() {
    stimulus_.Drive(pins_, cycle_);
    if (cycle_ < kResetCycles) pins_.Set("rst", 1);
    pins_.Set("clk", 0);
    pins_.Drive();
    sc_core::sc_start(kHalfPeriod);
    after_half(2 * cycle_);
    pins_.Set("clk", 1);
    pins_.Drive();
    sc_core::sc_start(kHalfPeriod);
    after_half(2 * cycle_ + 1);
    pins_.Sample();
    if (cycle_ < kResetCycles) pins_.Set("rst", 0);
    ++cycle_;
    return pins_.Differing();
  }

  std::uint64_t cycle() const { return cycle_; }

 private:
  detail::PinTable& pins_;
  Stimulus& stimulus_;
  std::uint64_t cycle_ = 0;
};

void Trace(detail::Pair& pair, const StimulusFactory& factory, const Divergence& divergence) {
  std::filesystem::create_directories(divergence.trace.parent_path());
  const std::unique_ptr<Stimulus> stimulus = factory();
  VerilatedFstC trace;
  pair.attach(&trace);
  trace.open(divergence.trace.c_str());
  SPILLWAY_CHECK(trace.isOpen(), "the trace " + divergence.trace.string() + " can be written");
  Stepper stepper(pair, *stimulus);
  stepper.after_half = [&trace](std::uint64_t half_period) { trace.dump(half_period); };
  bool seen = false;
  while (stepper.cycle() <= divergence.cycle + kCyclesAfterDivergence) {
    const bool differs = !stepper.Step().empty();
    if (differs && !seen) {
      SPILLWAY_CHECK(stepper.cycle() == divergence.cycle + 1,
                     "the second run diverges in the same cycle");
      seen = true;
    }
  }
  SPILLWAY_CHECK(seen, "the second run diverges as the first one");
  trace.close();
}

}  // namespace

std::string_view RtlModuleName(RtlModule module) {
  switch (module) {
    case RtlModule::kSbufBankGroup: return "sbuf_bank_group";
    case RtlModule::kPsumBank: return "psum_bank";
    case RtlModule::kDmaQueueEngine: return "dma_queue_engine";
  }
  SPILLWAY_CHECK(false, "a module has a name");
}

void Pins::Log(std::string transaction) {
  ++transactions_;
  recent_.push_back(std::move(transaction));
  if (recent_.size() > kRecentTransactions) recent_.pop_front();
}

void Pins::ForgetTransactions() {
  transactions_ = 0;
  recent_.clear();
}

std::string Bits::ToString() const {
  std::string digits;
  for (int i = kWidth / 32 - 1; i >= 0; --i) digits += fmt::format("{:08x}", word(i));
  const std::size_t first = digits.find_first_not_of('0');
  return "0x" + (first == std::string::npos ? "0" : digits.substr(first));
}

std::string Divergence::ToString(RtlModule module) const {
  std::string text = fmt::format("{}: first divergence after the edge of cycle {}\n",
                                 RtlModuleName(module), cycle);
  text += fmt::format("  pin {}: RTL {}, twin {}\n", pin, rtl.ToString(), twin.ToString());
  if (!also.empty()) text += fmt::format("  also: {}\n", fmt::join(also, ", "));
  text += "  last transactions:\n";
  for (const std::string& transaction : recent) text += "    " + transaction + "\n";
  return text + fmt::format("  trace: {}\n", trace.string());
}

LockstepResult RunLockstep(RtlModule module, TwinShape shape, const StimulusFactory& factory,
                           std::uint64_t cycles, const std::filesystem::path& trace_folder) {
  detail::Pair& pair = detail::PairOf(module, shape);
  pair.pins->Restart();
  const std::unique_ptr<Stimulus> stimulus = factory();
  Stepper stepper(pair, *stimulus);
  LockstepResult result;
  std::vector<std::string> differing;
  while (differing.empty() && stepper.cycle() < cycles) differing = stepper.Step();
  result.cycles = stepper.cycle();
  result.transactions = pair.pins->transactions();
  if (differing.empty()) return result;

  Divergence divergence;
  divergence.cycle = stepper.cycle() - 1;
  divergence.pin = differing.front();
  divergence.rtl = pair.pins->RtlValue(divergence.pin);
  divergence.twin = pair.pins->TwinValue(divergence.pin);
  divergence.also.assign(differing.begin() + 1, differing.end());
  divergence.recent.assign(pair.pins->recent().begin(), pair.pins->recent().end());
  divergence.trace = trace_folder / fmt::format("{}.fst", RtlModuleName(module));
  pair.pins->Restart();
  Trace(pair, factory, divergence);
  std::fputs(divergence.ToString(module).c_str(), stderr);
  result.divergence = std::move(divergence);
  return result;
}

bool WriteRtlCoverage([[maybe_unused]] const std::filesystem::path& file) {
#if VM_COVERAGE
  Verilated::threadContextp()->coveragep()->write(file.c_str());
  return true;
#else
  return false;
#endif
}

}  // namespace spillway
