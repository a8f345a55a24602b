#include "sim/values/defined_bytes.h"

#include <algorithm>
#include <bit>

namespace spillway {
namespace {

constexpr std::int64_t kWordBits = 64;

}  // namespace

template <class Visit>
void DefinedBytes::ForEachWord(std::int64_t begin, std::int64_t end, Visit visit) {
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t word = at / kWordBits;
    const std::int64_t stop = std::min(end, (word + 1) * kWordBits);
    const std::int64_t width = stop - at;
    const std::uint64_t ones =
        width == kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    visit(static_cast<std::size_t>(word), ones << (at % kWordBits));
    at = stop;
  }
}

DefinedBytes::DefinedBytes(std::int64_t size, bool defined)
    : size_(size), undefined_(defined ? 0 : size) {}

bool DefinedBytes::Get(std::int64_t at) const {
  if (words_.empty()) return undefined_ == 0;
  return (words_[static_cast<std::size_t>(at / kWordBits)] >> (at % kWordBits) & 1u) != 0;
}

std::optional<Interval<std::int64_t>> DefinedBytes::UndefinedIn(std::int64_t begin,
                                                                std::int64_t end) const {
  if (all() || begin >= end) return std::nullopt;
  if (words_.empty()) return Interval<std::int64_t>{begin, end};
  std::optional<Interval<std::int64_t>> found;
  ForEachWord(begin, end, [&](std::size_t word, std::uint64_t mask) {
    const std::uint64_t missing = ~words_[word] & mask;
    if (missing == 0) return;
    const std::int64_t base = static_cast<std::int64_t>(word) * kWordBits;
    if (!found) found = {base + std::countr_zero(missing), 0};
    found->end = base + kWordBits - std::countl_zero(missing);
  });
  return found;
}

std::int64_t DefinedBytes::CountUndefined(std::int64_t begin, std::int64_t end) const {
  if (all() || begin >= end) return 0;
  if (words_.empty()) return end - begin;
  std::int64_t count = 0;
  ForEachWord(begin, end, [&](std::size_t word, std::uint64_t mask) {
    count += std::popcount(~words_[word] & mask);
  });
  return count;
}

void DefinedBytes::Set(std::int64_t begin, std::int64_t end, bool defined) {
  if (begin >= end || (defined && all())) return;
  if (begin == 0 && end == size_) {
    undefined_ = defined ? 0 : size_;
    words_ = {};
    return;
  }
  if (words_.empty()) {
    words_.assign(static_cast<std::size_t>((size_ + kWordBits - 1) / kWordBits),
                  all() ? ~std::uint64_t{0} : 0);
  }
  ForEachWord(begin, end, [&](std::size_t word, std::uint64_t mask) {
    const std::uint64_t old = words_[word];
    words_[word] = defined ? old | mask : old & ~mask;
    undefined_ += std::popcount(old & mask) - std::popcount(words_[word] & mask);
  });
  if (undefined_ == 0 || undefined_ == size_) words_ = {};
}

}  // namespace spillway
