// expect: (cannot convert|no viable conversion)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const long kSize = spillway::Bytes(1);
#else
const long kSize = spillway::Bytes(1).value;
#endif
