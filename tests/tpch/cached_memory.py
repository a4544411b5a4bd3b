#!/usr/bin/env python3
"""The 22 queries with the column cache and little memory: rows as without the cache, nothing spills that does not spill without
it, the limit is kept. In a session each query is explained twice (it is asked for, it is kept) and then run.

    cached_memory.py PROGRAM [--data DATA] [--scale 1] [--before PROGRAM] [--limits 512MB,1GB] [--threads 2] [--not-resident] [-- OPTION...]

--before: what is run without the cache, if not PROGRAM. --not-resident: nothing is said of resident memory, of which a sanitizer
takes some. OPTION: of the program, for all runs, for example --ranks 3, or --set device=simulated."""
import argparse
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--data", help="a folder of the tables; without it they are made")
parser.add_argument("--before")
parser.add_argument("--limits", default="512MB,1GB")
parser.add_argument("--threads", default="2")
parser.add_argument("--scale", default="1")
parser.add_argument("--not-resident", action="store_true")
parser.add_argument("--cache", default="20%", help="cache_memory")
own = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
arguments = parser.parse_args(own)
options = sys.argv[len(own) + 2 :]
queries = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/tpch/queries")
checked = failed = 0


def check(holds, what):
    global checked, failed
    checked += 1
    if not holds:
        failed += 1
        print("failed:", what, flush=True)


def statements(explained):
    """The session: each query explained as often, then run, every result under a heading."""
    for number in range(1, 23):
        with open(f"{queries}/q{number:02}.sql", encoding="utf-8") as file:
            query = file.read().strip().rstrip(";")
        for turn in range(explained):
            yield f"select '{number} plan {turn}' as heading;\nexplain analyze {query};\n"
        yield f"select '{number} rows' as heading;\n{query};\n"


def run(program, data, limit, explained, *more):
    """The results by heading, and the process's greatest resident memory in MB."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.writelines(statements(explained))
        file.flush()
        command = [program, data, "--format", "csv", "--set", f"threads={arguments.threads}", "--set", f"memory_limit={limit}",
                   *options, *more, "-f", file.name]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        output = process.stdout.read()
        _, code, usage = os.wait4(process.pid, 0)
    check(code == 0, f"{limit} {' '.join(more)}: status {code}")
    results, name = {}, None
    lines = iter(output.splitlines())
    for line in lines:
        if line == "heading":
            name = next(lines)
            results[name] = []
        elif name:
            results[name].append(line)
    return {key: "\n".join(value) for key, value in results.items()}, usage.ru_maxrss / 1024


def spilled(plan):
    """MB that the operators of a plan wrote to temporary files."""
    return sum(map(float, re.findall(r"spilled ([0-9.]+) MB", plan)))


def value_of(text):
    """A number by its value: the order in which doubles are added is not the same twice."""
    try:
        return round(float(text), 4)
    except ValueError:
        return text


def rows_of(text):
    return [[value_of(field) for field in row] for row in csv.reader(io.StringIO(text))]


def compare(limit, data):
    without, resident_without = run(arguments.before or arguments.program, data, limit, 1,
                                    *([] if arguments.before else ["--set", "cache_memory=0"]))
    cached, resident = run(arguments.program, data, limit, 2, "--set", f"cache_memory={arguments.cache}")
    megabytes = {"MB": 1, "GB": 1000}[limit[-2:]] * float(limit[:-2])
    uses = 0
    for number in range(1, 23):
        before = spilled(without.get(f"{number} plan 0", ""))
        for turn in range(2):
            after = spilled(cached.get(f"{number} plan {turn}", "spilled 1000000 MB"))
            check(before or not after, f"{limit}: query {number}, turn {turn} spills {after} MB, without the cache nothing")
            if before or after:
                print(f"{limit}: query {number}, turn {turn} spills {after:.1f} MB, without the cache {before:.1f} MB")
        check(rows_of(cached.get(f"{number} rows", "")) == rows_of(without[f"{number} rows"]), f"{limit}: rows of query {number}")
        uses += "from the cache" in cached.get(f"{number} plan 1", "")
    check(uses, f"{limit}: the cache was used by no query")
    # What is not of the budget: the program, threads' stacks, footers, pages of files that are mapped.
    check(arguments.not_resident or resident <= max(resident_without, megabytes) + 64, f"{limit}: {resident:.0f} MB are resident")
    print(f"{limit}: at most {resident:.0f} MB resident, {resident_without:.0f} MB without the cache; "
          f"{uses} queries took something from it", flush=True)


def main():
    with tempfile.TemporaryDirectory() as work:
        data = arguments.data
        if not data:
            data = os.path.join(work, "data")
            subprocess.run([arguments.program, "tpch", "generate", "--scale", arguments.scale, "--out", data], check=True,
                           stdout=subprocess.DEVNULL)
        for limit in arguments.limits.split(","):
            compare(limit, data)
    print(f"{checked - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
