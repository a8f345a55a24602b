#include "model/alloc/baseline/external_process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>

#include "model/alloc/ir/footprint.h"
#include "model/alloc/ir/match_program.h"
#include "model/alloc/ir/without_places.h"
#include "model/alloc/place_homes.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

constexpr int kRefused = 4;  // the tool's own exit status for it
// A placed kernel has a place and a reload for every use at most, so it is a few times as long.
constexpr std::int64_t kLeastAnswerBytes = std::int64_t{64} << 20;
constexpr std::int64_t kAnswerGrowth = 16;

// A path in the folder for temporary files that nobody else has; empty where there is no such
// folder.
std::filesystem::path ScratchPath() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return {};
  std::random_device device;
  const std::uint64_t number = std::uint64_t{device()} << 32 | device();
  return folder / fmt::format("spillway-{}-{:016x}", getpid(), number);
}

// A new folder that is gone, with what is in it, when this ends, and when the process is killed.
class ScratchFolder {
 public:
  // The guard comes first, so that there is no moment at which nobody would remove the folder.
  ScratchFolder() : path_(ScratchPath()), guard_(path_.string()) {
    if (path_.empty() || mkdir(path_.c_str(), S_IRWXU) != 0) path_.clear();
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool exists() const { return !path_.empty(); }
  std::string File(const char* name) const { return (path_ / name).string(); }
  const OrphanGuard& guard() const { return guard_; }

 private:
  std::filesystem::path path_;
  OrphanGuard guard_;
};

// What the command wrote last, as the end of a message.
std::string Quoted(const ChildOutcome& outcome) {
  std::string text = outcome.output;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  // Control characters would reach the reader's terminal.
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = '?';
  }
  if (text.empty()) return "; it wrote nothing to standard error or output";
  return fmt::format("; it wrote{}:\n{}", outcome.output_cut ? " much, at the end" : "", text);
}

class ExternalAllocator : public Allocator {
 public:
  ExternalAllocator(std::string command, const ChildLimits& limits)
      : command_(std::move(command)), limits_(limits) {}

  std::string name() const override { return "external:" + command_; }

  Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& /*hwm*/,
                              const AllocateOptions& options) const override {
    Kernel wanted = kernel;
    // What gave addresses stays here, and the file is one of version 1: what others have to read is
    // small.
    wanted.version = 1;
    wanted.opts.clear();
    for (Tensor& tensor : wanted.tensors) {
      ForgetAuthor(tensor);
      if (options.reallocate) tensor.at.clear();
    }
    const ScratchFolder folder;
    if (!folder.exists()) {
      return Failure("external-no-folder",
                     "no folder for its files can be made in the folder for "
                     "temporary files (TMPDIR)");
    }
    const std::string kernel_in = folder.File("kernel.kernel.jsonl");
    const std::string placed_out = folder.File("placed.kernel.jsonl");
    if (const auto written = WriteKernelFile(wanted, kernel_in); !written)
      return Fail(written.error());
    const auto outcome = Run(kernel_in, placed_out, target, options, folder.guard());
    if (!outcome) return Fail(outcome.error());
    if (const auto ended = CheckEnd(*outcome); !ended) return Fail(ended.error());
    Result<Kernel> answer = ReadAnswer(placed_out, *outcome);
    if (!answer) return Fail(answer.error());
    Kernel placed = WithMarks(wanted, std::move(*answer));
    if (!options.reallocate) placed = WithAuthors(kernel, std::move(placed));
    return AllocateHomes(placed, target);
  }

 private:
  tl::unexpected<Error> Failure(const char* code, const std::string& what) const {
    return Fail({Kind::kAllocator, code, fmt::format("allocator {} {}", name(), what), "", 0});
  }

  Result<ChildOutcome> Run(const std::string& kernel_in, const std::string& placed_out,
                           const Target& target, const AllocateOptions& options,
                           const OrphanGuard& guard) const {
    const auto number = [](const char* name, std::int64_t value) {
      return fmt::format("{}={}", name, value);
    };
    const std::vector<std::string> environment = {
        "SPILLWAY_KERNEL_IN=" + kernel_in,
        "SPILLWAY_PLACED_OUT=" + placed_out,
        "SPILLWAY_TARGET=" + target.name,
        number("SPILLWAY_SBUF_BYTES",
               options.sbuf_bytes.value_or(target.sbuf_usable_bytes.value).value),
        number("SPILLWAY_SBUF_ALIGNMENT", target.sbuf_min_align.value.value),
        number("SPILLWAY_PSUM_BANKS", options.psum_banks.value_or(UsablePsumBanks(target)).value),
        number("SPILLWAY_PSUM_BANK_BYTES", target.psum_bank_bytes.value.value),
        number("SPILLWAY_PSUM_ALIGNMENT", target.psum_min_align.value.value),
        number("SPILLWAY_DRAM_BYTES", target.dram_bytes.value.value)};
    ChildLimits limits = limits_;
    std::error_code error;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(kernel_in, error));
    limits.file_bytes = std::max(kLeastAnswerBytes, error ? 0 : kAnswerGrowth * size);
    return RunChild({"/bin/sh", "-c", command_ + " \"$@\"", "spillway", kernel_in, placed_out},
                    environment, limits, guard);
  }

  Result<void> CheckEnd(const ChildOutcome& outcome) const {
    if (outcome.end == ChildEnd::kTimedOut) {
      return Failure("external-time",
                     fmt::format("took over {:g} seconds and was killed (--allocator-seconds){}",
                                 limits_.seconds, Quoted(outcome)));
    }
    // A shell that waited for the command reports its signal as 128 + number.
    const bool in_shell =
        outcome.end == ChildEnd::kExited && outcome.code > 128 && outcome.code < 128 + NSIG;
    if (outcome.end == ChildEnd::kSignalled || in_shell) {
      const int signal = in_shell ? outcome.code - 128 : outcome.code;
      return Failure("external-signal",
                     fmt::format("was killed by signal {} ({}); each of its processes may take {} "
                                 "MB (--allocator-megabytes){}",
                                 signal, strsignal(signal), limits_.megabytes, Quoted(outcome)));
    }
    if (outcome.code == kRefused) {
      return Fail(
          {Kind::kCapacity, "external-refused",
           fmt::format("allocator {} says that it can't be allocated{}", name(), Quoted(outcome)),
           "", 0});
    }
    if (outcome.code == 0) return {};
    return Failure("external-status",
                   fmt::format("ended with exit status {}; expected 0, or {} where the kernel "
                               "can't be allocated{}",
                               outcome.code, kRefused, Quoted(outcome)));
  }

  Result<Kernel> ReadAnswer(const std::string& placed_out, const ChildOutcome& outcome) const {
    // A pipe would never end, and a link could lead anywhere.
    struct stat status {};
    if (lstat(placed_out.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      return Failure("external-no-answer",
                     fmt::format("ended with exit status 0; expected a placed kernel as a regular "
                                 "file at its second argument, found none{}",
                                 Quoted(outcome)));
    }
    Result<Kernel> answer = ReadKernelFile(placed_out);
    if (answer) return answer;
    Error reason = answer.error();
    reason.file = "PLACED_OUT";
    return Failure("external-unreadable",
                   fmt::format("wrote a file of {} bytes that is no kernel file: {}{}",
                               status.st_size, reason.ToString(), Quoted(outcome)));
  }

  // What it added without saying so counts as spill code: reports then tell it from the kernel's
  // own copies, and it moves bytes whatever they mean.
  static Kernel WithMarks(const Kernel& wanted, Kernel answer) {
    const ProgramMatch match = MatchProgram(wanted, answer);
    for (std::size_t i = 0; i < answer.instructions.size(); ++i) {
      Instruction& instruction = answer.instructions[InstructionId(i)];
      if (!match.added[InstructionId(i)] || instruction.spill != SpillRole::kNone) continue;
      if (KeepsBytes(answer, instruction)) instruction.spill = RoleOf(answer, instruction);
    }
    return answer;
  }

  // What gave an address that still stands is the author's law or function, as before.
  static Kernel WithAuthors(const Kernel& kernel, Kernel answer) {
    std::map<std::string_view, const Tensor*> tensors;
    for (const Tensor& tensor : kernel.tensors) tensors.emplace(tensor.name, &tensor);
    for (Tensor& tensor : answer.tensors) {
      const auto known = tensors.find(tensor.name);
      if (known == tensors.end() || tensor.at.empty() || known->second->at != tensor.at) continue;
      tensor.alloc = known->second->alloc;
      tensor.by_function = known->second->by_function;
      answer.version = std::max(answer.version, kernel.version);
    }
    return answer;
  }

  // A copy between types converts, so it is what it is and no spill code.
  static bool KeepsBytes(const Kernel& kernel, const Instruction& copy) {
    const auto is_one = [](const std::vector<OperandGroup>& groups) {
      return groups.size() == 1 && groups.front().operands.size() == 1;
    };
    if (!is_one(copy.outputs) || !is_one(copy.inputs)) return false;
    const Operand& to = copy.outputs.front().operands.front();
    const Operand& from = copy.inputs.front().operands.front();
    return OperandDType(kernel, to) == OperandDType(kernel, from) &&
           ElementsOf(to) == ElementsOf(from);
  }

  static std::int64_t ElementsOf(const Operand& operand) {
    std::int64_t elements = std::max<std::int64_t>(1, operand.partition_count);
    for (const FreeDim& dim : operand.free_dims) elements *= dim.count;
    return elements;
  }

  // Away from where instructions compute: SBUF to DRAM, PSUM to anywhere else.
  static SpillRole RoleOf(const Kernel& kernel, const Instruction& copy) {
    const auto rank = [&](const std::vector<OperandGroup>& groups) {
      switch (kernel.tensors[groups.front().operands.front().tensor].space) {
        case Space::kDram: return 0;
        case Space::kSbuf: return 1;
        case Space::kPsum: return 2;
      }
      return 0;
    };
    return rank(copy.outputs) < rank(copy.inputs) ? SpillRole::kSave : SpillRole::kReload;
  }

  const std::string command_;
  const ChildLimits limits_;
};

}  // namespace

std::unique_ptr<Allocator> MakeExternalAllocator(std::string command, const ChildLimits& limits) {
  return std::make_unique<ExternalAllocator>(std::move(command), limits);
}

}  // namespace spillway
