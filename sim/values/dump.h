// Inputs and outputs of a run as .npy files, one a DRAM tensor.
#pragma once

#include <string>

#include "sim/values/inputs.h"

namespace spillway {

/// File name of a tensor: its name and ".npy".
/// Errors: kSyntax "unsafe-tensor-name" for a name that is empty, "." or "..", or holds '/' or NUL,
/// so that no file is written outside the directory.
Result<std::string> DumpFileName(const Tensor& tensor);

/// Writes every input and constant from `inputs` and every output from `outputs` to
/// `directory`, which is made if it doesn't exist.
/// Errors: as DumpFileName; kFile; kUnknownName "missing-data" for a tensor without data.
Result<void> DumpTensors(const std::string& directory, const Kernel& kernel,
                         const NamedData& inputs, const NamedData& outputs);

/// Inputs from `directory`'s files, for every input and constant.
/// Errors: as DumpFileName and ReadNpy.
Result<Inputs> ReadInputs(const std::string& directory, const Kernel& kernel);

}  // namespace spillway
