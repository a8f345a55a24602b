// Bytes as text and back: RFC 4648, section 4, to the letter.
#pragma once

#include <string>
#include <string_view>

#include "model/hw/error.h"

namespace spillway::nki {

std::string EncodeBase64(std::string_view bytes);

/// The bytes whose encoding `text` is; any other spelling of them, such as one with line breaks,
/// without padding or with bits set behind the last byte, is refused, so that text and bytes stand
/// for each other one to one.
/// Errors: base64-character, base64-padding, base64-length, base64-trailing-bits, each with the
/// byte offset.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace spillway::nki
