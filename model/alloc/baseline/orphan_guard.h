// Cleans up behind a process that is killed while somebody else's program works for it.
#pragma once

#include <sys/types.h>

#include <string>

namespace spillway {

/// A process of its own that waits for the end of this object. Where that doesn't come, because the
/// process that holds it was killed, it kills the group that it was told of last and removes the
/// folder; else it does nothing. No signal to the holder's group reaches it.
class OrphanGuard {
 public:
  /// `folder`: removed with all that is in it; may be empty.
  explicit OrphanGuard(const std::string& folder);
  ~OrphanGuard();
  OrphanGuard(const OrphanGuard&) = delete;
  OrphanGuard& operator=(const OrphanGuard&) = delete;

  /// False where the system had no process for it.
  bool IsWatching() const { return guard_ > 0; }
  /// For the leader of a new process group, between fork and exec.
  void TellGroup() const;
  /// For the holder, once nothing of the group is alive: its number may be somebody else's soon.
  void ForgetGroup() const;

 private:
  pid_t guard_ = -1;
  int tell_ = -1;
};

}  // namespace spillway
