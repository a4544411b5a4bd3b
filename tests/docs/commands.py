#!/usr/bin/env python3
"""The commands of README.md, SHELL.md, REWRITER.md and LIBRARY.md, run as they are written: commands.py BUILD SOURCE

Each is found in its document, so that one that is changed there is run as it is now, and one that is gone fails. They run in
an empty folder with an empty home, where `build/release` is the build and `pistachio` is what the README's cmake --install
puts into ~/.local. scripts/demo and scripts/test are run by scripts/check-bare, scripts/wheel by tests/deploy/packages.sh, and
the lines of CLIENTS.md by tests/clients."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

build, source = (os.path.abspath(path) for path in sys.argv[1:3])
passed, failed, skipped = 0, 0, 0


def note(what, is_right, said=""):
    global passed, failed
    passed += bool(is_right)
    failed += not is_right
    if not is_right:
        print(f"failed: {what}:\n{said[-1500:]}")


def lines_of(name):
    with open(os.path.join(source, name), encoding="utf-8") as document:
        return document.read().split("\n")


def indented(name, pattern):
    """Commands of the document's indented lines, without the text that explains them: two blanks before it."""
    found = [re.split(r" {3,}", line.strip())[0] for line in lines_of(name) if re.match(r"    " + pattern, line)]
    note(f"{name} has commands like {pattern}", found)
    return found


def run(command, folder, **more):
    environment = {**os.environ, "HOME": folder + "/home", "LC_ALL": "C.UTF-8",
                   "PATH": folder + "/home/.local/bin:" + os.environ["PATH"], **more}
    return subprocess.run(["sh", "-c", command], cwd=folder + "/work", env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def succeeds(name, command, folder, **more):
    done = run(command, folder, **more)
    note(f"{name}: {command}", done.returncode == 0, done.stdout)
    return done


def test_installing(folder):
    for command in indented("README.md", r"cmake --install"):
        succeeds("README.md", command, folder)


def test_first_command(folder):
    """The block that begins with "$ ": a command of two lines, then what it prints."""
    block, lines = [], lines_of("README.md")
    start = next(i for i, line in enumerate(lines) if line.startswith("    $ "))
    for line in lines[start:]:
        if not line.startswith("    "):
            break
        block.append(line[4:])
    end = next(i for i, line in enumerate(block) if line.endswith('"') and i)
    done = run("\n".join(block[:end + 1])[2:], folder)
    wanted = block[end + 1:]
    printed = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")][-len(wanted):]
    note("README.md's first command", done.returncode == 0 and printed == [line.rstrip() for line in wanted], done.stdout)


def test_shell(folder):
    """Each dot command stands in a session, and statements of the ways to give SQL are run."""
    for command in indented("docs/SHELL.md", r"\.[a-z]+ "):
        succeeds("SHELL.md", f"printf '%s\\nselect 42 as a;\\n' '{command}' | pistachio data | grep -q 42", folder)
    note("SHELL.md's first lines", len(indented("docs/SHELL.md", r"pistachio \[OPTIONS\]")) == 2)
    for command in ("echo 'select 42;' | pistachio", "pistachio -c 'select 42' data", "echo 'select 42;' >q.sql; pistachio -f q.sql data",
                    "pistachio --help"):
        succeeds("SHELL.md", command, folder)


def test_rewriter(folder):
    work = folder + "/work"
    os.makedirs(work + "/fast")
    shutil.copytree(work + "/data", work + "/tpch")
    for name in ("lineitem", "orders"):
        done = run(f"pistachio -c \"copy (select * from {name}) to '{name}.parquet'\" data", folder)
        note("a file to rewrite", done.returncode == 0, done.stdout)
    for command in indented("docs/REWRITER.md", r"pistachio rewrite "):
        succeeds("REWRITER.md", command, folder)
    done = run("pistachio -c \"select count(*) from 'fast/lineitem.parquet' union all select count(*) from 'orders.parquet'\"", folder)
    note("rewritten files", "150000" in done.stdout and "600572" in done.stdout, done.stdout)


def test_library(folder):
    """The indented lines that begin with cc; one goes on on the next line."""
    global skipped
    if not shutil.which("pkg-config") or not shutil.which("cc"):
        print("skipped LIBRARY.md's commands: there is no cc or no pkg-config")
        skipped += 1
        return
    shutil.copy(source + "/tests/library/client.c", folder + "/work/client.c")
    found = subprocess.run(["find", folder + "/home/.local", "-name", "pkgconfig"], stdout=subprocess.PIPE, text=True, check=True)
    lines = lines_of("docs/LIBRARY.md")
    starts = [i for i, line in enumerate(lines) if line.startswith("    cc ")]
    note("LIBRARY.md has commands", starts)
    for start in starts:
        command = re.split(r" {3,}", lines[start].strip())[0]
        if command.endswith("|"):
            command += " " + re.split(r" {3,}", lines[start + 1].strip())[0]
        libraries = os.path.dirname(found.stdout.strip())
        succeeds("LIBRARY.md", command, folder, PKG_CONFIG_PATH=found.stdout.strip())
        done = run("./a.out", folder, LD_LIBRARY_PATH=libraries)
        note("what it has made", "answer 42" in done.stdout, done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/home")
        os.makedirs(folder + "/work/build")
        os.symlink(build, folder + "/work/build/release")
        for test in (test_installing, test_first_command, test_shell, test_rewriter, test_library):
            test(folder)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return bool(failed)


sys.exit(main())
