// A DMA queue: triggers transfers in order and deals their descriptors to the engines.
#pragma once

#include <array>

#include "model/hw/timing/detail/dma_engine.h"
#include "model/hw/timing/detail/stream_head.h"

namespace spillway::detail {

/// The DMA engines that are played, and which engines each of them stands for.
struct DmaEngines {
  std::array<DmaEngine, kMaxDmaEngines> engines;
  std::array<int, kMaxDmaEngines> played{};  ///< indices of engines that are played
  std::array<int, kMaxDmaEngines> weight{};  ///< by index
  int played_count = 0;

  /// Groups the engines that get equal shares of every transfer of the program.
  void Reset(CoreState& state);
};

class DmaQueue {
 public:
  void Reset(CoreState& state, DmaEngines& engines, int queue);
  const StreamHead& head() const { return head_; }
  void Begin(std::int64_t now);

 private:
  void Issue(std::int64_t now);

  CoreState* state_ = nullptr;
  DmaEngines* engines_ = nullptr;
  int queue_ = 0;
  StreamHead head_;
};

}  // namespace spillway::detail
