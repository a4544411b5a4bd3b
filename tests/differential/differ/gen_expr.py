"""Random, well-typed expressions over the columns of a scope."""
from . import gen_bool, gen_library, gen_number, gen_text, gen_time, literals
from . import types as T
from .expr import Expr, call, cast, cast_fits, union_of

CLASSES = ("int", "text", "dec", "float", "bool", "date", "ts", "tstz", "time", "interval", "blob", "uuid")
WEIGHTS = (30, 22, 12, 12, 10, 8, 6, 3, 3, 4, 2, 3)


class Generator:
    """Expressions over `columns`. `subquery(kind, klass, generator)` makes one, or is None."""

    def __init__(self, rng, columns, subquery=None, pool=None):
        self.rng, self.columns, self.subquery = rng, columns, subquery
        self.pool = {} if pool is None else pool  # literals of the statement: constants are used again

    # ---- leaves ----

    def literal(self, klass):
        kept = self.pool.setdefault(klass, [])
        if kept and self.rng.random() < 0.5:
            return self.rng.choice(kept)
        made = literals.random_literal(self.rng, klass)
        kept.append(made)
        return made

    def columns_of(self, klass, exact):
        return [c for c in self.columns if c.type.klass == klass and (c.exact or not exact)]

    def leaf(self, klass, exact=True):
        found = self.columns_of(klass, exact)
        if found and self.rng.random() < 0.85:
            return self.rng.choice(found)
        if self.rng.random() < 0.04:
            t = {"int": T.I32, "dec": T.decimal(10, 2), "float": T.F64, "ts": T.TS}.get(klass) or T.Type(klass)
            return literals.null(self.rng, t)
        return self.literal(klass)

    def random_class(self):
        """Mostly one of which there are columns."""
        if self.columns and self.rng.random() < 0.7:
            return self.rng.choice(self.columns).type.klass
        return self.rng.choices(CLASSES, WEIGHTS)[0]

    # ---- expressions ----

    def any(self, depth=3, exact=True):
        if depth > 0 and self.rng.random() < 0.36:
            made = gen_library.any_call(self, depth - 1, exact)
            if made is not None:
                return made
        return self.expr(self.random_class(), depth, exact)

    def constant(self, klass, depth):
        """Of literals alone."""
        return Generator(self.rng, [], None, self.pool).expr(klass, depth)

    def expr(self, klass, depth=3, exact=True):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.leaf(klass, exact)
        if self.columns and rng.random() < 0.1:
            return self.constant(klass, min(depth, 2))
        for _ in range(4):
            made = self.operation(klass, depth - 1, exact)
            if made is not None and made.type.klass == klass and (made.exact or not exact):
                return made
        return self.leaf(klass, exact)

    def operation(self, klass, depth, exact):
        draw = self.rng.random()
        if draw < 0.22:
            return self.choice(klass, depth, exact)
        if draw < 0.30 and self.subquery is not None and self.rng.random() < 0.5:
            return self.subquery("scalar", klass, self)
        if draw < 0.40:
            return self.casted(klass, depth)
        if draw < 0.52:
            made = gen_library.of_class(self, klass, depth, exact)
            if made is not None:
                return made
        maker = {"int": gen_number.integer, "dec": gen_number.fixed, "float": gen_number.real, "bool": gen_bool.boolean,
                 "text": gen_text.text, "date": gen_time.date, "ts": gen_time.timestamp, "tstz": gen_time.timestamp_tz,
                 "interval": gen_time.interval}.get(klass)
        return maker(self, depth, exact) if maker else None

    def number(self, depth, exact=True):
        return self.expr(self.rng.choices(("int", "dec", "float"), (5, 3, 2))[0], depth, exact)

    def condition(self, depth=3):
        return self.expr("bool", depth)

    def alike(self, klass, count, depth, exact=True):
        """Expressions that have a common type; None where they do not fit."""
        args = [self.expr(klass, depth if i == 0 else max(0, depth - 1), exact) for i in range(count)]
        if self.rng.random() < 0.7:  # most people compare with the same type
            args = [args[0]] + [self.same_type(a, args[0].type) for a in args[1:]]
        t = T.common_of([a.type for a in args])
        return args if t and (t.klass == klass or klass not in ("int", "dec")) and all(meets(a, t) for a in args) else None

    def same_type(self, e, t):
        return cast(e, t, self.rng.randint(0, 1)) if e.type != t and cast_fits(e, t) else e

    def choice(self, klass, depth, exact):
        """CASE, COALESCE, GREATEST, LEAST, NULLIF of any class."""
        rng = self.rng
        kind = rng.choice(("case", "case", "subject", "coalesce", "coalesce", "greatest", "least", "nullif"))
        if kind == "subject":
            return self.subject_case(klass, depth, exact)
        count = rng.choice((1, 2, 2, 3)) if kind in ("case", "coalesce") else rng.choice((2, 2, 3))
        args = self.alike(klass, 2 if kind == "nullif" else count, depth, exact or kind != "case")
        if not args:
            return None
        t = T.common_of([a.type for a in args])
        if kind == "nullif":
            return Expr("nullif", t, args, **union_of(args)) if args[0].type == args[1].type else None
        if kind != "case":
            return None if klass in ("interval", "blob") and kind != "coalesce" else Expr(kind, t, args, **union_of(args))
        parts = []
        for i, arg in enumerate(args):
            is_last = i == len(args) - 1 and len(args) > 1 and rng.random() < 0.7
            parts += [arg] if is_last else [self.condition(min(depth, 2)), arg]
        return Expr("case", t, parts, {"subject": False}, **union_of(args))

    def subject_case(self, klass, depth, exact):
        subject = self.leaf(self.random_class())
        parts, values = [subject], []
        for _ in range(self.rng.choice((1, 2, 3))):
            when, then = self.leaf(subject.type.klass), self.expr(klass, min(depth, 1), exact)
            both = T.common(subject.type, when.type)
            if both is None or not (meets(subject, both) and meets(when, both)):
                return None
            parts += [when, then]
            values.append(then)
        if self.rng.random() < 0.7:
            values.append(self.expr(klass, min(depth, 1), exact))
            parts.append(values[-1])
        t = T.common_of([v.type for v in values])
        if t is None or t.klass != klass or not all(meets(v, t) for v in values):
            return None
        return Expr("case", t, parts, {"subject": True}, **union_of(values))

    def casted(self, klass, depth):
        rng = self.rng
        targets = {"int": (T.I32, T.I64, T.I8, T.I16, T.U8, T.U16, T.U32, T.U64), "float": (T.F64, T.F64, T.F32),
                   "dec": (T.decimal(10, 2), T.decimal(20, 0), T.decimal(38, 10), T.decimal(18, 6), T.decimal(5, 0), T.decimal(38, 20)),
                   "ts": (T.TS, T.TS, T.TSNS)}.get(klass) or (T.Type(klass),)
        t = rng.choice(targets)
        if klass == "text" and rng.random() < 0.1:
            return self.varchar_cast(depth)
        if klass in ("int", "date", "dec") and rng.random() < 0.2:  # there and back through text
            inner = self.expr(klass, depth)
            if inner.type.kind not in T.FLOATS and cast_fits(inner, T.TEXT) and inner.bound < 1e15:
                back = Expr("cast", inner.type, [cast(inner, T.TEXT)], rng.randint(0, 1), inner.bound)
                return back
        source = self.expr(rng.choice(CLASSES[:9]), depth)
        return cast(source, t, rng.randint(0, 1)) if cast_fits(source, t) and source.type != t else None

    def varchar_cast(self, depth):
        """varchar(n) cuts, which DuckDB's does not: there it is left()."""
        arg, n = self.expr("text", depth), self.rng.randint(0, 5)
        e = Expr("varchar_cast", T.TEXT, [arg], n, n)
        return e


def meets(e, t):
    """The expression's values fit the type that it is compared or combined as."""
    if t.kind == "tsns" and e.type.kind != "tsns":
        return e.bound < 30000
    if t.kind == "dec" and e.type != t and e.type.kind in ("dec",) + T.INTEGERS:
        return e.bound < t.largest()
    return True


def function(op, t, *args, bound=0, data=None, exact=None):
    return call(op, t, *args, bound=bound, data=data, exact=exact)
