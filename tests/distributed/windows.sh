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
    "sum(x) over (order by y, x), max(s) over (), dense_rank() over (order by y)"; do
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
for window in "lag(x) over (order by x)" "sum(x) over (order by x rows 2 preceding)" "sum(x) over (rows between unbounded preceding and unbounded following exclude current row)" "rank() over ()"; do
    check "$window is rank 0's" goes_to_rank_0 "select x, $window from t"
done
# By hand: numbers 1 to 3000 once each, of a value that most rows have as well; 1 + ... + 3000 = 4501500.
expect "numbers of equal rows" 0 "$(printf 'n,s\n3000,4501500')" over 5 \
    "select count(distinct r) as n, sum(r) as s from (select row_number() over (order by heavy) as r from t) f"
check "few rows" is_as_of_one_rank 5 "select x, row_number() over (order by x) from t where x < 3 order by 1"
check "none" is_as_of_one_rank 5 "select x, sum(x) over (order by x) from t where x < 0"
check "of joined rows" is_as_of_one_rank 3 "select a.x, sum(b.y) over (order by a.x) from t a join t b on a.x = b.x * 3 order by 1"
check "of groups" is_as_of_one_rank 3 "select y, sum(count(*)) over (order by y) from t group by y order by 1"
check "of the first rows of another order" is_as_of_one_rank 3 "select x, rank() over (order by x) from (select x from t order by y, x limit 50) f order by 1"
check "below a limit" is_as_of_one_rank 3 "select x, row_number() over (order by x) as r from t order by r limit 7"
check "on a lazy device" test "$(over 1 "select x, sum(x) over (order by y, x) from t order by 1")" = "$("$program" --format csv --set ranks=2 \
    --set distribute=always --set device=simulated --table "t=$work/t.parquet" -c "select x, sum(x) over (order by y, x) from t order by 1")"
finish
