// Traffic for the SBUF bank group, with a check of every answer and of the arbiters.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/rtl/lockstep_run.h"

namespace spillway {

inline constexpr int kSbufPorts = 5;
inline constexpr std::uint32_t kSbufBanks = 4;
inline constexpr std::uint32_t kSbufRows = 64;
inline constexpr std::uint32_t kSbufWords = kSbufBanks * kSbufRows;
inline constexpr int kSbufAddressBits = 8;
inline constexpr int kSbufBytes = 4;
inline constexpr std::uint32_t kSbufPoison = 0xFFFFFFFF;

struct SbufRequest {
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t strobe = 0;
  std::uint32_t data = 0;

  std::uint32_t bank() const { return address % kSbufBanks; }
};

/// Offers requests until they are taken. A request that waits and isn't stalled is being granted,
/// so the order of accesses is seen from outside; the check keeps its own words in that order.
class SbufStimulus : public Stimulus {
 public:
  explicit SbufStimulus(std::shared_ptr<Findings> findings) : findings_(std::move(findings)) {
    words_.fill(kSbufPoison);
  }

  void Drive(Pins& pins, std::uint64_t cycle) override {
    const bool reset = cycle < kResetCycles || Resets(cycle);
    pins.Set("rst", reset ? 1 : 0);
    if (reset) {
      // Nothing may come of what is offered in a reset.
      pins.Set("request_valid", 0x1F);
      ports_ = {};
      words_.fill(kSbufPoison);
      return;
    }
    CheckGrants(pins, cycle);
    std::uint64_t valid = 0;
    std::uint64_t ready = 0;
    for (int p = 0; p < kSbufPorts; ++p) {
      if (TakesResponse(p)) ready |= 1U << p;
      TakeResponse(pins, cycle, p, (ready >> p & 1) != 0);
      if (Offer(pins, cycle, p)) valid |= 1U << p;
    }
    pins.Set("request_valid", valid);
    pins.Set("response_ready", ready);
  }

 protected:
  virtual bool Resets(std::uint64_t /*cycle*/) { return false; }
  virtual bool TakesResponse(int /*port*/) { return true; }
  virtual std::optional<SbufRequest> NextRequest(int port) = 0;
  virtual void OnGrant(std::uint64_t /*cycle*/, int /*port*/) {}

 private:
  struct Port {
    std::optional<SbufRequest> offered;
    std::optional<SbufRequest> waiting;
    bool granted = false;
    int stalls = 0;                     ///< in a row, while there was room for the answer
    std::deque<std::uint32_t> answers;  ///< that the port must show, in order
    std::optional<std::uint32_t> granted_answer;
  };

  void CheckGrants(Pins& pins, std::uint64_t cycle) {
    std::array<int, kSbufBanks> grants{};
    for (int p = 0; p < kSbufPorts; ++p) {
      Port& port = ports_[static_cast<std::size_t>(p)];
      const bool stalled = (pins.Get("port_stalled") >> p & 1) != 0;
      port.granted = port.waiting && !stalled;
      if (!port.waiting) {
        findings_->Check(!stalled, fmt::format("cycle {}: port {} stalls nothing", cycle, p));
      }
      if (!port.granted) continue;
      findings_->Check(++grants[port.waiting->bank()] == 1,
                       fmt::format("cycle {}: bank {} serves two", cycle, port.waiting->bank()));
      port.granted_answer = Access(*port.waiting);
      OnGrant(cycle, p);
    }
    for (int p = 0; p < kSbufPorts; ++p) {
      Port& port = ports_[static_cast<std::size_t>(p)];
      const bool room = port.answers.size() < 2;
      if (!port.waiting || port.granted || !room) {
        findings_->Check(!port.granted || room,
                         fmt::format("cycle {}: port {} is granted without room", cycle, p));
        port.stalls = 0;
        continue;
      }
      findings_->Check(grants[port.waiting->bank()] == 1,
                       fmt::format("cycle {}: port {} waits for an idle bank", cycle, p));
      findings_->Check(++port.stalls < kSbufPorts,
                       fmt::format("cycle {}: port {} starves", cycle, p));
    }
  }

  std::uint32_t Access(const SbufRequest& request) {
    std::uint32_t& word = words_[request.address];
    if (!request.write) return word;
    for (int byte = 0; byte < kSbufBytes; ++byte) {
      if ((request.strobe >> byte & 1) == 0) continue;
      const std::uint32_t mask = 0xFFU << 8 * byte;
      word = (word & ~mask) | (request.data & mask);
    }
    return 0;
  }

  void TakeResponse(Pins& pins, std::uint64_t cycle, int p, bool takes) {
    Port& port = ports_[static_cast<std::size_t>(p)];
    const bool valid = (pins.Get("response_valid") >> p & 1) != 0;
    findings_->Check(valid != port.answers.empty(),
                     fmt::format("cycle {}: port {} shows an answer: {}", cycle, p, valid));
    if (valid && takes && !port.answers.empty()) {
      const std::uint64_t data = pins.Output("response_data").Field(32 * p, 32);
      findings_->Check(data == port.answers.front(),
                       fmt::format("cycle {}: port {} answers {:#x}, not {:#x}", cycle, p, data,
                                   port.answers.front()));
      pins.Log(fmt::format("cycle {}: port {} answer {:#010x}", cycle, p, data));
      port.answers.pop_front();
    }
    if (port.granted_answer) port.answers.push_back(*port.granted_answer);
    port.granted_answer.reset();
    if (port.granted) port.waiting.reset();
  }

  bool Offer(Pins& pins, std::uint64_t cycle, int p) {
    Port& port = ports_[static_cast<std::size_t>(p)];
    if (!port.offered) port.offered = NextRequest(p);
    if (!port.offered) return false;
    const SbufRequest& request = *port.offered;
    Bits& write = pins.Input("request_write");
    write.SetField(p, 1, request.write ? 1 : 0);
    pins.Input("request_address").SetField(p * kSbufAddressBits, kSbufAddressBits, request.address);
    pins.Input("request_strobe").SetField(p * kSbufBytes, kSbufBytes, request.strobe);
    pins.Input("request_data").SetField(p * 32, 32, request.data);
    if ((pins.Get("request_ready") >> p & 1) == 0) return true;
    pins.Log(request.write ? fmt::format("cycle {}: port {} write [{}] {:#010x} strobe {:#x}",
                                         cycle, p, request.address, request.data, request.strobe)
                           : fmt::format("cycle {}: port {} read [{}]", cycle, p, request.address));
    findings_->Check(!port.waiting, fmt::format("cycle {}: port {} takes two", cycle, p));
    port.waiting = request;
    port.offered.reset();
    return true;
  }

  std::shared_ptr<Findings> findings_;
  std::array<std::uint32_t, kSbufWords> words_{};
  std::array<Port, kSbufPorts> ports_;
};

/// Shares of 100, of the cycles in which something new is offered or taken.
struct SbufMix {
  std::uint64_t seed = 0;
  std::uint32_t addresses = kSbufWords;
  std::uint32_t stride = 1;  ///< between addresses: kSbufBanks sends all ports to one bank
  std::uint64_t request = 80;
  std::uint64_t write = 50;
  std::uint64_t take = 80;
  std::uint64_t resets_in_10000 = 0;
};

class RandomSbufTraffic : public SbufStimulus {
 public:
  RandomSbufTraffic(std::shared_ptr<Findings> findings, SbufMix mix)
      : SbufStimulus(std::move(findings)), mix_(mix), dice_(mix.seed) {}

 protected:
  bool Resets(std::uint64_t /*cycle*/) override {
    return dice_.Below(10000) < mix_.resets_in_10000;
  }
  bool TakesResponse(int /*port*/) override { return dice_.Percent(mix_.take); }
  std::optional<SbufRequest> NextRequest(int /*port*/) override {
    if (!dice_.Percent(mix_.request)) return std::nullopt;
    const std::uint32_t address = dice_.Below(mix_.addresses) * mix_.stride % kSbufWords;
    return SbufRequest{dice_.Percent(mix_.write), address, dice_.Below(16), dice_.Bits32()};
  }

 private:
  SbufMix mix_;
  Dice dice_;
};

/// Cycles of the grants of each port.
using SbufGrants = std::array<std::vector<std::uint64_t>, kSbufPorts>;

/// Each port sends its own list of requests, as fast as they are taken.
class SbufScript : public SbufStimulus {
 public:
  struct Port {
    std::deque<SbufRequest> requests;
    bool takes_responses = true;
  };

  SbufScript(std::shared_ptr<Findings> findings, std::array<Port, kSbufPorts> ports,
             std::shared_ptr<SbufGrants> grants)
      : SbufStimulus(std::move(findings)), ports_(std::move(ports)), grants_(std::move(grants)) {
    *grants_ = {};
  }

 protected:
  bool TakesResponse(int port) override {
    return ports_[static_cast<std::size_t>(port)].takes_responses;
  }
  std::optional<SbufRequest> NextRequest(int port) override {
    std::deque<SbufRequest>& requests = ports_[static_cast<std::size_t>(port)].requests;
    if (requests.empty()) return std::nullopt;
    const SbufRequest request = requests.front();
    requests.pop_front();
    return request;
  }
  void OnGrant(std::uint64_t cycle, int port) override {
    (*grants_)[static_cast<std::size_t>(port)].push_back(cycle);
  }

 private:
  std::array<Port, kSbufPorts> ports_;
  std::shared_ptr<SbufGrants> grants_;
};

}  // namespace spillway
