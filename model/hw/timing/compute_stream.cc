#include "model/hw/timing/detail/compute_stream.h"
#include "model/hw/fault.h"

namespace spillway::detail {

void ComputeStream::Reset(CoreState& state, Engine engine) {
  state_ = &state;
  engine_ = engine;
  head_.Reset(StreamId::Compute(engine), state.program->StreamOf(StreamId::Compute(engine)));
  if (SPILLWAY_FAULT(D9, true, false)) next_start_ = last_finish_ = warmth_ = 0;
  landings_.clear();
}

void ComputeStream::Commit(std::int64_t now) {
  while (!landings_.empty() && landings_.front().time <= now) {
    state_->Finish(landings_.front().id);
    landings_.pop_front();
  }
}

// The head's interval if it starts at `now`. The PE array starts near half its rate, reaches the
// full one after `pe_ramp` of work, and loses as much warmth as it idles: below half its time at
// work it cools down. Source: isa_costs §3.2; the linear ramp is an assumption.
std::int64_t ComputeStream::IntervalAt(std::int64_t now) {
  const std::int64_t interval = state_->program->instance(head_.instance()).time.interval.value;
  const std::int64_t ramp = state_->pe_ramp;
  if (engine_ != Engine::kPe || ramp == 0) return interval;
  const std::int64_t warmth = std::max<std::int64_t>(0, warmth_ - (now - next_start_));
  if (warmth == ramp) return interval;
  const std::int64_t cold = state_->pe_cold_percent;
  const std::int64_t percent = cold + (100 - cold) * warmth / ramp;
  __extension__ using Wide = __int128;  // an interval may be as long as a run
  return static_cast<std::int64_t>((Wide{interval} * 100 + percent - 1) / percent);
}

void ComputeStream::StartHead(std::int64_t now, std::int64_t interval) {
  CoreState& state = *state_;
  const InstanceId id = head_.instance();
  const ComputeTime& time = state.program->instance(id).time;
  if (state.pe_ramp > 0 && engine_ == Engine::kPe) {
    warmth_ = std::max<std::int64_t>(0, warmth_ - (now - next_start_));
    warmth_ = std::min(state.pe_ramp, warmth_ + interval);
  }
  const std::int64_t drain = (time.latency - time.interval).value;
  // Results come out in order.
  const std::int64_t finish = std::max(last_finish_, now + interval + drain);
  state.result->busy[static_cast<std::size_t>(engine_)] +=
      Picoseconds(finish - std::max(now, last_finish_));
  next_start_ = now + interval;
  last_finish_ = finish;
  state.times(id).issue = state.times(id).start = Picoseconds(now);
  state.Start(id);
  if (state.effects != nullptr) landings_.push_back({finish, id});
  state.SettleCompute(id, head_.position(), finish);
  head_.Advance(state);
}

void ComputeStream::Begin(std::int64_t now) {
  const int rank = static_cast<int>(engine_);
  std::int64_t wake = kNever;
  while (!head_.done()) {
    const std::int64_t ready = head_.ReadyTime(*state_);
    if (ready == kNever) break;
    const std::int64_t start = std::max(ready, next_start_);
    if (start > now) {
      wake = start;
      break;
    }
    const std::int64_t interval = IntervalAt(now);
    const ChannelSet channels = state_->program->instance(head_.instance()).channels;
    if (channels != 0) {
      wake = state_->channels.Acquire(rank, channels, now, interval, state_->asked);
      if (wake > now) break;
      wake = kNever;
    }
    StartHead(now, interval);
  }
  if (!landings_.empty()) wake = std::min(wake, landings_.front().time);
  state_->SetWake(rank, wake);
}

}  // namespace spillway::detail
