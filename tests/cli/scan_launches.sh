#!/bin/sh
# What a scan has the simulated device do, by EXPLAIN ANALYZE: for each further chunk, however many row
# groups and pages it has, and where memory is short. scan_launches.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

# `small` and `large` have 40 and 160 row groups of 100 rows: INTEGER, DECIMAL and texts, of which `n`
# has NULLs.
numbers="(values $(seq -s, 0 99 | sed 's/[0-9]*/(&)/g'))"
rows="select a * 100 + b as k, (b % 7)::decimal(9,2) as d, 'text ' || (b % 5)::text as t,
    case when b % 3 > 0 then a + b end as n from $numbers x(a), $numbers y(b)"
"$program" -c "copy ($rows where a < 40) to '$work/small.parquet' (row_group_size 100);
    copy ($rows union all select k + 10000, d, t, n from ($rows where a < 60) s)
        to '$work/large.parquet' (row_group_size 100)" || exit 2

run() { # SETTING SQL TABLE
    "$program" --format tsv --set device=simulated --set "$1" --table "t=$work/$3.parquet" -c "$2" >"$work/out" 2>&1
}

counted() { # WHAT CHUNK_ROWS SQL TABLE
    run "chunk_rows=$2" "explain analyze $3" "$4" || fail "$3"
    grep 'scan t' "$work/out" | sed -n "s/.*[(, ]$1 \([0-9]*\).*/\1/p" | awk '{ s += $1 } END { print s + 0 }'
}

# 120 row groups further are 12 chunks. Nothing is asked of the device but, at every second of 16 chunks, whether
# the one before the last is done, which keeps the host from running ahead.
at_most() { # LAUNCHES COPIES SQL
    launches=$1 copies=$2
    shift
    small=$(counted launches 1000 "$2" small)
    large=$(counted launches 1000 "$2" large)
    wakes=$(counted wake-ups 1000 "$2" large)
    few=$(counted copies 1000 "$2" small)
    many=$(counted copies 1000 "$2" large)
    if [ $((large - small)) -le $((12 * launches)) ] && [ $((many - few)) -le $((12 * copies)) ] && [ "$small" -gt 0 ] && [ "$wakes" -le 8 ]; then
        pass
    else
        fail "$2: $small, then $large launches, $few, then $many copies, $wakes wake-ups"
    fi
}
at_most 7 4 "select sum(k), sum(d) from t"
at_most 16 4 "select min(t), sum(n) from t"
at_most 60 8 "select min(t), sum(n) from t where d > 2 and k % 3 = 0 and n is not null"

# The same rows in chunks that cut row groups, hold one, several and all.
sql="select count(*), sum(k), sum(d), min(t), max(t), sum(n), count(n) from t where d > 1"
"$program" --format tsv --table "t=$work/large.parquet" -c "$sql" >"$work/right" || exit 2
for chunk in 5 100 250 1000 1000000; do
    run "chunk_rows=$chunk" "$sql" large
    if cmp "$work/right" "$work/out"; then pass; else fail "chunks of $chunk rows"; fi
done

# All rows are one chunk, for which there is no memory: it comes in slices.
"$program" --format none -c "copy (select a.k + b.k * 16000 as k, a.d,
        'the row with the number ' || (a.k + b.k * 16000)::text as u from '$work/large.parquet' a,
    (select k from '$work/small.parquet' where k < 20) b) to '$work/more.parquet'" || exit 2
sql="select count(*), sum(k), sum(d), min(u), max(u) from t"
"$program" --format tsv --table "t=$work/more.parquet" -c "$sql" >"$work/right" || exit 2
"$program" --format tsv --set device=simulated --set memory_limit=24MB --set chunk_rows=500000 \
    --table "t=$work/more.parquet" -c "$sql" >"$work/out" 2>&1
if cmp "$work/right" "$work/out"; then pass; else fail "a chunk that memory has no room for"; fi
finish
