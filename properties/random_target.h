// A machine that doesn't exist, from any bytes: a generation with some of its rows changed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/hw/target.h"

namespace spillway {

/// The first byte chooses the generation, each pair after it a row and a value within the row's
/// limits; what would break a relation between rows changes nothing. Total: every byte string gives
/// a target that a target file could hold.
Target DecodeTarget(std::span<const std::uint8_t> bytes);

/// The generation that `bytes` start from.
Target BaseOf(std::span<const std::uint8_t> bytes);

/// The target file that makes `target` from `base`: the rows in which they differ.
std::string TargetFile(const Target& target, const Target& base);

}  // namespace spillway
