#!/usr/bin/env python3
"""A small allocator for Spillway, as an example: first fit by liveness, in Python alone.

usage: first_fit.py [--fault no-back-edge|exclusive-last-use] KERNEL_IN PLACED_OUT

Reads a kernel file, gives every SBUF, PSUM and internal DRAM tensor without a place the lowest
free one, and writes the kernel with its places. It spills nothing: where something doesn't fit, it
says so and ends with status 4. The capacities come in the environment
(docs/external_allocators.md).

--fault plants a mistake, to see the judges find it:
  no-back-edge        forgets that a loop's next iteration may still need what this one left
  exclusive-last-use  thinks that an instruction's result may lie where its last operand lies
"""

import argparse
import json
import os
import sys

DTYPE_BYTES = {
    "float32": 4, "tfloat32": 4, "int32": 4, "uint32": 4, "bfloat16": 2, "float16": 2, "int16": 2,
    "uint16": 2, "float8_e4m3": 1, "float8_e5m2": 1, "int8": 1, "uint8": 1,
}
PAGE = 4096  # of DRAM, for homes


def environment(name):
    return int(os.environ["SPILLWAY_" + name])


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def round_up(value, step):
    return -(-value // step) * step


class Tensor:
    """A tensor line, with what it needs and when."""

    def __init__(self, line):
        self.line = line
        self.space = line["space"]
        self.blocks = product(line.get("blocks", []))
        on_chip = self.space != "dram"
        self.partitions = line["shape"][0] if on_chip else 1
        free = line["shape"][1:] if on_chip else line["shape"]
        self.bytes = product(free) * DTYPE_BYTES[line["dtype"]]
        self.first = None  # the first and the last point of its life
        self.last = None
        self.places = []

    def touch(self, first, last):
        self.first = first if self.first is None else min(self.first, first)
        self.last = last if self.last is None else max(self.last, last)

    def needs_place(self):
        if self.space == "dram" and self.line.get("role", "internal") != "internal":
            return False
        return self.first is not None and "at" not in self.line


def operands(instruction):
    """Every operand, whether it was passed alone or in a list."""
    for side in ("out", "in"):
        for value in instruction.get(side, {}).values():
            yield from value if isinstance(value, list) else [value]


def loop_ends(lines):
    """The line of each loop's end, by the line of its start."""
    ends, open_loops = {}, []
    for point, line in enumerate(lines):
        if "loop" in line:
            open_loops.append(point)
        elif "end" in line:
            ends[open_loops.pop()] = point
    return ends


def find_lives(lines, tensors, fault):
    """A life runs from the first access to the last. A loop's next iteration may need what this one
    left, so an access in loops stands for the outermost of them, as a whole."""
    ends = loop_ends(lines)
    outermost = None
    for point, line in enumerate(lines):
        if outermost is not None and point > ends[outermost]:
            outermost = None
        if "loop" in line and outermost is None:
            outermost = point
        if "op" not in line:
            continue
        first, last = point, point
        if outermost is not None and fault != "no-back-edge":
            first, last = outermost, ends[outermost]
        for operand in operands(line):
            for name in (operand["t"], operand.get("indirect")):
                if name in tensors:
                    tensors[name].touch(first, last)


def alive_together(a, b, fault):
    if fault == "exclusive-last-use":
        return a.first < b.last and b.first < a.last
    return a.first <= b.last and b.first <= a.last


def start_partitions(space, partitions):
    if space == "dram":
        return [0]
    if partitions <= 32:
        return [0, 32, 64, 96]
    return [0, 64] if partitions <= 64 else [0]


def lowest_place(tensor, taken, step, size, capacity):
    """The lowest byte, and there the lowest partition, from which the block is free of `taken`:
    a list of (first partition, partitions, byte, bytes)."""
    best = None
    for start in start_partitions(tensor.space, tensor.partitions):
        byte = 0
        for partition, count, other, length in sorted(taken, key=lambda place: place[2]):
            if partition >= start + tensor.partitions or start >= partition + count:
                continue
            if byte + size <= other:
                break
            byte = max(byte, round_up(other + length, step))
        if byte + size <= capacity and (best is None or byte < best[1]):
            best = (start, byte)
    return best


def place_all(tensors, space, step, whole, capacity, fault):
    """First fit in the order in which lives begin. `whole`: a block takes multiples of it."""
    done = [t for t in tensors if t.space == space and "at" in t.line and t.first is not None]
    for tensor in done:
        at = tensor.line["at"]
        tensor.places = at if "blocks" in tensor.line else [at]
    waiting = [t for t in tensors if t.space == space and t.needs_place()]
    for tensor in sorted(waiting, key=lambda t: t.first):
        size = round_up(tensor.bytes, whole)
        taken = [
            (partition, other.partitions, byte, round_up(other.bytes, whole))
            for other in done if alive_together(other, tensor, fault)
            for partition, byte in other.places
        ]
        for block in range(tensor.blocks):
            place = lowest_place(tensor, taken, step, size, capacity)
            if place is None:
                print(f"{tensor.line['tensor']}: block {block} of {tensor.blocks} has no room for "
                      f"{tensor.partitions} x {tensor.bytes} bytes in {capacity} bytes of {space}",
                      file=sys.stderr)
                sys.exit(4)
            tensor.places.append(list(place))
            taken.append((place[0], tensor.partitions, place[1], size))
        tensor.line["at"] = tensor.places if "blocks" in tensor.line else tensor.places[0]
        done.append(tensor)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["no-back-edge", "exclusive-last-use"])
    parser.add_argument("kernel_in")
    parser.add_argument("placed_out")
    options = parser.parse_args()

    with open(options.kernel_in, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    tensors = {line["tensor"]: Tensor(line) for line in lines if "tensor" in line}
    find_lives(lines, tensors, options.fault)

    bank = environment("PSUM_BANK_BYTES")
    place_all(tensors.values(), "sbuf", environment("SBUF_ALIGNMENT"), 1,
              environment("SBUF_BYTES"), options.fault)
    place_all(tensors.values(), "psum", bank, bank, environment("PSUM_BANKS") * bank,
              options.fault)
    place_all(tensors.values(), "dram", PAGE, 1, environment("DRAM_BYTES"), options.fault)

    with open(options.placed_out, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
