#include "sim/lower/lowered_waits.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace spillway {

Result<LoweredWaits> WaitsOf(const Kernel& kernel, const HwProgram& program) {
  Result<rings::StreamWork> work = rings::CollectWork(kernel);
  if (!work) return Fail(std::move(work.error()));
  SPILLWAY_CHECK(work->instances.size() == program.instances().size(),
                 "a program has its kernel's instances");
  LoweredWaits lowered;
  lowered.work = std::move(*work);
  // Streams in the order of their numbers, those alone that play something.
  std::map<StreamId, std::uint32_t> streams;
  for (const HwInstance& instance : program.instances()) streams.emplace(instance.stream, 0);
  lowered.work.streams.clear();
  for (auto& [stream, index] : streams) {
    index = static_cast<std::uint32_t>(lowered.work.streams.size());
    std::string name = StreamName(stream);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    lowered.work.streams.push_back({std::move(name), stream.is_queue() ? task::SideKind::kDma
                                                     : stream == StreamId::Compute(Engine::kPe)
                                                         ? task::SideKind::kMatrix
                                                         : task::SideKind::kThread});
  }
  lowered.waits.first.push_back(0);
  for (std::size_t i = 0; i < program.instances().size(); ++i) {
    lowered.work.instances[i].stream = streams.at(program.instances()[i].stream);
    for (const InstanceId producer : program.ProducersOf(InstanceId(i))) {
      if (producer == kNoInstance || producer.value >= i) {
        return Fail(
            {Kind::kDeadlock, "ring-wait-ahead",
             fmt::format("instance {}: expected waits for earlier instances, found one that "
                         "none of them meets",
                         i),
             "", 0});
      }
      lowered.waits.producers.push_back(producer.value);
    }
    lowered.waits.first.push_back(static_cast<std::uint32_t>(lowered.waits.producers.size()));
  }
  return lowered;
}

}  // namespace spillway
