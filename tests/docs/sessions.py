#!/usr/bin/env python3
"""The sessions of documents, run as they are written: sessions.py PROGRAM [--write] DOCUMENT...

In an indented block a line that begins with "$ " is a command of the system's shell, which goes on over lines that begin
with "> "; what follows, up to the next command or the end of the block, is what it prints. A document's commands run one
after the other in a folder of its own, with the program as `pistachio`. --write puts what they print into the document,
for whoever writes one; it is to be checked by other means."""
import os
import re
import subprocess
import sys
import tempfile

INDENT = "    "


def blocks_of(lines):
    """Ranges of indented lines that begin with a command."""
    at = 0
    while at < len(lines):
        if not lines[at].startswith(INDENT + "$ "):
            at += 1
            continue
        start = at
        while at < len(lines) and (lines[at].startswith(INDENT) or (not lines[at] and at + 1 < len(lines)
                                                                  and lines[at + 1].startswith(INDENT))):
            at += 1
        yield start, at


def commands_of(lines):
    """Lines of each command, and of what it prints."""
    found = []
    for line in (line[len(INDENT):] for line in lines):
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0].append(line[2:])
        else:
            found[-1][1].append(line)
    return found


def run(command, folder, program):
    environment = {**os.environ, "PATH": os.path.join(folder, ".bin") + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(command, shell=True, cwd=os.path.join(folder, "work"), env=environment, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [line.rstrip() for line in ran.stdout.splitlines()]


def answers_of(lines):
    """Statement, another engine's answer, ours."""
    return [match.groups() for match in (re.match(r"\| `(select .*?)` \| `(.*?)` \| `(.*?)` \|", line) for line in lines) if match]


def answer(program, statement):
    ran = subprocess.run([program, "--format", "tsv", "--null", "NULL", "-c", statement], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True)
    if ran.returncode:
        return ran.stderr.splitlines()[0]
    return ", ".join(ran.stdout.splitlines()[1:]).replace("\t", ", ").replace("\\N", "NULL")


def check_answers(program, path):
    good = bad = 0
    with open(path) as file:
        rows = answers_of(file.read().splitlines())
    for statement, _, expected in rows:
        got = answer(os.path.abspath(program), statement)
        good, bad = good + (got == expected), bad + (got != expected)
        if got != expected:
            print(f"{path}: {statement} gives {got}, not {expected}")
    return good, bad


def check(program, path, is_written):
    """How many commands printed what the document says, and how many something else."""
    with open(path) as file:
        lines = file.read().splitlines()
    good = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "work"))
        os.makedirs(os.path.join(folder, ".bin"))
        os.symlink(os.path.abspath(program), os.path.join(folder, ".bin", "pistachio"))
        blocks = list(blocks_of(lines))
        made = {}
        for start, end in blocks:
            text = []
            for command, expected in commands_of(lines[start:end]):
                got = run("\n".join(command), folder, program)
                text += [INDENT + "$ " + command[0]] + [INDENT + "> " + line for line in command[1:]]
                text += [INDENT + line if line else "" for line in got]
                if [line.rstrip() for line in expected] == got:
                    good += 1
                elif not is_written:
                    bad += 1
                    print(f"{path}: {' '.join(command)}\nprints:", *got, "and not:", *expected, sep="\n")
            made[start] = (end, text)
    if is_written:
        for start, end in reversed(blocks):
            lines[start:end] = made[start][1]
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
    return good, bad


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    results = [check(words[0], path, "--write" in sys.argv) for path in words[1:]]
    results += [check_answers(words[0], path) for path in words[1:]]
    good, bad = (sum(result[i] for result in results) for i in (0, 1))
    print(f"{good} passed, {bad} failed, 0 skipped")
    sys.exit(bad > 0 or (good == 0 and "--write" not in sys.argv))


if __name__ == "__main__":
    main()
