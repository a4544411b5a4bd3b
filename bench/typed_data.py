"""Makes the tables of bench/typed as Parquet: events, of N rows, and quotes, of N / 10.

    bench/typed DATA --rows N [--seed S]

events: id, at (ten a second, not quite in order), one of 200 symbols, one of N / 10 users, one of 8 kinds, a price, a name
(one of some thousand that differ in a letter or two), a line of a log with five numbers in it, and a JSON document.
quotes: symbol, at (one a second), bid.
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
N = options.rows


def draw(column, most):
    """A number below most, by the row's number, as good as drawn."""
    return f"(hash(i * 16 + {column} + {options.seed} * 1000003) % {most})::bigint"


def one_of(column, words):
    return f"[{', '.join(repr(word) for word in words)}][1 + {draw(column, len(words))}]"


def write(name, columns, rows):
    path = os.path.join(options.data, name + ".parquet")
    db.execute(f"copy (select {columns} from range({rows}) r(i)) to '{path}' (format parquet)")


begin = "timestamp '2024-01-01'"
first = ("anders", "petters", "johans", "svens", "eriks", "carls", "gusta", "ols", "nils", "lars", "hendriks", "jens")
middle = ("on", "en", "son", "sson", "sen", "ssen", "sohn", "zon")
last = ("", "", "", " jr", " sr", "-berg", "-dal", "-lund", "-holm", "-strom")
name = f"{one_of(6, first)} || {one_of(7, middle)} || {one_of(8, last)}"
write("events",
      f"i as id, {begin} + to_milliseconds(i * 100 + {draw(1, 1000)}) as ts, 'S' || {draw(2, 200)} as symbol, "
      f"{draw(3, max(N // 10, 1))} as user_id, {one_of(4, ('open', 'close', 'buy', 'sell', 'move', 'cancel', 'split', 'quote'))} as kind, "
      f"round(100 + {draw(5, 100000)} / 1000.0, 2)::double as price, {name} as name, "
      f"'user=' || {draw(9, 100000)} || ' took ' || {draw(10, 1000)} || ' ms, sent ' || {draw(11, 1000000)} || ' bytes to 10.0.' || "
      f"{draw(12, 256)} || '.' || {draw(13, 256)} as line, "
      f"'{{\"user\":{{\"id\":' || {draw(14, 1000)} || ',\"name\":\"' || {one_of(6, first)} || '\"}},\"tags\":[\"a' || {draw(15, 10)} || '\",\"b\",\"c\"],"
      f"\"amount\":' || {draw(5, 10000)} || '.5,\"ok\":' || ({draw(4, 2)} = 1) || '}}' as doc", N)
write("quotes", f"'S' || {draw(2, 200)} as symbol, {begin} + to_milliseconds(i * 1000 + {draw(1, 1000)}) as ts, "
      f"round(100 + {draw(3, 100000)} / 1000.0, 2)::double as bid", max(N // 10, 1))
