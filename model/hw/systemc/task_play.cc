#include "model/hw/systemc/detail/task_play.h"

#include <algorithm>

#include "model/hw/error.h"
#include "model/hw/systemc/detail/task_actors.h"

namespace spillway::detail {
namespace {

/// The finaliser of SplitMix64.
std::uint64_t Scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

TaskProcess::TaskProcess(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(OnTimer);
  sensitive << timer_;
  dont_initialize();
}

void TaskProcess::ArmAs(TaskPlay& play, TaskStreamId stream, std::uint32_t actor) {
  static_assert(TaskMachine::kMaxStreams * kActors <= TaskPlay::kTicks);
  play_ = &play;
  stream_ = stream;
  order_ = std::int64_t{stream.value} * kActors + actor;
}

void TaskProcess::PlayAt(std::int64_t due) {
  if (due_ >= play_->Now() && due_ <= due) return;
  due_ = due;
  const std::int64_t ticks = due * TaskPlay::kTicks + order_ - play_->Ticks();
  timer_.notify(sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(ticks)));
}

void TaskProcess::Disarm() {
  timer_.cancel();
  due_ = -1;
  play_ = nullptr;
}

// An exception must not leave a process: it would end SystemC's kernel for good. A run that failed
// may leave this process to SystemC, which runs it in the next one.
void TaskProcess::OnTimer() {
  if (play_ == nullptr || play_->failure() || play_->Now() != due_) return;
  due_ = -1;
  try {
    Play(play_->Now());
  } catch (...) {
    play_->Fail(std::current_exception());
    sc_core::sc_pause();
  }
}

TaskPlay::TaskPlay(const TaskMachineProgram& program, TaskObserver& observer,
                   const TaskMachineOptions& options)
    : program_(program),
      observer_(observer),
      options_(options),
      origin_(sc_core::sc_time_stamp().value()) {
  objects_.reserve(program.objects.size());
  for (const SyncObject& object : program.objects)
    objects_.push_back({ArrivalBarrier(object.contributors), CountingSemaphore(), {}, {}});
}

std::int64_t TaskPlay::Ticks() const {
  return static_cast<std::int64_t>(sc_core::sc_time_stamp().value() - origin_);
}

bool TaskPlay::Holds(const StreamCondition& condition) const {
  const Object& object = objects_[condition.object.value];
  return program_.objects[condition.object].is_barrier ? object.barrier.IsOver(condition.number)
                                                       : object.semaphore.Reaches(condition.number);
}

void TaskPlay::LookForSkew(const StreamCondition& condition, ArrivalSource waiter) {
  if (program_.objects[condition.object].is_barrier &&
      objects_[condition.object.value].barrier.IsSkewed(condition.number))
    observer_.OnSkew(waiter.stream, waiter.step, condition.object);
}

void TaskPlay::WaitFor(SyncObjectId object, StreamProcess& waiter) {
  objects_[object.value].waiters.push_back(&waiter);
}

void TaskPlay::Wake(Object& object) {
  for (StreamProcess* waiter : std::exchange(object.waiters, {}))
    waiter->PlayAt(Now() + program_.wake_latency.value);
}

void TaskPlay::Arrive(const StreamArrival& arrival, ArrivalSource source) {
  Object& object = objects_[arrival.object.value];
  if (program_.objects[arrival.object].is_barrier) {
    const bool flipped = object.barrier.Arrive(arrival.contributor, arrival.number);
    observer_.OnArrival(source.stream, source.step, arrival.tag, arrival.time);
    if (flipped) Wake(object);
    return;
  }
  object.unseen[arrival.number] = {source, &arrival};
  for (const std::int64_t number : object.semaphore.Complete(arrival.number, arrival.step)) {
    const auto node = object.unseen.extract(number);
    const auto& [from, made] = node.mapped();
    observer_.OnArrival(from.stream, from.step, made->tag, made->time);
  }
  Wake(object);
}

void TaskPlay::Announce(const StreamArrival& arrival) {
  if (!program_.objects[arrival.object].is_barrier || arrival.bytes == Bytes(0)) return;
  objects_[arrival.object.value].barrier.Arrive(arrival.contributor, arrival.number, arrival.bytes);
}

void TaskPlay::CompleteBytes(const StreamArrival& arrival, ArrivalSource source, Bytes bytes) {
  if (!program_.objects[arrival.object].is_barrier || arrival.bytes == Bytes(0)) return;
  Object& object = objects_[arrival.object.value];
  const bool flipped = object.barrier.CompleteBytes(arrival.contributor, arrival.number, bytes);
  if (object.barrier.HasArrived(arrival.contributor, arrival.number))
    observer_.OnArrival(source.stream, source.step, arrival.tag, arrival.time);
  if (flipped) Wake(object);
}

bool TaskPlay::IsHeld(TaskStreamId stream, StreamActor actor, std::uint32_t step) const {
  return std::any_of(options_.held.begin(), options_.held.end(), [&](const HeldWork& held) {
    return held.stream == stream && held.actor == actor && held.step.value_or(step) == step;
  });
}

bool TaskPlay::ReleaseOne() {
  if (held_.empty()) return false;
  TaskProcess* const process = held_.front();
  held_.pop_front();
  process->Release();
  return true;
}

std::int64_t TaskPlay::Jittered(Picoseconds duration, TaskStreamId stream, std::uint32_t step,
                                std::uint64_t salt) const {
  if (options_.jitter_seed == 0) return duration.value;
  const std::uint64_t where = (std::uint64_t{stream.value} << 34) | (std::uint64_t{step} << 2);
  const std::uint64_t drawn = Scramble(options_.jitter_seed + Scramble(where + salt));
  return duration.value +
         static_cast<std::int64_t>(drawn % (static_cast<std::uint64_t>(duration.value) + 1));
}

TaskMachineRun TaskPlay::End() const {
  TaskMachineRun run;
  run.time = Picoseconds(Now());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    SyncObjectEnd end;
    if (program_.objects[SyncObjectId(i)].is_barrier) {
      end.barrier = objects_[i].barrier.State();
    } else {
      end.value = objects_[i].semaphore.value();
      end.overflown = objects_[i].semaphore.overflown();
    }
    run.objects.push_back(std::move(end));
  }
  return run;
}

}  // namespace spillway::detail
