#include "sim/exec/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace spillway {
namespace {

constexpr int kComputeProcess = 1;
constexpr int kDmaProcess = 2;

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// Integers all the way: a double would print differently some day.
std::string Microseconds(Picoseconds time) {
  constexpr std::int64_t kPerMicrosecond = 1'000'000;
  return fmt::format("{}.{:06}", time.value / kPerMicrosecond, time.value % kPerMicrosecond);
}

int ProcessOf(const Timeline& timeline, int track) {
  return timeline.tracks[static_cast<std::size_t>(track)].front() == 'q' ? kDmaProcess
                                                                         : kComputeProcess;
}

std::string NameOf(const Kernel& kernel, const Instruction& instruction) {
  for (const OperandGroup& group : instruction.outputs) {
    if (!group.operands.empty()) {
      return instruction.op + " " + kernel.tensors[group.operands.front().tensor].name;
    }
  }
  return instruction.op;
}

std::string SliceJson(const Kernel& kernel, const SimReport& report, const Timeline& timeline,
                      const TimelineSlice& slice) {
  const Instance& instance = report.lowered.sequence.instances[slice.instance.value];
  const Instruction& instruction = kernel.instructions[instance.instruction];
  const HwInstance& played = report.lowered.program.instance(slice.instance);
  std::string args = fmt::format(R"("instance":{},"instruction":{})", slice.instance.value,
                                 instance.instruction.value);
  if (!instruction.src.empty()) args += R"(,"src":)" + Quoted(instruction.src);
  std::string_view category = "compute";
  if (played.stream.is_queue()) {
    const Transfer& transfer = report.lowered.program.TransferOf(slice.instance);
    category = DmaRoleName(transfer.role);
    args += fmt::format(R"(,"issue":{},"bytes":{})",
                        Microseconds(report.run.times[slice.instance.value].issue),
                        transfer.descriptor_bytes.value * transfer.descriptors);
  }
  return fmt::format(
      R"({{"name":{},"cat":"{}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
      Quoted(NameOf(kernel, instruction)), category, ProcessOf(timeline, slice.track), slice.track,
      Microseconds(slice.begin), Microseconds(slice.end - slice.begin), args);
}

}  // namespace

Timeline LayOutTimeline(const SimReport& report) {
  const std::vector<InstanceTimes>& times = report.run.times;
  const HwProgram& program = report.lowered.program;
  Timeline timeline;
  std::vector<int> track_of(times.size(), -1);
  const auto end_of = [&](std::size_t i) {
    return times[i].finish < Picoseconds(0) ? std::max(times[i].start, report.run.makespan)
                                            : times[i].finish;
  };
  for (int s = 0; s < kMaxStreams; ++s) {
    const StreamId stream{s};
    std::vector<InstanceId> started;
    for (const InstanceId id : program.StreamOf(stream)) {
      if (times[id.value].start >= Picoseconds(0)) started.push_back(id);
    }
    if (started.empty() && stream.is_queue()) continue;
    std::stable_sort(started.begin(), started.end(), [&](InstanceId a, InstanceId b) {
      return times[a.value].start < times[b.value].start;
    });
    std::vector<Picoseconds> free_at(1);  // per track of this stream
    const int first_track = static_cast<int>(timeline.tracks.size());
    for (const InstanceId id : started) {
      std::size_t lane = 0;
      while (lane < free_at.size() && free_at[lane] > times[id.value].start) ++lane;
      if (lane == free_at.size()) free_at.emplace_back();
      free_at[lane] = end_of(id.value);
      track_of[id.value] = first_track + static_cast<int>(lane);
    }
    for (std::size_t lane = 0; lane < free_at.size(); ++lane) {
      timeline.tracks.push_back(StreamName(stream) + (lane == 0 ? "" : fmt::format(".{}", lane)));
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (track_of[i] >= 0)
      timeline.slices.push_back({track_of[i], InstanceId(i), times[i].start, end_of(i)});
  }
  return timeline;
}

void WriteTimeline(std::ostream& out, const Kernel& kernel, const SimReport& report) {
  const Timeline timeline = LayOutTimeline(report);
  out << R"({"displayTimeUnit":"ns","otherData":{"kernel":)" << Quoted(kernel.name)
      << R"(},"traceEvents":[)";
  out << fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"engines"}}}},)",
                     kComputeProcess);
  out << fmt::format(
      R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"DMA queues"}}}})", kDmaProcess);
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track) {
    out << fmt::format(
        ",\n"
        R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})",
        ProcessOf(timeline, track), track,
        Quoted(timeline.tracks[static_cast<std::size_t>(track)]));
  }
  for (const TimelineSlice& slice : timeline.slices)
    out << ",\n" << SliceJson(kernel, report, timeline, slice);
  out << "\n]}\n";
}

Result<void> WriteTimelineFile(const std::string& path, const Kernel& kernel,
                               const SimReport& report) {
  std::ofstream out(path, std::ios::binary);
  if (out) WriteTimeline(out, kernel, report);
  out.close();
  if (!out)
    return Fail(
        {Kind::kFile, "cannot-write", fmt::format("{}: can't write the timeline", path), path, 0});
  return {};
}

}  // namespace spillway
