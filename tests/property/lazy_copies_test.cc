// Copies that read as they end against copies that read as they start, on programs that lack some
// of their waits.
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "model/hw/systemc/machine.h"
#include "properties/colouring_round.h"
#include "properties/rapidcheck_kernels.h"
#include "sim/exec/kernel_effects.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

/// All bytes that a program may touch, as they are when it ends.
class FinalBytes final : public Effects {
 public:
  FinalBytes(KernelEffects& effects, const MemoryUse& use) : effects_(effects), use_(use) {}
  std::vector<std::byte> bytes;

  void Load(MachineMemory& memory) override { effects_.Load(memory); }
  void Start(InstanceId instance, MachineMemory& memory) override {
    effects_.Start(instance, memory);
  }
  void Finish(InstanceId instance, MachineMemory& memory) override {
    effects_.Finish(instance, memory);
  }
  void Unload(MachineMemory& memory) override {
    bytes.assign(memory.dram().begin(), memory.dram().end());
    for (const Rectangle& rectangle : use_.sbuf) Append(memory.sbuf(), rectangle);
    for (const Rectangle& rectangle : use_.psum) Append(memory.psum(), rectangle);
    effects_.Unload(memory);
  }

 private:
  void Append(const PartitionedBytes& memory, const Rectangle& rectangle) {
    for (Partition p = rectangle.partitions.begin; p < rectangle.partitions.end;
         p = p + PartitionCount(1)) {
      bytes.insert(bytes.end(), memory.At(p, rectangle.bytes.begin),
                   memory.At(p, rectangle.bytes.begin) +
                       (rectangle.bytes.end - rectangle.bytes.begin).value);
    }
  }

  KernelEffects& effects_;
  const MemoryUse& use_;
};

struct Played {
  std::vector<std::byte> bytes;
  std::int64_t at_end = 0;
  std::int64_t forced = 0;
};

Played Play(const Kernel& kernel, const LoweredKernel& lowered, ValueMode mode,
            const Inputs& inputs, bool eager) {
  KernelEffects effects(kernel, lowered, mode, inputs, {.eager_copies = eager});
  FinalBytes final_bytes(effects, lowered.memory.use);
  Machine::Instance().Run(lowered.program, Trn2(), lowered.memory.use, &final_bytes);
  return {std::move(final_bytes.bytes), effects.copies_at_end(), effects.copies_forced()};
}

/// Each wait by one of the bytes, which come round again; a fraction of them is left out.
std::vector<std::size_t> DroppedWaits(std::size_t waits, const std::vector<std::uint8_t>& bytes) {
  std::vector<std::size_t> dropped;
  for (std::size_t wait = 0; wait < waits && !bytes.empty(); ++wait) {
    if (bytes[(wait * 7) % bytes.size()] % 3 == 0) dropped.push_back(wait);
  }
  return dropped;
}

/// In as little memory as the case says, so that copies come from the allocator too; a kernel that
/// needs PSUM spills may not fit there and gets all of it.
Result<Allocation> AllocationOf(const KernelCase& c, const Hwm& hwm) {
  const Kernel kernel = c.Decode();
  const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
  AllocateOptions options;
  options.sbuf_bytes = c.Between(needs.largest_working_set, needs.peak);
  Result<Allocation> tight = Allocate(kernel, Trn2(), hwm, options);
  return tight ? std::move(tight) : Allocate(kernel, Trn2(), hwm, {});
}

TEST(LazyCopies, LeaveTheBytesThatEagerOnesLeaveWhateverWaitsAreMissing) {
  const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  Shares shares;
  CheckProperty(
      "lazy copies", 2000, [&](const KernelCase& c, const std::vector<std::uint8_t>& bytes) {
        const Result<Allocation> allocation = AllocationOf(c, *hwm);
        RC_ASSERT(allocation.has_value());
        const Kernel& kernel = allocation->kernel;
        LowerOptions options;
        const Result<LoweredKernel> whole = LowerKernel(kernel, allocation->placement, Trn2());
        RC_ASSERT(whole.has_value());
        options.dropped_waits = DroppedWaits(whole->counts.waits, bytes);
        const Result<LoweredKernel> lowered =
            LowerKernel(kernel, allocation->placement, Trn2(), options);
        RC_ASSERT(lowered.has_value());
        const Inputs inputs = GenerateInputs(kernel, 7).value();
        shares.Case();
        std::int64_t at_end = 0;
        std::int64_t forced = 0;
        for (const ValueMode mode : {ValueMode::kTags, ValueMode::kNumeric}) {
          const Played lazy = Play(kernel, *lowered, mode, inputs, false);
          const Played eager = Play(kernel, *lowered, mode, inputs, true);
          RC_ASSERT(lazy.bytes == eager.bytes);
          RC_ASSERT(eager.at_end + eager.forced == 0);
          at_end += lazy.at_end;
          forced += lazy.forced;
        }
        shares.Count("spilled", allocation->dram_spill_bytes > Bytes(0));
        shares.Count("read at the end", at_end > 0);
        shares.Count("forced by a writer", forced > 0);
      });
  shares.AtLeast("read at the end", 80);
  shares.AtLeast("forced by a writer", 30);
  shares.AtLeast("spilled", 20);
}

}  // namespace
}  // namespace spillway
