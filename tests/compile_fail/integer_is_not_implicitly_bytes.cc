// expect: (conversion from .int. to non-scalar|no viable conversion)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const spillway::Bytes kSize = 1;
#else
const spillway::Bytes kSize(1);
#endif
