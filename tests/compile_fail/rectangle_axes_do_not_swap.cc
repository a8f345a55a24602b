// expect: (could not convert|no viable conversion|cannot convert)
#include "model/hw/interval.h"

using spillway::ByteOffset;
using spillway::Interval;
using spillway::Partition;

constexpr Interval<Partition> kPartitions{Partition(0), Partition(32)};
constexpr Interval<ByteOffset> kBytes{ByteOffset(0), ByteOffset(64)};
#ifdef FORBIDDEN
constexpr spillway::Rectangle kRectangle{kBytes, kPartitions};
#else
constexpr spillway::Rectangle kRectangle{kPartitions, kBytes};
#endif
static_assert(kRectangle.bytes == kBytes);
