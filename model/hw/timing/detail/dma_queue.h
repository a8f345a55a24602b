// A DMA queue: triggers transfers in order and deals their descriptors to the engines.
#pragma once

#include <array>

#include "model/hw/timing/detail/dma_engine.h"
#include "model/hw/timing/detail/stream_head.h"

namespace spillway::detail {

/// The DMA engines. Of those that get equal shares of every transfer of the program, the first is
/// played and stands for all.
class DmaEngines {
 public:
  std::array<DmaEngine, kMaxDmaEngines> engines;
  std::array<int, kMaxDmaEngines> weight{};  ///< engines that each one stands for; 0: not played
  /// When each descriptor generator is free for the next one that asks.
  std::array<std::int64_t, kMaxDmaQueues> generator_free_at{};

  /// Groups the engines for the program of `state`.
  void Reset(CoreState& state);

 private:
  void Refine(const Transfer& transfer, int count);

  std::array<std::uint32_t, kMaxDmaEngines> groups_{};  ///< as bit sets
  int group_count_ = 0;
};

class DmaQueue {
 public:
  void Reset(CoreState& state, DmaEngines& engines, int queue);
  const StreamHead& head() const { return head_; }
  void Begin(std::int64_t now);

 private:
  std::int64_t IssueTime(std::int64_t now);
  void Issue(std::int64_t now);

  CoreState* state_ = nullptr;
  DmaEngines* engines_ = nullptr;
  int queue_ = 0;
  int rank_ = 0;
  std::int64_t* generator_ = nullptr;  ///< when its generator is free; absent: static rings
  std::int64_t granted_ = kNever;      ///< when the head may be issued, once it has asked
  StreamHead head_;
};

}  // namespace spillway::detail
