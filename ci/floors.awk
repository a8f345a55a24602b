# Judges include lines by the floors of the house. Input: file:line:#include …, sorted by file.
# Prints every violation; exit status 1 if there is one.

BEGIN {
  # Folder and floor. A folder includes itself and folders of a lower floor; tens are the floors of
  # the architecture picture, the steps between them order folders within one floor.
  floor["model/hw"] = 0
  floor["model/hw/timing"] = 5
  floor["model/hw/systemc"] = 10
  floor["model/hw/rtl"] = 10
  floor["model/alloc/ir"] = 10
  floor["model/alloc/task"] = 12
  floor["model/alloc/check_task"] = 22
  floor["model/alloc/declared"] = 24
  floor["model/alloc/rings"] = 24
  floor["model/alloc/sbuf"] = 20
  floor["model/alloc/psum"] = 20
  floor["model/alloc/dram"] = 20
  floor["model/alloc/rotation"] = 20
  floor["model/alloc/check"] = 20
  floor["traces"] = 20
  floor["model/alloc"] = 25
  floor["model/alloc/baseline"] = 27
  floor["model/alloc/nki"] = 26
  floor["sim/values"] = 40
  floor["sim/lower"] = 42
  floor["sim/estimate"] = 43
  floor["sim/exec"] = 44
  floor["sim/task"] = 46
  floor["properties"] = 50
  floor["sim/bench"] = 52
  floor["sim/tool"] = 55
  floor["tests"] = 60
  # Folders that keep SystemC (and model/hw/rtl: Verilated code) to themselves.
  walled["model/hw/systemc"] = 1
  walled["model/hw/rtl"] = 1
}

# The folder that `path` belongs to. `detail` is the private part of the folder above it; tests and
# properties have any depth.
function folder_of(path) {
  sub(/\/[^\/]*$/, "", path)
  sub(/\/detail$/, "", path)
  if (path ~ /^tests(\/|$)/) return "tests"
  if (path ~ /^properties(\/|$)/) return "properties"
  return path
}

function complain(text) {
  printf "%s: %s\n", where, text
  bad = 1
}

{
  split($0, part, ":")
  file = part[1]
  where = part[1] ":" part[2]
  if (!match($0, /[<"][^>"]*[>"]/)) next
  bracket = substr($0, RSTART, 1)
  target = substr($0, RSTART + 1, RLENGTH - 2)
  from = folder_of(file)
  lines++
  if (!(from in floor)) {
    if (!(from in unknown)) complain(from " has no floor: name it in ci/floors.awk")
    unknown[from] = 1
    next
  }
  # Third parties that stay behind a wall.
  if (target ~ /^(systemc|tlm|sysc)([.\/]|$)/) {
    if (!(from in walled)) complain("only model/hw/systemc and model/hw/rtl include <" target ">")
    else if (file ~ /\.h$/) behind_wall[file] = 1
    next
  }
  if (target ~ /^(verilated|V[a-z_]+\.h$)/) {
    if (from != "model/hw/rtl") complain("only model/hw/rtl includes <" target ">")
    else if (file ~ /\.h$/) behind_wall[file] = 1
    next
  }
  if (target ~ /^(rapidjson|CLI)\// && file ~ /\.h$/) {
    complain("<" target "> is slow to parse and stays in .cc files")
    next
  }
  if (bracket == "<") next

  if (target !~ /\//) {
    complain("\"" target "\" isn't a path from the root")
    next
  }
  to = folder_of(target)
  if (!(to in floor)) {
    complain("\"" target "\" lies in a folder without a floor")
    next
  }
  if (target ~ /\/detail\// && to != from) {
    complain("\"" target "\" is private to " to)
    next
  }
  if (to == "model/hw/rtl" && from != to && from != "tests") {
    complain("only tests use the RTL twins, includes \"" target "\"")
    next
  }
  if (to in walled) {
    reach[++reaches] = file SUBSEP target SUBSEP where
    if (from ~ /^(model\/alloc|traces)/) complain(from " must not know the SystemC model, includes \"" target "\"")
  }
  if (from == "model/alloc/check" && to ~ /^model\/alloc($|\/(sbuf|psum|dram|rotation|baseline)$)/) {
    complain("a checker shares no code with what it checks, includes \"" target "\"")
    next
  }
  if (from == "model/alloc/check_task" && to == "model/alloc/task" &&
      target !~ /\/(capacities|codes|memory_space|pipeline_system|program|spaces)\.h$/) {
    complain("a checker shares vocabulary with the task allocators and no code, includes \"" target "\"")
    next
  }
  if (to != from && floor[to] >= floor[from]) {
    complain(from " (floor " floor[from] / 10 ") includes \"" target "\" (floor " floor[to] / 10 ")")
  }
}

END {
  # Headers that bring SystemC or Verilated code along, directly or through each other, stay in their folder.
  do {
    grown = 0
    for (i = 1; i <= reaches; i++) {
      split(reach[i], edge, SUBSEP)
      if (edge[1] ~ /\.h$/ && (edge[2] in behind_wall) && !(edge[1] in behind_wall) && (folder_of(edge[1]) in walled)) {
        behind_wall[edge[1]] = 1
        grown = 1
      }
    }
  } while (grown)
  for (i = 1; i <= reaches; i++) {
    split(reach[i], edge, SUBSEP)
    where = edge[3]
    if (folder_of(edge[1]) != folder_of(edge[2]) && (edge[2] in behind_wall)) {
      complain("\"" edge[2] "\" brings SystemC along")
    }
  }
  if (lines == 0) {
    print "floors: no include line found"
    bad = 1
  }
  if (!bad) printf "floors: %d include lines\n", lines
  exit bad
}
