"""Makes the tables of H2O.ai's database benchmark (github.com/duckdblabs/db-benchmark, _data): h2o, of N rows with
N / 100 groups, and h2o_x, h2o_small, h2o_medium, h2o_big, of N, N / 100000, N / 1000 and N rows, as Parquet.

    bench/h2o DATA --rows N [--seed S]

Its keys: id1 and id2 are one of 100 texts, id3 one of N / 100; id4, id5, id6 numbers of the same kinds. Of the tables
that are joined nine tenths of the keys are in both. (The benchmark's small table has N / 1000000 rows.)
"""
import argparse, os
import duckdb

parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--rows", type=int, required=True)
parser.add_argument("--seed", type=int, default=42)
options = parser.parse_args()
os.makedirs(options.data, exist_ok=True)
db = duckdb.connect()
N, K = options.rows, 100


def draw(column, most):
    """A number from 1 to most, by the row's number, as good as drawn."""
    return f"(1 + hash(i * 16 + {column} + {options.seed} * 1000003) % {most})"


def write(name, columns, rows, order=""):
    path = os.path.join(options.data, name + ".parquet")
    db.execute(f"copy (select {columns} from range({rows}) r(i) {order}) to '{path}' (format parquet)")


def text(number, digits):
    return f"'id' || lpad(cast({number} as varchar), {digits}, '0')"


many = max(N // K, 1)
write("h2o", f"{text(draw(1, K), 3)} as id1, {text(draw(2, K), 3)} as id2, {text(draw(3, many), 10)} as id3, "
      f"cast({draw(4, K)} as integer) as id4, cast({draw(5, K)} as integer) as id5, cast({draw(6, many)} as integer) as id6, "
      f"cast({draw(7, 5)} as integer) as v1, cast({draw(8, 15)} as integer) as v2, "
      f"round({draw(9, 100000000)} / 1e6, 6) as v3", N)

small, medium = max(N // 100000, 10), max(N // 1000, 10)


def key(column, rows):
    """Of a table of so many keys: a tenth of those that are looked up are not in it."""
    return f"{draw(column, rows * 10 // 9)}"


def keys(numbers):
    """Of both kinds, numbers and texts."""
    names = [f"cast({number} as integer) as id{n}" for n, number in numbers]
    return ", ".join(names + [f"'id' || {number} as id{n + 3}" for n, number in numbers])


write("h2o_x", keys([(1, key(1, small)), (2, key(2, medium)), (3, key(3, N))]) + f", {draw(7, 100000000)} / 1e6 as v1", N)
write("h2o_small", keys([(1, "(i + 1)")]) + f", {draw(8, 100000000)} / 1e6 as v2", small, "order by hash(i)")
write("h2o_medium", keys([(1, key(10, small)), (2, "(i + 1)")]) + f", {draw(9, 100000000)} / 1e6 as v2", medium,
      "order by hash(i)")
write("h2o_big", keys([(1, key(11, small)), (2, key(12, medium)), (3, "(i + 1)")]) +
      f", {draw(13, 100000000)} / 1e6 as v2", N, "order by hash(i)")
