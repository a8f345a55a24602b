#include "model/alloc/nki/auto_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

Error ScopeError(std::string message) {
  return {Kind::kMixedAllocation, "auto-scope", std::move(message), {}, 0};
}

}  // namespace

AutoAllocator::AutoAllocator(const Target& target, const AutoLimits& limits)
    : partitions_(target.sbuf_partitions.value),
      bank_(target.psum_bank_bytes.value),
      sbuf_(Space::kSbuf, limits.sbuf_bytes.value_or(target.sbuf_usable_bytes.value), target),
      psum_(
          Space::kPsum,
          target.psum_bank_bytes.value * limits.psum_banks.value_or(UsablePsumBanks(target)).value,
          target),
      scopes_{Scope{"kernel", {}, {}}} {}

Result<void> AutoAllocator::EnterScope(std::string name) {
  if (Result<void> placed = AllocatePendingTensors(); !placed) return placed;
  scopes_.push_back({std::move(name), {}, {}});
  return {};
}

Result<void> AutoAllocator::ExitScope() {
  if (scopes_.size() == 1) {
    return Fail(ScopeError("expected an open scope to leave, found only the kernel's own"));
  }
  if (Result<void> placed = PlacePending(scopes_.back()); !placed) return placed;
  for (const std::string& name : scopes_.back().held) {
    if (SPILLWAY_FAULT(N12, true, !fault::IsVariant(0) || name != scopes_.back().held.back())) {
      sbuf_.Release(name);
      psum_.Release(name);
    }
    known_[name].closed_in = scopes_.back().name;
  }
  scopes_.pop_back();
  return {};
}

Result<void> AutoAllocator::CheckNew(const Tensor& tensor) const {
  if (tensor.space == Space::kDram) {
    return Fail({Kind::kMemorySpace,
                 "auto-dram-tensor",
                 fmt::format("tensor \"{}\": expected an SBUF or PSUM tensor, found one in DRAM",
                             tensor.name),
                 {},
                 0});
  }
  if (known_.contains(tensor.name)) {
    return Fail({Kind::kDuplicateName,
                 "auto-duplicate-tensor",
                 fmt::format("tensor \"{}\": expected a name that no tensor has, found it declared "
                             "twice",
                             tensor.name),
                 {},
                 0});
  }
  return {};
}

Result<void> AutoAllocator::CheckKnown(const std::string& name) const {
  const auto known = known_.find(name);
  if (known == known_.end()) {
    return Fail({Kind::kUnknownName,
                 "auto-unknown-tensor",
                 fmt::format("expected a declared tensor, found \"{}\"", name),
                 {},
                 0});
  }
  if (known->second.closed_in) {
    return Fail(
        {Kind::kLifecycle,
         "auto-closed-scope",
         fmt::format("tensor \"{}\": expected one of an open scope, found that scope \"{}\" "
                     "closed and gave its place back; a tensor that is used later belongs "
                     "to a scope outside",
                     name, *known->second.closed_in),
         {},
         0});
  }
  return {};
}

Result<void> AutoAllocator::Declare(Tensor tensor) {
  if (Result<void> fine = CheckNew(tensor); !fine) return fine;
  tensor.at.clear();
  tensor.alloc.reset();
  tensor.by_function = false;
  known_.emplace(tensor.name, Known{});
  scopes_.back().pending.push_back(std::move(tensor));
  return {};
}

Result<void> AutoAllocator::AssignAllocation(Tensor tensor) {
  if (Result<void> fine = CheckNew(tensor); !fine) return fine;
  SPILLWAY_CHECK(static_cast<std::int64_t>(tensor.at.size()) == BlockCount(tensor),
                 "one address a block");
  AddressMap& map = MapOf(tensor.space);
  for (const Address& address : tensor.at) map.Hold({tensor.name, map.KeptBy(tensor, address)});
  NoteHighWater();
  scopes_.back().held.push_back(tensor.name);
  known_.emplace(tensor.name, Known{assigned_.size(), std::nullopt});
  assigned_.push_back({std::move(tensor), false});
  return {};
}

Result<std::vector<Address>> AutoAllocator::AllocateTensor(const std::string& name) {
  if (Result<void> fine = CheckKnown(name); !fine) return Fail(fine.error());
  if (const auto assigned = known_[name].assigned) return assigned_[*assigned].tensor.at;
  for (Scope& scope : scopes_) {
    const auto waiting = std::find_if(scope.pending.begin(), scope.pending.end(),
                                      [&](const Tensor& tensor) { return tensor.name == name; });
    if (waiting == scope.pending.end()) continue;
    Tensor tensor = *waiting;
    Result<std::vector<Address>> placed = Place(std::move(tensor), scope);
    if (placed) scope.pending.erase(waiting);
    return placed;
  }
  SPILLWAY_CHECK(false, "a known tensor without a place waits in an open scope");
  return {};
}

Result<void> AutoAllocator::AllocatePendingInstTile(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (Result<void> fine = CheckKnown(name); !fine) return fine;
  }
  for (const std::string& name : names) {
    if (const auto placed = AllocateTensor(name); !placed) return Fail(placed.error());
  }
  return {};
}

Result<void> AutoAllocator::AllocatePendingTensorsInScope() { return PlacePending(scopes_.back()); }

Result<void> AutoAllocator::AllocatePendingTensors() {
  for (Scope& scope : scopes_) {
    if (Result<void> placed = PlacePending(scope); !placed) return placed;
  }
  return {};
}

Result<void> AutoAllocator::PlacePending(Scope& scope) {
  while (!scope.pending.empty()) {
    Tensor tensor = scope.pending.front();
    if (const auto placed = Place(std::move(tensor), scope); !placed) return Fail(placed.error());
    scope.pending.erase(scope.pending.begin());
  }
  return {};
}

Result<std::vector<Address>> AutoAllocator::Place(Tensor tensor, Scope& scope) {
  AddressMap& map = MapOf(tensor.space);
  for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
    const std::optional<Address> address = map.LowestPlace(tensor);
    if (!address) {
      const Error error = NoRoom(tensor, block, map, "a smaller scope would free bytes earlier");
      map.Release(tensor.name);
      return Fail(error);
    }
    map.Hold({tensor.name, map.KeptBy(tensor, *address)});
    tensor.at.push_back(*address);
  }
  NoteHighWater();
  scope.held.push_back(tensor.name);
  known_[tensor.name].assigned = assigned_.size();
  assigned_.push_back({std::move(tensor), false});
  return assigned_.back().tensor.at;
}

Result<Tensor> AutoAllocator::OnDemand(Tensor tensor) {
  if (const auto known = known_.find(tensor.name); known != known_.end()) {
    // A user's tensor of that name would be taken for ours.
    const std::optional<std::size_t> assigned = known->second.assigned;
    if (assigned && assigned_[*assigned].on_demand) return assigned_[*assigned].tensor;
    return Fail(CheckNew(tensor).error());
  }
  // It's filled once and kept: bytes that another tensor had before, in a loop that comes round
  // again, won't do.
  AddressMap ever = sbuf_;
  for (const AssignedTensor& other : assigned_) {
    const bool is_closed = known_.at(other.tensor.name).closed_in.has_value();
    if (other.tensor.space != Space::kSbuf ||
        !SPILLWAY_FAULT(N12, is_closed, is_closed && !fault::IsVariant(1)))
      continue;
    for (const Address& address : other.tensor.at)
      ever.Hold({other.tensor.name, ever.KeptBy(other.tensor, address)});
  }
  const std::optional<Address> address = ever.LowestPlace(tensor);
  if (!address) {
    return Fail(NoRoom(tensor, 0, ever,
                       "it is kept throughout, so bytes that closed scopes held won't do"));
  }
  tensor.at = {*address};
  scopes_.front().held.push_back(tensor.name);
  sbuf_.Hold({tensor.name, sbuf_.KeptBy(tensor, *address)});
  NoteHighWater();
  known_[tensor.name].assigned = assigned_.size();
  assigned_.push_back({std::move(tensor), true});
  return assigned_.back().tensor;
}

Result<Tensor> AutoAllocator::IdentityTensor(DType dtype, PartitionCount size) {
  SPILLWAY_CHECK(size > PartitionCount(0) && size <= partitions_, "an identity fits the array");
  return OnDemand({fmt::format("identity.{}.{}", DTypeName(dtype), size.value),
                   Space::kSbuf,
                   dtype,
                   {size.value, size.value},
                   {},
                   Role::kConstant,
                   {},
                   {}});
}

Result<Tensor> AutoAllocator::ActivationBiasTensor(double value) {
  return OnDemand({fmt::format("bias.{}", value),
                   Space::kSbuf,
                   DType::kFloat32,
                   {partitions_.value, 1},
                   {},
                   Role::kConstant,
                   {},
                   {}});
}

void AutoAllocator::NoteHighWater() {
  for (const HeldBlock& block : sbuf_.held())
    sbuf_high_water_ = std::max(sbuf_high_water_, Bytes(block.place.bytes.end.value));
  std::vector<std::int64_t> banks;
  for (const HeldBlock& block : psum_.held()) {
    for (std::int64_t bank = block.place.bytes.begin.value / bank_.value;
         bank * bank_.value < block.place.bytes.end.value; ++bank) {
      if (std::find(banks.begin(), banks.end(), bank) == banks.end()) banks.push_back(bank);
    }
  }
  psum_high_water_ = std::max(psum_high_water_, BankCount(static_cast<std::int64_t>(banks.size())));
}

Error AutoAllocator::NoRoom(const Tensor& tensor, std::int64_t block, const AddressMap& map,
                            std::string_view help) {
  std::vector<HeldBlock> largest = map.held();
  std::stable_sort(largest.begin(), largest.end(), [](const HeldBlock& a, const HeldBlock& b) {
    return a.place.bytes.end - a.place.bytes.begin > b.place.bytes.end - b.place.bytes.begin;
  });
  constexpr std::size_t kNamed = 3;
  std::string holders;
  for (std::size_t i = 0; i < std::min(kNamed, largest.size()); ++i) {
    const HeldBlock& held = largest[i];
    holders += fmt::format("{}{} [{}, {})", i == 0 ? "" : ", ", held.tensor,
                           held.place.bytes.begin.value, held.place.bytes.end.value);
  }
  return {Kind::kCapacity,
          "auto-capacity",
          fmt::format("tensor \"{}\", block {}: expected room for {} partitions x {} bytes in the "
                      "{} bytes of {}, found {} blocks there{}{}; {}",
                      tensor.name, block, Partitions(tensor).value, BlockBytes(tensor).value,
                      map.capacity().value, SpaceName(tensor.space), map.held().size(),
                      holders.empty() ? "" : ", the largest: ", holders, help),
          {},
          0};
}

}  // namespace spillway::nki
