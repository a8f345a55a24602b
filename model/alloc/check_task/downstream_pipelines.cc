#include "model/alloc/check_task/downstream_pipelines.h"

#include <algorithm>
#include <utility>

namespace spillway::task {
namespace {

/// Tarjan's strongly connected components: they end in an order in which everything downstream of
/// one, but for itself, has ended before it, so each is looked at once. Without recursion, since a
/// chain may be as long as a file.
class Reach {
 public:
  explicit Reach(const PipelineSystem& system)
      : system_(system),
        direct_(system.resources.size()),
        number_(system.resources.size(), 0),
        low_(system.resources.size(), 0),
        component_(system.resources.size(), kOpen) {
    for (const Dependency& dependency : *system.graph) {
      for (const ResourceId upstream : dependency.upstream)
        direct_[upstream].push_back(dependency.downstream);
    }
    for (std::size_t r = 0; r < system.resources.size(); ++r) {
      if (number_[ResourceId(r)] == 0) Visit(ResourceId(r));
    }
  }

  /// Pipelines downstream of the resource.
  const PipelineSet& Of(ResourceId resource) const { return reached_[component_[resource]]; }

 private:
  static constexpr std::uint32_t kOpen = UINT32_MAX;

  struct Frame {
    ResourceId resource;
    std::size_t next = 0;  ///< of its direct ones
  };

  void Visit(ResourceId root) {
    std::vector<Frame> frames;
    const auto enter = [&](ResourceId resource) {
      number_[resource] = low_[resource] = ++last_number_;
      stack_.push_back(resource);
      frames.push_back({resource, 0});
    };
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const ResourceId resource = frame.resource;
      if (frame.next < direct_[resource].size()) {
        const ResourceId down = direct_[resource][frame.next++];
        if (number_[down] == 0) {
          enter(down);
        } else if (component_[down] == kOpen) {
          low_[resource] = std::min(low_[resource], number_[down]);
        }
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) {
        std::uint32_t& low = low_[frames.back().resource];
        low = std::min(low, low_[resource]);
      }
      if (low_[resource] == number_[resource]) Close(resource);
    }
  }

  /// What stands on the stack from `first` on is a component.
  void Close(ResourceId first) {
    const auto begin = std::find(stack_.rbegin(), stack_.rend(), first).base() - 1;
    const auto id = static_cast<std::uint32_t>(reached_.size());
    for (auto at = begin; at != stack_.end(); ++at) component_[*at] = id;
    PipelineSet reached(system_.pipelines.size());
    for (auto at = begin; at != stack_.end(); ++at) {
      for (const ResourceId down : direct_[*at]) {
        if (const auto ring = system_.resources[down].pipeline) reached.Add(*ring);
        if (component_[down] != id) reached.AddAll(reached_[component_[down]]);
      }
    }
    reached_.push_back(std::move(reached));
    stack_.erase(begin, stack_.end());
  }

  const PipelineSystem& system_;
  IdVector<ResourceId, std::vector<ResourceId>> direct_;
  IdVector<ResourceId, std::uint32_t> number_;  ///< in the order of visits, from 1
  IdVector<ResourceId, std::uint32_t> low_;
  IdVector<ResourceId, std::uint32_t> component_;
  std::vector<ResourceId> stack_;
  std::vector<PipelineSet> reached_;  ///< of each component
  std::uint32_t last_number_ = 0;
};

}  // namespace

void PipelineSet::AddAll(const PipelineSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

bool PipelineSet::Meets(const PipelineSet& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

IdVector<PipelineId, PipelineSet> DownstreamPipelines(const PipelineSystem& system) {
  const std::size_t pipelines = system.pipelines.size();
  IdVector<PipelineId, PipelineSet> all(pipelines, PipelineSet(pipelines));
  if (!system.graph) return all;
  const Reach reach(system);
  for (std::size_t r = 0; r < system.resources.size(); ++r) {
    if (const auto ring = system.resources[ResourceId(r)].pipeline)
      all[*ring].AddAll(reach.Of(ResourceId(r)));
  }
  return all;
}

}  // namespace spillway::task
