#include "model/alloc/check/access_tree.h"

#include <algorithm>

namespace spillway::check {
namespace {

// The list in which an instruction at `point` belongs, with the nodes of its loops on the way.
std::vector<AccessNode>& ListAt(const LinearKernel& linear, PointId point,
                                std::vector<AccessNode>& top) {
  std::vector<AccessNode>* list = &top;
  for (const LoopId loop : NestOf(linear, point)) {
    if (list->empty() || list->back().loop != loop) {
      AccessNode node;
      node.first = linear.loop_points[loop].header;
      node.last = linear.loop_points[loop].terminator;
      node.loop = loop;
      list->push_back(std::move(node));
    }
    list = &list->back().children;
  }
  return *list;
}

void AddPossibleWrites(std::vector<AccessNode>& nodes) {
  for (AccessNode& node : nodes) {
    AddPossibleWrites(node.children);
    for (const AccessNode& child : node.children) node.possible_writes.Unite(child.possible_writes);
  }
}

void Restrict(AccessNode& node, const BlockPlanes& available) {
  node.reads.RestrictTo(available);
  for (AccessNode& child : node.children) Restrict(child, available);
}

// Fills in what a loop reads from before it and certainly writes, from the inside out.
void Summarize(const LinearKernel& linear, AccessNode& node) {
  if (!node.loop) return;
  RegionSet exposed;
  RegionSet written;
  for (AccessNode& child : node.children) Summarize(linear, child);
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
    exposed.Kill(child->certain_writes);
    exposed.Add(child->reads);
    written.Add(child->certain_writes);
  }
  const Loop& loop = linear.kernel.loops[*node.loop];
  node.reads = ExposedOver(loop, *node.loop, exposed, written);
  node.carried = PossiblyOver(loop, *node.loop, exposed);
  node.certain_writes = CertainlyOver(loop, *node.loop, written);
}

}  // namespace

std::vector<PlacedAccess> PlacedAccessesOf(const LinearKernel& linear, TensorId tensor) {
  std::vector<PlacedAccess> placed;
  for (const PointAccess& access : linear.accesses_of[tensor]) {
    const Access& what = linear.accesses[access.point][access.access];
    placed.push_back({access.point, access.is_write, RegionOf(linear, access.point, what)});
  }
  return placed;
}

std::vector<AccessNode> AccessTreeOf(const LinearKernel& linear,
                                     const std::vector<PlacedAccess>& accesses,
                                     const BlockPlanes& defined_at_start) {
  std::vector<AccessNode> nodes;
  for (const PlacedAccess& access : accesses) {
    std::vector<AccessNode>& list = ListAt(linear, access.point, nodes);
    if (list.empty() || list.back().loop || list.back().first != access.point) {
      AccessNode node;
      node.first = node.last = access.point;
      list.push_back(std::move(node));
    }
    AccessNode& node = list.back();
    if (!access.is_write) {
      node.reads.Add(access.what.region);
      continue;
    }
    node.possible_writes.Unite(access.what.region.bound);
    if (access.what.is_exact) node.certain_writes.Add(access.what.region);
  }
  AddPossibleWrites(nodes);
  BlockPlanes defined = defined_at_start;
  for (AccessNode& node : nodes) {
    // A loop may read what its own previous iterations wrote; an instruction may not.
    if (node.loop) defined.Unite(node.possible_writes);
    Restrict(node, defined);
    defined.Unite(node.possible_writes);
    Summarize(linear, node);
  }
  return nodes;
}

}  // namespace spillway::check
