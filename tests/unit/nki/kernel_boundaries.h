// The rules of whole kernels at their boundaries: a kernel that is accepted, and the same one with
// the one step that isn't.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/allocate.h"
#include "model/alloc/nki/verify_kernel.h"
#include "tests/unit/nki/rule_boundaries.h"

namespace spillway::nki {

/// A directly allocated kernel that nothing stands against: a tile in, one out.
struct DirectKernel {
  KernelBuilder b{"direct", "trn2"};
  TensorId tile, result, bias;

  DirectKernel() {
    const TensorId x = b.Dram("x", DType::kFloat32, {32, 64}, Role::kInput);
    const TensorId y = b.Dram("y", DType::kFloat32, {32, 64}, Role::kOutput);
    tile = b.Sbuf("tile", DType::kFloat32, {32, 64}, {.alloc = ModuloLaw{}});
    result = b.Sbuf("result", DType::kFloat32, {32, 64},
                    {.alloc = ModuloLaw{.base_addr = ByteOffset(256)}});
    bias = b.Sbuf("bias", DType::kFloat32, {32, 1},
                  {.alloc = ModuloLaw{.base_addr = ByteOffset(512)}});
    b.Copy(b.Whole(tile), b.Whole(x));
    b.Copy(b.Whole(y), b.Whole(tile));
  }
};

class KernelBoundaries {
 public:
  explicit KernelBoundaries(const Target& target) : target_(target) {
    Tensors();
    Instructions();
    Names();
  }
  const std::vector<Boundary>& rows() const { return rows_; }

 private:
  using enum AllocationRule;
  using Change = std::function<void(DirectKernel&)>;

  std::vector<Violation> Verify(const Change& change, const KernelRules& rules) const {
    DirectKernel kernel;
    change(kernel);
    return VerifyKernel(kernel.b.Build(), target_, rules).violations;
  }
  void Row(AllocationRule rule, std::string what, const Change& legal, const Change& illegal,
           const KernelRules& rules = {}) {
    rows_.push_back({rule, std::move(what), Verify(legal, rules), Verify(illegal, rules), false});
  }

  static TensorOptions At(std::int64_t byte) { return {.at = {{Partition(0), ByteOffset(byte)}}}; }

  void Tensors() {
    const auto sbuf = [](TensorOptions options) {
      return [options](DirectKernel& k) { k.b.Sbuf("more", DType::kFloat32, {32, 1}, options); };
    };
    const auto psum = [](TensorOptions options) {
      return [options](DirectKernel& k) { k.b.Psum("more", DType::kFloat32, {32, 1}, options); };
    };
    const auto dram = [](Role role) {
      return [role](DirectKernel& k) { k.b.Dram("more", DType::kFloat32, {32, 64}, role); };
    };
    Row(kMixedAllocation, "SBUF", sbuf(At(1024)), sbuf({}));
    Row(kMixedAllocation, "PSUM beside SBUF", psum(At(0)), psum({}));
    // Memory by memory: the first PSUM tensor is the only one of its memory and may wait.
    Row(kMixedAllocation, "PSUM alone", psum({}),
        [&](DirectKernel& k) {
          psum({})(k);
          k.b.Psum("placed", DType::kFloat32, {32, 1}, At(0));
        },
        {.mixing = MixingScope::kMemorySpace});
    TensorOptions constant = At(1024);
    constant.role = Role::kConstant;
    Row(kInitialValue, "SBUF", sbuf(At(1024)), sbuf(constant));
    constant.at = At(0).at;
    Row(kInitialValue, "PSUM", psum(At(0)), psum(constant));
    for (const Role role : {Role::kInput, Role::kOutput, Role::kConstant})
      Row(kDramTensor, "neither passed nor returned", dram(role), dram(Role::kInternal));
    AddressCounts();
  }

  // The builder wouldn't make such a tensor; a file's reader refuses it too.
  void AddressCounts() {
    const auto with = [this](std::size_t addresses) {
      DirectKernel direct;
      TensorOptions options{.blocks = {2}};
      options.at = {{Partition(0), ByteOffset(1024)}, {Partition(0), ByteOffset(2048)}};
      direct.b.Sbuf("more", DType::kFloat32, {32, 1}, options);
      Kernel kernel = direct.b.Build();
      std::vector<Address>& at = kernel.tensors[TensorId(kernel.tensors.size() - 1)].at;
      at.resize(addresses, at.front());
      return VerifyKernel(kernel, target_).violations;
    };
    rows_.push_back({kAddressCount, "one too few", with(2), with(1), false});
    rows_.push_back({kAddressCount, "one too many", with(2), with(3), false});
  }

  void Instructions() {
    const auto op = [](std::string name) {
      return [name](DirectKernel& k) {
        k.b.Instruction(name).Out("dst", k.b.Whole(k.result)).In("data", k.b.Whole(k.tile));
      };
    };
    for (const char* name : {"activation", "activation_reduce"}) {
      Row(
          kImplicitBias, name,
          [name](DirectKernel& k) {
            k.b.Instruction(name)
                .Out("dst", k.b.Whole(k.result))
                .In("data", k.b.Whole(k.tile))
                .In("bias", k.b.Whole(k.bias));
          },
          [name](DirectKernel& k) {
            k.b.Instruction(name)
                .Out("dst", k.b.Whole(k.result))
                .In("data", k.b.Whole(k.tile))
                .Attr("bias", 0.0);
          });
    }
    Row(kImplicitBias, "a function that becomes an activation", op("reciprocal"), op("exp"));
    const auto transpose_on = [](Engine engine) {
      return [engine](DirectKernel& k) {
        k.b.Instruction("nc_transpose")
            .Out("dst", k.b.Whole(k.result))
            .In("data", k.b.Whole(k.tile))
            .On(engine);
      };
    };
    Row(kImplicitTranspose, "the engine", transpose_on(Engine::kDve), transpose_on(Engine::kPe));
    const auto matmul = [](bool transposed) {
      return [transposed](DirectKernel& k) {
        k.b.Instruction("matmul")
            .Out("dst", k.b.Whole(k.result))
            .In("x", k.b.Whole(k.tile))
            .Attr("transpose_x", transposed);
      };
    };
    Row(kImplicitTranspose, "matmul", matmul(true), matmul(false));
    for (const char* name : {"softmax", "rms_norm", "mean", "var"})
      Row(kImplicitTemporary, name, op("tensor_reduce"), op(name));
  }

  void Names() {
    const auto nothing = [](DirectKernel&) {};
    const auto said = [&](std::string name) {
      KernelRules rules;
      rules.assigned = {std::move(name)};
      return Verify(nothing, rules);
    };
    rows_.push_back({kUnknownTensor, "of a kernel's rules", said("tile"), said("tiles"), false});
    const auto allocated = [&](const std::string& name) -> std::vector<Violation> {
      const auto placed = Allocate(DirectKernel().b.Build(), {{name, SbufAt(0, 4096)}}, target_);
      return placed ? std::vector<Violation>{} : placed.error();
    };
    rows_.push_back(
        {kUnknownTensor, "of an assignment", allocated("tile"), allocated("tiles"), false});
  }

  Target target_;
  std::vector<Boundary> rows_;
};

}  // namespace spillway::nki
