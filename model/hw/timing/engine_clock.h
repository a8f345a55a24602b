// Which clock an engine counts by.
#pragma once

#include <cstdint>

#include "model/hw/engine.h"
#include "model/hw/target.h"

namespace spillway {

/// Hertz of the engine's own clock; DMA counts by the reference clock.
std::int64_t HertzOf(const Target& target, Engine engine);

}  // namespace spillway
