"""The column cache beside what it saves: times of statements with it and without it, in one session.

Without the cache EXPLAIN ANALYZE counts the time of reading, decompressing and decoding, over all threads. What is left of a
statement's time without the cache once that is taken off is a floor: the last column is the time with the cache over it. Times
are medians of --runs; two runs whose times are not kept fill the cache. Statements are TPC-H's, or those of a file, one a line."""
import argparse
import os
import re
import statistics
import time

from adbc_driver_manager import dbapi

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("data")
parser.add_argument("--statements", help="a file of statements, one a line")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--threads", type=int, default=2)
arguments = parser.parse_args()


def statements():
    """Pairs of a name and a statement."""
    if arguments.statements:
        with open(arguments.statements, encoding="utf-8") as file:
            return list(enumerate(line.split("; --")[0] for line in file if line.strip() and not line.startswith("--")))
    texts = []
    for number in range(1, 23):
        with open(f"{here}/../src/tpch/queries/q{number:02}.sql", encoding="utf-8") as file:
            texts.append((number, file.read().strip().rstrip(";")))
    return texts


library = os.environ.get("PISTACHIO_LIBRARY", f"{here}/../build/release/libpistachio.so.0")


def session(cache_memory):
    """A cursor of a database of its own: the cache is shared by those of the process, whether one uses it is a setting."""
    options = {"uri": os.path.abspath(arguments.data), "pistachio.threads": str(arguments.threads),
               "pistachio.cache_memory": cache_memory}
    return dbapi.connect(driver=library, autocommit=True, db_kwargs=options).cursor()


def seconds_of(cursor, sql):
    start = time.monotonic()
    cursor.execute(sql)
    cursor.fetch_arrow_table()
    return time.monotonic() - start


def decoding_of(sql):
    """Seconds of one thread's share of the decoding that one run counts."""
    plain.execute("EXPLAIN ANALYZE " + sql)
    text = str(plain.fetchall())
    return sum(map(float, re.findall(r"decoded in ([0-9.]+) s", text))) / arguments.threads


def median_of(cursor, sql):
    return statistics.median(seconds_of(cursor, sql) for _ in range(arguments.runs))


plain, cached = session("0"), session("20%")
print("query  without s  decoding s  floor s  with s  ratio")
ratios = []
for name, sql in statements():
    seconds_of(plain, sql)
    without = median_of(plain, sql)
    decoding = statistics.median(decoding_of(sql) for _ in range(arguments.runs))
    seconds_of(cached, sql), seconds_of(cached, sql)
    kept = median_of(cached, sql)
    ratios.append(kept / max(without - decoding, 1e-4))
    print(f"{name:>5}  {without:9.4f}  {decoding:10.4f}  {without - decoding:7.4f}  {kept:6.4f}  {ratios[-1]:5.2f}", flush=True)
print(f"geometric mean {statistics.geometric_mean(ratios):.3f}, most {max(ratios):.2f}")
