// Allocated kernels with data: at the machine's times, streaming, and at other times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "model/alloc/allocate.h"
#include "model/alloc/check/races.h"
#include "properties/colouring_round.h"
#include "properties/played_case.h"
#include "properties/rapidcheck_kernels.h"
#include "sim/values/reference_interpreter.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}
const Hwm& Oracle() {
  static const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  return *hwm;
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST(Played, Speed) {
  double t[8] = {};
  int n = 0;
  std::size_t instances = 0, waits = 0, plain = 0, timing = 0, streaming = 0;
  CasePlayer player;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Kernel kernel = DecodeKernel(ChoiceBytesFromSeed(seed, 16));
    const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule, Oracle());
    AllocateOptions options;
    options.sbuf_bytes =
        needs.largest_working_set + Bytes((needs.peak - needs.largest_working_set).value / 2);
    double a = Now();
    Result<Allocation> allocation = Allocate(kernel, Trn2(), Oracle(), options);
    double b = Now();
    t[0] += b - a;
    a = b;
    if (!allocation) continue;
    ++n;
    const Result<LoweredKernel> lowered =
        LowerKernel(allocation->kernel, allocation->placement, Trn2());
    b = Now();
    t[1] += b - a;
    a = b;
    const Inputs inputs = *GenerateInputs(kernel, 1);
    b = Now();
    t[2] += b - a;
    a = b;
    const InterpreterReport reference = *Interpret(kernel, ValueMode::kTags, inputs);
    b = Now();
    t[3] += b - a;
    a = b;
    PlayedCase played{allocation->kernel, *lowered, Trn2(), inputs, reference.dram};
    auto v = player.Play(played);
    b = Now();
    t[4] += b - a;
    a = b;
    auto s = player.PlayStreaming(played);
    b = Now();
    t[5] += b - a;
    a = b;
    auto w = player.PlayAtOtherTimes(played, 4, seed);
    b = Now();
    t[6] += b - a;
    a = b;
    if (!v.empty()) std::cout << seed << " plain " << v[0].text << "\n";
    if (!s.empty()) std::cout << seed << " streaming " << s[0].text << "\n";
    if (!w.empty()) std::cout << seed << " timing " << w[0].text << "\n";
    plain += !v.empty();
    timing += !w.empty();
    streaming += !s.empty();
    instances += lowered->sequence.size();
    waits += lowered->counts.waits;
  }
  std::cout << n << " kernels, instances " << instances << " waits " << waits << " alarms " << plain
            << " " << streaming << " " << timing << "\n";
  const char* names[] = {"allocate", "lower", "inputs", "interpret", "play", "streaming", "timing"};
  for (int i = 0; i < 7; ++i) std::cout << names[i] << " " << t[i] * 1e6 / n << " us\n";
}

}  // namespace
}  // namespace spillway
