#include "sim/tool/campaign_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "properties/campaign.h"
#include "properties/found_corpus.h"
#include "sim/tool/campaign_report.h"
#include "sim/tool/json_report.h"
#include "sim/tool/judge_names.h"
#include "sim/tool/progress.h"
#include "sim/tool/text_report.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

// The same failure keeps its name from run to run, so that a corpus holds it once.
std::string FileNameOf(const CampaignFailure& failure, std::uint64_t seed) {
  return fmt::format("{}-{}-{}-{}.kernel.jsonl", JudgeName(failure.finding.judge),
                     KindName(failure.finding.kind), seed, failure.index);
}

bool Keep(const std::string& corpus, std::uint64_t seed,
          const std::vector<CampaignFailure>& failures) {
  std::error_code error;
  std::filesystem::create_directories(corpus, error);
  for (const CampaignFailure& failure : failures) {
    const std::string path = (std::filesystem::path(corpus) / FileNameOf(failure, seed)).string();
    if (const Result<void> written = WriteKernelFile(failure.problem.kernel, path); !written) {
      std::cerr << written.error().ToString() << "\n";
      return false;
    }
  }
  return true;
}

}  // namespace

int CampaignCommand(const ToolOptions& options) {
  const Result<std::vector<JudgeId>> judges = ParseJudges(options.judges);
  if (!judges) {
    std::cerr << "spillway: " << judges.error().message << "\n";
    return 2;
  }
  CampaignOptions campaign;
  campaign.seed = options.seed;
  campaign.first = options.first;
  campaign.cases = options.cases;
  campaign.workers = options.threads;
  campaign.rare_every = options.execute_every;
  campaign.shrink_seconds = options.seconds;
  campaign.allocator = options.allocator;
  campaign.allocator_seconds = AllocatorSecondsOf(options);
  campaign.allocate = AllocateFunctionFor(options);
  for (const JudgeId judge : *judges) {
    (IsStatic(judge) ? campaign.judges : campaign.rare_judges).push_back(judge);
  }
  ProgressLine line;
  campaign.progress = [&](std::uint64_t done) {
    line.Show(fmt::format("{} of {} cases", Grouped(static_cast<std::int64_t>(done)),
                          Grouped(static_cast<std::int64_t>(options.cases))));
  };
  bool corpus_holds = true;
  if (!options.corpus.empty()) {
    line.Show("replaying " + options.corpus);
    for (const FoundKernel& found :
         ReplayFound(options.corpus, campaign.allocate, *judges,
                     campaign.case_seconds + campaign.allocator_seconds)) {
      if (found.ok() && !found.refusal) continue;
      line.Clear();
      if (found.ok()) {
        std::cerr << found.file << ": not judged, refused: " << found.refusal->ToString() << "\n";
        continue;
      }
      corpus_holds = false;
      std::cerr << found.file << ": "
                << (found.unreadable ? found.unreadable->ToString()
                                     : "still fails: " + found.findings.front().text)
                << "\n";
    }
  }
  const CampaignReport report = RunCampaign(campaign);
  line.Clear();
  if (options.json != "-") std::cout << ToText(campaign, report);
  if (!options.corpus.empty() && !Keep(options.corpus, options.seed, report.failures)) return 3;
  if (!options.json.empty()) {
    if (const Result<void> written = WriteText(options.json, ToJson(campaign, report)); !written) {
      std::cerr << written.error().ToString() << "\n";
      return 3;
    }
  }
  return report.ok() && corpus_holds ? 0 : 1;
}

}  // namespace spillway
