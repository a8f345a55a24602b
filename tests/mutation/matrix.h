// What the mutation run found out, and how it is written down.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spillway {

/// A judge's first objection to a planted fault.
struct Kill {
  std::int64_t cases = 0;  ///< cases up to it, itself included; 0: a named test, not a case
  std::string text;
};

struct FaultResult {
  std::string id;                     ///< "none": nothing was planted
  std::map<std::string, Kill> kills;  ///< by column
  std::int64_t shrunk = 0;  ///< instructions of the smallest kernel that shows it; 0: none
  std::int64_t cases = 0;   ///< kernels that were allocated
};

/// The judges of allocations by their names, then "counts", "cost", "relations", "progress",
/// "machine", "files", "known-bad", those of task pipelines (pipeline_columns.h), "rtl", "tests".
const std::vector<std::string>& MatrixColumns();

/// Rows of one origin, counted as those of all.
struct RowCounts {
  int planted = 0;
  int killed = 0;
  int by_two = 0;
  int by_two_with_tests = 0;
  friend bool operator==(const RowCounts&, const RowCounts&) = default;
};

struct MutationSummary {
  int planted = 0;  ///< faults with a seam that aren't argued to be equivalent
  int killed = 0;   ///< of those
  int by_two = 0;   ///< of those, by two columns or more that a program draws the input of: all but
                    ///< the named tests and the lockstep ones
  int by_two_with_tests = 0;  ///< by two columns or more, these counted too
  int by_two_of_kernels = 0;  ///< by two or more of the judges of allocations and the relations
  RowCounts listed;           ///< rows A… to E…, of the required list
  RowCounts own;              ///< rows N…, the project's own
  int equivalent = 0;
  int no_code = 0;                 ///< rows that wait for code
  std::int64_t median_cases = 0;   ///< over the killed: least cases of any judge of kernels
  std::int64_t median_shrunk = 0;  ///< over the killed by kernels, instructions
  std::vector<std::string> survivors;
  std::vector<std::string> false_alarms;  ///< columns that objected to nothing planted
};
/// Variants of a row count one by one, except the sweeps over the impact table, which count as one
/// fault that is killed where every cell is.
MutationSummary Summarize(const std::vector<FaultResult>& results);

/// docs/mutation.md.
std::string MatrixMarkdown(const std::vector<FaultResult>& results);
/// The same as numbers.
std::string MatrixJson(const std::vector<FaultResult>& results);

}  // namespace spillway
