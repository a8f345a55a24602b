#include "sim/values/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>

#include "sim/values/convert.h"
#include "sim/values/npy_header.h"

namespace spillway {
namespace {

DType FileType(DType dtype) { return IsFloat(dtype) ? DType::kFloat32 : dtype; }

std::vector<std::int64_t> FileShape(const Tensor& tensor) {
  std::vector<std::int64_t> shape = tensor.blocks;
  shape.insert(shape.end(), tensor.shape.begin(), tensor.shape.end());
  return shape;
}

/// Elements of `from` type as elements of `to` type, through float32 where they differ.
std::vector<std::byte> Recoded(DType from, DType to, std::span<const std::byte> bytes) {
  if (from == to) return {bytes.begin(), bytes.end()};
  std::vector<float> values(bytes.size() / static_cast<std::size_t>(ElementSize(from).value));
  DecodeElements(from, bytes, values);
  std::vector<std::byte> recoded(values.size() * static_cast<std::size_t>(ElementSize(to).value));
  EncodeElements(to, values, recoded);
  return recoded;
}

Result<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  std::ifstream stream(path, std::ios::binary);
  if (!regular || !stream) return Fail({Kind::kFile, "file-open", "can't open the file", path});
  std::string text(std::filesystem::file_size(path, error), '\0');
  if (error || !stream.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    return Fail({Kind::kFile, "file-read", "can't read the file", path});
  }
  return text;
}

}  // namespace

std::string NpyDescr(DType dtype) {
  switch (FileType(dtype)) {
    case DType::kInt8: return "|i1";
    case DType::kUint8: return "|u1";
    case DType::kInt16: return "<i2";
    case DType::kUint16: return "<u2";
    case DType::kInt32: return "<i4";
    case DType::kUint32: return "<u4";
    default: return "<f4";
  }
}

Result<void> WriteNpy(const std::string& path, const Tensor& tensor, const TensorData& data) {
  const std::string header = PrintNpyHeader({NpyDescr(tensor.dtype), false, FileShape(tensor)});
  const std::vector<std::byte> elements = Recoded(tensor.dtype, FileType(tensor.dtype), data.bytes);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  if (!stream) return Fail({Kind::kFile, "file-open", "can't open the file to write it", path});
  stream.write(header.data(), static_cast<std::streamsize>(header.size()));
  stream.write(reinterpret_cast<const char*>(elements.data()),
               static_cast<std::streamsize>(elements.size()));
  if (!stream.flush()) return Fail({Kind::kFile, "file-write", "can't write the file", path});
  return {};
}

Result<TensorData> ReadNpy(const std::string& path, const Tensor& tensor) {
  const auto fail = [&](Kind kind, std::string code, std::string message) {
    return Fail(
        {kind, std::move(code), fmt::format("tensor \"{}\": {}", tensor.name, message), path});
  };
  const Result<std::string> text = ReadFile(path);
  if (!text) return Fail(text.error());
  constexpr std::size_t kPrefix = 10;
  if (text->size() < kPrefix || !text->starts_with("\x93NUMPY")) {
    return fail(Kind::kSyntax, "npy-magic", "no .npy file: its first bytes aren't \\x93NUMPY");
  }
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>((*text)[at]); };
  if (byte(6) != 1 || byte(7) != 0) {
    return fail(Kind::kSyntax, "npy-version",
                fmt::format("version {}.{}, expected 1.0", byte(6), byte(7)));
  }
  const std::size_t length = byte(8) + 256u * byte(9);
  if (text->size() < kPrefix + length) {
    return fail(Kind::kSyntax, "npy-size",
                fmt::format("a header of {} bytes in a file of {}", length, text->size()));
  }
  const Result<NpyHeader> header = ParseNpyHeader(std::string_view(*text).substr(kPrefix, length));
  if (!header) return fail(header.error().kind, header.error().code, header.error().message);
  if (header->descr != NpyDescr(tensor.dtype)) {
    return fail(Kind::kSyntax, "npy-dtype",
                fmt::format("elements of type '{}', expected '{}' for {}", header->descr,
                            NpyDescr(tensor.dtype), DTypeName(tensor.dtype)));
  }
  if (header->fortran_order) {
    return fail(Kind::kSyntax, "npy-order", "Fortran order, expected C order");
  }
  if (header->shape != FileShape(tensor)) {
    return fail(Kind::kShape, "npy-shape",
                fmt::format("shape ({}), expected ({})", fmt::join(header->shape, ", "),
                            fmt::join(FileShape(tensor), ", ")));
  }
  const Result<std::int64_t> bytes = TensorBytes(tensor, kDataLimit);
  if (!bytes) return Fail(bytes.error());
  const std::int64_t expected =
      *bytes / ElementSize(tensor.dtype).value * ElementSize(FileType(tensor.dtype)).value;
  const std::size_t found = text->size() - kPrefix - length;
  if (found != static_cast<std::size_t>(expected)) {
    return fail(Kind::kSyntax, "npy-size",
                fmt::format("{} bytes of elements, expected {}", found, expected));
  }
  const auto* elements = reinterpret_cast<const std::byte*>(text->data() + kPrefix + length);
  return TensorData{Recoded(FileType(tensor.dtype), tensor.dtype, {elements, found})};
}

}  // namespace spillway
