// The HTML report: one file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "model/hw/error.h"
#include "sim/tool/pipeline.h"

namespace spillway {

/// One kernel's part of the report, drawn: what is left of a run once its data are gone.
struct ReportSection {
  std::string name;  ///< the kernel's, or the file's where it could not be read
  Verdict verdict = Verdict::kPass;
  std::string overview;  ///< cells of its row in the overview
  std::string body;      ///< markup
};

/// Verdict, numbers, memory maps, engines, spills, checks and notes of a run, as far as it went.
/// Equal runs give equal bytes; about 2 MB at most.
ReportSection MakeSection(const KernelRun& run);

/// The whole page, in light and dark. No scripts are needed to read it.
std::string HtmlReport(const std::vector<ReportSection>& sections);

/// Writes the page to `path`, or to standard output where the path is "-". Errors: kFile.
Result<void> WriteHtmlReport(const std::vector<ReportSection>& sections, const std::string& path);

}  // namespace spillway
