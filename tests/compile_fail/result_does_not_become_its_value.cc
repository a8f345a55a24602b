// expect: (could not convert|no viable conversion)
#include "model/hw/target.h"

spillway::Target Get(const spillway::Result<spillway::Target>& found) {
#ifdef FORBIDDEN
  return found;
#else
  return found.value();
#endif
}
