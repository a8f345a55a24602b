#include "model/alloc/rings/order_pipelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace spillway::rings {

OrderPipelines PlanOrder(const StreamWork& work, const Waits& waits) {
  OrderPipelines order;
  order.given.resize(work.instances.size());
  order.taken.resize(work.instances.size());
  struct Chain {
    std::uint32_t pipeline = 0;
    std::uint32_t last = 0;  ///< the instance that gives its last token
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Chain>> chains_of;
  std::vector<std::uint32_t> ascending;
  for (std::size_t i = 0; i < work.instances.size(); ++i) {
    const auto found = waits.Of(i);
    ascending.assign(found.begin(), found.end());
    std::sort(ascending.begin(), ascending.end());
    for (const std::uint32_t producer : ascending) {
      const std::uint32_t from = work.instances[producer].stream;
      const std::uint32_t to = work.instances[i].stream;
      std::vector<Chain>& chains = chains_of[{from, to}];
      auto chain = std::find_if(chains.begin(), chains.end(),
                                [&](const Chain& other) { return other.last < producer; });
      if (chain == chains.end()) {
        std::string name = fmt::format("{}_to_{}", work.streams[from].name, work.streams[to].name);
        if (!chains.empty()) name += fmt::format("_{}", chains.size() + 1);
        chains.push_back({static_cast<std::uint32_t>(order.pipelines.size()), 0});
        order.pipelines.push_back({std::move(name), from, to, 0});
        chain = std::prev(chains.end());
      }
      chain->last = producer;
      ++order.pipelines[chain->pipeline].tokens;
      order.given[producer].push_back(chain->pipeline);
      order.taken[i].push_back(chain->pipeline);
    }
  }
  for (std::vector<std::uint32_t>& given : order.given) std::sort(given.begin(), given.end());
  return order;
}

}  // namespace spillway::rings
