#include "sim/tool/progress.h"

#include <unistd.h>

#include <cstdio>

namespace spillway {
namespace {

constexpr std::size_t kWidth = 100;

}  // namespace

ProgressLine::ProgressLine() : enabled_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Show(const std::string& text) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "\r\033[K%s", text.substr(0, kWidth).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::Clear() {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  if (shown_) std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace spillway
