#include "model/alloc/nki/alloc_func.h"

namespace spillway::nki {

Space SpaceOf(const AllocFunc& func) {
  if (const auto* automatic = std::get_if<AutoAlloc>(&func)) return automatic->space;
  const bool is_sbuf = std::holds_alternative<SbufAllocFunc>(func) ||
                       std::holds_alternative<SbufModuloAllocFunc>(func);
  return is_sbuf ? Space::kSbuf : Space::kPsum;
}

std::string_view ApiName(const AllocFunc& func) {
  const bool is_sbuf = SpaceOf(func) == Space::kSbuf;
  if (std::holds_alternative<AutoAlloc>(func))
    return is_sbuf ? "sbuf.auto_alloc" : "psum.auto_alloc";
  if (LawOf(func) != nullptr) return is_sbuf ? "sbuf.mod_alloc" : "psum.mod_alloc";
  return is_sbuf ? "sbuf.alloc" : "psum.alloc";
}

const ModuloLaw* LawOf(const AllocFunc& func) {
  if (const auto* sbuf = std::get_if<SbufModuloAllocFunc>(&func)) return &sbuf->law;
  if (const auto* psum = std::get_if<PsumModuloAllocFunc>(&func)) return &psum->law;
  return nullptr;
}

}  // namespace spillway::nki
