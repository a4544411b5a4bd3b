#!/bin/sh
# EXPLAIN and EXPLAIN ANALYZE: names, estimates and rows of a plan, as a reader sees them.
# explain.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

values='(values (1, 10), (2, 20), (3, 30))'
"$program" -c "copy (select k, v from $values t(k, v)) to '$work/t.parquet'" || exit 2
explain() { # SQL OPTION...
    sql=$1
    shift
    "$program" --format tsv --table "t=$work/t.parquet" "$@" -c "$sql"
}

# Columns go by their names where those are theirs alone.
expect "explain" 0 - explain "explain select k, sum(v) as total from t where v > 15 group by k"
says "has a heading" "estimate  plan"
says "names a scan's columns" "scan t [k, v] where (v > 15)"
says "names what is computed as the statement does" "groups [k] aggregates [sum(v) as total]"
silent "numbers no column" "#"
expect "two tables with the same names" 0 - explain "explain select a.k, b.v from t a join t b on a.k = b.k"
if grep -Eq 'inner join on k#[0-9]+ = k#[0-9]+' "$work/out"; then pass; else fail "tells them apart"; fi
if grep -Eq 'scan t \[k#[0-9]+, v\]' "$work/out"; then pass; else fail "but only where it must"; fi
expect "many columns" 0 - explain "explain select $(seq -s, 1 40 | sed 's/[0-9]*/&+k as c&/g') from t"
says "are counted" ", ... 24 more]"

# One line a node; rows and estimate side by side; who took the time.
expect "explain analyze" 0 - explain "explain analyze select k from t where v > 15"
says "has a heading" "      rows   estimate  thread s share  plan"
if grep -Eq '^ +2 +[0-9]+ +[0-9]+\.[0-9]{3} +[0-9]+%  .*scan t \[k, v\]' "$work/out"; then
    pass
else
    fail "rows, estimate, seconds and share of the scan:"
    cat "$work/out"
fi
expect "shares" 0 - explain "explain analyze select v % 7, count(*) from t group by 1 order by 1"
sum=$(sed -n 's/^ *[0-9-]* *[0-9-]* *[0-9.]* *\([0-9]*\)%.*/\1/p' "$work/out" | awk '{ s += $1 } END { print s }')
if [ "$sum" -ge 97 ] && [ "$sum" -le 103 ]; then pass; else fail "shares sum up to $sum"; fi

# Of a join's probe side nothing is read where its build side has no rows, although statistics exclude none.
"$program" -c "copy (select i as k, i * 7 % 11 as v from generate_series(1, 2020) g(i)) to '$work/d.parquet'" || exit 2
expect "no build rows" 0 - explain "explain analyze select count(*), sum(a.v) from d a, d b
    where a.k + 1 = b.k + 2 and b.v = 3 and b.k = 1" --table "d=$work/d.parquet"
if grep -Eq '^ +0 .*scan d \[k#[0-9]+, v#[0-9]+\] *$' "$work/out"; then pass; else
    fail "reads the probe side:"
    cat "$work/out"
fi

# A full join without pairs tries none.
expect "full join on false" 0 - explain "explain select count(a.k), count(b.v) from d a full join d b on false" \
    --table "d=$work/d.parquet"
says "is both sides" "union"
silent "without a join" "join"

# Conditions that contradict each other need no row; their neighbours do.
ranked='(select k, v, rank() over (partition by v order by k) as n from d)'
while IFS='|' read -r conditions numbered; do
    expect "explain" 0 - explain "explain select count(*), min(k) from $ranked x where $conditions" --table "d=$work/d.parquet"
    case $numbered in
    no) silent "$conditions: no rows" "scan" ;;
    *) says "$conditions: rows" "scan" ;;
    esac
done <<'END'
v >= 2 and v <= 1|no
v > 2 and v < 3|no
v > 2 and v < 4|some
v in (5, 6) and v not in (5, 6, 7)|no
v in (5, 6) and v not in (9, 10)|some
v not in (9, 10) and v in (5, 6)|some
v = 3 and (v = 4 or v > 9)|no
v = 3 and (v = 4 or k > 9)|some
v + k = 3 and v + k in (4, 5)|no
v % 2 = 0 and v % 2 is null|no
v is null and (v > 2 or v < 1)|no
k * v > 7 and not (k * v > 7)|no
v <> v|no
random() > 2 and random() < 1|some
n between 0 and -1|no
n >= 2 and n <= 1|no
(- v) > 1|no
(- v) < 1|some
case when v > 20 then 5 else 6 end > 6|no
case when k > 20 then 5 else 6 end > 5|some
greatest(v, 7) > 20|no
coalesce(v > 20, false) is true|no
(k > 0) is not true|no
(v > 20) is distinct from false|no
degrees(212.125e0) is null|no
isinf(nullif(378.875e0 / 17, -1e0))|no
(date_trunc('century', timestamp '2020-06-04 01:00:00'), 3) in ((timestamp '2020-06-04 04:00:00', 3))|no
extract(year from date '1969-12-31') > 1969|no
sin(1e0) > 2e0|some
n < 1|no
n <= 1|some
END

expect "groups of none" 0 - explain "explain select v, count(*) from d group by v having max(false) and least(max(k > 0), true)" \
    --table "d=$work/d.parquet"
silent "have no row" "scan"

# What takes rows of an outer join's kept side away does so before they have partners, and random() beside does not keep
# conditions from tables.
expect "anti join" 0 - explain "explain select a.k, b.v from d a left join d b on a.v = b.v
    where not exists (select 1 from d c where c.k = a.k and c.v = 3)" --table "d=$work/d.parquet"
if [ "$(grep -Eo '(left|anti) join' "$work/out" | tr '\n' ,)" = "left join,anti join," ]; then pass; else
    fail "comes after the left join:"
    cat "$work/out"
fi
expect "random" 0 - explain "explain select a.k, b.v from d a left join d b on a.k = b.k and random() < 0.5
    where a.v = 3 and b.v is not distinct from 4" --table "d=$work/d.parquet"
says "conditions are the scan's" "where (v#2 = 3)"
says "and the other one's" "where (v#4 = 4)"
says "which is then no outer join's" "inner join"

# Equal aggregates that are made of others are made once.
expect "min_by twice" 0 - explain "explain select v, min_by(k, v), min_by(k, v) from d group by v having min_by(k, v) > 3" \
    --table "d=$work/d.parquet"
if [ "$(grep -c 'sort \[' "$work/out")" = 1 ]; then pass; else
    fail "sorts again:"
    cat "$work/out"
fi

# Nor where each of its rows has a NULL among its keys.
expect "build rows of NULLs" 0 - explain "explain analyze select count(*), sum(a.v) from d a
    where a.k + 1 = (select max(nullif(k, k)) from d b where b.v = 3)" --table "d=$work/d.parquet"
if grep -Eq '^ +0 .*scan d \[k(#[0-9]+)?, v(#[0-9]+)?\]' "$work/out"; then pass; else
    fail "reads the probe side:"
    cat "$work/out"
fi

# Of columns that have no NULLs an INTERSECT is a join by equality.
expect "intersect without NULLs" 0 - explain "explain select k from d intersect select k from d e where v > 0" \
    --table "d=$work/d.parquet"
if grep -Eq 'semi join on k#[0-9]+ = k#' "$work/out"; then pass; else fail "is a join by equality"; fi

# Of two runtime filters the one that leaves fewer rows comes first, wherever its join is: here it leaves none, as all
# values are even, and the other one's column, the larger half of what is wanted, is not read.
"$program" -c "copy (select (i % 1013) * (i % 1019) % 1000 as k, (i % 1021) * (i % 1031) % 1009 * 2 as v, i as w
    from generate_series(1, 400000) g(i)) to '$work/f.parquet'" || exit 2
expect "two filters" 0 - explain "explain analyze select count(*), sum(w) from f, d x, d y
    where f.k = x.k and f.v = y.k and x.v < 6 and y.v = 1 and y.k % 2 = 1" \
    --table "d=$work/d.parquet" --table "f=$work/f.parquet"
if grep -Eq '^ +0 .*scan f .* takes filters 0, 1  .read 0\.[3-6] MB' "$work/out"; then pass; else
    fail "reads both keys:"
    cat "$work/out"
fi
finish
