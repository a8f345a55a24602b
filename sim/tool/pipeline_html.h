// The HTML report of task pipelines: one file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "sim/tool/pipeline_report.h"

namespace spillway {

/// One file's part of the report, drawn.
struct PipelineSection {
  std::string name;      ///< the system's, or the file's where it could not be read
  std::string badge;     ///< markup of the verdict
  std::string overview;  ///< cells of its row in the table of contents
  std::string body;      ///< markup
};

/// Verdict, findings with their runs, maps of the memories, who does what on which pipeline, and
/// the usage of each space, as far as the file went. Equal reports give equal bytes.
PipelineSection MakePipelineSection(const PipelineReport& report);

/// The whole page; several files have a table of contents. No scripts are needed to read it.
std::string PipelineHtml(const std::vector<PipelineSection>& sections);

}  // namespace spillway
