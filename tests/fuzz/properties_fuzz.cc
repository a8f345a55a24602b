// Any bytes as a case of one row of the table of properties: the first byte chooses the row. The
// same body as RapidCheck's, the campaigns' and the mutation run's.
#include <algorithm>

#include "properties/allocation_problem.h"
#include "properties/property_table.h"
#include "tests/fuzz/harness.h"

namespace spillway {
namespace {

// Longer ones only make cases slow.
constexpr std::size_t kMostBytes = std::size_t{24} * 8 + kKnobBytes;

}  // namespace

std::string FuzzOne(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return {};
  const std::span<const PropertyRow> rows = AllProperties();
  const PropertyRow& row = rows[bytes.front() % rows.size()];
  const std::span<const std::uint8_t> rest = bytes.subspan(1);
  std::string objections;
  for (const std::string& fault :
       AskProperty(row, rest.subspan(0, std::min(rest.size(), kMostBytes))).faults) {
    objections += std::string(row.name) + ": " + fault + "\n";
  }
  return objections;
}

}  // namespace spillway
