// Each memory as a type, so that a mixture of memories doesn't compile.
#pragma once

#include "model/alloc/task/memory_space.h"
#include "model/hw/units.h"

namespace spillway::task {

/// Columns of TMEM.
using Columns = Quantity<struct ColumnsTag>;
using ColumnOffset = Position<struct ColumnOffsetTag, Columns>;

struct Smem {
  static constexpr MemorySpace kSpace = MemorySpace::kSmem;
  using Size = Bytes;
  using Offset = ByteOffset;
};
struct Tmem {
  static constexpr MemorySpace kSpace = MemorySpace::kTmem;
  using Size = Columns;
  using Offset = ColumnOffset;
};
struct Sbuf {
  static constexpr MemorySpace kSpace = MemorySpace::kSbuf;
  using Size = Bytes;
  using Offset = ByteOffset;
};
struct Psum {
  static constexpr MemorySpace kSpace = MemorySpace::kPsum;
  using Size = Bytes;
  using Offset = ByteOffset;
};

}  // namespace spillway::task
