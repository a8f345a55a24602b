#include <string>

#include "model/alloc/nki/base64.h"
#include "model/alloc/nki/opts_json.h"
#include "tests/fuzz/harness.h"

namespace spillway {
namespace {

// Each field by itself with a value that suits it, and all of them with what contradicts itself.
const std::vector<std::string> kOptions = {
    "{}",
    R"({"allocator_type":"stack","allocator_class":"stack"})",
    R"({"allocator_type":"linear_scan"})",
    R"({"skip_allocators":true})",
    R"({"skip_middle_end":true,"opt_level":"skip_middle_end"})",
    R"({"opt_level":"default"})",
    R"({"platform_target":"trn2 \u00e9\n"})",
    R"({"force_auto_alloc":true})",
    R"({"allocator_type":null,"platform_target":null,"skip_middle_end":true,"opt_level":"default"})",
};

}  // namespace

std::vector<std::vector<std::uint8_t>> Seeds() {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (const std::string& options : kOptions) {
    const std::string config =
        R"({"kernel":[1,2.5,-1e3,NaN,{"a":"b"}],"opts":)" + options + R"(,"z":null})";
    for (const std::string& text : {options, config, nki::EncodeBase64(config)})
      seeds.emplace_back(text.begin(), text.end());
  }
  const std::string whole = nki::CompileOptsToJson({});
  seeds.emplace_back(whole.begin(), whole.end());
  return seeds;
}

}  // namespace spillway
