"""Random conditions."""
from . import literals
from . import types as T
from .expr import Expr, call

COMPARISONS = ("eq", "eq", "ne", "lt", "le", "gt", "ge", "is_distinct", "is_not_distinct")


def boolean(g, depth, exact):
    rng = g.rng
    kind = rng.choices(("compare", "logic", "null", "truth", "in", "between", "like", "starts", "row", "array", "subquery"),
                       (12, 6, 3, 2, 4, 3, 4, 1.3, 1.2, 1.2, 5))[0]
    if kind == "compare":
        return comparison(g, depth)
    if kind == "logic":
        return logic(g, depth)
    if kind == "null":
        return call(rng.choice(("is_null", "is_not_null")), T.BOOL, g.any(depth, False), exact=True)
    if kind == "truth":
        return truth(g, depth)
    if kind == "in":
        return in_list(g, depth)
    if kind == "between":
        args = g.alike(g.random_class(), 3, depth)
        if not args or args[0].type.kind in ("interval",):
            return None
        return Expr("between", T.BOOL, args, (rng.random() < 0.3, rng.random() < 0.2))
    if kind == "like":
        return like(g, depth)
    if kind == "starts":
        return call("starts_with", T.BOOL, g.expr("text", depth), g.expr("text", 0))
    if kind == "row":
        return row(g, depth)
    if kind == "array":
        args = g.alike(g.random_class(), rng.choice((2, 3, 4)), min(depth, 1))
        return Expr("array", T.BOOL, args, (rng.choice(("=", "<>", "<", ">=")), rng.choice(("ANY", "ALL")))) if args else None
    return g.subquery(rng.choice(("exists", "in", "not in", "any", "all")), g.random_class(), g) if g.subquery else None


def bare_side(g, left):
    """A literal without type, which takes the other side's."""
    if left.type.kind in ("date", "ts", "tstz", "time") and not left.is_literal and left.op != "bare":
        return literals.temporal(g.rng, left.type, bare=True)
    return None


def comparison(g, depth):
    rng = g.rng
    klass = g.random_class()
    op = rng.choice(COMPARISONS)
    if klass in ("int", "dec", "float") and rng.random() < 0.25:
        sides = [g.number(depth), g.number(depth - 1)]
        t = T.common(sides[0].type, sides[1].type)
        from .gen_expr import meets
        if t is None or not all(meets(s, t) for s in sides):
            return None
        return Expr(op, T.BOOL, sides, rng.random() < 0.3)
    sides = g.alike(klass, 2, depth)
    if not sides:
        return None
    if rng.random() < 0.3:
        bare = bare_side(g, sides[0])
        if bare is not None:
            sides[1] = bare
    if rng.random() < 0.2 and sides[1].op != "bare":
        sides.reverse()
    return Expr(op, T.BOOL, sides, rng.random() < 0.3)


def logic(g, depth):
    rng = g.rng
    if rng.random() < 0.25:
        return call("not", T.BOOL, g.condition(depth))
    args = [g.condition(depth if i == 0 else depth - 1) for i in range(rng.choice((2, 2, 3)))]
    return call(rng.choice(("and", "or")), T.BOOL, *args)


def truth(g, depth):
    op = g.rng.choice(("is_true", "is_false"))
    words = {"is_true": (None, "IS NOT TRUE"), "is_false": (None, "IS NOT FALSE")}[op]
    word = g.rng.choice(words + ("IS UNKNOWN", "IS NOT UNKNOWN")) if g.rng.random() < 0.4 else None
    if word and "UNKNOWN" in word:
        op = "is_null" if word == "IS UNKNOWN" else "is_not_null"
    return call(op, T.BOOL, g.condition(depth), data=word)


def in_list(g, depth):
    rng = g.rng
    klass = rng.choice((g.random_class(), "int", "text"))
    if klass == "interval":
        return None
    subject = g.expr(klass, depth)
    items = [subject]
    for _ in range(rng.choice((1, 2, 3, 5))):
        item = g.literal(klass) if rng.random() < 0.8 else g.expr(klass, min(depth, 1))
        items.append(g.same_type(item, subject.type) if rng.random() < 0.5 and not item.is_literal else item)
    from .gen_expr import meets
    t = T.common_of([i.type for i in items])
    if t is None or not all(meets(i, t) for i in items):
        return None
    if rng.random() < 0.1:
        items.append(literals.null(rng, subject.type))
    if any(T.common(t, i.type) != t for i in items):
        return None
    return Expr("in_list", T.BOOL, items, rng.random() < 0.3)


PATTERNS = ("%", "a%", "%a", "%b%", "_", "__", "a_c", "%a%b%", "", "x%", "%\u00e9%", "_\u00f6%", "a\\%b", "a\\_b", "%\\\\%", "%1", "A%", "Zo%", "%_%")


def like(g, depth):
    rng = g.rng
    text = g.expr("text", depth)
    word = rng.choice(("LIKE", "LIKE", "ILIKE"))
    pattern = rng.choice(PATTERNS)
    args = [text, literals.literal(T.TEXT, literals.quoted(pattern), literals.quoted(pattern))]
    if rng.random() < 0.2:
        pattern = rng.choice(("a!%b", "%!_%", "!!%", "a%"))
        args = [text] + [literals.literal(T.TEXT, literals.quoted(p), literals.quoted(p)) for p in (pattern, "!")]
    elif rng.random() < 0.15:
        args[1] = plain_pattern(g)
    e = Expr(word.lower(), T.BOOL, args, (word, rng.random() < 0.3))
    return e


def plain_pattern(g):
    """A column as pattern; without backslashes, as a pattern that ends with one is an error."""
    found = [c for c in g.columns if c.type == T.TEXT and c.bound <= 4]
    return g.rng.choice(found) if found else literals.literal(T.TEXT, "'b%'", "'b%'")


def row(g, depth):
    rng = g.rng
    width, count = 2, rng.choice((1, 2, 3))
    heads = [g.expr(g.random_class(), min(depth, 1)) for _ in range(width)]
    args = list(heads)
    for _ in range(count):
        for head in heads:
            args.append(g.same_type(g.expr(head.type.klass, 0), head.type))
            t = T.common(head.type, args[-1].type)
            from .gen_expr import meets
            if t is None or not (meets(head, t) and meets(args[-1], t)):
                return None
    word = "IN" if count > 1 else rng.choice(("=", "<>"))
    return Expr("row", T.BOOL, args, (word, width))
