// Typed handles of allocations: a resource owns a region, allocators write its offset.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model/alloc/task/spaces.h"
#include "model/hw/error.h"

namespace spillway::task {

/// What the elements of an allocation are, for typed views.
struct ElementType {
  std::string name;       ///< "float16"
  std::int64_t bits = 0;  ///< at least 1

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// A region as every space has it; `Region` and `RegionHandle` give it the units of its space.
struct RegionState {
  std::string name;
  MemorySpace space = MemorySpace::kSmem;
  Units size;
  std::int64_t alignment = 1;
  std::optional<ElementType> element;
  std::int64_t count = 1;            ///< elements
  bool remote_writer = false;        ///< another core or a cluster peer writes it
  std::optional<UnitOffset> offset;  ///< written by the allocator that laid it out
};

/// What an SBUF, PSUM or SMEM allocation asks for. Source: ts_pipelines.md §1.
struct ByteRegionOptions {
  std::string name;
  Bytes size;                             ///< 0 with an element type: ceil(count * bits / 8)
  std::optional<std::int64_t> alignment;  ///< default: the space's
  std::optional<ElementType> element;
  std::int64_t count = 1;
  bool remote_writer = false;
};
/// What a TMEM allocation asks for; columns have no alignment. Source: ts_pipelines.md §1.
struct ColumnRegionOptions {
  std::string name;
  Columns columns;
  bool remote_writer = false;
};

namespace internal {
/// Errors: layout.alignment, layout.size, layout.element-type, limit.
Result<std::shared_ptr<RegionState>> MakeRegion(MemorySpace space, ByteRegionOptions options);
Result<std::shared_ptr<RegionState>> MakeRegion(MemorySpace space, ColumnRegionOptions options);

template <class Space>
struct OptionsOf {
  using Type = ByteRegionOptions;
};
template <>
struct OptionsOf<Tmem> {
  using Type = ColumnRegionOptions;
};
}  // namespace internal

/// Names one region of `Space`. Two handles are equal if they name the same region, whatever its
/// name and values.
template <class Space>
class RegionHandle {
 public:
  const std::string& name() const { return state_->name; }
  typename Space::Size size() const { return typename Space::Size(state_->size.value); }
  std::int64_t alignment() const { return state_->alignment; }
  const std::optional<ElementType>& element() const { return state_->element; }
  std::int64_t count() const { return state_->count; }
  bool remote_writer() const { return state_->remote_writer; }
  /// From the base of the space's block; nothing before a layout.
  std::optional<typename Space::Offset> offset() const {
    if (!state_->offset) return std::nullopt;
    return typename Space::Offset(state_->offset->value);
  }
  /// For the allocators of this folder.
  const std::shared_ptr<RegionState>& state() const { return state_; }

  friend bool operator==(const RegionHandle& a, const RegionHandle& b) {
    return a.state_ == b.state_;
  }

 private:
  template <class>
  friend class Region;
  explicit RegionHandle(std::shared_ptr<RegionState> state) : state_(std::move(state)) {}

  std::shared_ptr<RegionState> state_;
};

/// An allocation that its resource owns: made once, moved but never copied.
/// Source: seed 001 (allocation objects are cached on the resource); ts_pipelines.md §1.
template <class Space>
class Region {
 public:
  using Options = typename internal::OptionsOf<Space>::Type;

  /// Errors: layout.alignment, layout.size, layout.element-type, limit.
  static Result<Region> Create(Options options) {
    Result<std::shared_ptr<RegionState>> state =
        internal::MakeRegion(Space::kSpace, std::move(options));
    if (!state) return Fail(std::move(state.error()));
    return Region(RegionHandle<Space>(std::move(*state)));
  }

  Region(Region&&) noexcept = default;
  Region& operator=(Region&&) noexcept = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  const RegionHandle<Space>& handle() const { return handle_; }
  operator const RegionHandle<Space>&() const { return handle_; }  // NOLINT: a region is its handle
  const RegionHandle<Space>* operator->() const { return &handle_; }

 private:
  explicit Region(RegionHandle<Space> handle) : handle_(std::move(handle)) {}

  RegionHandle<Space> handle_;
};

}  // namespace spillway::task
