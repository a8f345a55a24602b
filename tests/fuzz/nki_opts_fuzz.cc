// Any bytes as a backend_config, as its JSON and as the JSON of options: refused with a code, or
// read as something that has one text.
#include "model/alloc/nki/base64.h"
#include "model/alloc/nki/compile_plan.h"
#include "model/alloc/nki/opts_json.h"
#include "tests/fuzz/harness.h"

namespace spillway {
namespace {

std::string CheckError(const Error& error) {
  return error.code.empty() || error.message.empty() ? "an error without code or message" : "";
}

std::string CheckOpts(const Result<nki::CompileOpts>& opts) {
  if (!opts) return CheckError(opts.error());
  if (nki::CompileOptsFromJson(nki::CompileOptsToJson(*opts)) != *opts)
    return "options that JSON doesn't bring back";
  const Result<nki::CompilePlan> plan = nki::PlanCompile(*opts);
  return plan ? "" : CheckError(plan.error());
}

std::string CheckConfig(const Result<nki::BackendConfig>& config) {
  if (!config) return CheckError(config.error());
  const Result<std::string> text = nki::EncodeBackendConfig(*config);
  // Escapes may take more room than what they stand for.
  if (!text) return text.error().code == "nki-opts-too-long" ? "" : "not encoded again";
  const Result<nki::BackendConfig> again = nki::DecodeBackendConfig(*text);
  if (!again || *again != *config) return "a configuration that base64 doesn't bring back";
  return CheckOpts(config->opts);
}

}  // namespace

std::string FuzzOne(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (std::string wrong = CheckOpts(nki::CompileOptsFromJson(text)); !wrong.empty()) return wrong;
  if (std::string wrong = CheckConfig(nki::DecodeBackendConfig(text)); !wrong.empty()) return wrong;
  if (const Result<std::string> decoded = nki::DecodeBase64(text)) {
    if (nki::EncodeBase64(*decoded) != text) return "two texts for the same bytes";
  }
  return CheckConfig(nki::DecodeBackendConfig(nki::EncodeBase64(text)));
}

}  // namespace spillway
