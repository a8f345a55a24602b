#include "model/hw/rtl/detail/dma_queue_engine_twin.h"

#include <algorithm>

namespace spillway::detail {
namespace {

constexpr std::int64_t kPoisonBytes = 0xFFFF;
constexpr std::uint32_t kAddressMask = 0xFFFF;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

DmaQueueEngineTwin::DmaQueueEngineTwin(const sc_core::sc_module_name& name, Shape shape)
    : sc_module(name), shape_(shape) {
  using SC_CURRENT_USER_MODULE = DmaQueueEngineTwin;
  SC_METHOD(Clock);
  sensitive << clk.pos();
  dont_initialize();
}

void DmaQueueEngineTwin::Reset() {
  ring_.assign(static_cast<std::size_t>(shape_.ring), {kPoisonBytes, 0, 0, true});
  head_ = tail_ = 0;
  times_ = {time_credit.read(), time_byte.read(), time_fixed.read(), time_floor.read(),
            time_issue.read()};
  work_.reset();
  beats_.clear();
  now_ = next_issue_ = 0;
  in_transfer_ = false;
  transfer_ = 0;
  completing_.reset();
  semaphore_ = 0;
  bad_doorbell_ = poisoned_ = false;
}

// A beat is due in the cycle whose payment reaches its first byte.
bool DmaQueueEngineTwin::BeatDue() const {
  if (!work_ || work_->beats_read * kBeat >= work_->descriptor.bytes) return false;
  const std::int64_t before = times_.fixed + work_->beats_read * kBeat * times_.byte;
  return work_->payload_paid >= before / times_.credit;
}

std::uint32_t DmaQueueEngineTwin::BeatBytes() const {
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(kBeat, work_->descriptor.bytes - work_->beats_read * kBeat));
}

// Called when the engine is free; starts the next descriptor if there is one and it may.
void DmaQueueEngineTwin::TakeDescriptor(std::int64_t now) {
  if (head_ == tail_ || poisoned_ || (!in_transfer_ && now < next_issue_)) return;
  const Descriptor& descriptor = ring_[head_ % ring_.size()];
  if (descriptor.bytes == kPoisonBytes) {
    poisoned_ = true;
    return;
  }
  work_ = Work{descriptor, CeilDiv(times_.fixed + descriptor.bytes * times_.byte, times_.credit)};
  ++head_;
  if (!in_transfer_) {
    next_issue_ = now + times_.issue;
    ++transfer_;
  }
}

std::uint64_t DmaQueueEngineTwin::TailAfterDoorbell() {
  if (!doorbell_valid.read()) return tail_;
  const std::uint64_t pointers = 2 * ring_.size();
  const std::uint64_t used = (doorbell_tail.read() + pointers - head_ % pointers) % pointers;
  if (used <= ring_.size() && head_ + used >= tail_) return head_ + used;
  bad_doorbell_ = true;
  return tail_;
}

void DmaQueueEngineTwin::ShowOutputs() {
  head = static_cast<std::uint32_t>(head_ % (2 * ring_.size()));
  const bool reads = Reads();
  const auto offset = [this](std::uint32_t base) {
    return (base + static_cast<std::uint32_t>(work_->beats_read * kBeat)) & kAddressMask;
  };
  read_valid = reads;
  read_address = reads ? offset(work_->descriptor.source) : 0;
  read_bytes = reads ? BeatBytes() : 0;
  write_valid = !beats_.empty();
  write_address = beats_.empty() ? 0 : beats_.front().address;
  write_bytes = beats_.empty() ? 0 : beats_.front().bytes;
  write_data = beats_.empty() ? Data() : beats_.front().data;
  active = work_.has_value();
  semaphore_value = semaphore_;
  fault_doorbell = bad_doorbell_;
  fault_poison = poisoned_;
}

void DmaQueueEngineTwin::Clock() {
  if (rst.read()) {
    Reset();
    ShowOutputs();
    return;
  }
  ++now_;
  const bool due = BeatDue();
  const bool read = Reads() && read_ready.read();

  if (!beats_.empty() && write_ready.read()) beats_.pop_front();
  // Beats of later transfers stand behind those of the one that completes.
  const bool completed = completing_ && (beats_.empty() || beats_.front().transfer > *completing_);
  if (completed) {
    completing_.reset();
    semaphore_ = (semaphore_ + 1) % (1U << kSemaphoreBits);
  }

  if (work_) {
    ++work_->elapsed;
    if (!due || read) ++work_->payload_paid;
    if (read) {
      const auto moved = static_cast<std::uint32_t>(work_->beats_read * kBeat);
      beats_.push_back({(work_->descriptor.destination + moved) & kAddressMask, BeatBytes(),
                        read_data.read(), transfer_});
      ++work_->beats_read;
    }
    const bool used_up = work_->elapsed >= CeilDiv(times_.floor, times_.credit) &&
                         work_->payload_paid >= std::max<std::int64_t>(1, work_->payload_cycles);
    const bool all_read = work_->beats_read * kBeat >= work_->descriptor.bytes;
    const bool last = work_->descriptor.last;
    if (used_up && all_read && (!due || read) && !(last && completing_)) {
      if (last) completing_ = transfer_;
      in_transfer_ = !last;
      work_.reset();
    }
  }
  // The engine sees in the next cycle what the host says in this one.
  const std::uint64_t announced = TailAfterDoorbell();
  if (!work_) TakeDescriptor(now_);
  tail_ = announced;
  if (slot_valid.read()) {
    ring_[slot_index.read() % ring_.size()] = {slot_bytes.read(), slot_source.read(),
                                               slot_destination.read(), slot_last.read()};
  }
  ShowOutputs();
}

}  // namespace spillway::detail
