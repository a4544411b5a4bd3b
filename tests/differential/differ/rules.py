"""Where the two engines are meant to differ, and what is done about it. README.md has the same table (run --rules)."""

# (what, how it is kept from looking like a failure, reason)
RULES = (
    ("mode, arg_min, arg_max", "of values that are one of the group, or of its key", "which of several is not defined"),
    ("initcap, regexp_instr, shifts", "written out for DuckDB", "it has none, or another meaning"),
    ("regular expressions", "patterns that match no empty text, read alike by both", "RE2 has no borders \\y, \\m, \\M and another \\w"),
    ("corr, regr_* of no spread", "NaN is NULL for DuckDB", "PostgreSQL's NULL"),
    ("date_diff of weeks, centuries, millennia", "not made", "DuckDB counts whole ones, not borders"),
    ("types of operands and results", "DuckDB's SQL casts both operands and the result to the types that docs/SQL.md names",
     "literals, sums, products and unsigned numbers have other types in DuckDB"),
    ("integer / integer", "`//` for DuckDB", "its `/` gives a double"),
    ("decimals of more than 18 digits", "an operand is cast to the result's digits", "DuckDB computes in 64 bits where both operands fit them, "
     "and as doubles where two types have no common one"),
    ("decimals of more than 15 digits as double", "through text for DuckDB", "its cast is not always the nearest double"),
    ("LIKE without ESCAPE", "ESCAPE '\\' for DuckDB", "PostgreSQL's default, DuckDB has none"),
    ("substring from a position below 1", "computed from greatest() for DuckDB", "positions before the text count in PostgreSQL; DuckDB counts from the end"),
    ("(a, b) = (c, d), IN of rows", "AND and OR of comparisons for DuckDB", "its rows are structs, whose comparison knows no NULL"),
    ("BETWEEN SYMMETRIC, = ANY (ARRAY[...])", "written out for DuckDB", "not in its grammar, or over lists"),
    ("varchar(n)", "left() for DuckDB", "it ignores the length"),
    ("octet_length of text, position(a in b)", "strlen(), strpos()", "other names"),
    ("timestamp ± interval with a zone", "computed as a timestamp without zone, in UTC", "DuckDB takes months, days and time in another order"),
    ("timestamp_ns ± interval, parts and casts of it", "computed in microseconds, the nanoseconds added again; no epoch", "DuckDB drops or rounds them"),
    ("date_trunc('century')", "shifted by a year for DuckDB", "centuries begin in 1901; DuckDB's in 1900"),
    ("date_trunc of a date", "cast to timestamp", "PostgreSQL's type"),
    ("timestamp_ns with timestamptz", "not made", "their common type has no counterpart in DuckDB"),
    ("years before Christ", "`BC` and `(BC)` are alike; not cast to text", "another spelling"),
    ("year, isoyear, decade before Christ", "computed from DuckDB's year", "1 BC is year -1; DuckDB's 0, and its decades are cut off towards 0"),
    ("floor, ceil, round, trunc of integers", "left out for DuckDB", "it computes them as doubles"),
    ("intervals as text", "`mon` and `month`, plurals and plus signs are alike", "another spelling"),
    ("intervals in DISTINCT, GROUP BY, ORDER BY with LIMIT, min, max", "not made", "one month and 30 days are equal: either may be shown"),
    ("interval * number", "whole numbers only", "fractions of months are spread differently"),
    ("floats as text", "not made", "DuckDB writes 1.0 for 1"),
    ("decimals without whole digits as text", "0 is put before the point", "DuckDB writes .5"),
    ("NaN", "is equal to itself when results are compared", "so it is in both engines"),
    ("-0.0", "is 0.0 when results are compared", "they are equal; which one DISTINCT, min or a join shows is not defined"),
    ("sums, averages, variances of floats; libm", "compared with a tolerance of 1e-7; not used below comparisons, casts, keys",
     "the order of additions and the library differ"),
    ("sums, averages and arithmetic of NaN, infinities, and of numbers near the limits", "not made, but in one statement of a hundred, "
     "which may then fail by its data where the oracle does not", "docs/SQL.md: overflow is an error; where it is met depends on the plan"),
    ("x / y, x % y", "y is nullif(y, 0), but in those statements", "division by zero is an error; where it is met depends on the plan"),
    ("casts of floats to integers and decimals", "of multiples of 1/8 with room for them", "halves are rounded to even by one, away from zero by the other"),
    ("round(decimal, -n)", "of 38 digits for DuckDB, NULL apart", "it makes 0 of a NULL with fewer than n digits"),
    ("any_value", "of keys, or filtered to one value", "any is right"),
    ("LIMIT, OFFSET", "with ORDER BY over all columns; of large pages also without: counted are the rows that the table has just so",
     "else any rows are right"),
    ("INSERT of rows of the table itself", "for DuckDB they are put into another table first", "it reads rows that the statement adds"),
    ("COPY to json of NaN and infinities", "NULL is expected", "json has none"),
    ("COPY to csv of one column", "not made", "an empty line is a row of one NULL, and none to readers"),
    ("sign of NaN", "not made", "differs from PostgreSQL and is in doubt"),
    ("interval columns of files", "not made: intervals are computed", "Parquet's INTERVAL is read as a blob"),
    ("uuid columns of files", "bytes", "a UUID is read as a blob"),
    ("upper, lower", "of characters with one counterpart", "Unicode's tables differ for ß and the like"),
    ("subqueries in the select list of a correlated IN, ANY or ALL, or of what it reads", "not made", "of no rows DuckDB makes NULL, where x NOT IN is true"),
    ("IN over aggregates of a correlated scalar subquery", "not made", "of no rows DuckDB makes NULL of 1 IN (max(x), 1)"),
    ("correlated subqueries of the program's list of what it does not do", "counted as refused, with their message", "docs/SQL.md"),
)


def markdown():
    lines = ["| what | how | why |", "|---|---|---|"]
    return "\n".join(lines + [f"| {a} | {b} | {c} |" for a, b, c in RULES])
