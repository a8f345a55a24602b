// Writes traces/published: every published kernel at its default size.
#include <cstdio>

#include "traces/kernel_writer.h"
#include "traces/published_kernels.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: published_kernels FOLDER\n", stderr);
    return 2;
  }
  for (const spillway::Kernel& kernel : spillway::PublishedKernels()) {
    const auto written = spillway::WriteKernelFile(
        kernel, std::string(argv[1]) + "/" + kernel.name + ".kernel.jsonl");
    if (written) continue;
    std::fprintf(stderr, "%s\n", written.error().ToString().c_str());
    return 1;
  }
  return 0;
}
