// The instances of a kernel, each with the instruction stream that runs it and what it touches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"
#include "model/hw/interval.h"

namespace spillway::rings {

using ShapeId = Id<struct ShapeIdTag>;

/// A compute engine, or the DMA queues of one purpose.
struct Stream {
  std::string name;  ///< "Pe", "Act", "Load", …
  task::SideKind kind = task::SideKind::kThread;
  friend bool operator==(const Stream&, const Stream&) = default;
};

/// What an access touches of a block, counted from the block's first partition and byte.
struct Shape {
  Interval<Partition> partitions;
  std::vector<Interval<ByteOffset>> runs;  ///< ascending, disjoint
  /// Surely all of it is touched; false for hulls and for what is addressed at run time. A save of
  /// spill code isn't exact either: it moves bytes and needs none of them.
  bool is_exact = true;

  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// One access of an instance to one block.
struct Touch {
  TensorId tensor;
  std::int64_t block = 0;
  ShapeId shape;
  bool is_write = false;
};

struct WorkInstance {
  InstructionId instruction;
  std::uint32_t stream = 0;
  std::uint32_t first_touch = 0;
  std::uint32_t touch_count = 0;
};

/// Where the loops stand between the instances.
struct LoopMark {
  enum class Kind { kBegin, kNextTurn, kEnd };
  Kind kind = Kind::kBegin;
  std::uint32_t before = 0;  ///< the instance that comes next
};

/// Everything that runs, in program order.
struct StreamWork {
  std::vector<Stream> streams;
  std::vector<WorkInstance> instances;
  std::vector<Touch> touches;  ///< of each instance, reads first
  IdVector<ShapeId, Shape> shapes;
  std::vector<LoopMark> marks;  ///< properly nested; the first turn begins with its loop

  std::span<const Touch> TouchesOf(std::size_t instance) const {
    return std::span(touches).subspan(instances[instance].first_touch,
                                      instances[instance].touch_count);
  }
};

/// Instances, skipped ones too, turns of loops and accesses that are looked at: a bound on memory
/// and time.
inline constexpr std::int64_t kMaxWork = 1'000'000;
/// Byte runs of all accesses, of which one may have a thousand: a bound on time.
inline constexpr std::int64_t kMaxRunsSeen = 100'000'000;
/// Byte runs of all distinct shapes: a bound on memory.
inline constexpr std::int64_t kMaxRunsKept = 4'000'000;

/// The streams and what they run. A stream is a compute engine, PE of kind matrix and the others of
/// kind thread, or the DMA queues of one purpose (Load, Store, Reload, Save), whose transfers are
/// issued in program order and complete in any. A dynamic loop runs to its bound. An access through
/// an indirect operand touches every block.
/// Errors: kShape ("operand-outside-tensor"), kLimit ("ring-limit") beyond kMaxWork,
/// kMaxRunsSeen or kMaxRunsKept.
/// Source: ts_pipelines.md §16; house.md, ordering contract.
Result<StreamWork> CollectWork(const Kernel& kernel);

}  // namespace spillway::rings
