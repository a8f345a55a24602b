// A semaphore that only grows, as a NeuronCore's engines wait for.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace spillway {

/// Counts the parts that one contributor has completed. Nobody resets it, so there is no phase to
/// confuse; the value has 32 bits, and a step beyond them is an overflow.
///
/// A part's update follows those of the parts before it, as in the ring of one queue, also where
/// its transfer was faster: else the sum of two parts could stand in for the first one.
/// Source: ts_pipelines.md §16.
class CountingSemaphore {
 public:
  explicit CountingSemaphore(std::uint32_t value = 0) : value_(value) {}

  /// Part #number is complete and adds `step` to the value when all before it have; the parts
  /// whose updates this made, in order.
  std::vector<std::int64_t> Complete(std::int64_t number, std::uint32_t step);

  /// value >= target; never, once the value has overflown.
  bool Reaches(std::int64_t target) const;
  std::int64_t value() const { return value_; }
  bool overflown() const { return overflown_; }

 private:
  std::uint32_t value_;
  bool overflown_ = false;
  std::int64_t next_ = 0;
  std::set<std::int64_t> early_;
};

}  // namespace spillway
