// A program and its allocated function side by side, written by hand, for judges of values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/alloc/check/dataflow.h"
#include "tests/unit/check/test_kernel.h"

namespace spillway {

/// The program and the function are built in step; every tensor of the function has its place.
struct SpilledKernel {
  TestKernel program;
  TestKernel function;
  Placement placement;

  /// A tensor of the program, and one of the function that may stand for it.
  TensorId Program(const std::string& name, std::int64_t partitions, std::int64_t bytes,
                   std::vector<std::int64_t> blocks = {}) {
    return program.Sbuf(name, partitions, bytes, std::move(blocks));
  }
  TensorId Sbuf(const std::string& name, std::int64_t partitions, std::int64_t bytes, Address at) {
    placement.addresses.push_back({at});
    return function.Sbuf(name, partitions, bytes);
  }
  TensorId Psum(const std::string& name, std::int64_t partitions, std::int64_t bytes, Address at) {
    placement.addresses.push_back({at});
    return function.Psum(name, partitions, bytes);
  }
  TensorId Home(const std::string& name, std::int64_t bytes, std::int64_t at) {
    placement.addresses.push_back({Place(0, at)});
    return function.Dram(name, bytes);
  }
  /// A tensor of the caller's in DRAM, the same in both.
  TensorId Input(const std::string& name, std::int64_t bytes) {
    program.tensor(program.Dram(name, bytes)).role = Role::kInput;
    const TensorId id = function.Dram(name, bytes);
    function.tensor(id).role = Role::kInput;
    placement.addresses.push_back({});
    return id;
  }

  LoopId Open(std::int64_t trips, LoopKind kind = LoopKind::kSequential) {
    program.Open(trips, kind);
    return function.Open(trips, kind);
  }
  void Close() {
    program.Close();
    function.Close();
  }

  /// The program's `of`; the function has `as` in its place.
  void Write(TensorId of, TensorId as, const Part& part = {}, std::vector<Predicate> when = {}) {
    program.Write(of, part).when = when;
    function.Write(as, WithoutBlock(part, as)).when = std::move(when);
  }
  void Read(TensorId of, TensorId as, const Part& part = {}, std::vector<Predicate> when = {}) {
    program.Read(of, part).when = when;
    function.Read(as, WithoutBlock(part, as)).when = std::move(when);
  }

  /// A copy of the allocator's: `part` of `copy` to its bytes in `home`, and back.
  Instruction& Save(TensorId copy, TensorId home, const Part& part = {}) {
    return Mark(function.Op({AtHome(home, copy, part)}, {function.At(copy, part)}, "dma_copy"),
                SpillRole::kSave);
  }
  Instruction& Reload(TensorId copy, TensorId home, const Part& part = {}) {
    return Mark(function.Op({function.At(copy, part)}, {AtHome(home, copy, part)}, "dma_copy"),
                SpillRole::kReload);
  }

  CheckResult Check() const {
    return CheckDataflow(program.kernel(), function.Linear(), placement, *FindTarget("trn2"));
  }
  /// The first words of each violation.
  std::vector<std::string> Causes() const {
    std::vector<std::string> causes;
    for (const Violation& violation : Check().violations)
      causes.push_back(violation.text.substr(0, violation.text.find(':')));
    return causes;
  }

  // Row-major, as an allocator's home is; only for parts at constant partitions.
  Operand AtHome(TensorId home, TensorId copy, const Part& part) const {
    const Operand tile = function.At(copy, part);
    const std::int64_t row = BlockBytes(function.kernel().tensors[copy]).value;
    Operand operand;
    operand.tensor = home;
    operand.free_offset = tile.free_offset;
    operand.free_offset.constant += tile.partition_start.constant * row;
    operand.free_dims = {{row, tile.partition_count}, tile.free_dims[0]};
    return operand;
  }

 private:
  Part WithoutBlock(Part part, TensorId as) const {
    if (function.kernel().tensors[as].blocks.empty()) part.block.clear();
    return part;
  }
  static Instruction& Mark(Instruction& copy, SpillRole role) {
    copy.spill = role;
    copy.attrs = {{"spill", role == SpillRole::kSave ? "save" : "reload"}};
    return copy;
  }
};

}  // namespace spillway
