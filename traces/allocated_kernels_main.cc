// Writes traces/allocated and its folder of broken ones: every kernel at its default size.
#include <cstdio>
#include <string>

#include "traces/allocated_kernels.h"
#include "traces/kernel_writer.h"

namespace {

bool Write(const std::vector<spillway::Kernel>& kernels, const std::string& folder) {
  for (const spillway::Kernel& kernel : kernels) {
    const auto written =
        spillway::WriteKernelFile(kernel, folder + "/" + kernel.name + ".kernel.jsonl");
    if (written) continue;
    std::fprintf(stderr, "%s\n", written.error().ToString().c_str());
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: allocated_kernels FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  return Write(spillway::AllocatedKernels(), folder) &&
                 Write(spillway::BrokenAllocatedKernels(), folder + "/broken")
             ? 0
             : 1;
}
