#include "sim/values/dump.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/values/npy.h"

namespace spillway {
namespace {

bool IsInput(const Tensor& tensor) {
  return tensor.role == Role::kInput || tensor.role == Role::kConstant;
}

}  // namespace

Result<std::string> DumpFileName(const Tensor& tensor) {
  const std::string& name = tensor.name;
  const bool special = name.empty() || name == "." || name == "..";
  if (special || name.find('/') != std::string::npos || name.find('\0') != std::string::npos) {
    std::string shown = name;
    for (char& c : shown) c = static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    return Fail({Kind::kSyntax,
                 "unsafe-tensor-name",
                 fmt::format("tensor \"{}\" can't name a file: names that are empty, \".\" or "
                             "\"..\", or hold '/' or NUL, are refused",
                             shown),
                 {}});
  }
  return name + ".npy";
}

Result<void> DumpTensors(const std::string& directory, const Kernel& kernel,
                         const NamedData& inputs, const NamedData& outputs) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!std::filesystem::is_directory(directory, error)) {
    return Fail({Kind::kFile, "file-open", "can't make the directory", directory});
  }
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role == Role::kInternal) continue;
    const Result<std::string> name = DumpFileName(tensor);
    if (!name) return Fail(name.error());
    const NamedData& source = IsInput(tensor) ? inputs : outputs;
    const auto data = source.find(tensor.name);
    if (data == source.end()) {
      return Fail({Kind::kUnknownName,
                   "missing-data",
                   fmt::format("tensor \"{}\" has no data to write", tensor.name),
                   {}});
    }
    const std::string path = (std::filesystem::path(directory) / *name).string();
    if (Result<void> written = WriteNpy(path, tensor, data->second); !written) return written;
  }
  return {};
}

Result<Inputs> ReadInputs(const std::string& directory, const Kernel& kernel) {
  Inputs inputs;
  for (const Tensor& tensor : kernel.tensors) {
    if (!IsInput(tensor)) continue;
    const Result<std::string> name = DumpFileName(tensor);
    if (!name) return Fail(name.error());
    const std::string path = (std::filesystem::path(directory) / *name).string();
    Result<TensorData> data = ReadNpy(path, tensor);
    if (!data) return Fail(data.error());
    inputs.emplace(tensor.name, std::move(*data));
  }
  return inputs;
}

}  // namespace spillway
