#include "model/hw/rtl/detail/sbuf_bank_group_twin.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace spillway::detail {
namespace {

constexpr std::uint32_t kPoison = 0xFFFFFFFF;

}  // namespace

SbufBankGroupTwin::SbufBankGroupTwin(const sc_core::sc_module_name& name, Shape shape)
    : sc_module(name),
      shape_(shape),
      address_bits_(std::bit_width(static_cast<unsigned>(shape.banks * shape.rows)) - 1),
      words_(static_cast<std::size_t>(shape.banks * shape.rows)),
      ports_(kPorts),
      turns_(static_cast<std::size_t>(shape.banks)) {
  using SC_CURRENT_USER_MODULE = SbufBankGroupTwin;
  SC_METHOD(Clock);
  sensitive << clk.pos();
  dont_initialize();
}

void SbufBankGroupTwin::Reset() {
  // Nothing is ready until the last row is poisoned, so nobody sees that it happens at once.
  words_.assign(words_.size(), kPoison);
  ports_.assign(ports_.size(), Port{});
  for (std::deque<int>& turn : turns_) {
    turn.resize(kPorts);
    std::iota(turn.begin(), turn.end(), 0);
  }
  rows_to_poison_ = shape_.rows;
}

std::vector<std::optional<int>> SbufBankGroupTwin::Winners() const {
  std::vector<std::optional<int>> winners;
  for (std::uint32_t bank = 0; bank < turns_.size(); ++bank) {
    const auto wants = [this, bank](int p) {
      const Port& port = ports_[static_cast<std::size_t>(p)];
      return port.waiting && port.waiting->address % turns_.size() == bank &&
             port.answers.size() < shape_.answers;
    };
    const auto winner = std::find_if(turns_[bank].begin(), turns_[bank].end(), wants);
    winners.push_back(winner == turns_[bank].end() ? std::nullopt : std::optional(*winner));
  }
  return winners;
}

std::uint32_t SbufBankGroupTwin::Access(const Request& request) {
  std::uint32_t& word = words_[request.address];
  if (!request.write) return word;
  for (int byte = 0; byte < kBytes; ++byte) {
    const std::uint32_t mask = (request.strobe >> byte & 1U) != 0 ? 0xFFU << 8 * byte : 0;
    word = (word & ~mask) | (request.data & mask);
  }
  return 0;
}

SbufBankGroupTwin::Request SbufBankGroupTwin::RequestOf(int port) const {
  const std::uint64_t address_mask = (std::uint64_t{1} << address_bits_) - 1;
  return {(request_write.read() >> port & 1U) != 0,
          static_cast<std::uint32_t>(request_address.read() >> port * address_bits_ & address_mask),
          request_strobe.read() >> port * kBytes & ((1U << kBytes) - 1),
          request_data.read().get_word(port)};
}

void SbufBankGroupTwin::ShowOutputs() {
  std::uint32_t granted = 0;
  for (const std::optional<int>& winner : Winners()) {
    if (winner) granted |= 1U << *winner;
  }
  std::uint32_t waiting = 0;
  std::uint32_t valid = 0;
  sc_dt::sc_bv<kDataPins> data;
  for (int p = 0; p < kPorts; ++p) {
    const Port& port = ports_[static_cast<std::size_t>(p)];
    if (port.waiting) waiting |= 1U << p;
    if (port.answers.empty()) continue;
    valid |= 1U << p;
    data.set_word(p, port.answers.front());
  }
  const std::uint32_t all = (1U << kPorts) - 1;
  request_ready = rows_to_poison_ > 0 ? 0 : (~waiting | granted) & all;
  port_stalled = waiting & ~granted;
  response_valid = valid;
  response_data = data;
}

void SbufBankGroupTwin::Clock() {
  if (rst.read()) {
    Reset();
    ShowOutputs();
    return;
  }
  const std::uint32_t taken = request_valid.read() & request_ready.read();
  const std::vector<std::optional<int>> winners = Winners();
  if (rows_to_poison_ > 0) --rows_to_poison_;

  for (int p = 0; p < kPorts; ++p) {
    std::deque<std::uint32_t>& answers = ports_[static_cast<std::size_t>(p)].answers;
    if (!answers.empty() && (response_ready.read() >> p & 1U) != 0) answers.pop_front();
  }
  for (std::size_t bank = 0; bank < winners.size(); ++bank) {
    if (!winners[bank]) continue;
    Port& port = ports_[static_cast<std::size_t>(*winners[bank])];
    port.answers.push_back(Access(*port.waiting));
    port.waiting.reset();
    std::deque<int>& turn = turns_[bank];
    const auto place = std::find(turn.begin(), turn.end(), *winners[bank]);
    std::rotate(turn.begin(), place + 1, turn.end());
  }
  for (int p = 0; p < kPorts; ++p) {
    if ((taken >> p & 1U) != 0) ports_[static_cast<std::size_t>(p)].waiting = RequestOf(p);
  }
  ShowOutputs();
}

}  // namespace spillway::detail
