// The pairs of the process: each an RTL module, its twin, and the signals between them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "model/hw/rtl/detail/pin_table.h"

class VerilatedFstC;

namespace spillway::detail {

struct Pair {
  std::unique_ptr<sc_core::sc_module> rtl;
  std::unique_ptr<sc_core::sc_module> twin;
  std::unique_ptr<PinTable> pins;
  /// Registers the RTL's signals with a trace that isn't open yet.
  std::function<void(VerilatedFstC*)> attach;
};

/// Elaborates every pair at the first call. SystemC allows that once per process.
Pair& PairOf(RtlModule module, TwinShape shape);

}  // namespace spillway::detail
