// The oracles by the names that the command line gives them.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "model/hw/error.h"
#include "model/hw/hwm.h"

namespace spillway {

/// In the order in which tables list them.
inline constexpr std::array<std::string_view, 3> kOracleNames = {"closed-form", "calibrated",
                                                                 "measured"};
inline constexpr std::string_view kDefaultOracle = "measured";

/// The oracle of that name for `target`.
/// Errors: kUnknownName "unknown-oracle", and those of MakeMeasuredHwm.
Result<std::unique_ptr<Hwm>> MakeOracle(std::string_view name, const Target& target);

}  // namespace spillway
