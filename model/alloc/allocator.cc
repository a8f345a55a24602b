#include "model/alloc/allocator.h"

namespace spillway {
namespace {

class ColoringAllocator : public Allocator {
 public:
  std::string name() const override { return "coloring"; }
  Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& hwm,
                              const AllocateOptions& options) const override {
    return spillway::Allocate(kernel, target, hwm, options);
  }
};

}  // namespace

std::unique_ptr<Allocator> MakeColoringAllocator() { return std::make_unique<ColoringAllocator>(); }

}  // namespace spillway
