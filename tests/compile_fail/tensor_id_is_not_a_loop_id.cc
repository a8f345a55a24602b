// expect: (cannot convert|no viable conversion|conversion from)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const spillway::LoopId kLoop = spillway::TensorId(1);
#else
const spillway::LoopId kLoop = spillway::LoopId(1);
#endif
