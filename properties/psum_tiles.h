// The PSUM tiles of a random kernel: their shapes, and which of them may be read where.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "properties/kernel_choices.h"
#include "properties/region_choice.h"

namespace spillway {

class PsumTiles {
 public:
  struct Tile {
    TensorId id;
    Tensor tensor;
    /// Of a tile with blocks: the only index that may be read; empty where any may be.
    std::vector<AffineExpr> only_block;
  };

  /// `builder` must outlive this. No tile has more than `most` partitions.
  PsumTiles(KernelBuilder& builder, PartitionCount most) : builder_(builder), most_(most) {}

  /// A new tile of one block. Rarely one that nearly fills a bank, fills it, or takes several.
  const Tile& Add(const Choice& c, std::string name, std::int64_t partitions,
                  std::int64_t free_elements);
  /// A new tile of two or three blocks. In a loop every other one is a ring, of which each
  /// iteration opens the block that it uses.
  const Tile& AddBlocks(const Choice& c, std::string name, std::int64_t partitions,
                        std::int64_t free_elements, std::span<const OpenLoopShape> loops);
  /// The operands that must be opened before the tile may be read.
  std::vector<Operand> Openings(const Tile& tile) const;

  bool empty() const { return tiles_.empty(); }
  /// Counted back from the newest. There must be one.
  const Tile& Pick(std::uint8_t back) const;
  /// A part of the tile, of one block that may be read here.
  Operand Part(const Tile& tile, std::uint8_t region, std::uint8_t detail, bool is_write,
               std::span<const OpenLoopShape> loops) const;
  /// What an SBUF tile can take of it without being larger than all others together: a whole block,
  /// or of a wide one a few elements at an end.
  Operand Evacuated(const Tile& tile, std::uint8_t detail,
                    std::span<const OpenLoopShape> loops) const;

  void OpenLoop();
  /// What the loop made nobody may read any more where it `may_not_run`, nor where its variable is
  /// the index.
  void CloseLoop(LoopId closed, bool may_not_run);

 private:
  Operand Block(const Tile& tile, std::uint8_t detail, std::span<const OpenLoopShape> loops) const;
  const Tile& Make(Tensor tensor, std::vector<AffineExpr> only_block);

  KernelBuilder& builder_;
  PartitionCount most_;
  std::vector<Tile> tiles_;
  std::vector<std::size_t> before_;  ///< tiles when each of the open loops was opened
};

}  // namespace spillway
