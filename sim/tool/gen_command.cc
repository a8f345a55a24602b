#include "sim/tool/gen_command.h"

#include <iostream>

#include "properties/campaign.h"
#include "traces/kernel_writer.h"

namespace spillway {

int GenCommand(const ToolOptions& options) {
  const Kernel kernel = WithLimits(CampaignProblem(options.seed, options.first));
  if (options.output.empty()) {
    PrintKernelFile(kernel, std::cout);
    return 0;
  }
  if (const Result<void> written = WriteKernelFile(kernel, options.output); !written) {
    std::cerr << written.error().ToString() << "\n";
    return 3;
  }
  return 0;
}

}  // namespace spillway
