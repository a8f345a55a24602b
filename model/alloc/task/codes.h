// Everything that task pipelines refuse, each with a stable code.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/hw/error.h"

namespace spillway::task {

/// A cause for refusing a pipeline file, a registration or a call. Tests compare the codes.
/// Source: ts_pipelines.md §2 to §7, §11 and §15.
enum class Code {
  // Files
  kSyntax,
  kVersion,
  kUnknownName,
  kDuplicateName,
  kLimit,
  // Layout
  kLayoutAlignment,
  kLayoutSize,
  kLayoutElementType,
  kLayoutDuplicateName,
  kLayoutMixed,
  kLayoutFrozen,
  kLayoutTwice,
  kLayoutMissing,
  kDuplicateAllocation,
  kRequirementNotCached,
  kCapacity,
  // Alias groups
  kAliasTooFewPhases,
  kAliasEmptyPhase,
  kAliasDuplicate,
  kAliasMixedSpaces,
  kAliasRemoteWriter,
  // Resources and pipelines
  kRegionStages,
  kRegionRange,
  kAccessNoSlot,
  kPipelineKind,
  kPipelineStages,
  kPipelineArrivals,
  kPipelineInterleaving,
  kResourceNoPipeline,
  kResourceUnregistered,
  kGroupEmpty,
  kGroupMember,
  kGroupMismatch,
  kGroupSharedSide,
  kGroupOperation,
  // Declared tasks
  kRoleProducer,
  kRoleConsumer,
  kOrderTry,
  kValueUnwritten,
  kValueDirection,
  kHeadAndLoop,
  kClusterMismatch,
  // Allocators
  kSmemTmemSlotTwice,
  kTmemRequestTooSmall,
  kTmemRequest,
  kTmemNotAllocated,
  kTmemAllocatedTwice,
  kTmemNotVisible,
  kTmemInUse,
  kTmemNotDeallocated,
  kTmemColumns,
  kTmemWarp,
  kTmemPartialWarp,
  kTmemAfterPermit,
  kTmemPermitKept,
  kTmemPair,
  kViewNoElementType,
  kViewForeign,
  kViewTooLong,
  kBarrierCount,
  kBarrierDuplicateName,
  kBarrierMissing,
  kRegisters,
  kLifecycle,
};

struct CodeRow {
  Code code;
  std::string_view name;  ///< stable, for example "layout.alignment"
  Kind kind;
  std::string_view meaning;  ///< one line for the documentation
};

/// Every code once, in enum order.
std::span<const CodeRow> AllCodes();
const CodeRow& RowOf(Code code);
std::string_view CodeName(Code code);
/// Null where no code has that name.
const CodeRow* FindCode(std::string_view name);

/// An error of that code, without file and line.
Error MakeError(Code code, std::string message);

}  // namespace spillway::task
