#include "model/alloc/psum/peak_banks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/alloc/ir/live_intervals.h"

namespace spillway::psum {
namespace {

std::set<std::int64_t> BanksOf(const Tensor& tensor, const std::vector<Address>& addresses,
                               const Target& target) {
  const std::int64_t bank_bytes = target.psum_bank_bytes.value.value;
  const std::int64_t window = bank_bytes * UsablePsumBanks(target).value;
  const std::int64_t size = BlockBytes(tensor).value;
  std::set<std::int64_t> banks;
  for (const Address& address : addresses) {
    const std::int64_t start = address.byte.value;
    const bool wraps = start > std::numeric_limits<std::int64_t>::max() - size;
    const std::int64_t begin = std::max<std::int64_t>(start, 0);
    const std::int64_t end = std::min(wraps ? window : start + size, window);
    for (std::int64_t bank = begin / bank_bytes; bank * bank_bytes < end; ++bank)
      banks.insert(bank);
  }
  return banks;
}

}  // namespace

BankCount PeakBanksInUse(const LinearKernel& linear, const Placement& placement,
                         const Target& target) {
  const auto lives = LiveIntervals(linear);
  std::vector<std::vector<std::pair<std::int64_t, int>>> changes(linear.point_count() + 1);
  for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
    const TensorId id(t);
    const Tensor& tensor = linear.kernel.tensors[id];
    if (tensor.space != Space::kPsum || !lives[id] || !placement.addresses.contains(id)) continue;
    for (const std::int64_t bank : BanksOf(tensor, placement.addresses[id], target)) {
      changes[lives[id]->begin.value].emplace_back(bank, 1);
      changes[lives[id]->end.value].emplace_back(bank, -1);
    }
  }
  std::map<std::int64_t, int> holders;
  std::size_t peak = 0;
  for (const auto& at_point : changes) {
    for (const auto& [bank, change] : at_point) {
      if ((holders[bank] += change) == 0) holders.erase(bank);
    }
    peak = std::max(peak, holders.size());
  }
  return BankCount(static_cast<std::int64_t>(peak));
}

}  // namespace spillway::psum
