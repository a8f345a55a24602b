// expect: (no matching function|could not convert|cannot convert|invalid initialization|no match)
#include "model/alloc/task/smem_allocator.h"

#ifdef FORBIDDEN
using Space = spillway::task::Tmem;
#else
using Space = spillway::task::Smem;
#endif

bool Added(spillway::task::SmemAllocator& smem, const spillway::task::Region<Space>& region) {
  return smem.Add(region).has_value();
}
