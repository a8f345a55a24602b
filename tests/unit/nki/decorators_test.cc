#include "model/alloc/nki/decorators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/nki/small_kernel.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kNotAKernel = "Can only update compile options of nki kernel!";
constexpr const char* kWithoutSkip =
    "Cannot set allocator for kernel without `@skip_middle_end_transformations`!";

// The four that have two forms, each in both.
struct BothForms {
  const char* name;
  Decorator of_kernel;  ///< Deco(func)
  Decorator made;       ///< Deco()
};

std::vector<BothForms> AllBothForms() {
  return {
      {"skip_middle_end_transformations",
       [](const Decorable& func) { return SkipMiddleEndTransformations(func); },
       SkipMiddleEndTransformations()},
      {"override_platform_target_for_test",
       [](const Decorable& func) { return OverridePlatformTargetForTest(func, "trn1"); },
       OverridePlatformTargetForTest("trn1")},
      {"override_platform_target_for_test without a target",
       [](const Decorable& func) { return OverridePlatformTargetForTest(func); },
       OverridePlatformTargetForTest()},
      {"force_auto_alloc", [](const Decorable& func) { return ForceAutoAlloc(func); },
       ForceAutoAlloc()},
      {"enable_stack_allocator", [](const Decorable& func) { return EnableStackAllocator(func); },
       EnableStackAllocator()},
      {"enable_stack_allocator with a log level",
       [](const Decorable& func) { return EnableStackAllocator(func, 10); },
       EnableStackAllocator(10)},
  };
}

// Every value that a field can take, in every combination.
std::vector<CompileOpts> AllOpts() {
  std::vector<CompileOpts> all;
  for (const AttrValue& type : {AttrValue(), AttrValue("stack"), AttrValue("linear_scan")})
    for (const bool skip : {false, true})
      for (const bool middle : {false, true})
        for (const AttrValue& target : {AttrValue(), AttrValue("trn3")})
          for (const bool automatic : {false, true})
            all.push_back(OptsOf({{"allocator_type", type},
                                  {"skip_allocators", skip},
                                  {"skip_middle_end", middle},
                                  {"platform_target", target},
                                  {"force_auto_alloc", automatic}}));
  return all;
}

TEST(Decorators, GiveTheSameInBothForms) {
  for (const BothForms& deco : AllBothForms()) {
    for (const CompileOpts& opts : AllOpts()) {
      const JitKernel kernel(SmallProgram(), opts);
      const Result<JitKernel> one = deco.of_kernel(kernel);
      const Result<JitKernel> other = deco.made(kernel);
      ASSERT_EQ(one.has_value(), other.has_value()) << deco.name;
      if (one) {
        EXPECT_EQ(one->opts(), other->opts()) << deco.name;
      } else {
        EXPECT_EQ(one.error().ToString(), other.error().ToString()) << deco.name;
      }
    }
    const PlainObject plain("f");
    EXPECT_EQ(deco.of_kernel(plain).error().ToString(), deco.made(plain).error().ToString());
  }
}

TEST(Decorators, LeaveTheKernelAsItIsAndShareItsProgram) {
  std::vector<Decorator> all = {UpdateCompileOpts({{"skip_allocators", true}}),
                                UpdateAllocator(AllocatorType::kStack)};
  for (const BothForms& deco : AllBothForms()) all.push_back(deco.made);
  int decorated = 0;
  for (const Decorator& decorator : all) {
    for (const CompileOpts& opts : AllOpts()) {
      const JitKernel kernel(SmallProgram(), opts);
      const Result<JitKernel> result = decorator(kernel);
      EXPECT_EQ(kernel.opts(), opts);
      EXPECT_EQ(kernel.program(), SmallProgram());
      if (!result) continue;
      ++decorated;
      EXPECT_EQ(&result->program(), &kernel.program()) << "a copy of the options copies no program";
    }
  }
  EXPECT_GT(decorated, 200);
}

TEST(Decorators, TheProgramOutlivesTheKernelThatWasDecorated) {
  std::optional<JitKernel> kernel(SmallProgram());
  const JitKernel decorated = ForceAutoAlloc(*kernel).value();
  kernel.reset();
  EXPECT_EQ(decorated.program(), SmallProgram());
}

struct Effect {
  const char* name;
  Decorator decorator;
  std::vector<Attr> before;
  std::vector<Attr> after;
};

TEST(Decorators, WriteTheirFieldsAndNoOthers) {
  const std::vector<Effect> table = {
      {"update_compile_opts",
       UpdateCompileOpts({{"skip_allocators", true}, {"platform_target", "trn3"}}),
       {{"force_auto_alloc", true}},
       {{"force_auto_alloc", true}, {"skip_allocators", true}, {"platform_target", "trn3"}}},
      {"update_compile_opts has no guard but the names'",
       UpdateCompileOpts({{"allocator_type", "stack"}}),
       {{"force_auto_alloc", true}},
       {{"force_auto_alloc", true}, {"allocator_type", "stack"}}},
      {"update_compile_opts without fields", UpdateCompileOpts({}), {}, {}},
      {"skip_middle_end_transformations",
       SkipMiddleEndTransformations(),
       {},
       {{"skip_middle_end", true}}},
      {"skip_middle_end_transformations drives opt_level",
       SkipMiddleEndTransformations(),
       {},
       {{"opt_level", "skip_middle_end"}}},
      {"force_auto_alloc", ForceAutoAlloc(), {}, {{"force_auto_alloc", true}}},
      {"force_auto_alloc twice",
       ForceAutoAlloc(),
       {{"force_auto_alloc", true}},
       {{"force_auto_alloc", true}}},
      {"override_platform_target_for_test",
       OverridePlatformTargetForTest("trn3"),
       {{"platform_target", "trn1"}},
       {{"platform_target", "trn3"}}},
      {"override_platform_target_for_test without a target",
       OverridePlatformTargetForTest(),
       {{"platform_target", "trn1"}},
       {}},
      {"update_allocator",
       UpdateAllocator(AllocatorType::kLinearScan),
       {{"skip_middle_end", true}},
       {{"skip_middle_end", true}, {"allocator_type", "linear_scan"}, {"skip_allocators", true}}},
      {"enable_stack_allocator",
       EnableStackAllocator(),
       {{"opt_level", "skip_middle_end"}},
       {{"skip_middle_end", true}, {"allocator_type", "stack"}, {"skip_allocators", true}}},
      {"the same allocator twice",
       EnableStackAllocator(),
       {{"skip_middle_end", true}, {"allocator_type", "stack"}, {"skip_allocators", true}},
       {{"skip_middle_end", true}, {"allocator_type", "stack"}, {"skip_allocators", true}}},
  };
  for (const Effect& row : table) {
    const Result<JitKernel> kernel = row.decorator(KernelWith(row.before));
    ASSERT_TRUE(kernel.has_value()) << row.name << ": " << kernel.error().ToString();
    EXPECT_EQ(kernel->opts(), OptsOf(row.after)) << row.name;
  }
}

TEST(Decorators, EveryLogLevelGivesTheSameKernel) {
  const JitKernel kernel = KernelWith({{"skip_middle_end", true}});
  const CompileOpts expected = EnableStackAllocator(kernel)->opts();
  for (const int level : {-1, 0, 10, 20, 30, 40, kDefaultLogLevel, 1'000'000})
    EXPECT_EQ(EnableStackAllocator(kernel, level)->opts(), expected) << level;
  EXPECT_EQ(kDefaultLogLevel, 50);
}

struct Guarded {
  const char* what;
  Decorator decorator;
  Decorable func;
  const char* code;
  Kind kind;
  const char* message;
};

TEST(Decorators, RefuseInTheWordsOfNki) {
  const PlainObject plain("softmax");
  const std::vector<Guarded> table = {
      {"a function under update_compile_opts", UpdateCompileOpts({{"force_auto_alloc", true}}),
       plain, "nki-not-a-kernel", Kind::kSyntax, kNotAKernel},
      {"a function under skip_middle_end_transformations", SkipMiddleEndTransformations(), plain,
       "nki-not-a-kernel", Kind::kSyntax, kNotAKernel},
      {"a function under override_platform_target_for_test", OverridePlatformTargetForTest("trn1"),
       plain, "nki-not-a-kernel", Kind::kSyntax, kNotAKernel},
      {"a function under force_auto_alloc", ForceAutoAlloc(), plain, "nki-not-a-kernel",
       Kind::kSyntax, kNotAKernel},
      {"force_auto_alloc after the stack allocator", ForceAutoAlloc(),
       KernelWith({{"allocator_type", "stack"}}), "nki-force-auto-alloc-with-allocator",
       Kind::kMixedAllocation, "`@force_auto_alloc` is not compatible with `Allocator 'stack'`!"},
      {"force_auto_alloc after linear scan", ForceAutoAlloc(),
       KernelWith({{"allocator_type", "linear_scan"}}), "nki-force-auto-alloc-with-allocator",
       Kind::kMixedAllocation,
       "`@force_auto_alloc` is not compatible with `Allocator 'linear_scan'`!"},
      {"guard 1", EnableStackAllocator(),
       KernelWith({{"allocator_type", "linear_scan"}, {"skip_middle_end", true}}),
       "nki-allocator-already-set", Kind::kMixedAllocation,
       "Allocator already set on nki kernel: 'linear_scan'"},
      {"guard 1, the other way", UpdateAllocator(AllocatorType::kLinearScan),
       KernelWith({{"allocator_type", "stack"}, {"skip_middle_end", true}}),
       "nki-allocator-already-set", Kind::kMixedAllocation,
       "Allocator already set on nki kernel: 'stack'"},
      {"guard 2", EnableStackAllocator(),
       KernelWith({{"force_auto_alloc", true}, {"skip_middle_end", true}}),
       "nki-allocator-with-force-auto-alloc", Kind::kMixedAllocation,
       "Allocator 'stack' is not compatible with `@force_auto_alloc`!"},
      {"guard 2 names the allocator that comes", UpdateAllocator(AllocatorType::kLinearScan),
       KernelWith({{"force_auto_alloc", true}, {"skip_middle_end", true}}),
       "nki-allocator-with-force-auto-alloc", Kind::kMixedAllocation,
       "Allocator 'linear_scan' is not compatible with `@force_auto_alloc`!"},
      {"guard 3", EnableStackAllocator(), KernelWith({}), "nki-allocator-without-skip-middle-end",
       Kind::kMixedAllocation, kWithoutSkip},
      {"guard 3 holds for the same allocator too", EnableStackAllocator(),
       KernelWith({{"allocator_type", "stack"}}), "nki-allocator-without-skip-middle-end",
       Kind::kMixedAllocation, kWithoutSkip},
  };
  for (const Guarded& row : table) {
    const Result<JitKernel> kernel = row.decorator(row.func);
    ASSERT_FALSE(kernel.has_value()) << row.what;
    EXPECT_EQ(kernel.error().message, row.message) << row.what;
    EXPECT_EQ(kernel.error().code, row.code) << row.what;
    EXPECT_EQ(kernel.error().kind, row.kind) << row.what;
  }
}

// Objects that aren't kernels and have options: they show where the test for a kernel stands.
TEST(UpdateAllocator, TestsItsThreeGuardsInOrderAndThenWhetherThisIsAKernel) {
  const std::vector<std::pair<std::vector<Attr>, const char*>> table = {
      {{{"allocator_type", "linear_scan"}, {"force_auto_alloc", true}},
       "nki-allocator-already-set"},
      {{{"allocator_type", "stack"}, {"force_auto_alloc", true}},
       "nki-allocator-with-force-auto-alloc"},
      {{{"force_auto_alloc", true}, {"skip_middle_end", true}},
       "nki-allocator-with-force-auto-alloc"},
      {{}, "nki-allocator-without-skip-middle-end"},
      {{{"skip_middle_end", true}}, "nki-not-a-kernel"},
      {{{"skip_middle_end", true}, {"allocator_type", "stack"}}, "nki-not-a-kernel"},
  };
  for (const auto& [fields, code] : table) {
    const PlainObject lookalike("lookalike", OptsOf(fields));
    EXPECT_EQ(EnableStackAllocator(lookalike).error().code, code);
    const bool is_a_kernel = std::string_view(code) != "nki-not-a-kernel";
    const Result<JitKernel> kernel = EnableStackAllocator(KernelWith(fields));
    EXPECT_EQ(kernel.has_value(), !is_a_kernel) << code;
  }
}

TEST(UpdateAllocator, SaysOfAFunctionThatItHasNoOptionsToRead) {
  const Error error = UpdateAllocator(AllocatorType::kStack)(PlainObject("softmax")).error();
  EXPECT_EQ(error.code, "nki-no-opts");
  EXPECT_THAT(error.message,
              AllOf(StartsWith(kNotAKernel), HasSubstr("'softmax'"), HasSubstr("@nki.jit")));
}

TEST(ForceAutoAlloc, AsksForAKernelBeforeItReadsOptions) {
  const PlainObject lookalike("lookalike", OptsOf({{"allocator_type", "stack"}}));
  EXPECT_EQ(ForceAutoAlloc(lookalike).error().code, "nki-not-a-kernel");
}

TEST(UpdateCompileOpts, AsksForAKernelBeforeItLooksAtNames) {
  const Decorator wrong = UpdateCompileOpts({{"nothing", true}});
  EXPECT_EQ(wrong(PlainObject("f", CompileOpts())).error().code, "nki-not-a-kernel");
  const Error error = wrong(KernelWith({})).error();
  EXPECT_EQ(error.code, "nki-unknown-field");
  EXPECT_THAT(error.message, HasSubstr("\"nothing\""));
}

TEST(UpdateCompileOpts, CannotWriteAllocatorClass) {
  EXPECT_EQ(UpdateCompileOpts({{"allocator_class", "stack"}})(KernelWith({})).error().code,
            "nki-read-only-field");
}

TEST(OverridePlatformTargetForTest, RefusesAnEmptyName) {
  EXPECT_EQ(OverridePlatformTargetForTest(KernelWith({}), "").error().code, "nki-empty-target");
}

struct Stacked {
  const char* what;
  std::vector<Decorator> decorators;  ///< outermost first
  std::vector<Attr> opts;             ///< where it holds
  const char* message = "";           ///< where it doesn't
};

TEST(Stack, AppliesTheInnermostFirst) {
  const std::vector<Stacked> table = {
      {"nothing", {}, {}},
      {"the stack of the documentation",
       {EnableStackAllocator(), SkipMiddleEndTransformations()},
       {{"skip_middle_end", true}, {"allocator_type", "stack"}, {"skip_allocators", true}}},
      {"the wrong way round",
       {SkipMiddleEndTransformations(), EnableStackAllocator()},
       {},
       kWithoutSkip},
      {"something between",
       {EnableStackAllocator(), OverridePlatformTargetForTest("trn1"),
        SkipMiddleEndTransformations()},
       {{"skip_middle_end", true},
        {"allocator_type", "stack"},
        {"skip_allocators", true},
        {"platform_target", "trn1"}}},
      {"the outermost of two targets wins",
       {OverridePlatformTargetForTest("trn3"), OverridePlatformTargetForTest("trn1")},
       {{"platform_target", "trn3"}}},
      {"the level opens the way as the flag does",
       {EnableStackAllocator(), UpdateCompileOpts({{"opt_level", "skip_middle_end"}})},
       {{"skip_middle_end", true}, {"allocator_type", "stack"}, {"skip_allocators", true}}},
      {"the level closes it again",
       {EnableStackAllocator(), UpdateCompileOpts({{"opt_level", "default"}}),
        SkipMiddleEndTransformations()},
       {},
       kWithoutSkip},
      {"the same allocator twice",
       {EnableStackAllocator(), EnableStackAllocator(), SkipMiddleEndTransformations()},
       {{"skip_middle_end", true}, {"allocator_type", "stack"}, {"skip_allocators", true}}},
      {"two allocators",
       {EnableStackAllocator(), UpdateAllocator(AllocatorType::kLinearScan),
        SkipMiddleEndTransformations()},
       {},
       "Allocator already set on nki kernel: 'linear_scan'"},
      {"an allocator above force_auto_alloc",
       {EnableStackAllocator(), ForceAutoAlloc(), SkipMiddleEndTransformations()},
       {},
       "Allocator 'stack' is not compatible with `@force_auto_alloc`!"},
      {"force_auto_alloc above an allocator",
       {ForceAutoAlloc(), EnableStackAllocator(), SkipMiddleEndTransformations()},
       {},
       "`@force_auto_alloc` is not compatible with `Allocator 'stack'`!"},
      {"the innermost that refuses is the one that speaks",
       {ForceAutoAlloc(), EnableStackAllocator(), UpdateCompileOpts({{"nothing", 1}})},
       {},
       "field \"nothing\""},
  };
  for (const Stacked& row : table) {
    const Result<JitKernel> kernel = Stack(row.decorators, KernelWith({}));
    const bool holds = std::string_view(row.message).empty();
    ASSERT_EQ(kernel.has_value(), holds) << row.what;
    if (holds) {
      EXPECT_EQ(kernel->opts(), OptsOf(row.opts)) << row.what;
    } else {
      EXPECT_THAT(kernel.error().message, StartsWith(row.message)) << row.what;
    }
  }
}

TEST(Stack, IsTheCallsOneInsideTheOther) {
  const JitKernel kernel = KernelWith({{"platform_target", "trn1"}});
  const JitKernel nested =
      EnableStackAllocator(SkipMiddleEndTransformations(kernel).value()).value();
  EXPECT_EQ(Stack({EnableStackAllocator(), SkipMiddleEndTransformations()}, kernel)->opts(),
            nested.opts());
}

TEST(Stack, OverAFunctionIsRefused) {
  EXPECT_EQ(Stack({}, PlainObject("f")).error().message, kNotAKernel);
  EXPECT_EQ(Stack({ForceAutoAlloc()}, PlainObject("f")).error().message, kNotAKernel);
}

TEST(Stack, HoldsDecorators) {
  EXPECT_THROW(static_cast<void>(Stack({Decorator()}, KernelWith({}))), ContractViolation);
}

TEST(JitKernel, NeedsAProgram) {
  EXPECT_THROW(JitKernel(std::shared_ptr<const Kernel>()), ContractViolation);
}

}  // namespace
}  // namespace spillway::nki
