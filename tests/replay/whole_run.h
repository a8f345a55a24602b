// Allocate, check, simulate and compare one kernel, for tests that go through everything.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "model/alloc/allocate.h"
#include "model/alloc/check/dataflow.h"
#include "model/alloc/check/equations.h"
#include "model/alloc/check/placement_checker.h"
#include "sim/exec/compare_data.h"
#include "sim/exec/executor.h"
#include "sim/values/reference_interpreter.h"

namespace spillway {

struct WholeRun {
  Allocation allocation;
  SimReport simulation;
};

/// Fails the test where any stage finds fault; `what` says which case it was.
inline std::optional<WholeRun> RunWhole(const Kernel& kernel, const AllocateOptions& options,
                                        ValueMode mode, const std::string& what) {
  const Result<Target> target = FindTarget(kernel.target);
  if (!target) {
    ADD_FAILURE() << what << ": " << target.error().ToString();
    return std::nullopt;
  }
  const auto hwm = MakeClosedFormHwm(*target);
  Result<Allocation> allocation = Allocate(kernel, *target, *hwm, options);
  if (!allocation) {
    ADD_FAILURE() << what << ": " << allocation.error().ToString();
    return std::nullopt;
  }
  const CheckOptions limits{options.sbuf_bytes, options.psum_banks};
  const LinearKernel linear = Linearize(allocation->kernel);
  std::vector<CheckResult> checks = CheckPlacement(linear, allocation->placement, *target, limits);
  checks.push_back(CheckDataflow(kernel, linear, allocation->placement, *target));
  checks.push_back(CheckEquations(kernel, linear, allocation->placement, *target));
  EXPECT_GT(checks.back().checked, 0) << what;
  for (const CheckResult& check : checks) {
    for (const Violation& violation : check.violations) {
      ADD_FAILURE() << what << ": check " << check.name << ": " << violation.text;
    }
  }
  const Result<Inputs> inputs = GenerateInputs(kernel, 1);
  const Result<InterpreterReport> reference = Interpret(kernel, mode, *inputs);
  Result<SimReport> simulation =
      Execute(allocation->kernel, allocation->placement, *target, mode, *inputs);
  if (!reference || !simulation) {
    ADD_FAILURE() << what << ": "
                  << (reference ? simulation.error() : reference.error()).ToString();
    return std::nullopt;
  }
  EXPECT_EQ(reference->uninitialized_total, 0) << what;
  EXPECT_TRUE(simulation->violations.empty()) << what;
  const DataComparison comparison = CompareData(kernel, simulation->outputs, reference->dram);
  EXPECT_GT(comparison.compared_bytes, 0) << what;
  EXPECT_EQ(comparison.mismatched_bytes, 0)
      << what << ": " << (comparison.violations.empty() ? "" : comparison.violations[0].text);
  return WholeRun{std::move(*allocation), std::move(*simulation)};
}

}  // namespace spillway
