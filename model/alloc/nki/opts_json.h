// Compile options as JSON, and inside the base64 of JSON that a framework's custom call carries.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/alloc/nki/compile_opts.h"

namespace spillway::nki {

/// Longest JSON that is read here.
inline constexpr std::size_t kMaxOptsJsonBytes = std::size_t{1} << 20;

/// An object of all fields in the order of `CompileOptsFields`, without spaces: equal options give
/// equal text.
std::string CompileOptsToJson(const CompileOpts& opts);

/// Fields that are absent stay unset. allocator_class may stand there if it says what
/// allocator_type says.
/// Errors: nki-opts-too-long, not-utf8, those of `ParseJsonLine`, nki-opts-not-an-object,
/// nki-allocator-class-disagrees, and those of `Replace`; each with the key's path or the byte.
Result<CompileOpts> CompileOptsFromJson(std::string_view json);

/// The backend_config of a call: the options under "opts", and what other layers keep beside them.
struct BackendConfig {
  CompileOpts opts;
  std::string others = "{}";  ///< a JSON object of the members that aren't "opts"
  friend bool operator==(const BackendConfig&, const BackendConfig&) = default;
};

/// Base64 of one JSON object whose keys ascend; values of others keep their order and the spelling
/// of their numbers.
/// Errors: nki-opts-twice where `others` has the key "opts" too; as in `DecodeBackendConfig` where
/// `others` isn't an object.
/// Source: seed 000 §9 (encode_backend_config).
Result<std::string> EncodeBackendConfig(const BackendConfig& config);

/// `others` comes back in the form that `EncodeBackendConfig` would give it, so that encoding the
/// result gives the same text from then on.
/// Errors: those of `DecodeBase64` and `CompileOptsFromJson`, nki-config-not-an-object,
/// nki-missing-opts. Columns count bytes of the decoded JSON.
Result<BackendConfig> DecodeBackendConfig(std::string_view base64);

}  // namespace spillway::nki
