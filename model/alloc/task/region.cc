#include "model/alloc/task/region.h"

#include <fmt/format.h>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/codes.h"

namespace spillway::task::internal {
namespace {

/// Sizes, counts and alignments stay below this, so that no sum of them overflows.
constexpr std::int64_t kMaxUnits = std::int64_t{1} << 40;
constexpr std::int64_t kBitsPerByte = 8;
constexpr std::int64_t kMaxElementBits = 4096;

std::optional<Error> CheckElement(const ByteRegionOptions& options) {
  const auto refuse = [&](std::string text) {
    return MakeError(Code::kLayoutElementType,
                     fmt::format("allocation {}: {}", options.name, std::move(text)));
  };
  if (options.count < 1)
    return refuse(fmt::format("expected at least 1 element, found {}", options.count));
  if (!options.element) return std::nullopt;
  if (options.element->bits >= 1 && options.element->bits <= kMaxElementBits) return std::nullopt;
  return refuse(fmt::format("element type {}: expected a width of 1 to {} bits, found {}",
                            options.element->name, kMaxElementBits, options.element->bits));
}

Result<std::shared_ptr<RegionState>> Checked(RegionState state) {
  const std::int64_t alignment = state.alignment;
  if (alignment < 1 || (alignment & (alignment - 1)) != 0) {
    return Fail(MakeError(Code::kLayoutAlignment,
                          fmt::format("allocation {}: expected an alignment that is a power of "
                                      "two, found {}",
                                      state.name, alignment)));
  }
  if (state.size < Units(1)) {
    return Fail(MakeError(Code::kLayoutSize,
                          fmt::format("allocation {}: expected at least 1 {}, found {}", state.name,
                                      UnitName(state.space), state.size.value)));
  }
  if (state.size.value > kMaxUnits || alignment > kMaxUnits) {
    return Fail(MakeError(
        Code::kLimit, fmt::format("allocation {}: expected a size and an alignment up to {}, found "
                                  "{} and {}",
                                  state.name, kMaxUnits, state.size.value, alignment)));
  }
  return std::make_shared<RegionState>(std::move(state));
}

}  // namespace

Result<std::shared_ptr<RegionState>> MakeRegion(MemorySpace space, ByteRegionOptions options) {
  if (std::optional<Error> error = CheckElement(options)) return Fail(std::move(*error));
  RegionState state;
  state.name = std::move(options.name);
  state.space = space;
  state.size = Units(options.size.value);
  if (options.element && options.size == Bytes(0)) {
    if (options.count > kMaxUnits / kMaxElementBits * kBitsPerByte) {
      return Fail(MakeError(Code::kLimit, fmt::format("allocation {}: expected fewer elements than "
                                                      "{}",
                                                      state.name, options.count)));
    }
    // Narrow types pack, so the sum of all bits is rounded up once.
    state.size = Units((options.count * options.element->bits + kBitsPerByte - 1) / kBitsPerByte);
  }
  state.alignment = options.alignment.value_or(DefaultAlignment(space));
  state.element = std::move(options.element);
  state.count = options.count;
  state.remote_writer = options.remote_writer;
  return Checked(std::move(state));
}

Result<std::shared_ptr<RegionState>> MakeRegion(MemorySpace space, ColumnRegionOptions options) {
  RegionState state;
  state.name = std::move(options.name);
  state.space = space;
  state.size = Units(options.columns.value);
  state.remote_writer = options.remote_writer;
  return Checked(std::move(state));
}

}  // namespace spillway::task::internal
