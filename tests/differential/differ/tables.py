"""Random tables: columns with their values in memory. files.py writes them as Parquet."""
from dataclasses import dataclass, field

from . import types as T
from . import values


@dataclass
class Column:
    """A column of a table: its values, and what is known of all of them."""

    name: str
    type: T.Type
    flavour: str
    values: list
    known_bound: float = None
    is_key: bool = False  # of folders: no file has it

    @property
    def is_special(self):
        """May be NaN or an infinity, or so large that arithmetic overflows."""
        return self.flavour == "extreme" and self.type.kind in T.FLOATS

    @property
    def bound(self):
        """No number of it is larger than this, and no text longer."""
        if self.known_bound is None:
            self.known_bound = self.find_bound()
        return self.known_bound

    def find_bound(self):
        if self.type.kind == "text":
            return {"few": 4, "ascii": 14}.get(self.flavour, 30 if self.flavour == "many" else 3000)
        if self.type.kind in T.FLOATS:
            return 1e6 if not self.is_special else float("inf")
        if self.type.kind in ("date", "ts", "tsns", "tstz"):
            return 4000 if self.flavour != "extreme" else float("inf")
        if not self.type.is_number:
            return 0
        return int(max((abs(v) for v in self.values if v is not None), default=0)) + (self.type.kind == "dec")


@dataclass
class Table:
    name: str
    columns: list
    rows: int
    files: list = field(default_factory=list)  # files.FileSpec
    pattern: str = "*.parquet"
    calls: tuple = ()  # of read_parquet, with {} for the name: other ways to read it; the only ones of columns put together by name

    @property
    def path(self):
        return f"{self.name}/{self.pattern}"

    @property
    def has_name(self):
        """May the program be told that its files are a table?"""
        return not any(spec.columns for spec in self.files)


NULL_MODES = ("none",) * 8 + ("some",) * 6 + ("many", "first", "last", "all")


def put_nulls(rng, column):
    mode, rows = rng.choice(NULL_MODES), len(column)
    if mode == "all":
        return [None] * rows
    if mode in ("first", "last"):
        cut = rng.randint(0, rows)
        inside = range(cut) if mode == "first" else range(cut, rows)
        return [None if i in inside else v for i, v in enumerate(column)]
    share = {"none": 0, "some": 0.2, "many": 0.7}[mode]
    return [None if share and rng.random() < share else v for v in column]


def make_column(rng, name, t, flavour, rows):
    if rows > 400:  # values of a pool, as making each one takes long
        pool = [values.value(rng, t, flavour) for _ in range(6 if flavour == "few" else 300)]
        drawn = rng.choices(pool, k=rows)
    else:
        drawn = [values.value(rng, t, flavour) for _ in range(rows)]
    return Column(name, t, flavour, put_nulls(rng, drawn))


# Types that the key columns k and m have in different tables: joins meet many pairs of types.
KEY_TYPES = ([T.I32] * 6 + [T.I64] * 3 + [T.I8, T.I16, T.U8, T.U16, T.U32, T.U64, T.F64, T.F32]
             + [T.decimal(5, 0), T.decimal(9, 2), T.decimal(18, 4), T.decimal(30, 4)])
TEXTS = ("a", "b", "c", "ab", "", "Zo\u00eb", "a long text of keys")


def key_value(t, number):
    import decimal
    if t.kind in T.FLOATS:
        return float(number)
    return decimal.Decimal(number).scaleb(0).quantize(decimal.Decimal(1).scaleb(-t.scale)) if t.kind == "dec" else number


def key_columns(rng, rows):
    """k: few values; m: many; s: text; d: dates. Tables meet in them."""
    def numbers(name, most):
        t = rng.choice(KEY_TYPES)
        most = min(most, t.largest()) if t.kind not in T.FLOATS else most
        return Column(name, t, "few", put_nulls(rng, [key_value(t, rng.randint(0, most)) for _ in range(rows)]))
    few = numbers("k", rng.choice((1, 4, 9)))
    many = numbers("m", rng.choice((30, 90, 2000 if rows > 400 else 60)))
    words = Column("s", T.TEXT, "few", put_nulls(rng, [rng.choice(TEXTS) for _ in range(rows)]))
    words.flavour = "many"
    t = rng.choice((T.DATE, T.DATE, T.TS, T.TSTZ))
    unit = 1 if t == T.DATE else values.DAY_US
    days = Column("d", t, "few", put_nulls(rng, [(18262 + rng.randint(0, 9)) * unit for _ in range(rows)]))
    return [few, many, words, days]


def random_rows(rng):
    kind = rng.random()
    if kind < 0.08:
        return rng.randint(0, 1)
    if kind < 0.35:
        return rng.randint(2, 12)
    if kind < 0.85:
        return rng.randint(13, 70)
    if kind < 0.95:
        return rng.randint(100, 400)
    return rng.randint(1500, 5000)


def sorted_text(rng, rows):
    """Many long values in order, as names in a file often are."""
    stem = rng.choice(("na\u00efve caf\u00e9", "Customer#", "x"))
    return sorted(f"{stem}{i % max(1, rows * 3 // 5)}" for i in range(rows))


def make_table(rng, name, is_wide=False):
    rows = random_rows(rng)
    table = Table(name, key_columns(rng, rows), rows)
    types = [values.random_type(rng) for _ in range(rng.randint(3, 8))]
    if is_wide:
        types = [T.Type(k) for k in values.FILE_KINDS] + [T.decimal(*d) for d in rng.sample(values.DECIMALS, 5)]
    for i, t in enumerate(types):
        flavour = rng.choice(("few", "many", "many", "extreme"))
        if t.kind == "text" and flavour == "many" and rng.random() < 0.3:
            flavour = "ascii"
        table.columns.append(make_column(rng, f"c{i}", t, flavour, rows))
        if t.kind == "text" and flavour == "many" and rng.random() < 0.3:
            table.columns[-1].values = put_nulls(rng, sorted_text(rng, rows))
    return table


def make_tables(rng):
    return [make_table(rng, f"t{i}", is_wide=i == 0) for i in range(7)]
