// Shows on a terminal what is being done; silent in a pipe.
#pragma once

#include <mutex>
#include <string>

namespace spillway {

/// One status line on standard error, rewritten in place, only where that is a terminal. Calls from
/// several threads take turns.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  void Show(const std::string& text);
  /// Takes the line away, so that other output can stand there.
  void Clear();

 private:
  std::mutex mutex_;
  bool enabled_ = false;
  bool shown_ = false;
};

}  // namespace spillway
