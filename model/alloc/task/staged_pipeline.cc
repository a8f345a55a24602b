#include "model/alloc/task/staged_pipeline.h"

#include <fmt/format.h>

#include <utility>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/codes.h"
#include "model/alloc/task/named_words.h"

namespace spillway::task {
namespace {

constexpr SideKind kThread = SideKind::kThread;
constexpr SideKind kDma = SideKind::kDma;
constexpr SideKind kMatrix = SideKind::kMatrix;

// Source: ts_pipelines.md §7, Kinds.
constexpr std::array kTypes = {
    PipelineType{"AsyncAsync", kThread, kThread}, PipelineType{"TmaAsync", kDma, kThread},
    PipelineType{"TmaUmma", kDma, kMatrix},       PipelineType{"UmmaAsync", kMatrix, kThread},
    PipelineType{"AsyncUmma", kThread, kMatrix},  PipelineType{"UmmaUmma", kMatrix, kMatrix},
    PipelineType{"ClcFetchAsync", kDma, kThread},
};

constexpr std::array<std::string_view, 3> kModes = {"merge", "fork", "fused-merge"};

std::optional<Error> CheckStrides(const PipelineOptions& options) {
  const Interleaving& strides = options.interleaving;
  const auto refuse = [&](std::string text) {
    return MakeError(Code::kPipelineInterleaving,
                     fmt::format("pipeline {}: {}", options.name, std::move(text)));
  };
  const std::pair<std::string_view, std::int64_t> all[] = {{"acquire", strides.acquire},
                                                           {"commit", strides.commit},
                                                           {"wait", strides.wait},
                                                           {"release", strides.release}};
  for (const auto& [operation, stride] : all) {
    if (stride >= 1 && options.stages % stride == 0) continue;
    return refuse(
        fmt::format("expected an interleave stride of {} that divides {} stages, found {}",
                    operation, options.stages, stride));
  }
  if (strides.acquire != strides.commit && !strides.advance_on_acquire) {
    return refuse(
        fmt::format("expected advance_on_acquire with strides {} of acquire and {} of "
                    "commit",
                    strides.acquire, strides.commit));
  }
  if (strides.wait != strides.release && !strides.advance_on_wait) {
    return refuse(fmt::format("expected advance_on_wait with strides {} of wait and {} of release",
                              strides.wait, strides.release));
  }
  return std::nullopt;
}

}  // namespace

std::string_view GroupModeName(GroupMode mode) { return WordOf(kModes, mode); }

std::optional<PipelineType> FindPipelineType(std::string_view name) {
  for (const PipelineType& type : kTypes) {
    if (type.name == name) return type;
  }
  return std::nullopt;
}

std::int64_t DerivedArrivals(const ArrivingSide& side) {
  switch (side.kind) {
    case SideKind::kThread: return TheGpuRules().warp_threads.value * side.warps;
    case SideKind::kMatrix: return 1;
    case SideKind::kDma: return side.bytes_per_warp * side.warps * side.ctas;
  }
  return 0;
}

Result<void> CheckArrivals(std::string_view pipeline, Side side, std::int64_t declared,
                           const ArrivingSide& arriving) {
  const std::int64_t derived = DerivedArrivals(arriving);
  if (declared == derived) return {};
  return Fail(MakeError(
      Code::kPipelineArrivals,
      fmt::format("pipeline {}: expected {} {} of the {} side, whose kind is {}, found {}",
                  pipeline, derived, arriving.kind == SideKind::kDma ? "bytes" : "arrivals",
                  SideName(side), SideKindName(arriving.kind), declared)));
}

Result<std::shared_ptr<StagedPipeline>> StagedPipeline::Create(PipelineOptions options) {
  constexpr std::int64_t kMaxStages = 64;  // of the format: ts_pipelines.md §15
  if (options.stages < 1 || options.stages > kMaxStages) {
    return Fail(MakeError(Code::kPipelineStages,
                          fmt::format("pipeline {}: expected 1 to {} stages, found {}",
                                      options.name, kMaxStages, options.stages)));
  }
  if (options.producer_arrivals < 1 || options.consumer_arrivals < 1) {
    return Fail(
        MakeError(Code::kPipelineArrivals,
                  fmt::format("pipeline {}: expected at least 1 arrival on each side, found "
                              "{} and {}",
                              options.name, options.producer_arrivals, options.consumer_arrivals)));
  }
  if (std::optional<Error> error = CheckStrides(options)) return Fail(std::move(*error));
  return std::shared_ptr<StagedPipeline>(new StagedPipeline(std::move(options)));
}

bool StagedPipeline::GiveBarriers(BarrierPair pair) {
  if (barriers_) return false;
  barriers_ = pair;
  return true;
}

bool StagedPipeline::JoinGroup(const std::string& name, GroupMode mode) {
  if (!group_.empty()) return false;
  group_ = name;
  group_mode_ = mode;
  return true;
}

}  // namespace spillway::task
