#include "model/alloc/task/codes.h"

#include <array>
#include <utility>

namespace spillway::task {
namespace {

constexpr std::array kRows = {
    CodeRow{Code::kSyntax, "syntax", Kind::kSyntax,
            "not UTF-8 or JSON, an unknown or missing key, a key given twice, a value of another "
            "type or out of its range"},
    CodeRow{Code::kVersion, "version", Kind::kSyntax, "a version that the reader doesn't know"},
    CodeRow{Code::kUnknownName, "unknown-name", Kind::kUnknownName,
            "a name that nothing declares, or a word that the format doesn't have there"},
    CodeRow{Code::kDuplicateName, "duplicate-name", Kind::kDuplicateName,
            "a name declared twice, or listed twice where once is meant"},
    CodeRow{Code::kLimit, "limit", Kind::kLimit, "more than the format's bounds allow"},

    CodeRow{Code::kLayoutAlignment, "layout.alignment", Kind::kMisaligned,
            "an alignment that isn't a power of two of at least 1"},
    CodeRow{Code::kLayoutSize, "layout.size", Kind::kShape, "an allocation of no units"},
    CodeRow{Code::kLayoutElementType, "layout.element-type", Kind::kShape,
            "an element type without a width, or less than one element"},
    CodeRow{Code::kLayoutDuplicateName, "layout.duplicate-name", Kind::kDuplicateName,
            "two allocations of one name in one allocator"},
    CodeRow{Code::kLayoutMixed, "layout.mixed", Kind::kMixedAllocation,
            "fixed and placed allocations in one space, or a fixed one in an alias group"},
    CodeRow{Code::kLayoutFrozen, "layout.frozen", Kind::kLifecycle,
            "a registration after the layout"},
    CodeRow{Code::kLayoutTwice, "layout.twice", Kind::kLifecycle, "a second layout"},
    CodeRow{Code::kLayoutMissing, "layout.missing", Kind::kLifecycle,
            "a question that only the layout answers, before the layout"},
    CodeRow{Code::kDuplicateAllocation, "duplicate-allocation", Kind::kDuplicateName,
            "an allocation registered twice, or in two allocators"},
    CodeRow{Code::kRequirementNotCached, "requirement-not-cached", Kind::kLifecycle,
            "a resource that makes new allocations for each query"},
    CodeRow{Code::kCapacity, "capacity", Kind::kCapacity, "more units than the space has"},

    CodeRow{Code::kAliasTooFewPhases, "alias.too-few-phases", Kind::kShape,
            "an alias group of fewer than two phases"},
    CodeRow{Code::kAliasEmptyPhase, "alias.empty-phase", Kind::kShape, "a phase without members"},
    CodeRow{Code::kAliasDuplicate, "alias.duplicate", Kind::kDuplicateName,
            "an allocation twice in one alias group, or in two groups"},
    CodeRow{Code::kAliasMixedSpaces, "alias.mixed-spaces", Kind::kMemorySpace,
            "an alias group over two spaces"},
    CodeRow{Code::kAliasRemoteWriter, "alias.remote-writer", Kind::kRace,
            "an aliased buffer that another core or a cluster peer writes: local barriers can't "
            "order it"},

    CodeRow{Code::kRegionStages, "region.stages", Kind::kShape,
            "a region that the stages don't divide, or a stride without slots"},
    CodeRow{Code::kRegionRange, "region.range", Kind::kOutOfRange,
            "a region that reaches outside its allocation"},
    CodeRow{Code::kAccessNoSlot, "access.no-slot", Kind::kShape,
            "an access to a staged resource by a task that holds no slot of it"},
    CodeRow{Code::kPipelineKind, "pipeline.kind", Kind::kShape,
            "a commit or release of another form than the kind of its side asks for"},
    CodeRow{Code::kPipelineStages, "pipeline.stages", Kind::kShape,
            "a pipeline of less than one stage"},
    CodeRow{Code::kPipelineArrivals, "pipeline.arrivals", Kind::kShape,
            "declared arrivals that aren't the derived ones"},
    CodeRow{Code::kPipelineInterleaving, "pipeline.interleaving", Kind::kShape,
            "an interleave stride that doesn't divide the stages, or an unequal pair of strides "
            "without its advance flag or within one task"},
    CodeRow{Code::kResourceNoPipeline, "resource.no-pipeline", Kind::kUnknownName,
            "a resource without a pipeline where one is needed"},
    CodeRow{Code::kResourceUnregistered, "resource.unregistered", Kind::kUnknownName,
            "a resource that a task uses and no allocator knows"},
    CodeRow{Code::kGroupEmpty, "group.empty", Kind::kShape, "a pipeline group without members"},
    CodeRow{Code::kGroupMember, "group.member", Kind::kDuplicateName,
            "a pipeline twice in one group, or in two groups"},
    CodeRow{Code::kGroupMismatch, "group.mismatch", Kind::kShape,
            "members that differ in stages, strides, kind or arrivals of the shared side"},
    CodeRow{Code::kGroupSharedSide, "group.shared-side", Kind::kShape,
            "an operation on a member that its group does once for all members"},
    CodeRow{Code::kGroupOperation, "group.operation", Kind::kShape,
            "an operation on a group that its members do, each for itself"},

    CodeRow{Code::kRoleProducer, "role.producer", Kind::kShape,
            "a producer's operation on a resource that isn't a destination of the task"},
    CodeRow{Code::kRoleConsumer, "role.consumer", Kind::kShape,
            "a consumer's operation on a resource that isn't a source of the task"},
    CodeRow{Code::kOrderTry, "order.try", Kind::kShape,
            "a blocking operation without its try before it, on a pipeline that supports probes"},
    CodeRow{Code::kValueUnwritten, "value.unwritten", Kind::kUninitializedRead,
            "work that takes a value which no work before it in the task gives"},
    CodeRow{Code::kValueDirection, "value.direction", Kind::kShape,
            "a value given by work of a producer, or taken by work of a consumer"},
    CodeRow{Code::kHeadAndLoop, "schedule.head-and-loop", Kind::kShape,
            "a producer's work both in the head and in the loop: a warning"},
    CodeRow{Code::kClusterMismatch, "cluster.mismatch", Kind::kShape,
            "pipelines of one kernel with different cluster layouts"},

    CodeRow{Code::kSmemTmemSlotTwice, "smem.tmem-slot-twice", Kind::kDuplicateName,
            "a second slot for the TMEM base"},
    CodeRow{Code::kTmemRequestTooSmall, "tmem.request-too-small", Kind::kCapacity,
            "a kernel that allocates fewer columns than the layout needs"},
    CodeRow{Code::kTmemRequest, "tmem.request", Kind::kShape,
            "a request that isn't a power of two between the smallest and the largest"},
    CodeRow{Code::kTmemNotAllocated, "tmem.not-allocated", Kind::kLifecycle,
            "columns used or deallocated that aren't allocated then"},
    CodeRow{Code::kTmemAllocatedTwice, "tmem.allocated-twice", Kind::kLifecycle,
            "an allocation of a name that is still allocated"},
    CodeRow{Code::kTmemNotVisible, "tmem.not-visible", Kind::kRace,
            "columns used before a barrier of the CTA made their base visible"},
    CodeRow{Code::kTmemInUse, "tmem.in-use", Kind::kRace,
            "columns deallocated without a barrier behind their last use"},
    CodeRow{Code::kTmemNotDeallocated, "tmem.not-deallocated", Kind::kLifecycle,
            "columns still allocated when the kernel ends"},
    CodeRow{Code::kTmemColumns, "tmem.columns", Kind::kShape,
            "a deallocation of another number of columns than were allocated"},
    CodeRow{Code::kTmemWarp, "tmem.warp", Kind::kShape,
            "allocation instructions of more than one warp of a CTA"},
    CodeRow{Code::kTmemPartialWarp, "tmem.partial-warp", Kind::kShape,
            "an allocation instruction of a warp whose threads aren't all active"},
    CodeRow{Code::kTmemAfterPermit, "tmem.after-permit", Kind::kLifecycle,
            "an allocation after the permit to allocate was given up"},
    CodeRow{Code::kTmemPermitKept, "tmem.permit-kept", Kind::kLifecycle,
            "a kernel that allocates and never gives up the permit"},
    CodeRow{Code::kTmemPair, "tmem.pair", Kind::kShape,
            "allocation instructions that only one CTA of a pair makes"},
    CodeRow{Code::kViewNoElementType, "view.no-element-type", Kind::kShape,
            "a typed view of an allocation without an element type"},
    CodeRow{Code::kViewForeign, "view.foreign", Kind::kUnknownName,
            "a view of another allocator's allocation"},
    CodeRow{Code::kViewTooLong, "view.too-long", Kind::kOutOfRange,
            "a view of more elements than the allocation holds"},
    CodeRow{Code::kBarrierCount, "barrier.count", Kind::kShape,
            "a barrier allocation of no barriers, or of no arrivals"},
    CodeRow{Code::kBarrierDuplicateName, "barrier.duplicate-name", Kind::kDuplicateName,
            "two barrier allocations of one name"},
    CodeRow{Code::kBarrierMissing, "barrier.missing", Kind::kUnknownName,
            "a pipeline that doesn't find its pair of barriers"},
    CodeRow{Code::kRegisters, "registers", Kind::kCapacity,
            "tasks that ask for more registers than the core has, or unequal ones in one group of "
            "warps"},
    CodeRow{Code::kLifecycle, "lifecycle", Kind::kLifecycle, "a call out of its order"},
};

}  // namespace

std::span<const CodeRow> AllCodes() { return kRows; }

const CodeRow& RowOf(Code code) {
  const auto index = static_cast<std::size_t>(code);
  SPILLWAY_CHECK(index < kRows.size() && kRows[index].code == code, "rows stand in enum order");
  return kRows[index];
}

std::string_view CodeName(Code code) { return RowOf(code).name; }

const CodeRow* FindCode(std::string_view name) {
  for (const CodeRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Error MakeError(Code code, std::string message) {
  const CodeRow& row = RowOf(code);
  return {row.kind, std::string(row.name), std::move(message), {}, 0};
}

}  // namespace spillway::task
