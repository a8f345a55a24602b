#include "sim/lower/byte_history.h"

#include <algorithm>
#include <utility>

namespace spillway {
namespace {

// An engine ends its instructions in order, so its latest read stands for the earlier ones.
void AddReader(std::vector<Touch>& readers, const Touch& touch) {
  if (touch.engine >= 0) {
    for (Touch& reader : readers) {
      if (reader.engine == touch.engine) {
        reader = touch;
        return;
      }
    }
  } else if (!readers.empty() && readers.back().instance == touch.instance) {
    return;
  }
  readers.push_back(touch);
}

}  // namespace

// First segment that begins at or after `byte`, once no segment crosses it.
ByteHistory::Segments::iterator ByteHistory::SplitAt(std::int64_t byte) {
  const auto next = segments_.lower_bound(byte);
  if (next == segments_.begin()) return next;
  const auto before = std::prev(next);
  if (before->second.end <= byte) return next;
  Segment tail = before->second;
  before->second.end = byte;
  return segments_.emplace_hint(next, byte, std::move(tail));
}

void ByteHistory::ReadSegment(Segment& segment, Interval<Partition> partitions, const Touch& touch,
                              std::vector<Conflict>& conflicts) {
  if (segment.cells.size() == 1 && segment.cells.front().partitions == partitions) {
    Cell& cell = segment.cells.front();
    if (cell.written) conflicts.push_back({cell.writer, true});
    AddReader(cell.readers, touch);
    return;
  }
  Partition covered = partitions.begin;  // cells are in order of their partitions
  std::vector<Cell> cells;
  bool changed = false;
  const auto fill_to = [&](Partition end) {
    if (covered < end) {
      cells.push_back({{covered, end}, false, {}, {touch}});
      changed = true;
    }
  };
  for (Cell& cell : segment.cells) {
    const Interval<Partition> common = Intersect(cell.partitions, partitions);
    if (common.empty()) {
      if (cell.partitions.begin >= partitions.end) {
        fill_to(partitions.end);
        covered = std::max(covered, partitions.end);
      }
      cells.push_back(std::move(cell));
      continue;
    }
    fill_to(common.begin);
    covered = common.end;
    if (cell.written) conflicts.push_back({cell.writer, true});
    if (common == cell.partitions) {
      AddReader(cell.readers, touch);
      cells.push_back(std::move(cell));
      continue;
    }
    changed = true;
    Cell middle = cell;
    middle.partitions = common;
    AddReader(middle.readers, touch);
    Cell above = cell;
    above.partitions.begin = common.end;
    cell.partitions.end = common.begin;
    if (!cell.partitions.empty()) cells.push_back(std::move(cell));
    cells.push_back(std::move(middle));
    if (!above.partitions.empty()) cells.push_back(std::move(above));
  }
  fill_to(partitions.end);
  segment.cells = std::move(cells);
}

void ByteHistory::Read(const Rectangle& where, const Touch& touch,
                       std::vector<Conflict>& conflicts) {
  std::int64_t at = where.bytes.begin.value;
  const std::int64_t end = where.bytes.end.value;
  SplitAt(end);
  auto segment = SplitAt(at);
  while (at < end) {
    const bool gap = segment == segments_.end() || segment->first > at;
    if (gap) {
      const std::int64_t gap_end = segment == segments_.end() ? end : std::min(end, segment->first);
      segment = segments_.emplace_hint(segment, at, Segment{gap_end, {}});
    }
    ReadSegment(segment->second, where.partitions, touch, conflicts);
    at = segment->second.end;
    ++segment;
  }
}

void ByteHistory::EraseRows(Segment& segment, Interval<Partition> partitions,
                            std::vector<Conflict>& conflicts) {
  std::vector<Cell> kept;
  for (Cell& cell : segment.cells) {
    const Interval<Partition> common = Intersect(cell.partitions, partitions);
    if (common.empty()) {
      kept.push_back(std::move(cell));
      continue;
    }
    if (cell.written) conflicts.push_back({cell.writer, true});
    for (const Touch& reader : cell.readers) conflicts.push_back({reader, false});
    Cell above = cell;
    above.partitions.begin = common.end;
    cell.partitions.end = common.begin;
    if (!cell.partitions.empty()) kept.push_back(std::move(cell));
    if (!above.partitions.empty()) kept.push_back(std::move(above));
  }
  segment.cells = std::move(kept);
}

void ByteHistory::Write(const Rectangle& where, const Touch& touch,
                        std::vector<Conflict>& conflicts) {
  const std::int64_t begin = where.bytes.begin.value;
  const std::int64_t end = where.bytes.end.value;
  if (begin >= end || where.partitions.empty()) return;
  SplitAt(end);
  auto segment = SplitAt(begin);
  const Cell cell{where.partitions, true, touch, {}};
  const auto insert = [&cell](std::vector<Cell>& cells) {
    const auto above = std::find_if(cells.begin(), cells.end(), [&cell](const Cell& other) {
      return other.partitions.begin >= cell.partitions.end;
    });
    cells.insert(above, cell);
  };
  // Stretches of which nothing else is left become one segment.
  std::int64_t at = begin;
  while (segment != segments_.end() && segment->first < end) {
    EraseRows(segment->second, where.partitions, conflicts);
    if (segment->second.cells.empty()) {
      segment = segments_.erase(segment);
      continue;
    }
    if (at < segment->first) segments_.emplace_hint(segment, at, Segment{segment->first, {cell}});
    insert(segment->second.cells);
    at = segment->second.end;
    ++segment;
  }
  if (at < end) segments_.emplace_hint(segment, at, Segment{end, {cell}});
}

}  // namespace spillway
