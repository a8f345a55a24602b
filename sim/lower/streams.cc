#include "sim/lower/streams.h"

#include <array>

namespace spillway {
namespace {

struct KindQueues {
  std::vector<int> queues;
  std::size_t next = 0;
};

// Queues are dealt out one by one to the kinds that occur.
std::array<KindQueues, kDmaKindCount> Deal(const std::array<bool, kDmaKindCount>& occurs,
                                           int queues) {
  std::array<KindQueues, kDmaKindCount> dealt;
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < occurs.size(); ++k) {
    if (occurs[k]) kinds.push_back(k);
  }
  for (std::size_t i = 0;
       !kinds.empty() && i < std::max(kinds.size(), static_cast<std::size_t>(queues)); ++i) {
    dealt[kinds[i % kinds.size()]].queues.push_back(static_cast<int>(i) % queues);
  }
  return dealt;
}

}  // namespace

DmaKind DmaKindOf(const Kernel& kernel, const Instruction& instruction) {
  if (instruction.spill == SpillRole::kSave) return DmaKind::kSave;
  if (instruction.spill == SpillRole::kReload) return DmaKind::kReload;
  for (const OperandGroup& group : instruction.outputs) {
    for (const Operand& operand : group.operands) {
      if (kernel.tensors[operand.tensor].space == Space::kDram) return DmaKind::kStore;
    }
  }
  return DmaKind::kLoad;
}

DmaRole RoleOf(DmaKind kind) {
  if (kind == DmaKind::kSave) return DmaRole::kSave;
  if (kind == DmaKind::kReload) return DmaRole::kReload;
  return DmaRole::kData;
}

std::vector<StreamId> AssignStreams(const Kernel& kernel, const InstanceSequence& sequence,
                                    const Target& target) {
  std::array<bool, kDmaKindCount> occurs{};
  std::vector<int> stream_or_kind;  // per instruction: a compute stream, or -1 - kind
  for (const Instruction& instruction : kernel.instructions) {
    const Engine engine = EngineOf(kernel, instruction);
    if (engine != Engine::kDma) {
      stream_or_kind.push_back(StreamId::Compute(engine).value);
      continue;
    }
    const int kind = static_cast<int>(DmaKindOf(kernel, instruction));
    occurs[static_cast<std::size_t>(kind)] = true;
    stream_or_kind.push_back(-1 - kind);
  }
  std::array<KindQueues, kDmaKindCount> dealt =
      Deal(occurs, static_cast<int>(target.dma_queues.value));
  std::vector<StreamId> streams;
  streams.reserve(sequence.size());
  for (const Instance& instance : sequence.instances) {
    const int code = stream_or_kind[instance.instruction.value];
    if (code >= 0) {
      streams.push_back({code});
      continue;
    }
    KindQueues& kind = dealt[static_cast<std::size_t>(-1 - code)];
    streams.push_back(StreamId::Queue(kind.queues[kind.next++ % kind.queues.size()]));
  }
  return streams;
}

}  // namespace spillway
