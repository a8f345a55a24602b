// What a stack manager tells of a kernel's SBUF.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/nki/section_history.h"
#include "model/alloc/nki/stack_statistics.h"

namespace spillway::nki {

struct StackAccount {
  StackStatistics statistics;
  std::vector<SectionOverlap> overlaps;
  std::vector<HeapOverlap> heap_overlaps;
  std::string tree;  ///< scopes and tiles as text, a line an event; see allocation_log.h
};

}  // namespace spillway::nki
