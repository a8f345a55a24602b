#include "model/hw/systemc/detail/task_actors.h"

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::detail {
namespace {

constexpr std::uint64_t kBusySalt = 1;
constexpr std::uint64_t kLatencySalt = 2;

template <class Visit>
void EachArrival(const TaskMachineProgram& program, const StreamStep& step, const Visit& visit) {
  for (std::uint32_t i = 0; i < step.arrival_count; ++i)
    visit(program.arrivals[step.first_arrival + i]);
}

}  // namespace

void TransferProcess::Arm(TaskPlay& play, TaskStreamId stream) {
  ArmAs(play, stream, 1);
  flights_.clear();
  held_.clear();
}

void TransferProcess::Start(std::uint32_t step) {
  const StreamStep& its = play_->program().streams[stream_][step];
  EachArrival(play_->program(), its, [&](const StreamArrival& arrival) {
    if (arrival.time == ArrivalTime::kTransfer) play_->Announce(arrival);
  });
  Next({step, 0, play_->Now(), play_->Jittered(its.latency, stream_, step, kLatencySalt)});
}

void TransferProcess::Next(Flight flight) {
  const StreamStep& its = play_->program().streams[stream_][flight.step];
  const bool is_last = flight.packets_come + 1 == its.packets;
  if (is_last && play_->IsHeld(stream_, StreamActor::kTransfers, flight.step)) {
    held_.push_back(flight);
    play_->Hold(*this);
    return;
  }
  // The last packet comes at the whole latency; none twice at a time before it.
  const std::int64_t due =
      is_last ? flight.latency
              : flight.latency / its.packets * std::int64_t{flight.packets_come + 1};
  flights_.emplace(std::max(flight.start + due, play_->Now() + 1), flight);
  PlayAt(flights_.begin()->first);
}

void TransferProcess::Release() {
  Flight flight = held_.front();
  held_.pop_front();
  flights_.emplace(play_->Now() + 1, flight);
  PlayAt(flights_.begin()->first);
}

void TransferProcess::Play(std::int64_t now) {
  while (!flights_.empty() && flights_.begin()->first <= now) {
    Flight flight = flights_.begin()->second;
    flights_.erase(flights_.begin());
    Land(flight);
  }
  if (!flights_.empty()) PlayAt(flights_.begin()->first);
}

void TransferProcess::Land(Flight& flight) {
  const TaskMachineProgram& program = play_->program();
  const StreamStep& its = program.streams[stream_][flight.step];
  const ArrivalSource source{stream_, flight.step};
  const bool is_last = ++flight.packets_come == its.packets;
  const std::int64_t each = its.bytes.value / its.packets;
  const Bytes come(is_last ? its.bytes.value - each * (std::int64_t{its.packets} - 1) : each);
  if (is_last) play_->observer().OnEnd(stream_, flight.step);
  EachArrival(program, its, [&](const StreamArrival& arrival) {
    if (arrival.time != ArrivalTime::kTransfer) return;
    play_->CompleteBytes(arrival, source, come);
    const bool announced = program.objects[arrival.object].is_barrier && arrival.bytes > Bytes(0);
    if (is_last && !announced) play_->Arrive(arrival, source);
  });
  if (!is_last) Next(flight);
}

void MatrixProcess::Arm(TaskPlay& play, TaskStreamId stream) {
  ArmAs(play, stream, 2);
  queue_.clear();
  fences_.clear();
  issued_ = retired_ = 0;
}

void MatrixProcess::Start(std::uint32_t step) {
  ++issued_;
  queue_.push_back(step);
  if (queue_.size() == 1) Next();
}

void MatrixProcess::Next() {
  const std::uint32_t step = queue_.front();
  if (play_->IsHeld(stream_, StreamActor::kMatrixUnit, step)) {
    play_->Hold(*this);
    return;
  }
  const StreamStep& its = play_->program().streams[stream_][step];
  PlayAt(play_->Now() + play_->Jittered(its.latency, stream_, step, kLatencySalt));
}

void MatrixProcess::Release() { PlayAt(play_->Now() + 1); }

void MatrixProcess::Play(std::int64_t /*now*/) {
  play_->observer().OnEnd(stream_, queue_.front());
  queue_.pop_front();
  ++retired_;
  while (!fences_.empty() && fences_.front().behind <= retired_) {
    const Fence fence = fences_.front();
    fences_.pop_front();
    play_->Arrive(*fence.arrival, {stream_, fence.step});
  }
  if (!queue_.empty()) Next();
}

void MatrixProcess::ArriveBehind(const StreamArrival& arrival, std::uint32_t step) {
  if (retired_ == issued_) {
    play_->Arrive(arrival, {stream_, step});
  } else {
    fences_.push_back({issued_, &arrival, step});
  }
}

StreamProcess::StreamProcess(const sc_core::sc_module_name& name, TransferProcess& transfers,
                             MatrixProcess& matrix)
    : TaskProcess(name), transfers_(transfers), matrix_(matrix) {}

void StreamProcess::Arm(TaskPlay& play, TaskStreamId stream) {
  ArmAs(play, stream, 0);
  cursor_ = 0;
  working_ = false;
  if (!play.program().streams[stream].empty()) PlayAt(0);
}

void StreamProcess::Release() { PlayAt(play_->Now() + 1); }

void StreamProcess::Play(std::int64_t now) {
  const std::vector<StreamStep>& steps = play_->program().streams[stream_];
  if (working_) {
    working_ = false;
    play_->observer().OnEnd(stream_, cursor_++);
  }
  if (cursor_ < steps.size()) Execute(steps[cursor_], now);
}

bool StreamProcess::Pass(const StreamStep& step) {
  const std::vector<StreamCondition>& conditions = play_->program().conditions;
  for (std::uint32_t i = 0; i < step.condition_count; ++i) {
    const StreamCondition& condition = conditions[step.first_condition + i];
    if (play_->Holds(condition)) continue;
    play_->WaitFor(condition.object, *this);
    return false;
  }
  for (std::uint32_t i = 0; i < step.condition_count; ++i)
    play_->LookForSkew(conditions[step.first_condition + i], {stream_, cursor_});
  return true;
}

void StreamProcess::Execute(const StreamStep& step, std::int64_t now) {
  if (step.kind == StreamStepKind::kWait && !Pass(step)) return;
  const std::uint32_t number = cursor_;
  play_->observer().OnBegin(stream_, number);
  if (step.kind == StreamStepKind::kWork) {
    working_ = true;
    if (play_->IsHeld(stream_, StreamActor::kStream, number)) {
      play_->Hold(*this);
      return;
    }
  } else {
    ++cursor_;
    EachArrival(play_->program(), step, [&](const StreamArrival& arrival) {
      if (arrival.time == ArrivalTime::kNow) play_->Arrive(arrival, {stream_, number});
      if (arrival.time == ArrivalTime::kMatrix) matrix_.ArriveBehind(arrival, number);
    });
    if (step.kind == StreamStepKind::kTransfer) transfers_.Start(number);
    if (step.kind == StreamStepKind::kMatrix) matrix_.Start(number);
  }
  PlayAt(now + play_->Jittered(step.busy, stream_, number, kBusySalt));
}

}  // namespace spillway::detail
