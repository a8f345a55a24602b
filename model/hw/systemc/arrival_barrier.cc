#include "model/hw/systemc/arrival_barrier.h"

#include <algorithm>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {

ArrivalBarrier::ArrivalBarrier(std::uint32_t contributors) : contributors_(contributors) {}

ArrivalBarrier::Contribution& ArrivalBarrier::Of(std::uint32_t contributor,
                                                 std::int64_t generation) {
  SPILLWAY_CHECK(contributor < contributors_, "who arrives contributes to the barrier");
  SPILLWAY_CHECK(generation >= generation_, "nobody arrives at a phase that is over");
  const auto ahead = static_cast<std::size_t>(generation - generation_);
  while (phases_.size() <= ahead) phases_.emplace_back(contributors_);
  return phases_[ahead][contributor];
}

bool ArrivalBarrier::Arrive(std::uint32_t contributor, std::int64_t generation, Bytes bytes) {
  Contribution& contribution = Of(contributor, generation);
  SPILLWAY_CHECK(!contribution.arrived, "a contributor arrives once in a phase");
  contribution = {true, bytes};
  return Advance();
}

bool ArrivalBarrier::CompleteBytes(std::uint32_t contributor, std::int64_t generation,
                                   Bytes bytes) {
  Contribution& contribution = Of(contributor, generation);
  SPILLWAY_CHECK(contribution.arrived && bytes <= contribution.pending,
                 "no more bytes come than were announced");
  contribution.pending -= bytes;
  return Advance();
}

bool ArrivalBarrier::Advance() {
  bool flipped = false;
  const auto is_complete = [](const Contribution& contribution) {
    return contribution.arrived && contribution.pending == Bytes(0);
  };
  const auto is_over = [&] {
    const Phase& phase = phases_.front();
    return std::all_of(phase.begin(), phase.end(), is_complete);
  };
  // N81.0: as many arrivals as there are contributors, whoever made them.
  [[maybe_unused]] const auto is_summed_up = [&] {
    std::ptrdiff_t arrivals = 0;
    for (const Phase& phase : phases_)
      arrivals += std::count_if(phase.begin(), phase.end(), is_complete);
    return arrivals >= std::ptrdiff_t{contributors_};
  };
  while (!phases_.empty() && !phases_.front().empty() &&
         SPILLWAY_FAULT(N81, is_over(), fault::IsVariant(0) ? is_summed_up() : is_over())) {
    phases_.erase(phases_.begin());
    ++generation_;
    parity_ = SPILLWAY_FAULT(D11, !parity_, parity_);
    flipped = true;
  }
  return flipped;
}

bool ArrivalBarrier::IsOver(std::int64_t generation) const {
  if (SPILLWAY_FAULT(N82, IsSkewed(generation), false)) return true;
  return parity_ != (generation % 2 != 0);
}

bool ArrivalBarrier::HasArrived(std::uint32_t contributor, std::int64_t generation) const {
  if (generation < generation_) return true;
  const auto ahead = static_cast<std::size_t>(generation - generation_);
  if (ahead >= phases_.size()) return false;
  const Contribution& contribution = phases_[ahead][contributor];
  return contribution.arrived && contribution.pending == Bytes(0);
}

BarrierState ArrivalBarrier::State() const {
  BarrierState state{generation_, parity_, {}, Bytes(0)};
  const Phase phase = phases_.empty() ? Phase(contributors_) : phases_.front();
  for (std::uint32_t i = 0; i < contributors_; ++i) {
    if (!phase[i].arrived) state.lacking.push_back(i);
    state.pending_bytes += phase[i].pending;
  }
  return state;
}

}  // namespace spillway
