#!/bin/sh
# How often joins and sorts ask the simulated device for what it has computed: the wake-ups of EXPLAIN
# ANALYZE for each further chunk. wakes.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

# `once` has each key once, `twice` twice; `large` has 160 row groups of 100 rows.
numbers="(values $(seq -s, 0 99 | sed 's/[0-9]*/(&)/g'))"
"$program" -c "copy (select a * 100 + b as k from $numbers x(a), $numbers y(b)) to '$work/once.parquet';
    copy (select a * 10 + b / 10 as k, b from $numbers x(a), $numbers y(b) where b < 20) to '$work/twice.parquet';
    copy (select (a * 100 + b + c) % 977 as k, b as v from $numbers x(a), $numbers y(b), $numbers z(c)
        where a < 80 and c < 2) to '$work/large.parquet' (row_group_size 100)" || exit 2

# Wake-ups of the plan's lines that match.
wakes() { # PATTERN SQL
    "$program" --format tsv --set device=simulated --set threads=1 --set chunk_rows=100 \
        --table "t=$work/large.parquet" --table "once=$work/once.parquet" --table "twice=$work/twice.parquet" \
        -c "explain analyze $2" >"$work/out" || fail "$2"
    grep -E "$1" "$work/out" | sed -n 's/.*wake-ups \([0-9]*\).*/\1/p' | awk '{ s += $1 } END { print s + 0 }'
}

# A chunk later its count is there, or is awaited together with all else of that chunk: once a chunk at most, of
# either side, however late the device is; and what is made once asks some times.
at_most() { # HALVES CHUNKS PATTERN SQL: wake-ups of the chunks of `large` and so many others, in halves for each
    found=$(wakes "$3" "$4")
    if [ "$found" -le $(((160 + $2) * $1 / 2 + 24)) ]; then
        pass
    else
        fail "$4: $found wake-ups"
    fi
}

# What has each key once is 100 chunks, what has them twice 20. Only build rows are counted.
at_most 1 100 'inner join' "select sum(v) from t join once using (k)"
at_most 1 100 'inner join' "select sum(v) from t join once using (k) where once.k % 3 = 0"
at_most 1 20 'semi join|anti join' "select sum(v) from t where k in (select k from twice)"
at_most 1 20 'semi join|anti join' "select sum(v) from t where k not in (select k from twice where k > 50)"
at_most 1 100 'left join|right join' "select sum(v), count(once.k) from t left join once on t.k = once.k and once.k % 2 = 1"
# Pairs are counted as well.
at_most 2 20 'inner join' "select sum(v) from t join twice using (k)"
at_most 2 20 'left join|right join' "select sum(v), count(twice.b) from t left join twice on t.k = twice.k and v > b"
# Build rows, and rows of a sort.
at_most 2 100 'inner join' "select sum(v) from t join once using (k) where v % 3 = 0"
at_most 2 0 'sort|limit' "select k, v from t where v % 3 = 0 order by v, k limit 10"
# These come out in 54 chunks.
at_most 2 54 'sort|result' "select k, v from t where v % 3 = 0 order by v, k"
finish
