// Simulated bytes against the reference's.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/violation.h"
#include "sim/values/tensor_data.h"

namespace spillway {

struct DataComparison {
  std::int64_t compared_bytes = 0;
  std::int64_t mismatched_bytes = 0;
  std::vector<Violation> violations;  ///< kDataMismatch, one a tensor, in order of tensor ids
};

/// Compares every output of `kernel` byte for byte. An output that either side lacks, or has in
/// another size, differs in all its bytes. The text names the first difference: its byte, its
/// index in the tensor's shape, and both values.
DataComparison CompareData(const Kernel& kernel, const NamedData& simulated,
                           const NamedData& reference);

}  // namespace spillway
