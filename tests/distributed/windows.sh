#!/bin/sh
# Windows without partitions on several ranks: by ranges of their order, each rank with what comes before it. windows.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"

"$program" -c "copy (select i as x, i % 20 as y, case when i % 10 = 0 then i else 5 end as heavy, nullif(i % 4, 0) as n, 'text ' || i % 30 as s,
        (i % 70)::decimal(10, 2) as d from generate_series(1, 3000) g(i)) to '$work/t.parquet' (row_group_size 250)" >"$work/out" || exit 2

over() { # RANKS SQL: in the order of all columns
    "$program" --format csv --set ranks="$1" --set distribute=always --set chunk_rows=200 --table "t=$work/t.parquet" -c "$2"
}
is_as_of_one_rank() { # RANKS SQL
    over 1 "$2" >"$work/expected" && over "$1" "$2" >"$work/rows" && cmp "$work/expected" "$work/rows"
}
goes_by_ranges() {
    over 3 "explain $1" >"$work/out" && grep -q 'give to later ranks' "$work/out"
}
goes_to_rank_0() {
    over 3 "explain $1" >"$work/out" && ! grep -q 'give to later ranks' "$work/out"
}
for window in "row_number() over (order by y desc, x)" "rank() over (order by y)" "sum(x) over (order by y nulls first)" "avg(d) over (order by d, x)" \
    "min(n) over (order by x desc)" "max(s) over (order by x rows unbounded preceding)" "count(n) over (order by heavy)" "count(*) over (order by n nulls first)" \
    "sum(nullif(x, x)) over (order by x)" "row_number() over (order by s, x), avg(x) over (order by s)" "rank() over (order by heavy), sum(d) over (order by heavy desc, x)" \
    "dense_rank() over (order by heavy, n nulls first)" "dense_rank() over (order by n), dense_rank() over (order by n, s), rank() over (order by n)" \
    "sum(x) over (order by y, x), max(s) over (), dense_rank() over (order by y)" "lag(x) over (order by x)" "lead(x, 3, -1) over (order by y, x)" \
    "lag(x, -2) over (order by x desc), lag(s, 0) over (order by x desc)" "sum(x) over (order by x rows 2 preceding)" \
    "avg(d) over (order by x rows between 3 preceding and 5 following), max(s) over (order by x rows between 2 following and 4 following)" \
    "median(x) over (order by x rows between 1 preceding and 1 following)" "count(distinct y) over (order by x rows 30 preceding)" \
    "string_agg(s, ',') over (order by x rows between 2 preceding and current row exclude current row)" \
    "first_value(n) over (order by s, x rows 2 preceding), row_number() over (order by s, x), sum(x) over (order by s, x), nth_value(x, 2) over (order by s, x rows between 1 preceding and 1 following)" \
    "lag(x, 2500, x) over (order by x), lead(x, 2500, x) over (order by x)"; do
    sql="select x, $window from t order by 1, 2"
    check "$window goes by ranges" goes_by_ranges "$sql"
    check "$window" is_as_of_one_rank 3 "$sql"
done
# Frames of all rows: only what they come to is sent.
for window in "sum(x) over ()" "avg(d) over (), min(s) over (), count(n) over (), count(*) over (), sum(nullif(x, x)) over ()" \
    "max(x) over (order by y rows between unbounded preceding and unbounded following)"; do
    sql="select x, $window from t order by 1, 2"
    over 3 "explain $sql" >"$work/out"
    check "$window stays" test "$(grep -c 'broadcast \[' "$work/out")$(grep -c 'gather \[x' "$work/out")" = 10
    check "$window" is_as_of_one_rank 3 "$sql"
done
for window in "lag(x, y) over (order by x)" "lag(n ignore nulls) over (order by x)" "sum(x) over (order by x range 2 preceding)" "ntile(3) over (order by x)" \
    "lag(x, 10001) over (order by x)" "sum(x) over (order by x rows between unbounded preceding and 1 following)" "sum(x) over (rows between unbounded preceding and unbounded following exclude current row)" "rank() over ()"; do
    check "$window is rank 0's" goes_to_rank_0 "select x, $window from t"
done
# By hand: numbers 1 to 3000 once each, of a value that most rows have as well; 1 + ... + 3000 = 4501500.
expect "numbers of equal rows" 0 "$(printf 'n,s\n3000,4501500')" over 5 \
    "select count(distinct r) as n, sum(r) as s from (select row_number() over (order by heavy) as r from t) f"
# The last of them is 3000's own key: each other number is before one row.
expect "neighbours of equal rows" 0 "$(printf 'n,m,s\n2999,2999,4498500')" over 5 \
    "select count(distinct r) as n, count(r) as m, sum(r) as s from (select lag(x) over (order by heavy) as r from t) f"
check "few rows on both sides" is_as_of_one_rank 5 "select x, lag(x, 2) over (order by x), lead(x, 2) over (order by x) from t where x < 5 order by 1"
check "no rows have neighbours" is_as_of_one_rank 5 "select x, lag(x, 2) over (order by x) from t where x < 0"
# Numbers of a heavy key's rows in an order of their own, beside numbers of its rows in any.
check "an order within another" is_as_of_one_rank 3 "select z, max(b), sum(a * 0) from (select x * 7919 % 3001 as z, row_number() over (order by heavy) as a,
    row_number() over (order by heavy, x * 7919 % 3001) as b from t) f group by z order by z"
check "few rows" is_as_of_one_rank 5 "select x, row_number() over (order by x) from t where x < 3 order by 1"
check "none" is_as_of_one_rank 5 "select x, sum(x) over (order by x) from t where x < 0"
check "of joined rows" is_as_of_one_rank 3 "select a.x, sum(b.y) over (order by a.x) from t a join t b on a.x = b.x * 3 order by 1"
check "of groups" is_as_of_one_rank 3 "select y, sum(count(*)) over (order by y) from t group by y order by 1"
check "of the first rows of another order" is_as_of_one_rank 3 "select x, rank() over (order by x) from (select x from t order by y, x limit 50) f order by 1"
check "below a limit" is_as_of_one_rank 3 "select x, row_number() over (order by x) as r from t order by r limit 7"
check "on a lazy device" test "$(over 1 "select x, sum(x) over (order by y, x) from t order by 1")" = "$("$program" --format csv --set ranks=2 \
    --set distribute=always --set device=simulated --table "t=$work/t.parquet" -c "select x, sum(x) over (order by y, x) from t order by 1")"
check "neighbours on a lazy device" test "$(over 1 "select x, lag(x, 3) over (order by y, x), sum(x) over (order by y, x rows 2 preceding) from t order by 1")" = \
    "$("$program" --format csv --set ranks=3 --set distribute=always --set device=simulated --set chunk_rows=100 --table "t=$work/t.parquet" \
    -c "select x, lag(x, 3) over (order by y, x), sum(x) over (order by y, x rows 2 preceding) from t order by 1")"
finish
