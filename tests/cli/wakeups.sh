#!/bin/sh
# How often a task of a lazy device has to be woken: by EXPLAIN ANALYZE on the simulated device, for each
# chunk that there is more of.
# wakeups.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

# 10,000 rows: ordered by `o`; `k` has 7 values, `h` thousands, `t` is long text.
digits='(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) '
"$program" -c "copy (select n / 4 as o, n % 7 as k, (n * 7919 % 5003)::bigint * 1000003 as h,
        'a text that is long: ' || (n % 900)::varchar as t
    from (select d0 + 10 * d1 + 100 * d2 + 1000 * d3 as n from $digits a(d0), $digits b(d1), $digits c(d2),
            $digits d(d3)) rows order by n)
    to '$work/t.parquet' (row_group_size 10000)" >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 2
}

# The wake-ups of the aggregation.
wakes() { # CHUNK_ROWS SQL
    "$program" --table "t=$work/t.parquet" --set device=simulated --set threads=1 --set "chunk_rows=$1" \
        -c "explain analyze $2" >"$work/out" 2>&1 || cat "$work/out" >&2
    sed -n 's/.* aggregate .*wake-ups \([0-9]*\).*/\1/p' "$work/out" | awk '{ sum += $1 } END { print sum + 0 }'
}

# most NAME PER_CENT SQL: wake-ups for a hundred further chunks; ten for whatever changes on the way.
most() {
    few=$(wakes 1000 "$3")
    many=$(wakes 100 "$3")
    if [ $(((many - few - 10) * 100)) -le $((90 * $2)) ] && [ "$few" -gt 0 ]; then
        pass
    else
        fail "$1: $few wake-ups for 10 chunks, $many for 100"
    fi
}

most "no keys" 0 "select sum(o), min(k), count(*) filter (where h > 5) from t where k < 6"
most "few groups" 100 "select k, sum(o), count(*) from t where o > 3 group by k"
most "ordered" 100 "select o, sum(k), max(t) from t where k < 6 group by o"
most "many groups" 100 "select h, sum(k) from t group by h"
most "groups of text" 100 "select t || 'x', h % 11, count(*) from t group by 1, 2"
most "text states" 100 "select h % 11, min(t || k::varchar), max(t) from t group by 1"
most "distinct" 200 "select k, count(distinct h) filter (where o > 3) from t group by k"
# Of a whole statement with one chunk: of its phases' tasks most find that there is nothing to do, and await nothing. Were
# there a wake-up for each task, there would be 70.
"$program" --table "t=$work/t.parquet" --set device=simulated --set threads=1 --set chunk_rows=100000 \
    -c "explain analyze select k, count(*) from t group by k order by k" >"$work/out" 2>&1
all=$(sed -n 's/^ *device simulated:.*wake-ups \([0-9]*\).*/\1/p' "$work/out")
if [ "${all:-99}" -le 20 ]; then
    pass
else
    fail "$all wake-ups in all:"
    cat "$work/out"
fi
finish
