// expect: (no match for|invalid operands)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const bool kSame = spillway::Partition(1) == spillway::BankId(1);
#else
const bool kSame = spillway::Partition(1) == spillway::Partition(1);
#endif
