#include <gtest/gtest.h>
#include <iostream>
#include "model/alloc/check_task/describe_verdict.h"
#include "model/alloc/rings/kernel_rings.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "traces/allocated_kernels.h"
#include "traces/kernel_reader.h"
#include "traces/pipeline_writer.h"
#include <chrono>
namespace spillway::rings {
void Check(const std::string& what, const task::PipelineSystem& system) {
  const auto layout = task::LayOutSystem(system);
  if (!layout) { std::cout << what << " layout " << layout.error().ToString() << "\n"; return; }
  const auto program = task::Unroll(system, *layout);
  if (!program) { std::cout << what << " unroll " << program.error().ToString() << "\n"; return; }
  const auto verdict = task::CheckSystem(system, *program);
  if (!verdict) { std::cout << what << " check " << verdict.error().ToString() << "\n"; return; }
  std::cout << what << ": " << verdict->events << " events, " << verdict->blocked.size() << " blocked " << verdict->races.size() << " races " << verdict->clobbers.size() << " clobbers " << verdict->uninitialized.size() << " uninit " << verdict->structure.size() << " structure\n";
  const auto findings = task::DescribeVerdict(system, *program, *verdict, 0);
  int n = 0;
  for (const auto& f : *findings) if (n++ < 4) std::cout << "    " << f.code << ": " << f.text << "\n";
}
void Explore(const Kernel& kernel) {
  const auto t0 = std::chrono::steady_clock::now();
  const Target target = *FindTarget(kernel.target);
  const Placement placement = FixedPlacement(kernel);
  std::cout << "=== " << kernel.name << "\n";
  const auto rings = DeriveRings(kernel, placement, target);
  if (!rings) { std::cout << rings.error().ToString() << "\n"; return; }
  std::cout << rings->work.instances.size() << " instances " << rings->semaphores << " semaphores\n";
  for (std::size_t i = 0; i < rings->tensors.size(); ++i) {
    const auto& row = rings->tensors[i];
    std::cout << "  " << kernel.tensors[row.tensor].name << " fills " << row.fills << " places " << row.places << " " << (row.refusal ? row.refusal->ToString() : "pipeline");
    if (row.places > 1) {
      const auto depth = FindDepth(kernel, rings->work, rings->fills[i], row.places);
      if (!depth) std::cout << " " << depth.error().ToString();
      else std::cout << " skew " << depth->skew << " needed " << depth->needed << " fewer: " << depth->with_fewer << " now: " << depth->as_it_is;
      if (row.pipeline) std::cout << " live " << FewestLiveStages(rings->system, *row.pipeline)->value_or(-1);
    }
    std::cout << "\n";
  }
  if (rings->cut) Check("cut", *rings->cut);
  Check("rings", rings->system);
  if (rings->system.pipelines.size() < 12) std::cout << PrintPipelineFile(rings->system).substr(0, 6000) << "\n";
  const auto all = PlacementSystem(kernel, placement, target);
  Check("placement", *all);
  const auto own = PlacementSystem(kernel, placement, target, WaitOptions{false});
  Check("placement without anti", *own);
  std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count() << " s\n";
}
TEST(X, Y) {
  if (const char* f = std::getenv("KFILE")) { const auto k = ReadKernelFile(f); if (!k) { std::cout << k.error().ToString(); return; } Explore(*k); return; }
  for (const Kernel& k : AllocatedKernels()) if (k.name != "pipelined_attention") Explore(k);
  for (const Kernel& k : BrokenAllocatedKernels()) Explore(k);
}
}
