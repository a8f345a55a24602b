// expect: (no matching function|could not convert|no match|cannot convert)
#include "model/alloc/task/layout_builder.h"

using spillway::task::LayoutBuilder;
using spillway::task::Region;
using spillway::task::Smem;
using spillway::task::Tmem;

#ifdef FORBIDDEN
using Other = Tmem;
#else
using Other = Smem;
#endif

bool Aliases(LayoutBuilder<Smem>& builder, const Region<Smem>& one, const Region<Other>& other) {
  return builder.AddAliasGroup({{one}, {other}}).has_value();
}
