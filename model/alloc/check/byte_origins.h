// Whose bytes lie where while a placed kernel runs in program order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/check/byte_plane.h"
#include "model/alloc/ir/access.h"
#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"

namespace spillway::check {

/// Who made a byte, wherever it was moved since.
using Producer = std::uint64_t;
inline constexpr Producer kNothing = 0;   ///< never written
inline constexpr Producer kAnything = 1;  ///< by a move of too many pieces to be followed
/// Output `output` (from 0) of number `number` among the instances that don't only move bytes.
constexpr Producer OutputOf(std::uint64_t number, std::uint64_t output) {
  return (std::uint64_t{1} << 62) + (number << 16) + output;
}
/// What block `block` of DRAM tensor number `tensor` holds before the run.
constexpr Producer InitialBytesOf(std::uint64_t tensor, std::uint64_t block) {
  return (std::uint64_t{1} << 61) + (tensor << 32) + block;
}

/// The byte in partition p at offset b is byte `base` + p * `row_step` + b of what `producer` made.
struct Origin {
  Producer producer = kNothing;
  std::int64_t base = 0;
  std::int64_t row_step = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};

/// Rows of an output on chip are that far apart in its own count of bytes.
inline constexpr std::int64_t kProducerRow = std::int64_t{1} << 40;

/// `origin` on a part of a rectangle; both count from the rectangle's corner.
struct OriginPart {
  Rectangle part;
  Origin origin;
};

class ByteOrigins {
 public:
  /// `places` has an address a block for every tensor accessed. `number_of_dram` gives the number
  /// under which a DRAM tensor's first bytes are known; those that it doesn't name hold nothing.
  ByteOrigins(const Kernel& kernel, const Placement& places,
              const std::map<std::string, std::uint64_t, std::less<>>& number_of_dram);

  /// What `where` of a block holds, in order of bytes. `where` counts from the block's corner.
  void Look(TensorId tensor, std::int64_t block, const Rectangle& where,
            std::vector<OriginPart>& parts) const;
  /// `producer` writes one output.
  void Write(const Access& access, std::span<const std::int64_t> values, Producer producer);
  /// The move's bytes change places; all of them are read before the first is written.
  void Move(const Instruction& move, std::span<const std::int64_t> values);

  bool HasPlace(TensorId tensor, std::int64_t block) const {
    return block >= 0 && static_cast<std::size_t>(block) < places_.addresses[tensor].size();
  }

 private:
  struct Piece {
    Rectangle where;
    Origin origin;
  };
  // Notes what `source` holds for when it comes to lie at `target`.
  void Carry(TensorId from, const Rectangle& source, const Rectangle& target);
  void AddPiece(const Rectangle& where, const Origin& origin);
  Rectangle Placed(TensorId tensor, std::int64_t block, const Rectangle& where) const;
  BytePlane<Origin>& PlaneOf(TensorId tensor) {
    return planes_[static_cast<std::size_t>(kernel_.tensors[tensor].space)];
  }
  const BytePlane<Origin>& PlaneOf(TensorId tensor) const {
    return planes_[static_cast<std::size_t>(kernel_.tensors[tensor].space)];
  }

  const Kernel& kernel_;
  const Placement& places_;
  std::array<BytePlane<Origin>, 3> planes_;
  std::vector<Piece> pieces_;
};

}  // namespace spillway::check
