// What must hold for the law of modulo allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace spillway {

/// Total: every byte string is a tensor of one to three block dimensions with a law. Its addresses
/// equal those of counters, one a block dimension, that go up with the blocks and begin anew where
/// their slots end. Nothing where that holds.
/// Source: seed 000 §8.3.
std::optional<std::string> CheckModuloLaw(std::span<const std::uint8_t> bytes);

}  // namespace spillway
