// Random options against what their tables say: round trips, and decorators against a small model.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/alloc/nki/base64.h"
#include "model/alloc/nki/decorators.h"
#include "model/alloc/nki/opts_json.h"
#include "tests/property/run_property.h"
#include "tests/unit/nki/small_kernel.h"

namespace spillway::nki {
namespace {

rc::Gen<std::string> AnyName() {
  return rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::element('t', 'r', 'n', '2', '"', '\\', '\n', '\0', '{', ' ', '\x7f')));
}

rc::Gen<CompileOpts> AnyOpts() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::element<AttrValue>(AttrValue(), "stack", "linear_scan"),
                     rc::gen::arbitrary<bool>(), rc::gen::arbitrary<bool>(),
                     rc::gen::arbitrary<bool>(), rc::gen::arbitrary<bool>(), AnyName()),
      [](const auto& drawn) {
        const auto& [type, skip, middle, automatic, has_target, target] = drawn;
        return OptsOf({{"allocator_type", type},
                       {"skip_allocators", skip},
                       {"skip_middle_end", middle},
                       {"force_auto_alloc", automatic},
                       {"platform_target", has_target ? AttrValue(target) : AttrValue()}});
      });
}

TEST(OptionsProperty, JsonAndBase64BringOptionsBack) {
  Shares shares;
  CheckProperty("nki options round trip", 3000, [&] {
    const CompileOpts opts = *AnyOpts();
    RC_ASSERT(CompileOptsFromJson(CompileOptsToJson(opts)) == opts);
    const BackendConfig config{
        opts, *rc::gen::element<std::string>("{}", R"({"a":1})", R"({"a":{"opts":[]},"z":1.50})")};
    const std::string text = EncodeBackendConfig(config).value();
    RC_ASSERT(DecodeBackendConfig(text) == config);
    shares.Case();
    shares.Count("an allocator", opts.allocator_type().has_value());
    shares.Count("a target", opts.platform_target().has_value());
    shares.Count("other keys", config.others != "{}");
  });
  shares.AtLeast("an allocator", 40);
  shares.AtLeast("a target", 30);
  shares.AtLeast("other keys", 40);
}

TEST(OptionsProperty, DifferentOptionsHaveDifferentText) {
  Shares shares;
  CheckProperty("nki options text", 3000, [&] {
    const CompileOpts a = *AnyOpts();
    const CompileOpts b = *rc::gen::oneOf(rc::gen::just(a), AnyOpts());
    RC_ASSERT((CompileOptsToJson(a) == CompileOptsToJson(b)) == (a == b));
    shares.Case();
    shares.Count("equal", a == b);
  });
  shares.AtLeast("equal", 20);
  shares.AtMost("equal", 80);
}

TEST(OptionsProperty, OneChangedByteIsRefusedOrReadAsItStands) {
  Shares shares;
  CheckProperty("nki options damage", 4000, [&] {
    std::string json = "{\"a\":1,\"opts\":" + CompileOptsToJson(*AnyOpts()) + "}";
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, json.size());
    json[at] = *rc::gen::oneOf(rc::gen::map(rc::gen::resize(100, rc::gen::inRange(0, 256)),
                                            [](int byte) { return static_cast<char>(byte); }),
                               rc::gen::element('1', '5', 'n', '"', '\\', ' ', ',', '}'),
                               rc::gen::just(json[at]));
    const Result<BackendConfig> config = DecodeBackendConfig(EncodeBase64(json));
    if (config) {
      RC_ASSERT(DecodeBackendConfig(EncodeBackendConfig(*config).value()) == *config);
    } else {
      RC_ASSERT(!config.error().code.empty());
      RC_ASSERT(!config.error().message.empty());
    }
    shares.Case();
    shares.Count("refused", !config.has_value());
  });
  shares.AtLeast("refused", 50);
  shares.AtMost("refused", 90);
}

TEST(OptionsProperty, Base64OfAnyBytesComesBack) {
  CheckProperty("base64 round trip", 3000, [] {
    const auto bytes = *rc::gen::container<std::string>(
        rc::gen::map(rc::gen::resize(100, rc::gen::inRange(0, 256)),
                     [](int byte) { return static_cast<char>(byte); }));
    const std::string text = EncodeBase64(bytes);
    RC_ASSERT(text.size() == (bytes.size() + 2) / 3 * 4);
    RC_ASSERT(DecodeBase64(text) == bytes);
  });
}

// The decorators said once more, over one letter a field: what a stack does to fresh options, or
// the guard that stops it.
struct Model {
  char allocator = '-';  // 's', 'l'
  bool automatic = false;
  bool middle = false;
  bool skip = false;
  std::string guard;

  void Apply(int deco) {
    if (!guard.empty()) return;
    if (deco == 0) middle = true;
    if (deco == 1) middle = false;
    if (deco == 2) {
      if (allocator != '-') guard = "nki-force-auto-alloc-with-allocator";
      automatic = automatic || guard.empty();
    }
    if (deco < 3) return;
    const char wanted = deco == 3 ? 's' : 'l';
    if (allocator != '-' && allocator != wanted) {
      guard = "nki-allocator-already-set";
    } else if (automatic) {
      guard = "nki-allocator-with-force-auto-alloc";
    } else if (!middle) {
      guard = "nki-allocator-without-skip-middle-end";
    } else {
      allocator = wanted;
      skip = true;
    }
  }
};

TEST(OptionsProperty, StacksOfDecoratorsFollowTheModel) {
  const std::vector<Decorator> all = {
      SkipMiddleEndTransformations(), UpdateCompileOpts({{"opt_level", "default"}}),
      ForceAutoAlloc(), EnableStackAllocator(), UpdateAllocator(AllocatorType::kLinearScan)};
  const JitKernel kernel(SmallProgram());
  Shares shares;
  CheckProperty("nki stacks", 4000, [&] {
    const auto drawn = *rc::gen::resize(
        6, rc::gen::container<std::vector<int>>(
               rc::gen::weightedElement<int>({{4, 0}, {1, 1}, {1, 2}, {3, 3}, {2, 4}})));
    std::vector<Decorator> stack;
    for (const int deco : drawn) stack.push_back(all[static_cast<std::size_t>(deco)]);
    Model model;
    for (auto deco = drawn.rbegin(); deco != drawn.rend(); ++deco) model.Apply(*deco);
    const Result<JitKernel> result = Stack(stack, kernel);
    RC_ASSERT(kernel.opts() == CompileOpts());
    if (!result) {
      RC_ASSERT(result.error().code == model.guard);
    } else {
      RC_ASSERT(model.guard.empty());
      const CompileOpts& opts = result->opts();
      RC_ASSERT(opts.force_auto_alloc() == model.automatic);
      RC_ASSERT(opts.skip_middle_end() == model.middle);
      RC_ASSERT(opts.skip_allocators() == model.skip);
      const std::string name =
          opts.allocator_type() ? std::string(AllocatorTypeName(*opts.allocator_type())) : "-";
      RC_ASSERT(name.front() == model.allocator);
    }
    shares.Case();
    shares.Count("an allocator", model.guard.empty() && model.allocator != '-');
    for (const char* guard :
         {"nki-force-auto-alloc-with-allocator", "nki-allocator-already-set",
          "nki-allocator-with-force-auto-alloc", "nki-allocator-without-skip-middle-end"})
      shares.Count(guard, model.guard == guard);
  });
  shares.AtLeast("an allocator", 8);
  shares.AtLeast("nki-force-auto-alloc-with-allocator", 1);
  shares.AtLeast("nki-allocator-already-set", 2);
  shares.AtLeast("nki-allocator-with-force-auto-alloc", 2);
  shares.AtLeast("nki-allocator-without-skip-middle-end", 20);
}

}  // namespace
}  // namespace spillway::nki
