// The errors of NKI's user-space library, with the prefix under which its users know them.
#pragma once

#include <string>
#include <string_view>

#include "model/hw/error.h"

namespace spillway::nki {

/// What a failed assertion of a kernel starts with.
/// Source: nki_kernels_and_issues.md 3.1 (NCC_INKI016); the words after it: nki-library,
/// kernel_assert.
inline constexpr std::string_view kKernelAssertPrefix =
    "[NCC_INKI016] Kernel validation exception: ";

inline Error KernelAssert(Kind kind, std::string code, std::string_view text) {
  return {kind, std::move(code), std::string(kKernelAssertPrefix) + std::string(text), "", 0};
}

}  // namespace spillway::nki
