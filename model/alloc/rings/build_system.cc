#include "model/alloc/rings/build_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/alloc/rings/order_pipelines.h"

namespace spillway::rings {
namespace {

using task::Operation;
using task::OperationKind;
using task::PipelineId;
using task::ResourceId;
using task::Side;
using task::SideKind;

/// Names as pipeline files spell them, each once.
class Names {
 public:
  std::string Unique(const std::string& wanted) {
    const bool is_number = wanted.empty() || (wanted[0] >= '0' && wanted[0] <= '9');
    std::string name(is_number ? 1 : 0, '_');
    for (const char c : wanted) {
      const bool is_word =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
      name += is_word ? c : '_';
    }
    std::string unique = name;
    for (int i = 2; !used_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    return unique;
  }

 private:
  std::set<std::string> used_;
};

/// What an instance does on one ring, in the order of its operations.
struct RingActs {
  std::vector<PipelineId> waits, early_acquires, late_acquires, commits, releases;
};

class Builder {
 public:
  Builder(const StreamWork& work, const UnitPlan& plan, const Waits& waits)
      : work_(work), plan_(plan), order_(PlanOrder(work, waits)), acts_(work.instances.size()) {}

  Result<task::PipelineSystem> Run(SystemParts parts, const FoldOptions& fold) {
    system_.name = Names().Unique(parts.name);
    system_.capacity = parts.capacity;
    system_.barriers = task::BarrierStorage::kNone;
    AddRings();
    AddResources();
    if (shares_ > kMaxShares) {
      return Fail({Kind::kLimit, "ring-limit",
                   fmt::format("kernel {}: expected fewer parts of tensors that are read and "
                               "written apart, found more than {} pairs",
                               parts.name, kMaxShares),
                   "", 0});
    }
    AddOrderPipelines();
    FlatOperations flat;
    flat.of_instance.reserve(work_.instances.size());
    for (std::uint32_t i = 0; i < work_.instances.size(); ++i) {
      flat.of_instance.emplace_back();
      into_ = &flat.of_instance.back();
      Emit(i);
    }
    flat.at_end.resize(work_.streams.size());
    DrainAtEnd(flat);
    flat.distinct = std::move(distinct_);
    std::vector<std::vector<Operation>> tasks = FoldLoops(work_, flat, fold);
    for (std::size_t s = 0; s < work_.streams.size(); ++s)
      system_.tasks.push_back({work_.streams[s].name, std::move(tasks[s])});
    return std::move(system_);
  }

 private:
  task::SideKinds Kinds(const std::vector<std::uint32_t>& streams) const {
    task::SideKinds kinds;
    kinds.kind = work_.streams[streams.front()].kind;
    const bool differ = std::any_of(streams.begin(), streams.end(), [&](std::uint32_t stream) {
      return work_.streams[stream].kind != kinds.kind;
    });
    if (!differ) return kinds;
    kinds.kind = SideKind::kThread;
    for (const std::uint32_t stream : streams)
      kinds.by_task.emplace_back(task::TaskId(stream), work_.streams[stream].kind);
    return kinds;
  }

  void AddRings() {
    side_of_.assign(work_.touches.size(), Side::kConsumer);
    for (std::size_t t = 0; t < work_.touches.size(); ++t)
      if (work_.touches[t].is_write) side_of_[t] = Side::kProducer;
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      const Unit& unit = plan_.units[UnitId(u)];
      pipeline_of_.push_back(std::nullopt);
      if (!unit.ring) continue;
      const Ring& ring = *unit.ring;
      task::Pipeline pipeline;
      pipeline.name = pipeline_names_.Unique(unit.name);
      pipeline.stages = ring.stages;
      pipeline.producer = Kinds(ring.producers);
      pipeline.consumer = Kinds(ring.consumers);
      const PipelineId id = system_.pipelines.push_back(std::move(pipeline));
      pipeline_of_[UnitId(u)] = id;
      for (const RingTouch& touch : ring.touches) side_of_[touch.touch] = touch.side;
      for (const RingStep& step : ring.steps) {
        RingActs& acts = acts_[step.instance];
        switch (step.kind) {
          case OperationKind::kAcquire:
            (step.behind_reads ? acts.late_acquires : acts.early_acquires).push_back(id);
            break;
          case OperationKind::kCommit: acts.commits.push_back(id); break;
          case OperationKind::kWait: acts.waits.push_back(id); break;
          default: acts.releases.push_back(id);
        }
      }
    }
  }

  /// A unit's shape: reads that may see bytes which nobody wrote have a resource of their own.
  using ResourceKey = std::pair<UnitId, ShapeId>;

  void AddResources() {
    std::map<ResourceKey, ResourceId> known;
    std::map<UnitId, std::vector<ResourceId>> of_unit;
    resource_of_.resize(work_.touches.size());
    for (std::size_t t = 0; t < work_.touches.size(); ++t) {
      const UnitId unit = plan_.unit_of[t];
      if (!plan_.units[unit].space) continue;
      const ResourceKey key{unit, work_.touches[t].shape};
      const auto [at, is_new] = known.try_emplace(key, ResourceId(system_.resources.size()));
      if (is_new) {
        AddResource(unit, work_.shapes[key.second]);
        of_unit[unit].push_back(at->second);
      }
      resource_of_[t] = at->second;
    }
    for (const auto& [unit, resources] : of_unit) {
      shares_ += resources.size() * resources.size();
      if (shares_ > kMaxShares) return;
      for (const ResourceId one : resources) {
        for (const ResourceId other : resources)
          if (one != other) system_.resources[one].shares.push_back(other);
      }
    }
  }

  void AddResource(UnitId id, const Shape& shape) {
    const Unit& unit = plan_.units[id];
    const std::int64_t stages = unit.ring ? unit.ring->stages : 1;
    const auto [at, is_new] = allocations_.try_emplace(
        std::pair(id, shape.partitions), task::AllocationId(system_.allocations.size()));
    if (is_new) {
      task::Allocation allocation;
      allocation.name = allocation_names_.Unique(unit.name);
      allocation.space = *unit.space;
      allocation.size = task::Units((unit.stride * (stages - 1) + unit.size).value);
      const PartitionCount down = unit.partition - Partition(0);
      allocation.partitions = {shape.partitions.begin + down, shape.partitions.end + down};
      allocation.at = task::UnitOffset(unit.byte.value);
      system_.allocations.push_back(std::move(allocation));
    }
    task::Resource resource;
    resource.name = resource_names_.Unique(unit.name);
    resource.pipeline = pipeline_of_[id];
    resource.initial = unit.initial || !shape.is_exact;
    // The stride of a single stage says nothing; the block's size is what a file leaves out.
    const Bytes stride = !unit.ring ? Bytes(0) : stages > 1 ? unit.stride : unit.size;
    for (const Interval<ByteOffset>& run : shape.runs) {
      resource.regions.push_back({at->second, task::Units(run.begin.value),
                                  task::Units((run.end - run.begin).value),
                                  task::Units(stride.value)});
    }
    system_.resources.push_back(std::move(resource));
  }

  void AddOrderPipelines() {
    first_order_ = static_cast<std::uint32_t>(system_.pipelines.size());
    for (const OrderPipeline& order : order_.pipelines) {
      task::Pipeline pipeline;
      pipeline.name = pipeline_names_.Unique(order.name);
      pipeline.stages = order.tokens;  // so that nobody waits for an empty one
      pipeline.producer.kind = work_.streams[order.producer].kind;
      system_.pipelines.push_back(std::move(pipeline));
    }
  }
  PipelineId OrderId(std::uint32_t order) const { return PipelineId(first_order_ + order); }

  void Put(Operation operation) {
    const std::vector<std::int64_t> key = KeyOf(operation);
    const auto [at, is_new] =
        operation_ids_.try_emplace(key, static_cast<std::uint32_t>(distinct_.size()));
    if (is_new) distinct_.push_back(std::move(operation));
    into_->push_back(at->second);
  }
  static std::vector<std::int64_t> KeyOf(const Operation& operation) {
    std::vector<std::int64_t> key = {static_cast<std::int64_t>(operation.kind)};
    for (const auto* ids : {&operation.pipelines, &operation.commits, &operation.releases}) {
      key.push_back(static_cast<std::int64_t>(ids->size()));
      for (const PipelineId id : *ids) key.push_back(id.value);
    }
    for (const task::Access& access : operation.accesses) {
      key.push_back(access.resource.value);
      key.push_back(static_cast<std::int64_t>(access.kind) * 2 +
                    static_cast<std::int64_t>(access.side));
    }
    return key;
  }
  void PutSync(OperationKind kind, const std::vector<PipelineId>& pipelines) {
    for (const PipelineId id : pipelines) Put(Sync(kind, id));
  }
  static Operation Sync(OperationKind kind, PipelineId id) {
    Operation operation;
    operation.kind = kind;
    operation.pipelines = {id};
    return operation;
  }

  std::vector<task::Access> Accesses(std::uint32_t i, bool writes) const {
    std::vector<task::Access> accesses;
    const WorkInstance& instance = work_.instances[i];
    for (std::uint32_t t = instance.first_touch; t < instance.first_touch + instance.touch_count;
         ++t) {
      if (work_.touches[t].is_write != writes || !plan_.units[plan_.unit_of[t]].space) continue;
      const task::Access access{writes ? task::AccessKind::kWrite : task::AccessKind::kRead,
                                resource_of_[t], side_of_[t]};
      if (std::find(accesses.begin(), accesses.end(), access) == accesses.end())
        accesses.push_back(access);
    }
    return accesses;
  }

  void Emit(std::uint32_t i) {
    for (const std::uint32_t order : order_.taken[i]) {
      Put(Sync(OperationKind::kWait, OrderId(order)));
      Put(Sync(OperationKind::kRelease, OrderId(order)));
    }
    const RingActs& acts = acts_[i];
    PutSync(OperationKind::kWait, acts.waits);
    PutSync(OperationKind::kAcquire, acts.early_acquires);
    std::vector<PipelineId> given;
    for (const std::uint32_t order : order_.given[i]) given.push_back(OrderId(order));
    PutSync(OperationKind::kAcquire, given);
    const SideKind kind = work_.streams[work_.instances[i].stream].kind;
    if (kind == SideKind::kDma) return EmitTransfer(i, acts, given);
    std::vector<task::Access> reads = Accesses(i, false);
    std::vector<task::Access> writes = Accesses(i, true);
    if (kind == SideKind::kMatrix) {
      Operation work;
      work.kind = OperationKind::kMatrix;
      work.accesses = std::move(reads);
      work.accesses.insert(work.accesses.end(), writes.begin(), writes.end());
      if (!work.accesses.empty()) Put(std::move(work));
      PutSync(OperationKind::kRelease, acts.releases);
    } else {
      for (const task::Access& access : reads) PutAccess(access);
      PutSync(OperationKind::kRelease, acts.releases);
      PutSync(OperationKind::kAcquire, acts.late_acquires);
      for (const task::Access& access : writes) PutAccess(access);
    }
    PutSync(OperationKind::kCommit, acts.commits);
    PutSync(OperationKind::kCommit, given);
  }

  void PutAccess(const task::Access& access) {
    Operation operation;
    operation.kind = OperationKind::kAccess;
    operation.accesses = {access};
    Put(std::move(operation));
  }

  void EmitTransfer(std::uint32_t i, const RingActs& acts, const std::vector<PipelineId>& given) {
    Operation transfer;
    transfer.kind = OperationKind::kDma;
    transfer.accesses = Accesses(i, false);
    const std::vector<task::Access> writes = Accesses(i, true);
    transfer.accesses.insert(transfer.accesses.end(), writes.begin(), writes.end());
    transfer.commits = acts.commits;
    transfer.commits.insert(transfer.commits.end(), given.begin(), given.end());
    transfer.releases = acts.releases;
    PutTransfer(std::move(transfer));
  }
  void PutTransfer(Operation transfer) {
    if (transfer.accesses.empty()) {
      if (transfer.commits.empty() && transfer.releases.empty()) return;
      transfer.accesses.push_back({task::AccessKind::kRead, Elsewhere(), Side::kConsumer});
    }
    Put(std::move(transfer));
  }

  /// DRAM, which is no memory of a pipeline system.
  ResourceId Elsewhere() {
    if (!elsewhere_) {
      task::Resource resource;
      resource.name = resource_names_.Unique("dram");
      resource.initial = true;
      elsewhere_ = system_.resources.push_back(std::move(resource));
    }
    return *elsewhere_;
  }

  void DrainAtEnd(FlatOperations& flat) {
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      const Unit& unit = plan_.units[UnitId(u)];
      if (!unit.ring) continue;
      for (std::size_t c = 0; c < unit.ring->consumers.size(); ++c) {
        const std::uint32_t stream = unit.ring->consumers[c];
        into_ = &flat.at_end[stream];
        for (std::int64_t k = 0; k < unit.ring->unread[c]; ++k) {
          Put(Sync(OperationKind::kWait, *pipeline_of_[UnitId(u)]));
          if (work_.streams[stream].kind != SideKind::kDma) {
            Put(Sync(OperationKind::kRelease, *pipeline_of_[UnitId(u)]));
            continue;
          }
          Operation transfer;
          transfer.kind = OperationKind::kDma;
          transfer.releases = {*pipeline_of_[UnitId(u)]};
          PutTransfer(std::move(transfer));
        }
      }
    }
  }

  const StreamWork& work_;
  const UnitPlan& plan_;
  const OrderPipelines order_;
  std::vector<RingActs> acts_;
  task::PipelineSystem system_;
  Names pipeline_names_;
  Names allocation_names_;
  Names resource_names_;
  IdVector<UnitId, std::optional<PipelineId>> pipeline_of_;
  std::vector<Side> side_of_;  ///< of each touch
  std::vector<ResourceId> resource_of_;
  std::map<std::pair<UnitId, Interval<Partition>>, task::AllocationId> allocations_;
  std::optional<ResourceId> elsewhere_;
  std::size_t shares_ = 0;
  std::uint32_t first_order_ = 0;
  std::vector<Operation> distinct_;
  std::map<std::vector<std::int64_t>, std::uint32_t> operation_ids_;
  std::vector<std::uint32_t>* into_ = nullptr;
};

}  // namespace

Result<task::PipelineSystem> BuildSystem(const StreamWork& work, const UnitPlan& plan,
                                         const Waits& waits, SystemParts parts,
                                         const FoldOptions& fold) {
  return Builder(work, plan, waits).Run(std::move(parts), fold);
}

}  // namespace spillway::rings
