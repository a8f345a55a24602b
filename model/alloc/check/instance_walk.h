// A kernel's instruction instances, one after the other.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway::check {

/// Steps through the instances in program order: loops run their trips, and an instruction whose
/// predicates don't all hold has no instance. `kernel` must outlive this.
class InstanceWalk {
 public:
  explicit InstanceWalk(const Kernel& kernel);

  /// Moves to the next instance, at first to the first one; false behind the last.
  bool Next();

  InstructionId instruction() const { return kernel_.body[at_].instruction(); }
  /// Value of loop l at index l; loops that aren't open hold any value.
  std::span<const std::int64_t> values() const { return values_; }
  /// "tensor_copy #12 (i=3, j=0)" for instance number 12.
  std::string Label(std::size_t number) const;

 private:
  struct Open {
    std::size_t begin = 0;
    std::int64_t trips_left = 0;
  };

  const Kernel& kernel_;
  std::size_t at_ = 0;
  bool started_ = false;
  std::vector<Open> open_;
  std::vector<std::int64_t> values_;
};

}  // namespace spillway::check
