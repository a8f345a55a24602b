#include "model/hw/systemc/counting_semaphore.h"

#include <limits>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {

std::vector<std::int64_t> CountingSemaphore::Complete(std::int64_t number, std::uint32_t step) {
  // N81.1 counts parts, whoever completes them.
  if (SPILLWAY_FAULT(N81, false, fault::IsVariant(1))) {
    value_ += step;
    return {number};
  }
  SPILLWAY_CHECK(number >= next_ && early_.insert(number).second, "a part completes once");
  std::vector<std::int64_t> updated;
  while (!early_.empty() && *early_.begin() == next_) {
    early_.erase(early_.begin());
    updated.push_back(next_++);
    overflown_ = overflown_ || value_ > std::numeric_limits<std::uint32_t>::max() - step;
    value_ += step;
  }
  return updated;
}

bool CountingSemaphore::Reaches(std::int64_t target) const {
  return !overflown_ && std::int64_t{value_} >= target;
}

}  // namespace spillway
