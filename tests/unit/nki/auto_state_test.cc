// Any sequence of operations on an automatic allocator against a model of it.
#include <fmt/format.h>
#include <rapidcheck/state.h>

#include "model/alloc/nki/auto_allocator.h"
#include "tests/property/run_property.h"
#include "tests/unit/nki/auto_model.h"
#include "tests/unit/nki/random_allocation.h"

namespace spillway::nki {
namespace {

// What the cases of one run had in them.
struct Seen {
  bool nested = false;  // tensors of three scopes were held at once
  bool sbuf_full = false;
  bool psum_full = false;
  bool made_full = false;        // an identity or a bias found no room
  bool placed_after = false;     // something else still fitted
  bool partly = false;           // the first of several tensors fitted
  bool lower_rows = false;       // two tensors held the same bytes of other partitions
  bool reused = false;           // bytes that a closed scope had held
  bool kept_clear = false;       // a free place that a closed scope had held, which wouldn't do
  bool asked_again = false;      // for the same identity or bias
  bool author_overlaps = false;  // the author's place on a held one
  bool blocks = false;
  bool several_banks = false;  // for one tile
  std::set<std::string> codes;
};

struct Subject {
  AutoAllocator allocator;
  Seen seen;
};

std::string Text(const std::vector<Address>& places) {
  std::string text;
  for (const Address& place : places)
    text += fmt::format("({}, {})", place.partition.value, place.byte.value);
  return text;
}

std::string Text(const Tensor& tensor) {
  return fmt::format("{} {} {} {} blocks {} at {}", tensor.name, SpaceName(tensor.space),
                     DTypeName(tensor.dtype), plain::Text(tensor.shape), plain::Text(tensor.blocks),
                     Text(tensor.at));
}

struct Outcome {
  std::string code;
  std::vector<Address> at;
};

template <class T>
Outcome OutcomeOf(const Result<T>& result) {
  if (!result) return {result.error().code, {}};
  if constexpr (std::is_same_v<T, std::vector<Address>>) return {"", *result};
  if constexpr (std::is_same_v<T, Tensor>) return {"", result->at};
  return {};
}

Outcome Call(const AutoStep& step, AutoAllocator& allocator) {
  switch (step.op) {
    case AutoOp::kEnter: return OutcomeOf(allocator.EnterScope("scope"));
    case AutoOp::kExit: return OutcomeOf(allocator.ExitScope());
    case AutoOp::kDeclare: return OutcomeOf(allocator.Declare(step.tensor));
    case AutoOp::kAssign: return OutcomeOf(allocator.AssignAllocation(step.tensor));
    case AutoOp::kAllocate: return OutcomeOf(allocator.AllocateTensor(step.names.front()));
    case AutoOp::kTouch: return OutcomeOf(allocator.AllocatePendingInstTile(step.names));
    case AutoOp::kInScope: return OutcomeOf(allocator.AllocatePendingTensorsInScope());
    case AutoOp::kAll: return OutcomeOf(allocator.AllocatePendingTensors());
    case AutoOp::kIdentity:
      return OutcomeOf(
          allocator.IdentityTensor(step.tensor.dtype, PartitionCount(step.tensor.shape[0])));
    case AutoOp::kBias: return OutcomeOf(allocator.ActivationBiasTensor(step.bias));
  }
  return {};
}

Outcome Do(const AutoStep& step, AutoAllocator& allocator) {
  try {
    return Call(step, allocator);
  } catch (const ContractViolation&) {
    return {"contract", {}};
  }
}

// Everything that was placed, as the model has it: names, shapes, places, and nothing else changed.
bool SameTensors(const std::vector<AssignedTensor>& assigned, const AutoModel& model) {
  if (assigned.size() != model.placed().size()) return false;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const AutoModel::Entry& entry = model.entries()[model.placed()[i]];
    if (assigned[i] != AssignedTensor{entry.tensor, entry.on_demand}) return false;
  }
  return true;
}

// Of the allocator's own answers, whatever the model's places are: what is held lies where the
// hardware lets it, and on nothing that was held when it came. Who is held, the model knows.
void JudgePlaces(const std::vector<AssignedTensor>& assigned, const AutoModel& model) {
  const AutoMachine& machine = model.machine();
  for (std::size_t later = 0; later < assigned.size(); ++later) {
    const AutoModel::Entry& entry = model.entries()[model.placed()[later]];
    if (entry.is_fixed || !model.IsOpen(entry)) continue;
    const Tensor& tensor = assigned[later].tensor;
    const bool psum = tensor.space == Space::kPsum;
    const std::vector<std::int64_t> starts = AutoModel::Starts(tensor.shape[0]);
    const std::vector<AutoModel::Area> areas = model.AreasOf(tensor);
    for (std::size_t b = 0; b < areas.size(); ++b) {
      RC_ASSERT(std::count(starts.begin(), starts.end(), areas[b].row) == 1);
      RC_ASSERT(areas[b].row_end <= (psum ? machine.psum_partitions : machine.partitions));
      RC_ASSERT(tensor.at[b].byte.value % (psum ? machine.bank_bytes : machine.granule) == 0);
      RC_ASSERT(areas[b].byte >= 0);
      RC_ASSERT(areas[b].byte_end <=
                (psum ? machine.psum_banks * machine.bank_bytes : machine.sbuf_bytes));
      for (std::size_t c = 0; c < b; ++c) RC_ASSERT(!AutoModel::Meet(areas[b], areas[c]));
    }
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      // What is filled once and kept takes no bytes that were ever anybody's.
      if (!entry.on_demand && !model.IsOpen(model.entries()[model.placed()[earlier]])) continue;
      RC_ASSERT(!model.Meet(assigned[earlier].tensor, tensor));
    }
  }
}

void NotePlaced(const AutoModel& before, const AutoModel& after, const AutoModel::Entry& entry,
                Seen& seen) {
  const Tensor& tensor = entry.tensor;
  seen.placed_after |= seen.sbuf_full || seen.psum_full;
  seen.blocks |= AutoModel::BlocksOf(tensor) > 1;
  seen.several_banks |= tensor.space == Space::kPsum && !entry.is_fixed &&
                        AutoModel::BytesOf(tensor) > before.machine().bank_bytes;
  seen.kept_clear |= entry.on_demand && before.PlacesFor(tensor, false) != tensor.at;
  for (const AutoModel::Entry& other : after.entries()) {
    if (AutoModel::Waits(other) || other.tensor.name == tensor.name) continue;
    const bool meets = after.Meet(other.tensor, tensor);
    seen.reused |= meets && !after.IsOpen(other);
    seen.author_overlaps |= meets && entry.is_fixed && after.IsOpen(other);
    seen.lower_rows |= !meets && after.IsHeld(other) && other.tensor.space == tensor.space &&
                       other.tensor.at.front().byte == tensor.at.front().byte;
  }
}

void Note(const AutoStep& step, const AutoModel& before, const AutoModel& after,
          const AutoModel::Answer& answer, Seen& seen) {
  const bool several = step.op != AutoOp::kAllocate && step.op != AutoOp::kIdentity;
  const bool makes = step.op == AutoOp::kIdentity || step.op == AutoOp::kBias;
  for (std::size_t i = before.placed().size(); i < after.placed().size(); ++i)
    NotePlaced(before, after, after.entries()[after.placed()[i]], seen);
  std::set<int> scopes;
  for (const AutoModel::Entry& entry : after.entries()) {
    if (after.IsHeld(entry)) scopes.insert(entry.scope);
  }
  seen.nested |= scopes.size() >= 3;
  seen.asked_again |=
      makes && answer.code.empty() && after.placed().size() == before.placed().size();
  if (answer.code.empty()) return;
  seen.codes.insert(answer.code);
  seen.sbuf_full |= answer.full == Space::kSbuf;
  seen.psum_full |= answer.full == Space::kPsum;
  seen.made_full |= makes && answer.full.has_value();
  seen.partly |= several && answer.full && after.placed().size() > before.placed().size();
}

Tensor AnyTensor(const AutoMachine& machine) {
  Tensor tensor;
  tensor.space = OneIn(3) ? Space::kPsum : Space::kSbuf;
  tensor.dtype = AnyOf<DType>({DType::kUint8, DType::kUint8, DType::kBfloat16, DType::kFloat32});
  const std::int64_t rows = OneIn(40) ? 129 : AnyOf<std::int64_t>({1, 20, 32, 33, 64, 65, 128});
  const std::int64_t elements =
      tensor.space == Space::kPsum && OneIn(3)
          ? AnyOf<std::int64_t>({machine.bank_bytes / 4, machine.bank_bytes / 2,
                                 machine.bank_bytes / 4 + 1, machine.bank_bytes + 1})
          : AnyOf<std::int64_t>({1, 3, 4, 7, 8, 12, 16, 24, 33});
  tensor.shape = {rows, elements};
  tensor.blocks =
      AnyOf<std::vector<std::int64_t>>({{}, {}, {}, {}, {}, {}, {1}, {2}, {2}, {3}, {2, 2}});
  return tensor;
}

std::vector<Address> AnyPlaces(const Tensor& tensor, const AutoMachine& machine) {
  const bool psum = tensor.space == Space::kPsum;
  std::vector<Address> places;
  for (std::int64_t b = AutoModel::BlocksOf(tensor) + (OneIn(10) ? 1 : 0); b > 0; --b) {
    const std::vector<std::int64_t> starts = AutoModel::Starts(tensor.shape[0]);
    const std::int64_t row = starts.empty() ? 0 : AnyOf(starts);
    const std::int64_t byte =
        psum ? machine.bank_bytes * Below(static_cast<int>(machine.psum_banks)) + (OneIn(4) ? 4 : 0)
             : Below(static_cast<int>(machine.sbuf_bytes));
    places.push_back({Partition(row), ByteOffset(byte)});
  }
  return places;
}

Tensor Identity(DType dtype, std::int64_t size) {
  Tensor tensor;
  tensor.name = fmt::format("identity.{}.{}", DTypeName(dtype), size);
  tensor.dtype = dtype;
  tensor.shape = {size, size};
  tensor.role = Role::kConstant;
  return tensor;
}

Tensor Bias(double value, const AutoMachine& machine) {
  Tensor tensor;
  tensor.name = fmt::format("bias.{}", value);
  tensor.shape = {machine.partitions, 1};
  tensor.role = Role::kConstant;
  return tensor;
}

// A tensor that waits mostly, or one with a place; some of a closed scope, some that nobody knows.
std::string AnyName(const AutoModel& model) {
  std::vector<std::string> waiting;
  std::vector<std::string> all;
  for (const AutoModel::Entry& entry : model.entries()) {
    all.push_back(entry.tensor.name);
    if (AutoModel::Waits(entry)) waiting.push_back(entry.tensor.name);
  }
  if (all.empty() || OneIn(20)) return "nobody";
  return waiting.empty() || OneIn(4) ? AnyOf(all) : AnyOf(waiting);
}

class Operation : public rc::state::Command<AutoModel, Subject> {
 public:
  explicit Operation(const AutoModel& model) {
    step_.op = *rc::gen::weightedElement<AutoOp>({{6, AutoOp::kEnter},
                                                  {4, AutoOp::kExit},
                                                  {14, AutoOp::kDeclare},
                                                  {2, AutoOp::kAssign},
                                                  {5, AutoOp::kAllocate},
                                                  {4, AutoOp::kTouch},
                                                  {1, AutoOp::kInScope},
                                                  {1, AutoOp::kAll},
                                                  {2, AutoOp::kIdentity},
                                                  {1, AutoOp::kBias}});
    switch (step_.op) {
      case AutoOp::kDeclare:
      case AutoOp::kAssign: step_.tensor = New(model); break;
      case AutoOp::kAllocate: step_.names = {AnyName(model)}; break;
      case AutoOp::kTouch:
        for (int n = 1 + Below(3); n > 0; --n) step_.names.push_back(AnyName(model));
        break;
      case AutoOp::kIdentity: step_.tensor = AnyIdentity(); break;
      case AutoOp::kBias:
        step_.bias = AnyOf<double>({0.0, 0.0, 1.0, -0.5});
        step_.tensor = Bias(step_.bias, model.machine());
        break;
      default: break;
    }
  }

  void apply(AutoModel& model) const override { model.Do(step_); }

  void run(const AutoModel& before, Subject& subject) const override {
    AutoModel after = before;
    const AutoModel::Answer expected = after.Do(step_);
    const Outcome found = Do(step_, subject.allocator);
    const std::vector<AssignedTensor>& assigned = subject.allocator.assigned();
    RC_ASSERT(found.code == expected.code);
    RC_ASSERT(Text(found.at) == Text(expected.at));
    // A refusal leaves all of this as it was, since it leaves the model so.
    RC_ASSERT(subject.allocator.open_scopes() == after.depth());
    RC_ASSERT(SameTensors(assigned, after));
    RC_ASSERT(subject.allocator.sbuf_high_water().value == after.sbuf_peak());
    RC_ASSERT(subject.allocator.psum_high_water().value == after.psum_peak());
    JudgePlaces(assigned, after);
    Note(step_, before, after, expected, subject.seen);
  }

  void show(std::ostream& out) const override {
    static constexpr const char* kNames[] = {"enter", "exit",     "declare", "assign",   "allocate",
                                             "touch", "in scope", "all",     "identity", "bias"};
    out << kNames[static_cast<int>(step_.op)];
    for (const std::string& name : step_.names) out << " " << name;
    if (!step_.tensor.name.empty()) out << " " << Text(step_.tensor);
  }

 private:
  static Tensor AnyIdentity() {
    const DType dtype = AnyOf<DType>({DType::kUint8, DType::kUint8, DType::kBfloat16});
    return Identity(dtype, AnyOf<std::int64_t>({0, 1, 8, 8, 16, 32, 33, 64, 129}));
  }

  Tensor New(const AutoModel& model) const {
    Tensor tensor = AnyTensor(model.machine());
    // What waits and doesn't fit lets no scope open or close any more, so most do.
    for (int i = 0; i < 3 && !OneIn(8) && !model.PlacesFor(tensor, false); ++i)
      tensor = AnyTensor(model.machine());
    tensor.name = fmt::format("t{}", model.entries().size());
    if (OneIn(10)) tensor.name = AnyName(model);
    if (OneIn(30)) tensor.name = OneIn(2) ? "bias.0" : "identity.uint8.8";
    if (step_.op == AutoOp::kAssign || OneIn(6)) tensor.at = AnyPlaces(tensor, model.machine());
    // An automatic tensor forgets whatever place it had, and who gave it.
    if (!tensor.at.empty() && OneIn(2)) tensor.alloc = ModuloLaw{};
    tensor.by_function = !tensor.at.empty() && OneIn(2);
    if (OneIn(20)) tensor.space = Space::kDram;
    return tensor;
  }

  AutoStep step_;
};

TEST(AutoAllocatorStates, EveryOperationDoesWhatTheModelDoes) {
  Shares shares;
  CheckProperty("automatic allocator", 600, [&](std::uint8_t first, std::uint8_t size) {
    Target target = BuiltInTargets()[first % BuiltInTargets().size()];
    target.sbuf_granule.value = Bytes(AnyOf<std::int64_t>({8, 8, 1, 4, 16}));
    const AutoMachine machine{
        .sbuf_bytes = 48 + 3 * size,
        .granule = target.sbuf_granule.value.value,
        .psum_banks = std::min<std::int64_t>(1 + first % 7, UsablePsumBanks(target).value),
        .bank_bytes = target.psum_bank_bytes.value.value,
        .partitions = target.sbuf_partitions.value.value,
        .psum_partitions = target.psum_partitions.value.value};
    Subject subject{AutoAllocator(target, {.sbuf_bytes = Bytes(machine.sbuf_bytes),
                                           .psum_banks = BankCount(machine.psum_banks)}),
                    {}};
    rc::state::check(AutoModel(machine), subject, rc::state::gen::execOneOfWithArgs<Operation>());
    const Seen& seen = subject.seen;
    shares.Case();
    shares.Count("scopes nest", seen.nested);
    shares.Count("sbuf full", seen.sbuf_full);
    shares.Count("psum full", seen.psum_full);
    shares.Count("full for an identity or a bias", seen.made_full);
    shares.Count("placed after that", seen.placed_after);
    shares.Count("some of several placed", seen.partly);
    shares.Count("same bytes, other partitions", seen.lower_rows);
    shares.Count("bytes of a closed scope", seen.reused);
    shares.Count("such bytes kept clear of", seen.kept_clear);
    shares.Count("asked for again", seen.asked_again);
    shares.Count("author's place on another", seen.author_overlaps);
    shares.Count("blocks", seen.blocks);
    shares.Count("several banks", seen.several_banks);
    for (const char* code : {"auto-scope", "auto-unknown-tensor", "auto-duplicate-tensor",
                             "auto-dram-tensor", "auto-closed-scope", "contract"})
      shares.Count(std::string("refused: ") + code, seen.codes.contains(code));
  });
  shares.AtLeast("scopes nest", 12);
  shares.AtLeast("sbuf full", 15);
  shares.AtLeast("psum full", 7);
  shares.AtLeast("full for an identity or a bias", 9);
  shares.AtLeast("placed after that", 15);
  shares.AtLeast("some of several placed", 8);
  shares.AtLeast("same bytes, other partitions", 30);
  shares.AtLeast("bytes of a closed scope", 12);
  shares.AtLeast("such bytes kept clear of", 5);
  shares.AtLeast("asked for again", 5);
  shares.AtLeast("author's place on another", 9);
  shares.AtLeast("blocks", 30);
  shares.AtLeast("several banks", 4);
  shares.AtLeast("refused: auto-scope", 20);
  shares.AtLeast("refused: auto-unknown-tensor", 25);
  shares.AtLeast("refused: auto-duplicate-tensor", 20);
  shares.AtLeast("refused: auto-dram-tensor", 15);
  shares.AtLeast("refused: auto-closed-scope", 9);
  shares.AtLeast("refused: contract", 12);
}

}  // namespace
}  // namespace spillway::nki
