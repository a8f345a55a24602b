// NumPy's .npy files, version 1.0, for single tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/hw/dtype.h"
#include "model/hw/error.h"
#include "sim/values/tensor_data.h"

namespace spillway {

/// The element type that a tensor's file has: '<f4' for every float type, else the integer's own
/// ('|i1', '|u1', '<i2', …).
std::string NpyDescr(DType dtype);

/// A tensor's data as a file: its blocks and shape, elements in element order.
/// Errors: kFile.
Result<void> WriteNpy(const std::string& path, const Tensor& tensor, const TensorData& data);

/// Reads a file back into the tensor's dtype (float32 elements round to nearest even).
/// Errors: kFile (can't be opened or read), kSyntax with a code for each cause: "npy-magic",
/// "npy-version", "npy-header", "npy-dtype", "npy-order", "npy-size"; kShape "npy-shape".
Result<TensorData> ReadNpy(const std::string& path, const Tensor& tensor);

}  // namespace spillway
