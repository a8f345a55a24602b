#include "model/hw/rtl/detail/psum_bank_twin.h"

#include <bit>
#include <cmath>
#include <limits>

namespace spillway::detail {
namespace {

constexpr std::uint32_t kQuietNan = 0x7FC00000;
constexpr std::uint32_t kPoison = 0xFFFFFFFF;

static_assert(std::numeric_limits<float>::is_iec559, "the twin adds with the host's float");

}  // namespace

std::uint32_t AddFloat32(std::uint32_t a, std::uint32_t b) {
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? kQuietNan : std::bit_cast<std::uint32_t>(sum);
}

PsumBankTwin::PsumBankTwin(const sc_core::sc_module_name& name, Shape shape)
    : sc_module(name), shape_(shape), words_(static_cast<std::size_t>(shape.words)) {
  using SC_CURRENT_USER_MODULE = PsumBankTwin;
  SC_METHOD(Clock);
  sensitive << clk.pos();
  dont_initialize();
}

void PsumBankTwin::Reset() {
  // Nothing is ready until the last word is poisoned, so nobody sees that it happens at once.
  words_.assign(words_.size(), kPoison);
  write_.reset();
  read_.reset();
  sums_.clear();
  answer_.reset();
  readers_turn_ = false;
  to_poison_ = shape_.words;
}

bool PsumBankTwin::InAdder(std::uint32_t address) const {
  for (const Sum& sum : sums_) {
    if (sum.address == address && sum.age <= shape_.adder_cycles) return true;
  }
  return false;
}

PsumBankTwin::Moves PsumBankTwin::Decide() const {
  const bool same = write_ && read_ && write_->address == read_->address;
  const bool write_first = write_ && read_ && write_->order < read_->order;
  Moves moves;
  moves.write = write_ && !(same && !write_first) && (write_->start || !InAdder(write_->address));
  moves.read = read_ && !answer_ && !InAdder(read_->address) && !(same && write_first);
  moves.collide = moves.write && moves.read && !write_->start;
  if (moves.collide) (readers_turn_ ? moves.write : moves.read) = false;
  return moves;
}

void PsumBankTwin::ShowOutputs() {
  const Moves moves = Decide();
  write_ready = to_poison_ == 0 && (!write_ || moves.write);
  read_ready = to_poison_ == 0 && (!read_ || moves.read);
  value_valid = answer_.has_value();
  value_data = answer_.value_or(0);
}

void PsumBankTwin::Clock() {
  if (rst.read()) {
    Reset();
    ShowOutputs();
    return;
  }
  const Moves moves = Decide();
  const bool take_write = write_valid.read() && to_poison_ == 0 && (!write_ || moves.write);
  const bool take_read = read_valid.read() && to_poison_ == 0 && (!read_ || moves.read);
  if (to_poison_ > 0) --to_poison_;

  for (Sum& sum : sums_) ++sum.age;
  if (!sums_.empty() && sums_.front().age > shape_.adder_cycles + 1) sums_.pop_front();
  if (moves.write) {
    sums_.push_back({write_->address, 1});
    write_.reset();
  }
  if (answer_ && value_ready.read()) answer_.reset();
  if (moves.read) {
    answer_ = read_->value;
    read_.reset();
  }
  if (moves.collide) readers_turn_ = !readers_turn_;

  if (take_write) {
    write_ = Write{accepted_++, write_address.read(), write_start.read()};
    std::uint32_t& word = words_[write_address.read()];
    word = write_start.read() ? write_data.read() : AddFloat32(word, write_data.read());
  }
  if (take_read) {
    read_ = Read{accepted_++, read_address.read(), words_[read_address.read()]};
  }
  ShowOutputs();
}

}  // namespace spillway::detail
