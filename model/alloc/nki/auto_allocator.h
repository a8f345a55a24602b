// NKI's automatic allocation: tensors wait in their scope and get their places on demand.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/nki/address_map.h"
#include "model/hw/target.h"

namespace spillway::nki {

struct AutoLimits {
  std::optional<Bytes> sbuf_bytes = std::nullopt;      ///< fewer than the target's usable bytes
  std::optional<BankCount> psum_banks = std::nullopt;  ///< fewer than the target's
};

/// A tensor with its places, one a block, row-major.
struct AssignedTensor {
  Tensor tensor;
  bool on_demand = false;  ///< an identity or a bias that an instruction asked for
  friend bool operator==(const AssignedTensor&, const AssignedTensor&) = default;
};

/// The allocator behind `auto_alloc()`, the default marker of SBUF and PSUM tensors, as a kernel is
/// traced: declared tensors wait in the innermost scope, get the lowest free place when an
/// instruction touches them, or with all that wait when a scope opens or closes, and lose it when
/// their scope closes. A tensor that lives across iterations of a loop belongs to a scope outside
/// it; opening the loop's scope places what waits outside, so that nothing inside the loop takes
/// bytes that the next iteration still needs.
/// Errors of all: kUnknownName auto-unknown-tensor, kDuplicateName auto-duplicate-tensor,
/// kMemorySpace auto-dram-tensor, kCapacity auto-capacity, kMixedAllocation auto-scope (a scope
/// that isn't open), kLifecycle auto-closed-scope (a tensor whose scope has closed). What is
/// refused changes nothing, but for kCapacity: of several tensors those before the one without room
/// keep their places.
/// Source: seed 000 §8.4 and §8.6.
class AutoAllocator {
 public:
  explicit AutoAllocator(const Target& target, const AutoLimits& limits = {});

  /// Places what waits in the open scopes, then opens one.
  Result<void> EnterScope(std::string name);
  /// Places what waits in the innermost scope, then frees all that it holds.
  Result<void> ExitScope();
  std::size_t open_scopes() const { return scopes_.size(); }

  /// `tensor`, without addresses, waits in the innermost scope.
  Result<void> Declare(Tensor tensor);
  /// A tensor with an address a block, which nothing else will be given until its scope closes;
  /// what it overlaps is for the checkers to say.
  Result<void> AssignAllocation(Tensor tensor);

  /// Places the tensor now, unless it has a place; where the tensor lies.
  Result<std::vector<Address>> AllocateTensor(const std::string& name);
  /// Places all SBUF and PSUM tensors that an instruction is about to touch, in this order.
  Result<void> AllocatePendingInstTile(const std::vector<std::string>& names);
  Result<void> AllocatePendingTensorsInScope();
  /// Of all open scopes, outermost first.
  Result<void> AllocatePendingTensors();

  /// The identity that the PE array transposes tiles of `size` partitions with; one for each type
  /// and size, made and placed in the outermost scope when it's first asked for.
  Result<Tensor> IdentityTensor(DType dtype, PartitionCount size);
  /// The same for the bias column that an activation without one adds; float32, one for each value.
  Result<Tensor> ActivationBiasTensor(double value);

  /// Everything placed so far, in the order of placement, whether still held or not.
  const std::vector<AssignedTensor>& assigned() const { return assigned_; }
  /// The highest end of a place in SBUF, as bytes of a partition, and most PSUM banks held at once.
  Bytes sbuf_high_water() const { return sbuf_high_water_; }
  BankCount psum_high_water() const { return psum_high_water_; }

 private:
  struct Scope {
    std::string name;
    std::vector<Tensor> pending;
    std::vector<std::string> held;
  };
  struct Known {
    std::optional<std::size_t> assigned;   ///< into assigned_, once it has a place
    std::optional<std::string> closed_in;  ///< the scope that gave the place back
  };

  AddressMap& MapOf(Space space) { return space == Space::kPsum ? psum_ : sbuf_; }
  Result<void> CheckNew(const Tensor& tensor) const;
  /// Whether an instruction may touch it.
  Result<void> CheckKnown(const std::string& name) const;
  Result<std::vector<Address>> Place(Tensor tensor, Scope& scope);
  Result<void> PlacePending(Scope& scope);
  Result<Tensor> OnDemand(Tensor tensor);
  void NoteHighWater();
  static Error NoRoom(const Tensor& tensor, std::int64_t block, const AddressMap& map,
                      std::string_view help);

  PartitionCount partitions_;
  Bytes bank_;
  AddressMap sbuf_;
  AddressMap psum_;
  std::vector<Scope> scopes_;  ///< the outermost is always open
  std::vector<AssignedTensor> assigned_;
  std::map<std::string, Known, std::less<>> known_;
  Bytes sbuf_high_water_;
  BankCount psum_high_water_;
};

}  // namespace spillway::nki
