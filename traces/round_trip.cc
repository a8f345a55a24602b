#include "traces/round_trip.h"

#include "model/alloc/ir/print_kernel.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {

std::vector<std::string> RoundTripFaults(const Kernel& kernel) {
  const std::string text = PrintKernelFile(kernel);
  const Result<Kernel> read = ParseKernel(text, "kernel");
  if (!read) return {"the reader refuses it: " + read.error().ToString()};
  if (*read != kernel) return {"the reader's kernel differs"};
  if (PrintKernelFile(*read) != text) return {"writing it again gives another file"};
  if (PrintKernel(*read) != PrintKernel(kernel)) return {"printing isn't stable"};
  return {};
}

}  // namespace spillway
