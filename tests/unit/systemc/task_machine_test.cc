// Streams, transfers and matrix units alone: who waits for whom, and when.
#include "model/hw/systemc/task_machine.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "model/hw/error.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Writes down what happens: "begin 0.1", "end 0.1", "arrival 7".
class Diary final : public TaskObserver {
 public:
  void OnBegin(TaskStreamId stream, std::uint32_t step) override { Add("begin", stream, step); }
  void OnEnd(TaskStreamId stream, std::uint32_t step) override { Add("end", stream, step); }
  void OnArrival(TaskStreamId, std::uint32_t, std::uint32_t tag, ArrivalTime) override {
    lines.push_back("arrival " + std::to_string(tag));
  }
  void OnSkew(TaskStreamId stream, std::uint32_t step, SyncObjectId) override {
    Add("skew", stream, step);
  }

  std::vector<std::string> lines;

 private:
  void Add(const std::string& what, TaskStreamId stream, std::uint32_t step) {
    lines.push_back(what + " " + std::to_string(stream.value) + "." + std::to_string(step));
  }
};

/// Programs by hand. Everything takes 10 ps, waking 1 ps.
class Builder {
 public:
  SyncObjectId Barrier(std::uint32_t contributors) {
    return program.objects.push_back({true, contributors});
  }
  SyncObjectId Semaphore() { return program.objects.push_back({false, 0}); }
  TaskStreamId Stream() { return program.streams.push_back({}); }

  StreamStep& Add(TaskStreamId stream, StreamStepKind kind) {
    StreamStep step;
    step.kind = kind;
    step.busy = Picoseconds(10);
    step.latency = Picoseconds(10);
    step.first_condition = static_cast<std::uint32_t>(program.conditions.size());
    step.first_arrival = static_cast<std::uint32_t>(program.arrivals.size());
    program.streams[stream].push_back(step);
    return program.streams[stream].back();
  }
  void Wait(TaskStreamId stream, SyncObjectId object, std::int64_t number) {
    Add(stream, StreamStepKind::kWait).condition_count = 1;
    program.conditions.push_back({object, number});
  }
  StreamStep& Arrive(TaskStreamId stream, StreamArrival arrival,
                     StreamStepKind kind = StreamStepKind::kArrive) {
    StreamStep& step = Add(stream, kind);
    step.arrival_count = 1;
    program.arrivals.push_back(arrival);
    return step;
  }
  /// A transfer that moves and announces `bytes`.
  StreamStep& Transfer(TaskStreamId stream, StreamArrival arrival, Bytes bytes) {
    arrival.time = ArrivalTime::kTransfer;
    arrival.bytes = bytes;
    StreamStep& step = Arrive(stream, arrival, StreamStepKind::kTransfer);
    step.bytes = bytes;
    return step;
  }

  TaskMachineRun Run(TaskObserver& observer, const TaskMachineOptions& options = {}) const {
    return TaskMachine::Instance().Run(program, observer, options);
  }

  TaskMachineProgram program;
};

std::vector<std::uint32_t> StepsBegun(const TaskMachineRun& run) {
  return {run.steps_begun.begin(), run.steps_begun.end()};
}

StreamArrival At(SyncObjectId object, std::int64_t number, std::uint32_t tag = 0,
                 ArrivalTime time = ArrivalTime::kNow) {
  StreamArrival arrival;
  arrival.object = object;
  arrival.number = number;
  arrival.tag = tag;
  arrival.time = time;
  return arrival;
}

TEST(TaskMachine, AWaiterGoesOnAWakeLatencyBehindTheLastArrival) {
  Builder build;
  const SyncObjectId barrier = build.Barrier(1);
  const TaskStreamId waits = build.Stream();
  const TaskStreamId works = build.Stream();
  build.Wait(waits, barrier, 0);
  build.Add(works, StreamStepKind::kWork);
  build.Arrive(works, At(barrier, 0, 7));
  Diary diary;
  const TaskMachineRun run = build.Run(diary);
  EXPECT_THAT(diary.lines,
              ElementsAre("begin 1.0", "end 1.0", "begin 1.1", "arrival 7", "begin 0.0"));
  // 10 of work, 1 to wake, 10 of the wait itself.
  EXPECT_EQ(run.time, Picoseconds(21));
  EXPECT_THAT(StepsBegun(run), ElementsAre(1u, 2u));
}

TEST(TaskMachine, MatrixWorkRetiresInOrderAndItsArrivalsComeBehindIt) {
  Builder build;
  const SyncObjectId barrier = build.Barrier(1);
  const TaskStreamId stream = build.Stream();
  build.Add(stream, StreamStepKind::kMatrix).latency = Picoseconds(100);
  build.Add(stream, StreamStepKind::kMatrix).latency = Picoseconds(1);
  build.Arrive(stream, At(barrier, 0, 3, ArrivalTime::kMatrix));
  Diary diary;
  build.Run(diary);
  EXPECT_THAT(diary.lines, ElementsAre("begin 0.0", "begin 0.1", "begin 0.2", "end 0.0", "end 0.1",
                                       "arrival 3"));
}

TEST(TaskMachine, TransfersEndInAnyOrder) {
  Builder build;
  const SyncObjectId barrier = build.Barrier(1);
  const TaskStreamId stream = build.Stream();
  build.Transfer(stream, At(barrier, 0, 1), Bytes(64)).latency = Picoseconds(100);
  build.Transfer(stream, At(barrier, 1, 2), Bytes(64)).latency = Picoseconds(20);
  Diary diary;
  const TaskMachineRun run = build.Run(diary);
  EXPECT_THAT(diary.lines, ElementsAre("begin 0.0", "begin 0.1", "end 0.1", "arrival 2", "end 0.0",
                                       "arrival 1"));
  EXPECT_EQ(run.objects[barrier].barrier.generation, 2);
}

TEST(TaskMachine, BytesThatNeverArriveLeaveTheBarrierWaiting) {
  Builder build;
  const SyncObjectId barrier = build.Barrier(1);
  const TaskStreamId load = build.Stream();
  const TaskStreamId waits = build.Stream();
  StreamStep& transfer = build.Transfer(load, At(barrier, 0), Bytes(64));
  transfer.bytes = Bytes(48);
  transfer.packets = 4;
  build.Wait(waits, barrier, 0);
  Diary diary;
  const TaskMachineRun run = build.Run(diary);
  EXPECT_THAT(diary.lines, ElementsAre("begin 0.0", "end 0.0"));
  EXPECT_EQ(run.objects[barrier].barrier.pending_bytes, Bytes(16));
  EXPECT_THAT(run.objects[barrier].waiting, ElementsAre(waits));
  EXPECT_THAT(StepsBegun(run), ElementsAre(1u, 0u));
}

TEST(TaskMachine, SemaphoreUpdatesOfOneContributorComeInOrder) {
  Builder build;
  const SyncObjectId semaphore = build.Semaphore();
  const TaskStreamId load = build.Stream();
  const TaskStreamId waits = build.Stream();
  StreamArrival first = At(semaphore, 0, 1);
  StreamArrival second = At(semaphore, 1, 2);
  first.step = second.step = 16;
  build.Transfer(load, first, Bytes(64)).latency = Picoseconds(100);
  build.Transfer(load, second, Bytes(64)).latency = Picoseconds(20);
  build.Wait(waits, semaphore, 16);
  Diary diary;
  const TaskMachineRun run = build.Run(diary);
  EXPECT_THAT(diary.lines, ElementsAre("begin 0.0", "begin 0.1", "end 0.1", "end 0.0", "arrival 1",
                                       "arrival 2", "begin 1.0"));
  EXPECT_EQ(run.objects[semaphore].value, 32);
}

TEST(TaskMachine, HeldWorkEndsWhenNothingElseCanHappenOneAfterTheOther) {
  Builder build;
  const TaskStreamId slow = build.Stream();
  const TaskStreamId fast = build.Stream();
  build.Add(slow, StreamStepKind::kWork);
  build.Add(slow, StreamStepKind::kWork);
  for (int i = 0; i < 3; ++i) build.Add(fast, StreamStepKind::kWork);
  TaskMachineOptions options;
  options.held.push_back({slow, StreamActor::kStream, std::nullopt});
  Diary diary;
  build.Run(diary, options);
  EXPECT_THAT(diary.lines, ElementsAre("begin 0.0", "begin 1.0", "end 1.0", "begin 1.1", "end 1.1",
                                       "begin 1.2", "end 1.2", "end 0.0", "begin 0.1", "end 0.1"));
  // One step alone.
  options.held = {{slow, StreamActor::kStream, 1}};
  Diary other;
  build.Run(other, options);
  EXPECT_EQ(other.lines.back(), "end 0.1");
  EXPECT_EQ(other.lines[2], "end 0.0");
}

TEST(TaskMachine, AWaiterTwoPhasesBehindIsToldOf) {
  Builder build;
  const SyncObjectId barrier = build.Barrier(1);
  const TaskStreamId late = build.Stream();
  const TaskStreamId fast = build.Stream();
  build.Add(late, StreamStepKind::kWork).busy = Picoseconds(1000);
  build.Wait(late, barrier, 0);
  build.Arrive(fast, At(barrier, 0));
  build.Arrive(fast, At(barrier, 1));
  Diary diary;
  build.Run(diary);
  EXPECT_THAT(diary.lines, ::testing::Contains("skew 0.1"));
  build.program.streams[late][0].busy = Picoseconds(5);
  Diary in_time;
  build.Run(in_time);
  EXPECT_THAT(in_time.lines, ::testing::Not(::testing::Contains("skew 0.1")));
}

TEST(TaskMachine, JitterMakesWorkLongerTheSameForTheSameSeed) {
  Builder build;
  const TaskStreamId stream = build.Stream();
  build.Add(stream, StreamStepKind::kWork).busy = Picoseconds(1'000'000);
  const auto time = [&](std::uint64_t seed) {
    Diary diary;
    TaskMachineOptions options;
    options.jitter_seed = seed;
    return build.Run(diary, options).time;
  };
  EXPECT_EQ(time(0), Picoseconds(1'000'000));
  EXPECT_GT(time(1), time(0));
  EXPECT_LE(time(1), 2 * time(0));
  EXPECT_EQ(time(1), time(1));
  EXPECT_NE(time(1), time(2));
}

/// Throws at the second thing that happens.
class Thrower final : public TaskObserver {
 public:
  void OnBegin(TaskStreamId, std::uint32_t) override { Count(); }
  void OnEnd(TaskStreamId, std::uint32_t) override { Count(); }
  void OnArrival(TaskStreamId, std::uint32_t, std::uint32_t, ArrivalTime) override {}
  void OnSkew(TaskStreamId, std::uint32_t, SyncObjectId) override {}

 private:
  void Count() {
    if (++calls_ == 2) throw std::runtime_error("second");
  }
  int calls_ = 0;
};

TEST(TaskMachine, WhatAnObserverThrowsArrivesAndTheNextRunIsAsEver) {
  Builder build;
  const TaskStreamId one = build.Stream();
  const TaskStreamId other = build.Stream();
  for (const TaskStreamId stream : {one, other}) {
    build.Add(stream, StreamStepKind::kMatrix);
    build.Add(stream, StreamStepKind::kWork);
  }
  Diary before;
  const TaskMachineRun run = build.Run(before);
  Thrower thrower;
  EXPECT_THROW(build.Run(thrower), std::runtime_error);
  Diary after;
  EXPECT_EQ(build.Run(after).time, run.time);
  EXPECT_EQ(after.lines, before.lines);
}

TEST(TaskMachine, ItsClockHasLeftWhatRunsHaveNotTaken) {
  Builder build;
  build.Add(build.Stream(), StreamStepKind::kWork).busy = Picoseconds(1000);
  const Picoseconds before = TaskMachine::Instance().TimeLeft();
  Diary diary;
  const Picoseconds time = build.Run(diary).time;
  const Picoseconds spent = before - TaskMachine::Instance().TimeLeft();
  EXPECT_GE(spent, time);
  EXPECT_LE(spent, time + Picoseconds(1));  // whole picoseconds are left
}

TEST(TaskMachine, RefusesProgramsThatItHasNoStreamsFor) {
  Builder build;
  for (std::size_t i = 0; i <= TaskMachine::kMaxStreams; ++i) build.Stream();
  Diary diary;
  EXPECT_THROW(build.Run(diary), ContractViolation);
  build.program.streams.resize(TaskMachine::kMaxStreams);
  EXPECT_EQ(build.Run(diary).time, Picoseconds(0));
  EXPECT_THAT(diary.lines, IsEmpty());
  build.Add(TaskStreamId(0), StreamStepKind::kWork).busy = Picoseconds(0);
  EXPECT_THROW(build.Run(diary), ContractViolation);
}

}  // namespace
}  // namespace spillway
