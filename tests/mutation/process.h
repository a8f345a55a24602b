// Processes of a mutation run: what crashes or hangs takes nothing with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace spillway {

struct ProcessEnd {
  std::string output;   ///< what it wrote until it ended
  std::string failure;  ///< "crash: …", "hang: …"; empty: it ended well
};

/// Runs `body` in a child whose `write` reaches `output`. The child has `seconds` of the processor;
/// `body` gets a function that starts the clock anew, and memory is limited.
ProcessEnd RunForked(int seconds,
                     const std::function<void(const std::function<void(const std::string&)>& write,
                                              const std::function<void()>& restart)>& body);

/// Runs a command of the shell and keeps its output; `failure` is set for signals, and for
/// `timeout`'s verdict. `status` gets the exit status.
ProcessEnd RunShell(const std::string& command, int& status);

/// Runs `jobs` (at least one) calls of `work` at a time, in processes of their own, and gives their
/// ends in the order of the items. Where a call throws, the end says what.
std::vector<ProcessEnd> MapForked(std::size_t items, int jobs,
                                  const std::function<std::string(std::size_t)>& work);

}  // namespace spillway
