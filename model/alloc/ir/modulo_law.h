// The law of NKI's modulo allocation: a block's physical tile from its index.
#pragma once

#include <cstdint>
#include <vector>

#include "model/hw/units.h"

namespace spillway {

/// Arguments of `sbuf.mod_alloc` and `psum.mod_alloc`. Each index of a block is taken modulo its
/// count, what remains is linearised row-major over the counts, scaled by the tile (a bank, the
/// tile's partitions, the tile's bytes a partition) and added to the base. An empty list of counts
/// stands for ones.
/// Source: seed 000 §8.3; nki_surface.md (address law); isa_costs.md 4.1.
struct ModuloLaw {
  BankId base_bank = BankId(0);  ///< PSUM alone
  ByteOffset base_addr = ByteOffset(0);
  Partition base_partition = Partition(0);
  std::vector<std::int64_t> num_bank_tiles = {};  ///< PSUM alone
  std::vector<std::int64_t> num_par_tiles = {};
  std::vector<std::int64_t> num_free_tiles = {};

  friend bool operator==(const ModuloLaw&, const ModuloLaw&) = default;
};

/// PSUM bytes of an `Address` count through all banks in units of this: a bank is byte / 2048. It's
/// the unit of kernel files, not of a machine; a test holds it against every target's row.
inline constexpr Bytes kAddressBankBytes(2048);

}  // namespace spillway
