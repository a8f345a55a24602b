// expect: (no match for|no viable overloaded)
#include "model/hw/units.h"

int At(const spillway::IdVector<spillway::LoopId, int>& trips) {
#ifdef FORBIDDEN
  return trips[spillway::TensorId(0)];
#else
  return trips[spillway::LoopId(0)];
#endif
}
