// Who touched which bytes last: one memory as the instances of a kernel go by.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/hw/interval.h"
#include "model/hw/units.h"

namespace spillway {

/// An instance's access to a block of a tensor.
struct Touch {
  std::uint32_t instance = 0;
  TensorId tensor;
  std::int64_t block = 0;  ///< -1: any
  /// In-order engine that the instance runs on, or -1: its reads end in no known order.
  int engine = -1;
};

/// Last writer and the readers since, exact by partition and byte.
///
///     partitions
///      128 +--------+-----+
///          |  w3    | w3  |      a segment is a range of bytes; its cells are disjoint ranges of
///       64 +--------+ r5  |      partitions with the same history
///          |  w4 r5 |     |
///        0 +--------+-----+-> bytes
class ByteHistory {
 public:
  /// A touch of other instances that an access must wait for.
  struct Conflict {
    Touch earlier;
    bool earlier_writes = false;
  };

  /// Appends the last writers of the rectangle to `conflicts` and notes the read.
  void Read(const Rectangle& where, const Touch& touch, std::vector<Conflict>& conflicts);
  /// Appends the last writers and the readers since, and makes `touch` the last writer.
  void Write(const Rectangle& where, const Touch& touch, std::vector<Conflict>& conflicts);

 private:
  struct Cell {
    Interval<Partition> partitions;
    bool written = false;
    Touch writer;
    std::vector<Touch> readers;
  };
  struct Segment {
    std::int64_t end = 0;
    std::vector<Cell> cells;
  };
  using Segments = std::map<std::int64_t, Segment>;

  Segments::iterator SplitAt(std::int64_t byte);
  static void ReadSegment(Segment& segment, Interval<Partition> partitions, const Touch& touch,
                          std::vector<Conflict>& conflicts);
  static void EraseRows(Segment& segment, Interval<Partition> partitions,
                        std::vector<Conflict>& conflicts);

  Segments segments_;
};

}  // namespace spillway
