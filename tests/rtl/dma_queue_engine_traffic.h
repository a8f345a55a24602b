// Hosts for the DMA queue engine: at random, and from a list.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/rtl/dma_queue_engine_stimulus.h"

namespace spillway {

/// Shares of 100, of the cycles in which something new is offered or taken.
struct DmaMix {
  std::uint64_t seed = 0;
  bool wide_times = false;  ///< numbers that need all their pins, else small ones
  std::uint64_t slot = 50;
  std::uint64_t doorbell = 30;
  std::uint64_t take = 80;
  std::uint64_t last = 50;
  std::uint64_t bad_in_10000 = 0;  ///< tails at random
  std::uint64_t resets_in_10000 = 0;
};

class RandomDmaTraffic : public DmaStimulus {
 public:
  RandomDmaTraffic(std::shared_ptr<Findings> findings, std::shared_ptr<DmaEvents> events,
                   DmaMix mix)
      : DmaStimulus(std::move(findings), std::move(events)), mix_(mix), dice_(mix.seed) {}

 protected:
  bool Resets(std::uint64_t /*cycle*/) override {
    return dice_.Below(10000) < mix_.resets_in_10000;
  }
  DmaTimes Times() override {
    if (!mix_.wide_times) {
      return {1U + dice_.Below(64), dice_.Below(8), dice_.Below(200), dice_.Below(2000),
              dice_.Below(80)};
    }
    const std::uint64_t credit = (dice_.Bits32() | 0x04000000U) >> dice_.Below(3);
    return {credit, dice_.Below(0x10000), dice_.Bits32() >> dice_.Below(8),
            dice_.Bits32() >> dice_.Below(8), dice_.Below(dice_.Percent(10) ? 0x10000 : 300)};
  }
  DmaTimes OtherTimes() override {
    return {dice_.Bits32(), dice_.Below(0x10000), dice_.Bits32(), dice_.Bits32(),
            dice_.Below(0x10000)};
  }
  bool MemoryTakes(bool /*write*/) override { return dice_.Percent(mix_.take); }
  std::optional<DmaDescriptor> NextDescriptor() override {
    if (!dice_.Percent(mix_.slot)) return std::nullopt;
    return DmaDescriptor{BytesOfDescriptor(), dice_.Below(0x10000), dice_.Below(0x10000),
                         dice_.Percent(mix_.last)};
  }
  std::optional<std::uint64_t> NextTail(std::uint64_t written) override {
    if (dice_.Below(10000) < mix_.bad_in_10000) return taken() + dice_.Below(2 * kDmaRing);
    if (!dice_.Percent(mix_.doorbell)) return std::nullopt;
    return written;
  }

 private:
  std::uint32_t BytesOfDescriptor() {
    switch (dice_.Below(8)) {
      case 0: return 0;
      case 1: return 1;
      case 2: return kDmaBeat - 1 + dice_.Below(3);
      case 3: return kDmaBeat * dice_.Below(10);
      case 4: return dice_.Percent(4) ? dice_.Below(kDmaPoisonBytes) : dice_.Below(64);
      default: return dice_.Below(300);
    }
  }

  DmaMix mix_;
  Dice dice_;
};

/// Writes its descriptors as soon as the ring has room.
struct DmaPlan {
  DmaTimes times;
  std::vector<DmaDescriptor> descriptors = {};
  std::uint64_t take_reads = 100;  ///< of 100 beats offered to the memory
  std::uint64_t take_writes = 100;
  /// Announces only a full ring or the end of the list, else each descriptor at once.
  bool announce_late = false;
  /// If any: announces these, one a cycle, once the list is written, and nothing before.
  std::vector<std::uint64_t> tails = {};
  std::uint64_t reset_at = 0;  ///< a cycle; 0 for none
  std::uint64_t tail_after_reset = 0;
};

class DmaScript : public DmaStimulus {
 public:
  DmaScript(std::shared_ptr<Findings> findings, std::shared_ptr<DmaEvents> events, DmaPlan plan)
      : DmaStimulus(std::move(findings), std::move(events)),
        plan_(std::move(plan)),
        descriptors_(plan_.descriptors.begin(), plan_.descriptors.end()),
        dice_(7) {}

 protected:
  bool Resets(std::uint64_t cycle) override {
    const bool resets = plan_.reset_at != 0 && cycle == plan_.reset_at;
    if (resets) was_reset_ = true;
    return resets;
  }
  DmaTimes Times() override { return plan_.times; }
  bool MemoryTakes(bool write) override {
    return dice_.Percent(write ? plan_.take_writes : plan_.take_reads);
  }
  std::optional<DmaDescriptor> NextDescriptor() override {
    if (descriptors_.empty()) return std::nullopt;
    const DmaDescriptor descriptor = descriptors_.front();
    descriptors_.pop_front();
    return descriptor;
  }
  std::optional<std::uint64_t> NextTail(std::uint64_t written) override {
    if (was_reset_) return plan_.tail_after_reset;
    if (!plan_.tails.empty()) {
      if (!descriptors_.empty() || next_tail_ == plan_.tails.size()) return std::nullopt;
      return plan_.tails[next_tail_++];
    }
    const bool full = written == taken() + kDmaRing;
    if (plan_.announce_late && !full && !descriptors_.empty()) return std::nullopt;
    return written;
  }

 private:
  DmaPlan plan_;
  std::deque<DmaDescriptor> descriptors_;
  std::size_t next_tail_ = 0;
  bool was_reset_ = false;
  Dice dice_;
};

}  // namespace spillway
