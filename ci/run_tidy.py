"""Runs clang-tidy on the project's sources of a compilation database, skipping unchanged ones.

usage: run_tidy.py ROOT BUILD_DIR [PATH_PREFIX...]
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

WITHOUT_VALUE = ("-c", "-MD")
WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")


def preprocess_command(command):
    """The entry's compiler call, turned into one that prints the preprocessed text."""
    words = shlex.split(command)
    if "ccache" in os.path.basename(words[0]):
        words = words[1:]
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in WITH_VALUE:
            skip = True
        elif word not in WITHOUT_VALUE:
            kept.append(word)
    return kept + ["-E", "-P"]


def fingerprint(entry, configuration):
    text = subprocess.run(preprocess_command(entry["command"]), cwd=entry["directory"],
                          capture_output=True, check=False)
    if text.returncode != 0:
        return None
    # Comments count too: a NOLINT lives in one.
    source = pathlib.Path(entry["file"]).read_bytes()
    return hashlib.sha256(configuration + entry["command"].encode() + source + text.stdout).hexdigest()


def check(entry, build, stamps, configuration):
    """Nothing if the file is clean, else what clang-tidy says."""
    key = fingerprint(entry, configuration)
    if key and (stamps / key).exists():
        return None
    run = subprocess.run(["clang-tidy", "-p", str(build), "--quiet", "--warnings-as-errors=*",
                          "--extra-arg=-Wno-unknown-warning-option", entry["file"]],
                         capture_output=True, text=True, check=False)
    if run.returncode == 0 and key:
        (stamps / key).touch()
        return None
    return run.stdout + (run.stderr if not run.stdout else "")


def main(root, build, *prefixes):
    root, build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    configuration = (root / ".clang-tidy").read_bytes()
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        inside = path.is_relative_to(root) and not path.is_relative_to(build)
        relative = str(path.relative_to(root)) if inside else ""
        if inside and (not prefixes or relative.startswith(prefixes)):
            entries.setdefault(relative, entry)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {name: pool.submit(check, entry, build, stamps, configuration)
                for name, entry in sorted(entries.items())}
        for name, job in jobs.items():
            findings = job.result()
            if findings is not None:
                failed += 1
                print(f"{name}:\n{findings}", flush=True)
    print(f"tidy: {len(entries)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
