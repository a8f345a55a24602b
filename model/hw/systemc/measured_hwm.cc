#include "model/hw/systemc/measured_hwm.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "model/hw/dma_shape.h"
#include "model/hw/op_index.h"
#include "model/hw/reference_latency.h"
#include "model/hw/systemc/measured_cache.h"
#include "model/hw/systemc/measured_tables.h"
#include "model/hw/timing/dma_transfer.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/timing/priced_operations.h"

namespace spillway {
namespace {

using Tables = std::shared_ptr<const MeasuredTables>;

class MeasuredHwm final : public Hwm {
 public:
  MeasuredHwm(const Target& target, Tables tables)
      : target_(target),
        name_(fmt::format("measured {}", target.name)),
        rows_of_full_shares_(target.dma_engines * DescriptorsPerEngine(target)),
        tables_(std::move(tables)) {
    const std::vector<PricedOperation> operations = PricedOperations(target);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const auto op = static_cast<std::size_t>(ops_.Add(operations[i].op));
      if (op == of_.size()) of_.emplace_back();
      of_[op][static_cast<std::size_t>(operations[i].engine)] = &tables_->of[i];
    }
  }

  std::string Name() const override { return name_; }

  Cycles Latency(Space space, AccessShape shape) const override {
    SPILLWAY_CHECK(shape.partitions.value >= 0 && shape.bytes_per_partition.value >= 0,
                   "an access has a size");
    const std::int64_t bytes = shape.bytes_per_partition.value;
    switch (space) {
      case Space::kSbuf: return InCycles(tables_->sbuf.At(bytes));
      case Space::kPsum: return InCycles(tables_->psum.At(bytes));
      case Space::kDram: break;
    }
    return InCycles(Dma(DescriptorKind::kContiguous, shape.partitions.value, bytes));
  }

  Result<InstructionLatency> Latency(const InstructionShape& shape) const override {
    if (shape.engine == Engine::kDma) return DmaLatency(shape);
    const int op = ops_.Find(shape.op);
    const Variants* const variants =
        op == OpIndex::kUnknown
            ? nullptr
            : of_[static_cast<std::size_t>(op)][static_cast<std::size_t>(shape.engine)];
    if (variants == nullptr) return Fail(UnpricedOpcode(*this, shape));
    const std::uint16_t table = (*variants)[static_cast<std::size_t>(VariantOf(shape))];
    if (shape.engine != Engine::kPe)
      return InPhases(tables_->instructions[table].At(ElementsOf(shape)));
    const PeSizes sizes = PeSizesOf(shape);
    return InPhases(tables_->products[table].At(sizes.outer, sizes.inner));
  }

 private:
  using Variants = std::array<std::uint16_t, kInstructionVariants>;

  Result<InstructionLatency> DmaLatency(const InstructionShape& shape) const {
    if (!IsDmaOperation(shape.op)) return Fail(UnpricedOpcode(*this, shape));
    if (shape.descriptors == DescriptorGeneration::kHardware &&
        target_.oracle_dge_hardware.value == Cycles(0)) {
      return Fail(NoDescriptorGenerator(*this, shape));
    }
    const DmaShape dma = DmaShapeOf(shape);
    const DmaRows rows = RowsOf(dma, target_);
    return InPhases(Dma(KindOf(dma), rows.count, rows.bytes.value));
  }

  // Above a full share for every engine, all engines get one more row at a time.
  PhaseTimes Dma(DescriptorKind kind, std::int64_t rows, std::int64_t bytes) const {
    if (rows > rows_of_full_shares_) rows = RoundUp(rows, target_.dma_engines);
    return tables_->dma[static_cast<std::size_t>(kind)].At(rows, bytes);
  }

  Cycles InCycles(const PhaseTimes& times) const {
    return ReferenceCycles(times.total(), target_.reference_hertz);
  }
  InstructionLatency InPhases(const PhaseTimes& times) const {
    return InReferenceCycles(times.read_init, times.exec, times.write_drain,
                             target_.reference_hertz);
  }

  Target target_;
  std::string name_;
  std::int64_t rows_of_full_shares_;
  Tables tables_;
  OpIndex ops_;
  std::vector<std::array<const Variants*, kEngineCount>> of_;  ///< by operation
};

Tables LoadOrMeasure(const Target& target, const std::filesystem::path& directory) {
  if (directory.empty()) return std::make_shared<MeasuredTables>(MeasureTables(target));
  const std::filesystem::path file = CacheFile(directory, target);
  if (std::optional<MeasuredTables> stored = LoadTables(file, target))
    return std::make_shared<MeasuredTables>(std::move(*stored));
  auto measured = std::make_shared<MeasuredTables>(MeasureTables(target));
  StoreTables(file, target, *measured);
  return measured;
}

// The tables of this process, by the hash of what they follow from.
Tables TablesOf(const Target& target) {
  static std::mutex mutex;
  static std::map<std::uint64_t, Tables> known;
  const std::lock_guard lock(mutex);
  Tables& tables = known[MeasurementHash(target)];
  if (tables == nullptr) tables = LoadOrMeasure(target, DefaultCacheDirectory());
  return tables;
}

std::optional<Error> ExceedsMachine(const Target& target) {
  if (target.dma_queues.value <= kMaxDmaQueues && target.dma_engines.value <= kMaxDmaEngines)
    return std::nullopt;
  return Error{Kind::kLimit, "target-exceeds-machine",
               fmt::format("target {} has {} DMA queues and {} DMA engines; the machine that is to "
                           "be measured has {} and {}; another oracle needs no machine",
                           target.name, target.dma_queues.value, target.dma_engines.value,
                           kMaxDmaQueues, kMaxDmaEngines),
               "", 0};
}

}  // namespace

Result<std::unique_ptr<Hwm>> MakeMeasuredHwm(const Target& target) {
  if (auto error = ExceedsMachine(target)) return Fail(std::move(*error));
  return std::make_unique<MeasuredHwm>(target, TablesOf(target));
}

Result<std::unique_ptr<Hwm>> MakeMeasuredHwm(const Target& target,
                                             const std::filesystem::path& directory) {
  if (auto error = ExceedsMachine(target)) return Fail(std::move(*error));
  return std::make_unique<MeasuredHwm>(target, LoadOrMeasure(target, directory));
}

}  // namespace spillway
