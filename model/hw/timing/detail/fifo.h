// A queue in one block of memory, which it keeps from run to run.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace spillway::detail {

template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  void push_back(const T& item) { items_.push_back(item); }
  /// Keeps the order of `time`; equal times in the order in which they came.
  void InsertByTime(const T& item) {
    items_.push_back(item);
    for (std::size_t i = items_.size() - 1; i > head_ && items_[i].time < items_[i - 1].time; --i) {
      std::swap(items_[i], items_[i - 1]);
    }
  }
  void pop_front() {
    if (++head_ == items_.size()) {
      clear();
    } else if (head_ >= kCompactFrom && 2 * head_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }
  void clear() {
    items_.clear();
    head_ = 0;
  }
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
  auto end() const { return items_.end(); }

 private:
  static constexpr std::size_t kCompactFrom = 64;
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace spillway::detail
