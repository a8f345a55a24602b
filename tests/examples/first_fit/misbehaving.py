#!/usr/bin/env python3
"""Everything that an allocator under test can do wrong besides allocating wrongly.

usage: misbehaving.py HOW KERNEL_IN PLACED_OUT
"""

import os
import signal
import subprocess
import sys
import time

how, kernel_in, placed_out = sys.argv[1:]


def answer(text):
    with open(placed_out, "w", encoding="utf-8") as file:
        file.write(text)


def kernel_lines():
    with open(kernel_in, encoding="utf-8") as file:
        return file.read().splitlines()


print("about to", how, file=sys.stderr)
if how == "hang":
    # With a child that would outlive it.
    subprocess.Popen(["sleep", "600"])
    time.sleep(600)
elif how == "leave-a-child":
    child = subprocess.Popen(["sleep", "600"])
    print("child", child.pid, file=sys.stderr)
elif how == "crash":
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV)
elif how == "raise":
    raise RuntimeError("no idea")
elif how == "eat-memory":
    hoard = [bytearray(1 << 20) for _ in range(1 << 20)]
elif how == "fill-the-disk":
    with open(placed_out, "wb") as file:
        while True:
            file.write(bytes(1 << 20))
elif how == "print-garbage":
    answer("allocated!\n")
elif how == "flood":
    for _ in range(1 << 16):
        print("x" * 255, file=sys.stderr)
    answer("")
elif how == "answer-with-a-pipe":
    os.mkfifo(placed_out)
elif how == "drop-the-last-instruction":
    lines = kernel_lines()
    last = max(i for i, line in enumerate(lines) if line.startswith('{"op"'))
    del lines[last]
    answer("\n".join(lines) + "\n")
elif how == "rename-an-operation":
    answer("\n".join(kernel_lines()).replace('"multiply"', '"add"') + "\n")
elif how == "place-nothing":
    answer("\n".join(kernel_lines()) + "\n")
elif how == "refuse":
    print("too tight", file=sys.stderr)
    sys.exit(4)
elif how == "answer-nothing":
    pass
else:
    sys.exit(f"unknown: {how}")
