#include "sim/exec/lazy_copies.h"

#include <utility>

namespace spillway {

void LazyCopies::Begin(LazyCopy copy, const PlacedBytes& source) {
  copies_.push_back(std::move(copy));
  sources_.push_back(source);
}

std::optional<LazyCopy> LazyCopies::Take(InstanceId instance) {
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].instance == instance) return Remove(i);
  }
  return std::nullopt;
}

std::optional<LazyCopy> LazyCopies::TakeReaderOf(const PlacedBytes& written) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (Overlap(sources_[i], written)) return Remove(i);
  }
  return std::nullopt;
}

LazyCopy LazyCopies::Remove(std::size_t index) {
  std::swap(copies_[index], copies_.back());
  std::swap(sources_[index], sources_.back());
  LazyCopy copy = std::move(copies_.back());
  copies_.pop_back();
  sources_.pop_back();
  return copy;
}

}  // namespace spillway
