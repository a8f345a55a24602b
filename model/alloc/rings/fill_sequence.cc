#include "model/alloc/rings/fill_sequence.h"

#include <algorithm>
#include <map>

namespace spillway::rings {
namespace {

/// What is known of a block's current fill.
struct Current {
  std::int64_t number = -1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> reads;  ///< (stream, instance), the last two
};

FillSequence Split(const StreamWork& work, TensorId tensor, std::vector<FillTouch> touches) {
  FillSequence sequence;
  sequence.tensor = tensor;
  sequence.touches = std::move(touches);
  const auto stream_of = [&](const FillTouch& touch) {
    return work.instances[touch.instance].stream;
  };
  for (const FillTouch& touch : sequence.touches)
    sequence.is_private &= stream_of(touch) == stream_of(sequence.touches.front());
  std::map<std::int64_t, Current> blocks;
  for (FillTouch& at : sequence.touches) {
    const Touch& touch = work.touches[at.touch];
    const std::uint32_t stream = stream_of(at);
    Current& current = blocks[touch.block];
    bool begins = current.number < 0;
    if (touch.is_write && !begins) {
      const bool updates = !current.reads.empty() && current.reads.back().second == at.instance;
      for (const auto& [reader, instance] : current.reads) {
        if (instance == at.instance) continue;
        begins = begins || reader != stream || (sequence.is_private && !updates);
      }
    }
    if (begins) {
      current = {};
      current.number = static_cast<std::int64_t>(sequence.fills.size());
      sequence.fills.push_back({touch.block, false, at.instance, at.instance});
    }
    Fill& fill = sequence.fills[static_cast<std::size_t>(current.number)];
    if (touch.is_write && !fill.is_written) {
      fill.is_written = true;
      fill.first_write = at.instance;
    }
    fill.last_touch = at.instance;
    at.number = current.number;
    if (touch.is_write) continue;
    // One read of each stream is enough, and the last one tells an update in place.
    std::erase_if(current.reads, [&, stream_is = stream](const auto& read) {
      return read.first == stream_is && read.second == at.instance;
    });
    const auto same = std::count_if(current.reads.begin(), current.reads.end(),
                                    [&](const auto& read) { return read.first == stream; });
    if (same > 1) {
      current.reads.erase(std::find_if(current.reads.begin(), current.reads.end(),
                                       [&](const auto& read) { return read.first == stream; }));
    }
    current.reads.emplace_back(stream, at.instance);
  }
  return sequence;
}

}  // namespace

FillSequence FillsOf(const StreamWork& work, TensorId tensor) {
  std::vector<FillTouch> touches;
  for (std::uint32_t i = 0; i < work.instances.size(); ++i) {
    const WorkInstance& instance = work.instances[i];
    for (std::uint32_t t = 0; t < instance.touch_count; ++t) {
      if (work.touches[instance.first_touch + t].tensor == tensor)
        touches.push_back({instance.first_touch + t, i, 0});
    }
  }
  return Split(work, tensor, std::move(touches));
}

std::vector<FillSequence> AllFills(const Kernel& kernel, const StreamWork& work) {
  IdVector<TensorId, std::vector<FillTouch>> touches(kernel.tensors.size());
  for (std::uint32_t i = 0; i < work.instances.size(); ++i) {
    const WorkInstance& instance = work.instances[i];
    for (std::uint32_t t = 0; t < instance.touch_count; ++t) {
      const std::uint32_t touch = instance.first_touch + t;
      touches[work.touches[touch].tensor].push_back({touch, i, 0});
    }
  }
  std::vector<FillSequence> all;
  for (std::size_t t = 0; t < touches.size(); ++t) {
    if (!touches[TensorId(t)].empty())
      all.push_back(Split(work, TensorId(t), std::move(touches[TensorId(t)])));
  }
  return all;
}

}  // namespace spillway::rings
