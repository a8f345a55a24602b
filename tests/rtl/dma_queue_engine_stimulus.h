// A host and a memory for the DMA queue engine, with a check of everything that it does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/rtl/dma_timing.h"
#include "tests/rtl/lockstep_run.h"

namespace spillway {

inline constexpr std::uint64_t kDmaRing = 8;
inline constexpr std::uint32_t kDmaBeat = 32;
inline constexpr std::uint32_t kDmaPoisonBytes = 0xFFFF;

struct DmaDescriptor {
  std::uint32_t bytes = kDmaPoisonBytes;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  bool last = true;
};

/// What happened, in cycles of the run.
struct DmaEvents {
  std::vector<std::uint64_t> starts;  ///< of descriptors: the first active cycle
  std::vector<std::uint64_t> stalls;  ///< of each descriptor: cycles in which a beat wasn't taken
  std::vector<std::uint64_t> idles;   ///< first cycles without a descriptor after one with
  std::uint64_t descriptors_since_reset = 0;
  std::uint64_t transfers_since_reset = 0;  ///< started
  std::uint64_t completions_since_reset = 0;
  bool fault_doorbell = false;
  bool fault_poison = false;
};

/// Announces each descriptor only once it is written, unless a derived host does otherwise. The
/// check follows `head`: what was in the slot must be read, beat by beat, and written as it was
/// read, and the semaphore must count a transfer after its last write and before the next one.
class DmaStimulus : public Stimulus {
 public:
  DmaStimulus(std::shared_ptr<Findings> findings, std::shared_ptr<DmaEvents> events)
      : findings_(std::move(findings)), events_(std::move(events)), memory_(1U << 16) {
    *events_ = {};
    Forget();
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::uint8_t>(i * 167 + (i >> 8) * 13);
    }
  }

  void Drive(Pins& pins, std::uint64_t cycle) override {
    const bool reset = cycle < kResetCycles || Resets(cycle);
    pins.Set("rst", reset ? 1 : 0);
    SetTimes(pins, reset ? Times() : OtherTimes());
    if (reset) {
      Forget();
      // Nothing may come of what is offered in a reset.
      for (const char* pin : {"slot_valid", "doorbell_valid", "doorbell_tail"}) pins.Set(pin, 1);
      return;
    }
    FollowHead(pins, cycle);
    FollowSemaphore(pins, cycle);
    Read(pins, cycle);
    Write(pins, cycle);
    FillSlot(pins, cycle);
    RingDoorbell(pins, cycle);
  }

 protected:
  virtual bool Resets(std::uint64_t /*cycle*/) { return false; }
  /// Constant from reset to reset.
  virtual DmaTimes Times() = 0;
  /// What the pins hold when no reset takes them over.
  virtual DmaTimes OtherTimes() { return Times(); }
  virtual bool MemoryTakes(bool /*write*/) { return true; }
  virtual std::optional<DmaDescriptor> NextDescriptor() = 0;
  /// The tail to announce, given the number of descriptors written since reset.
  virtual std::optional<std::uint64_t> NextTail(std::uint64_t written) { return written; }

  std::uint64_t taken() const { return taken_; }
  std::uint64_t announced() const { return announced_; }

 private:
  struct Beat {
    std::uint32_t source;
    std::uint32_t destination;
    std::uint32_t bytes;
    Bits data;
  };
  struct Transfer {
    std::uint64_t unwritten = 0;
    bool whole = false;  ///< its last descriptor has started
  };

  void Forget() {
    taken_ = written_ = announced_ = 0;
    ring_ = {};
    to_read_.clear();
    to_write_.clear();
    transfers_.clear();
    semaphore_ = 0;
    was_active_ = refused_ = false;
    announcing_.reset();
    filling_.reset();
    events_->descriptors_since_reset = events_->transfers_since_reset = 0;
    events_->completions_since_reset = 0;
    events_->fault_doorbell = events_->fault_poison = false;
  }

  static void SetTimes(Pins& pins, const DmaTimes& times) {
    pins.Set("time_credit", times.credit);
    pins.Set("time_byte", times.byte);
    pins.Set("time_fixed", times.fixed);
    pins.Set("time_floor", times.floor);
    pins.Set("time_issue", times.issue);
  }

  void FollowHead(Pins& pins, std::uint64_t cycle) {
    const bool active = pins.Is("active");
    if (was_active_ && !active) events_->idles.push_back(cycle);
    was_active_ = active;
    if (pins.Get("head") != taken_ % (2 * kDmaRing)) {
      const DmaDescriptor descriptor = ring_[taken_ % kDmaRing];
      ++taken_;
      findings_->Check(pins.Get("head") == taken_ % (2 * kDmaRing) && active,
                       fmt::format("cycle {}: head moves by one", cycle));
      findings_->Check(descriptor.bytes != kDmaPoisonBytes,
                       fmt::format("cycle {}: a descriptor of poison starts", cycle));
      findings_->Check(taken_ <= announced_, fmt::format("cycle {}: head passes tail", cycle));
      pins.Log(fmt::format("cycle {}: descriptor of {} bytes [{:#x}] to [{:#x}]{}", cycle,
                           descriptor.bytes, descriptor.source, descriptor.destination,
                           descriptor.last ? ", last" : ""));
      Start(descriptor, cycle);
    }
    const bool poisoned = pins.Is("fault_poison");
    if (poisoned && !events_->fault_poison) {
      findings_->Check(ring_[taken_ % kDmaRing].bytes == kDmaPoisonBytes,
                       fmt::format("cycle {}: calls a written descriptor poison", cycle));
    }
    events_->fault_poison = poisoned;
    findings_->Check(
        pins.Is("fault_doorbell") == refused_,
        fmt::format("cycle {}: a refused tail is {}reported", cycle, refused_ ? "not " : ""));
    events_->fault_doorbell = refused_;
    // The engine took the slot before the host wrote it, if both came in one cycle.
    if (filling_) ring_[filling_->first] = filling_->second;
    filling_.reset();
    announced_ = announcing_.value_or(announced_);
    announcing_.reset();
  }

  void Start(const DmaDescriptor& descriptor, std::uint64_t cycle) {
    findings_->Check(to_read_.empty(), fmt::format("cycle {}: bytes are left unread", cycle));
    events_->starts.push_back(cycle);
    events_->stalls.push_back(0);
    ++events_->descriptors_since_reset;
    if (transfers_.empty() || transfers_.back().whole) {
      transfers_.emplace_back();
      ++events_->transfers_since_reset;
    }
    for (std::uint32_t done = 0; done < descriptor.bytes; done += kDmaBeat) {
      to_read_.push_back({(descriptor.source + done) & 0xFFFF,
                          (descriptor.destination + done) & 0xFFFF,
                          std::min(kDmaBeat, descriptor.bytes - done), Bits()});
      ++transfers_.back().unwritten;
    }
    transfers_.back().whole = descriptor.last;
  }

  void FollowSemaphore(Pins& pins, std::uint64_t cycle) {
    const std::uint64_t value = pins.Get("semaphore_value");
    if (value == semaphore_) return;
    semaphore_ = value;
    ++events_->completions_since_reset;
    findings_->Check(value == events_->completions_since_reset % 256,
                     fmt::format("cycle {}: the semaphore counts by one", cycle));
    const bool complete =
        !transfers_.empty() && transfers_.front().whole && transfers_.front().unwritten == 0;
    findings_->Check(complete, fmt::format("cycle {}: a transfer completes early", cycle));
    if (!transfers_.empty()) transfers_.pop_front();
    pins.Log(fmt::format("cycle {}: semaphore {}", cycle, value));
  }

  void Read(Pins& pins, std::uint64_t cycle) {
    const bool takes = MemoryTakes(false);
    pins.Set("read_ready", takes ? 1 : 0);
    if (!pins.Is("read_valid")) return;
    if (!takes) ++events_->stalls.back();
    const std::uint64_t address = pins.Get("read_address");
    Bits& data = pins.Input("read_data");
    for (std::uint32_t i = 0; i < kDmaBeat; ++i) {
      data.SetField(static_cast<int>(8 * i), 8, memory_[(address + i) & 0xFFFF]);
    }
    if (!takes) return;
    if (to_read_.empty()) {
      findings_->Check(false, fmt::format("cycle {}: reads what nobody asked for", cycle));
      return;
    }
    Beat beat = to_read_.front();
    to_read_.pop_front();
    beat.data = data;
    findings_->Check(
        address == beat.source && pins.Get("read_bytes") == beat.bytes,
        fmt::format("cycle {}: reads [{:#x}], not [{:#x}]", cycle, address, beat.source));
    pins.Log(fmt::format("cycle {}: read [{:#x}] {} bytes", cycle, address, beat.bytes));
    to_write_.push_back(beat);
  }

  void Write(Pins& pins, std::uint64_t cycle) {
    const bool takes = MemoryTakes(true);
    pins.Set("write_ready", takes ? 1 : 0);
    if (!pins.Is("write_valid") || !takes) return;
    const std::uint64_t address = pins.Get("write_address");
    pins.Log(fmt::format("cycle {}: write [{:#x}]", cycle, address));
    if (to_write_.empty()) {
      findings_->Check(false, fmt::format("cycle {}: writes what it hasn't read", cycle));
      return;
    }
    const Beat beat = to_write_.front();
    to_write_.pop_front();
    findings_->Check(address == beat.destination && pins.Get("write_bytes") == beat.bytes &&
                         pins.Output("write_data") == beat.data,
                     fmt::format("cycle {}: writes [{:#x}], not what was read for [{:#x}]", cycle,
                                 address, beat.destination));
    for (std::uint32_t i = 0; i < beat.bytes; ++i) {
      memory_[(address + i) & 0xFFFF] =
          static_cast<std::uint8_t>(beat.data.Field(static_cast<int>(8 * i), 8));
    }
    const auto transfer = std::find_if(transfers_.begin(), transfers_.end(),
                                       [](const Transfer& t) { return t.unwritten > 0; });
    if (transfer != transfers_.end()) --transfer->unwritten;
  }

  void FillSlot(Pins& pins, std::uint64_t cycle) {
    std::optional<DmaDescriptor> descriptor;
    written_ = std::max(written_, taken_);  // if what was never written has been announced
    if (written_ < taken_ + kDmaRing) descriptor = NextDescriptor();
    pins.Set("slot_valid", descriptor ? 1 : 0);
    if (!descriptor) return;
    pins.Log(fmt::format("cycle {}: slot {}", cycle, written_ % kDmaRing));
    pins.Set("slot_index", written_ % kDmaRing);
    pins.Set("slot_bytes", descriptor->bytes);
    pins.Set("slot_source", descriptor->source);
    pins.Set("slot_destination", descriptor->destination);
    pins.Set("slot_last", descriptor->last ? 1 : 0);
    filling_ = {written_ % kDmaRing, *descriptor};
    ++written_;
  }

  void RingDoorbell(Pins& pins, std::uint64_t cycle) {
    const std::optional<std::uint64_t> tail = NextTail(written_);
    pins.Set("doorbell_valid", tail ? 1 : 0);
    if (!tail) return;
    pins.Set("doorbell_tail", *tail % (2 * kDmaRing));
    if (*tail < announced_ || *tail > taken_ + kDmaRing) {
      refused_ = true;
      return;
    }
    if (*tail != announced_) pins.Log(fmt::format("cycle {}: tail {}", cycle, *tail));
    announcing_ = *tail;
  }

  std::shared_ptr<Findings> findings_;
  std::shared_ptr<DmaEvents> events_;
  std::vector<std::uint8_t> memory_;
  // Counts since reset; a slot is a count modulo the ring.
  std::uint64_t taken_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t announced_ = 0;
  std::array<DmaDescriptor, kDmaRing> ring_;
  std::optional<std::pair<std::uint64_t, DmaDescriptor>> filling_;
  std::optional<std::uint64_t> announcing_;
  std::deque<Beat> to_read_;
  std::deque<Beat> to_write_;
  std::deque<Transfer> transfers_;
  std::uint64_t semaphore_ = 0;
  bool was_active_ = false;
  bool refused_ = false;
};

}  // namespace spillway
