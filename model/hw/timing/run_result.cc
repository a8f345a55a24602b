#include "model/hw/timing/run_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/hw/interval.h"
#include "model/hw/timing/covered_time.h"

namespace spillway {

std::string DescribeBlocked(const HwProgram& program, const BlockedStream& blocked) {
  return fmt::format(
      "{} stops at instance {}, which waits for {} >= {} (now {}); {} instance{} left",
      StreamName(blocked.stream), blocked.instance.value,
      program.SemaphoreName(blocked.wait.semaphore), blocked.wait.at_least, blocked.value,
      blocked.instances_left, blocked.instances_left == 1 ? "" : "s");
}

Picoseconds TimeInFlight(const HwProgram& program, const std::vector<InstanceTimes>& times,
                         std::span<const DmaRole> roles, Picoseconds end) {
  const auto counts = [&](const Transfer& transfer) {
    return std::find(roles.begin(), roles.end(), transfer.role) != roles.end();
  };
  std::vector<Interval<Picoseconds>> flights;
  if (std::none_of(program.transfers().begin(), program.transfers().end(), counts)) return {};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const InstanceId id(i);
    if (!program.instance(id).stream.is_queue() || times[i].issue < Picoseconds(0)) continue;
    if (!counts(program.TransferOf(id))) continue;
    flights.push_back({times[i].issue, times[i].finish < Picoseconds(0) ? end : times[i].finish});
  }
  return CoveredTime(std::move(flights));
}

}  // namespace spillway
