"""TPC-H by processes with one thread each, and by one rank, over one process with as many threads.

All run in turns, which comes first changes from round to round, and a first round is not counted. Beside the medians'
ratios: the bytes that ranks sent each other, as EXPLAIN ANALYZE counts them.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("data")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--processes", type=int, default=2)
parser.add_argument("--queries", default="1-22")
parser.add_argument("--program", default=os.path.join(here, "..", "build", "release", "pistachio"))
parser.add_argument("--json")
arguments = parser.parse_args()

count = str(arguments.processes)
PLACES = {
    "one process": ["--set", f"threads={count}"],
    "one rank": ["--ranks", "1", "--set", f"threads={count}"],
    "processes": ["--processes", count, "--set", "threads=1"],
}


def seconds(options):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([arguments.program, "tpch", "run", "--data", arguments.data, "--queries", arguments.queries,
                        "--json", file.name, *options], check=True, stdout=subprocess.DEVNULL)
        return {query["query"]: query["median_s"] for query in json.load(file)["queries"]}


def bytes_sent(query):
    with open(os.path.join(here, "..", "src", "tpch", "queries", f"q{query:02}.sql"), encoding="utf-8") as file:
        sql = "explain analyze " + file.read()
    plan = subprocess.run([arguments.program, *PLACES["processes"], "--format", "csv", "-c", sql, arguments.data],
                          check=True, capture_output=True, text=True).stdout
    sent = [part for line in plan.splitlines() if re.match(r'"? *exchange \d', line)
            for part in line.split(";") if part.startswith(" sent bytes:")]
    return sum(int(number) for part in sent for number in re.findall(r"(\d+) to rank", part))


times = {place: {} for place in PLACES}
for round_number in range(arguments.runs + 1):
    for place in list(PLACES)[::-1 if round_number % 2 else 1]:
        for query, time in seconds(PLACES[place]).items():
            if round_number:
                times[place].setdefault(query, []).append(time)

medians = {place: {query: statistics.median(runs) for query, runs in times[place].items()} for place in PLACES}
base = medians["one process"]
results = []
print("| query | one process, s | one rank | processes | bytes sent |\n|---|---|---|---|---|")
for query in sorted(base):
    row = {"query": query, "one process": base[query], "one rank": medians["one rank"][query] / base[query],
           "processes": medians["processes"][query] / base[query], "sent": bytes_sent(query)}
    results.append(row)
    print(f"| Q{query} | {row['one process']:.3f} | {row['one rank']:.2f} | {row['processes']:.2f} | "
          f"{row['sent'] / 1e6:.1f} MB |")
for place in "one rank", "processes":
    mean = math.exp(statistics.mean(math.log(row[place]) for row in results))
    print(f"{place}: geometric mean {mean:.3f}, most {max(row[place] for row in results):.2f}")
if arguments.json:
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump({"results": results}, file, indent=1)
