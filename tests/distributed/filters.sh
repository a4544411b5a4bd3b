#!/bin/sh
# What a join's build side tells scans on all ranks, before their rows are sent. filters.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"

# x from 0 to 9999, y = x % 100, in row groups of 500; s: ten of them.
digits="(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
"$program" -c "copy (with d(i) as $digits select a.i + 10 * b.i + 100 * c.i + 1000 * e.i as x, a.i + 10 * b.i as y,
            'number ' || (a.i + 10 * b.i) as name
        from d a, d b, d c, d e) to '$work/t.parquet' (row_group_size 500);
    copy (select i * 7 as k, i as v, 'number ' || i * 7 as name from $digits d(i)) to '$work/s.parquet' (row_group_size 2)" || exit 2

# Rows that all ranks' scans of t give out.
scanned() { # SQL SETTING
    "$program" --format tsv --set "${2:-device=cpu}" --set ranks=2 --set distribute=always --table "t=$work/t.parquet" \
        --table "s=$work/s.parquet" -c "explain analyze $1" >"$work/out" || fail "$1"
    sed -n 's/^ *\([0-9]*\) .* scan t .*/\1/p' "$work/out"
}
at_most() { # ROWS SQL SETTING
    rows=$(scanned "$2" "${3:-}")
    [ "${rows:-1000000}" -le "$1" ] && return
    echo "$rows rows of t were sent"
    cat "$work/out"
    return 1
}
# By hand: nine values of k are left, each is one of y, which has 100 rows.
expect "rows" 0 "$(printf 'n\n900')" "$program" --format csv --set ranks=3 --set distribute=always \
    --table "t=$work/t.parquet" --table "s=$work/s.parquet" \
    -c "select sum(c) as n from (select y, count(*) as c from t group by y) g join s on y = k where v < 9"
sent="select sum(c) from (select y, count(distinct x) as c from t group by y) g join s on y = k where v < 9"
check "filters of all ranks, for rows that are sent" at_most 900 "$sent"
check "and on lazy devices" at_most 900 "$sent" device=simulated
check "of texts" at_most 900 "select sum(c) from (select name, count(distinct x) as c from t group by 1) g
    join s using (name) where v < 9"
# Few keys of a wide range: where many rows are saved ranks send each other a bit for each value of it, which lets no
# other row pass. wide: 40,000 rows of 64 bytes, x every 15th number; few: every 300th.
wide=$(printf ', cast(n + %s as bigint) as c%s' 1 1 2 2 3 3 4 4 5 5 6 6 7 7)
"$program" -c "copy (with d(i) as $digits select cast(n * 15 as bigint) as x $wide from (select a.i + 10 * b.i + 100 * c.i
        + 1000 * e.i + 10000 * f.i as n from d a, d b, d c, d e, d f where f.i < 4) q) to '$work/w.parquet' (row_group_size 4000);
    copy (with d(i) as $digits select cast((a.i + 10 * b.i + 100 * c.i + 1000 * e.i) * 300 as bigint) as k from d a, d b, d c, d e
        where e.i < 2) to '$work/few.parquet' (row_group_size 500)" >"$work/out" || exit 2
"$program" --set ranks=2 --set distribute=always --set disabled_optimizer_rules=broadcast --table "t=$work/w.parquet" \
    --table "few=$work/few.parquet" -c "explain analyze select sum(c1 + c2 + c3 + c4 + c5 + c6 + c7) from t join few on x = k" >"$work/plan"
check "a bitmap lets pass what has a partner" grep -Eq '^ *2000 .* scan t ' "$work/plan"
# Build rows in temporary files: ranks only tell each other of the range.
expect "with rows in temporary files" 0 "$(printf 'n\n900')" env PISTACHIO_FAULT=room:2:every "$program" --format csv \
    --set ranks=3 --set distribute=always --table "t=$work/t.parquet" --table "s=$work/s.parquet" \
    -c "select sum(c) as n from (select y, count(*) as c from t group by y) g join s on y = k where v < 9"
finish
