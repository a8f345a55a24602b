// Memories, engines, and which engine reaches which memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace spillway {

enum class Space { kDram, kSbuf, kPsum };
std::string_view SpaceName(Space space);
std::optional<Space> ParseSpace(std::string_view name);

/// The five compute engines' sequencers, and DMA.
enum class Engine { kPe, kAct, kPool, kDve, kSp, kDma };
inline constexpr int kEngineCount = 6;
std::string_view EngineName(Engine engine);
std::optional<Engine> ParseEngine(std::string_view name);

/// Whether an operand that `engine` reads (or writes) may lie in `space`.
/// PE reads SBUF and writes PSUM; Vector (dve) and Scalar (act) read and write SBUF and PSUM;
/// GpSimd (pool) SBUF alone; Sync (sp) no tensor memory; DMA SBUF and DRAM.
/// Source: trainium_inferentia2_arch (connectivity), nki.isa dma_copy; documented.
bool CanRead(Engine engine, Space space);
bool CanWrite(Engine engine, Space space);

}  // namespace spillway
