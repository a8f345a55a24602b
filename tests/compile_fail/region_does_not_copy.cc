// expect: use of deleted function
#include <utility>

#include "model/alloc/task/region.h"

using spillway::task::Region;
using spillway::task::Smem;

#ifdef FORBIDDEN
Region<Smem> Again(const Region<Smem>& region) { return region; }
#else
Region<Smem> Again(Region<Smem>&& region) { return std::move(region); }
#endif
