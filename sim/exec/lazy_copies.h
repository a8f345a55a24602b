// Copies under way that haven't read their sources yet.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/hw/timing/hw_program.h"
#include "sim/exec/placed_memory.h"
#include "sim/values/byte_move.h"

namespace spillway {

struct LazyCopy {
  InstanceId instance;
  ByteMove move;
};

/// A copy samples its source when it starts. As long as nobody writes there, the source itself is
/// the sample: it can be read when the copy ends. Whoever writes asks first which copies need their
/// sample now. Few are under way at a time (a queue's transfers overlap only where their engines
/// differ), so a list will do.
class LazyCopies {
 public:
  /// `source` holds all bytes that the copy reads.
  void Begin(LazyCopy copy, const PlacedBytes& source);

  /// The copy of that instance, if it is still here; it leaves.
  std::optional<LazyCopy> Take(InstanceId instance);

  /// A copy whose source shares bytes with `written`, if there is one; it leaves.
  std::optional<LazyCopy> TakeReaderOf(const PlacedBytes& written);

  bool empty() const { return copies_.empty(); }

 private:
  LazyCopy Remove(std::size_t index);

  std::vector<LazyCopy> copies_;
  std::vector<PlacedBytes> sources_;  ///< of copies_, apart since every writer looks at all of them
};

}  // namespace spillway
