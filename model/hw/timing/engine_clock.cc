#include "model/hw/timing/engine_clock.h"

namespace spillway {

std::int64_t HertzOf(const Target& target, Engine engine) {
  switch (engine) {
    case Engine::kPe: return target.pe_hertz;
    case Engine::kAct: return target.act_hertz;
    case Engine::kPool: return target.pool_hertz;
    case Engine::kDve: return target.dve_hertz;
    case Engine::kSp: return target.sp_hertz;
    case Engine::kDma: break;
  }
  return target.reference_hertz;
}

}  // namespace spillway
