// Traffic for the PSUM bank, with a check of every value that it returns.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tests/rtl/lockstep_run.h"

namespace spillway {

inline constexpr std::uint32_t kPsumWords = 512;
inline constexpr std::uint32_t kPsumPoison = 0xFFFFFFFF;

struct PsumWrite {
  bool start = false;
  std::uint32_t address = 0;
  std::uint32_t data = 0;
};

/// Sum by way of double, which rounds once: 53 bits are more than twice 24 and two.
inline std::uint32_t SumOf(std::uint32_t a, std::uint32_t b) {
  const auto sum = static_cast<float>(static_cast<double>(std::bit_cast<float>(a)) +
                                      static_cast<double>(std::bit_cast<float>(b)));
  return std::isnan(sum) ? 0x7FC00000 : std::bit_cast<std::uint32_t>(sum);
}

/// Offers writes and reads until they are taken; checks that a read returns what all writes taken
/// in its own or an earlier cycle have made.
class PsumStimulus : public Stimulus {
 public:
  explicit PsumStimulus(std::shared_ptr<Findings> findings) : findings_(std::move(findings)) {
    words_.fill(kPsumPoison);
  }

  void Drive(Pins& pins, std::uint64_t cycle) override {
    const bool reset = cycle < kResetCycles || Resets(cycle);
    pins.Set("rst", reset ? 1 : 0);
    if (reset) {
      // Nothing may come of what is offered in a reset.
      for (const char* pin : {"write_valid", "read_valid", "value_ready"}) pins.Set(pin, 1);
      write_.reset();
      read_.reset();
      expected_.clear();
      words_.fill(kPsumPoison);
      return;
    }
    const bool takes = TakesValue();
    pins.Set("value_ready", takes ? 1 : 0);
    if (takes && pins.Is("value_valid")) TakeValue(pins, cycle);
    if (!write_) write_ = NextWrite();
    if (!read_) read_ = NextRead();
    pins.Set("write_valid", write_ ? 1 : 0);
    if (write_) {
      pins.Set("write_start", write_->start ? 1 : 0);
      pins.Set("write_address", write_->address);
      pins.Set("write_data", write_->data);
    }
    pins.Set("read_valid", read_ ? 1 : 0);
    if (read_) pins.Set("read_address", *read_);
    if (write_ && pins.Is("write_ready")) Written(pins, cycle);
    if (read_ && pins.Is("read_ready")) {
      pins.Log(fmt::format("cycle {}: read [{}]", cycle, *read_));
      expected_.push_back({*read_, words_[*read_]});
      read_.reset();
    }
  }

 protected:
  virtual bool Resets(std::uint64_t /*cycle*/) { return false; }
  virtual bool TakesValue() { return true; }
  virtual std::optional<PsumWrite> NextWrite() = 0;
  virtual std::optional<std::uint32_t> NextRead() = 0;
  virtual void OnWritten(std::uint64_t /*cycle*/) {}

  Findings& findings() { return *findings_; }
  std::uint32_t word(std::uint32_t address) const { return words_[address]; }
  bool idle() const { return !write_ && !read_ && expected_.empty(); }

 private:
  void Written(Pins& pins, std::uint64_t cycle) {
    std::uint32_t& word = words_[write_->address];
    word = write_->start ? write_->data : SumOf(word, write_->data);
    pins.Log(fmt::format("cycle {}: {} [{}] {:#010x}", cycle, write_->start ? "start" : "add",
                         write_->address, write_->data));
    write_.reset();
    OnWritten(cycle);
  }

  void TakeValue(Pins& pins, std::uint64_t cycle) {
    const auto value = static_cast<std::uint32_t>(pins.Get("value_data"));
    pins.Log(fmt::format("cycle {}: value {:#010x}", cycle, value));
    if (expected_.empty()) {
      findings_->Check(false, fmt::format("cycle {}: a value that nobody asked for", cycle));
      return;
    }
    const Expected expected = expected_.front();
    expected_.pop_front();
    findings_->Check(value == expected.value,
                     fmt::format("cycle {}: word {} is {:#010x}, not {:#010x}", cycle,
                                 expected.address, value, expected.value));
  }

  struct Expected {
    std::uint32_t address;
    std::uint32_t value;
  };
  std::shared_ptr<Findings> findings_;
  std::array<std::uint32_t, kPsumWords> words_{};
  std::optional<PsumWrite> write_;
  std::optional<std::uint32_t> read_;
  std::deque<Expected> expected_;
};

/// Shares of 100, of the cycles in which something new is offered or taken.
struct PsumMix {
  std::uint64_t seed = 0;
  std::uint32_t addresses = kPsumWords;  ///< few make hazards
  std::uint64_t write = 80;
  std::uint64_t start = 30;
  std::uint64_t read = 40;
  std::uint64_t take = 70;
  std::uint64_t resets_in_10000 = 0;
};

class RandomPsumTraffic : public PsumStimulus {
 public:
  RandomPsumTraffic(std::shared_ptr<Findings> findings, PsumMix mix)
      : PsumStimulus(std::move(findings)), mix_(mix), dice_(mix.seed) {}

 protected:
  bool Resets(std::uint64_t /*cycle*/) override {
    return dice_.Below(10000) < mix_.resets_in_10000;
  }
  bool TakesValue() override { return dice_.Percent(mix_.take); }
  std::optional<PsumWrite> NextWrite() override {
    if (!dice_.Percent(mix_.write)) return std::nullopt;
    const std::uint32_t address = Address();
    return PsumWrite{dice_.Percent(mix_.start), address, Value(address)};
  }
  std::optional<std::uint32_t> NextRead() override {
    if (!dice_.Percent(mix_.read)) return std::nullopt;
    return Address();
  }

 private:
  std::uint32_t Address() {
    // Spread, so that few addresses still use all address bits.
    return dice_.Below(mix_.addresses) * 0x9D % kPsumWords;
  }

  // Random bits seldom cancel, round at a tie or stay below the normal numbers.
  std::uint32_t Value(std::uint32_t address) {
    const std::uint32_t word = this->word(address);
    const std::uint32_t sign = dice_.Bits32() & 0x80000000;
    switch (dice_.Below(8)) {
      case 0: return dice_.Bits32();
      case 1: return word ^ 0x80000000;                           // cancels
      case 2: return word ^ 0x80000000 ^ (1U << dice_.Below(8));  // nearly
      case 3: return sign | dice_.Below(0x01000000);  // subnormal, or the smallest normal
      case 4: return sign | 0x7F000000 | dice_.Below(0x00800000);  // up to the largest, overflows
      case 5: return sign | dice_.Below(256) << 23;  // a power of two, or infinity: ties
      case 6: return sign | (word & 0x7F800000) | dice_.Below(0x00800000);  // the word's exponent
      default: return sign | (0x3F800000 + (dice_.Below(60) << 23)) % 0x7F800000 | dice_.Below(8);
    }
  }

  PsumMix mix_;
  Dice dice_;
};

/// Does one step after another, a read only once all before it is done.
struct PsumStep {
  std::optional<PsumWrite> write;
  std::optional<std::uint32_t> read;
};

class PsumScript : public PsumStimulus {
 public:
  PsumScript(std::shared_ptr<Findings> findings, std::vector<PsumStep> steps,
             std::shared_ptr<std::vector<std::uint64_t>> write_cycles = nullptr)
      : PsumStimulus(std::move(findings)),
        steps_(steps.begin(), steps.end()),
        write_cycles_(std::move(write_cycles)) {
    if (write_cycles_) write_cycles_->clear();
  }

 protected:
  std::optional<PsumWrite> NextWrite() override {
    if (steps_.empty() || !steps_.front().write) return std::nullopt;
    const PsumWrite write = *steps_.front().write;
    steps_.pop_front();
    return write;
  }
  std::optional<std::uint32_t> NextRead() override {
    if (steps_.empty() || !steps_.front().read) return std::nullopt;
    const std::uint32_t address = *steps_.front().read;
    steps_.pop_front();
    return address;
  }
  void OnWritten(std::uint64_t cycle) override {
    if (write_cycles_) write_cycles_->push_back(cycle);
  }

 private:
  std::deque<PsumStep> steps_;
  std::shared_ptr<std::vector<std::uint64_t>> write_cycles_;
};

}  // namespace spillway
