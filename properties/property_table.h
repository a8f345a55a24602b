// Every property of the allocator as a function of bytes, under one name each: what RapidCheck, the
// fuzzers, the campaigns' judge `relations` and the mutation run all walk.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "properties/allocation_relations.h"

namespace spillway {

enum class PropertyKind {
  kPass,        ///< a pass, a closed form or a law against counting
  kAllocation,  ///< one kernel's allocations
  kRelation,    ///< the allocations of two kernels, one made from the other
};

struct PropertyRow {
  std::string_view name;  ///< stable: "other-names", …
  PropertyKind kind;
  RelationVerdict (*of_bytes)(std::span<const std::uint8_t>);  ///< null: it needs a kernel
  RelationVerdict (*of_case)(const RelationCase&);             ///< null: it doesn't
  int cases;                                                   ///< that a property run tries
  int applies;  ///< per cent of them in which it must have had something to say
  int spills;   ///< per cent of them in which an allocation must spill
};

/// The rows, kind by kind.
std::span<const PropertyRow> AllProperties();

/// Total: every byte string is a case of every row. Those of kernels read it as an allocation
/// problem (allocation_problem.h) whose author placed nothing; what the relation draws comes from
/// all of the bytes. What a pass or a judge throws is passed on.
RelationVerdict AskProperty(const PropertyRow& row, std::span<const std::uint8_t> bytes);

}  // namespace spillway
