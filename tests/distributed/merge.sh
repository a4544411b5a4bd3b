#!/bin/sh
# ORDER BY on several ranks: each sorts a range, or its own rows and rank 0 merges; and LIMIT without it. merge.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"

# x from 0 to 9999, y = x % 100, in row groups of 500, in no order.
digits="(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
"$program" -c "copy (with d(i) as $digits select a.i + 10 * b.i + 100 * c.i + 1000 * e.i as x, a.i + 10 * b.i as y,
        'number ' || (a.i + 10 * b.i) as name from d c, d a, d e, d b) to '$work/t.parquet' (row_group_size 500)" || exit 2

on() { # SETTING SQL
    "$program" --format csv --set "$1" --set distribute=always --set network_message_bytes=2000 \
        --table "t=$work/t.parquet" -c "$2"
}
# y from 99 down to 0, for each x upwards: by hand.
awk 'BEGIN { print "x,y"; for (y = 99; y >= 0; y--) for (x = y; x < 10000; x += 100) print x "," y }' >"$work/expected"
head -n 151 "$work/expected" >"$work/expected_first"
{ echo x && sed 1d "$work/expected" | sed -n '91,100p' | cut -d, -f1; } >"$work/expected_some"

is_in_order() { # FILE ARGUMENT...
    file=$1
    shift
    "$@" >"$work/rows" && cmp "$work/rows" "$file"
}
by_merge() { # SETTING SQL: rank 0 merges
    "$program" --format csv --set "$1" --set distribute=always --set network_message_bytes=2000 \
        --set disabled_optimizer_rules=order_by_ranges --table "t=$work/t.parquet" -c "$2"
}
appends() { # SQL: each rank sorts a range, rank 0 none
    on ranks=3 "explain $1" >"$work/out"
    [ "$(grep -c 'append \[' "$work/out")" = 1 ] && [ "$(grep -c 'repartition by ranges \[' "$work/out")" = 1 ]
}
merges() { # SQL: a merge of sorted rows, which nobody sorts again
    by_merge ranks=3 "explain $1" >"$work/out"
    [ "$(grep -c 'merge \[' "$work/out")" = 1 ] && [ "$(grep -c 'sort \[' "$work/out")" = 1 ]
}
all="select x, y from t order by y desc, x"
for ranks in 2 3 5; do
    check "all rows, $ranks ranks" is_in_order "$work/expected" on ranks=$ranks "$all"
done
check "the plan" appends "$all"
check "rows that rank 0 merges" is_in_order "$work/expected" by_merge ranks=3 "$all"
check "and their plan" merges "$all"
check "the first ones" is_in_order "$work/expected_first" on ranks=3 "$all limit 150"
check "and theirs" merges "$all limit 150"
check "some in the middle" is_in_order "$work/expected_some" on ranks=3 "select x from ($all limit 10 offset 90) f"
check "rows that were in temporary files" is_in_order "$work/expected" env PISTACHIO_FAULT=room:2:every \
    "$program" --format csv --set ranks=2 --set distribute=always --table "t=$work/t.parquet" -c "$all"
check "that rank 0 merges" is_in_order "$work/expected" env PISTACHIO_FAULT=room:2:every "$program" --format csv --set ranks=2 \
    --set distribute=always --set disabled_optimizer_rules=order_by_ranges --table "t=$work/t.parquet" -c "$all"
check "a lazy device's" is_in_order "$work/expected" "$program" --format csv --set ranks=2 --set distribute=always \
    --set device=simulated --table "t=$work/t.parquet" -c "$all"
# Keys of each type, with NULLs, and one value in nine rows of ten: as one rank sorts them. Rows of few ranks, and of none.
"$program" -c "copy (select x, x % 2 = 0 as b, (x % 100)::tinyint as i1, (x % 1000)::smallint as i2, x::bigint * 1000000007 as i8, x % 7 * 0.25::real as f4,
        x % 9 * 0.5::double precision as f8, (x % 30)::decimal(30, 2) as d, date '2020-01-01' + x % 90 as day, timestamp '2020-01-01' + to_days(x % 20) as ts,
        repeat('long ', 30) || x % 40 as s, case when x % 10 = 0 then x else 5 end as heavy, nullif(x % 4, 0) as n, encode('b' || x % 50) as bytes from '$work/t.parquet' where x < 3000) to '$work/keys.parquet' (row_group_size 250)" >"$work/out" || exit 2
orders="b desc, x|i1, x|i2 desc, x|i8 desc|f4 desc, x|f8, x|d desc, x|day, x desc|ts desc, x|s, x|s desc, x|heavy desc, x|heavy|n, x|n nulls first, x|
n desc nulls first, x|n desc nulls last, x|bytes, x|(x % 25) * interval '1 day' desc, x|-x|x % 5, s, x|1"
for order in $(echo "$orders" | tr -d '\n' | tr ' |' '_ '); do
    by=$(echo "$order" | tr _ ' ') && sql="select ${by%% *} from t order by $by"
    case "$by" in 1) sql="select 1 from t order by 1" ;; heavy) sql="select heavy from t order by heavy" ;; *x*) sql="select x from t order by $by" ;; esac
    "$program" --format csv --table "t=$work/keys.parquet" -c "$sql" >"$work/expected_keys" || fail "$sql"
    check "by $by" is_in_order "$work/expected_keys" "$program" --format csv --set ranks=3 --set distribute=always --set chunk_rows=200 \
        --table "t=$work/keys.parquet" -c "$sql"
done
expect "few rows" 0 "$(printf 'x\n1\n0')" on ranks=5 "select x from t where x < 2 order by x desc"
expect "no rows" 0 x on ranks=5 "select x from t where x < 0 order by x desc"
expect "by texts" 0 "$(printf 'name,x\nnumber 99,99\nnumber 99,199\nnumber 99,299')" on ranks=3 \
    "select name, x from t order by name desc, x limit 3"
# Tasks that have enough leave messages behind that others are waiting for, whose senders have no more to send till then.
"$program" -c "copy (select x, repeat(name || ' ', 50) as s from '$work/t.parquet') to '$work/wide.parquet'
    (row_group_size 1000)" >/dev/null || exit 2
for rows in 100 1000; do
    expect "the first $rows wide rows" 0 "$(printf 'n\n%s' $rows)" timeout 30 "$program" --format csv --set ranks=2 \
        --set threads=8 --set distribute=always --set network_message_bytes=4096 --set disabled_optimizer_rules=all \
        -c "select count(*) as n from (select x, s from '$work/wide.parquet' limit $rows) f"
done
# Rank 0 looks whether the rounds of a recursion have given enough rows: without the metrics that EXPLAIN ANALYZE wants.
looks() {
    timeout 60 "$program" --set ranks=3 --set distribute=always --table "t=$work/t.parquet" -c "explain analyze
        with recursive r(n) as (select 1 union all select n + 1 from r where n < 5000) select n, y from r, t where x = n limit 40" >"$work/out" &&
        grep -q 'rank 2 ' "$work/out"
}
check "EXPLAIN ANALYZE of a recursion with a LIMIT" looks
finish
