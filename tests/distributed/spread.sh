#!/bin/sh
# What ranks are sent: no rank gets much more than the others. spread.sh PROGRAM
set -u
# shellcheck source=tests/distributed/threads_common.sh
. "$(dirname "$0")/threads_common.sh"

# p: 30,000 rows in row groups of 1,000, k from 0 to 4999, g one of three, name a text of each k. b: two rows.
"$program" -c "copy (with $digits, n(n) as (select a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i from d a, d b, d c, d e, d f
        where f.i < 3) select n, n * 7919 % 5000 as k, n % 3 as g, 'name number ' || n * 7919 % 5000 as name from n order by n)
        to '$work/p.parquet' (row_group_size 1000);
    copy (select 1 as x) to '$work/b.parquet'" >"$work/out" || exit 2

# The most bytes that a rank is sent by others, of the bytes that all are.
received() { # SQL
    "$program" --set ranks=3 --set distribute=always --table "p=$work/p.parquet" -c "explain analyze $1" >"$work/plan" || return
    awk '/^ *exchange [0-9]+, / {
            own = $0; sub(/.*, rank /, "", own); sub(/;.*/, "", own)
            count = split($0, parts, /; /)
            for (p = 1; p <= count; p++) {
                if (parts[p] !~ /^received bytes:/) continue
                many = split(substr(parts[p], 16), words, /, */)
                for (w = 1; w <= many; w++) {
                    split(words[w], word, " ")
                    if (word[4] != own) { sum[own] += word[1]; all += word[1] }
                }
            }
        }
        END { for (rank in sum) most = sum[rank] > most ? sum[rank] : most; print most + 0, all + 0 }' "$work/plan"
}
evenly() { # BYTES SQL: all ranks are sent at most so many bytes, each at most half of them
    received "$2" >"$work/bytes" && awk -v least=2000 -v most="$1" '{ exit !($2 <= most && ($2 < least || $1 <= $2 / 2)) }' "$work/bytes" && return
    cat "$work/bytes"; grep -E "exchange|scan|agg" "$work/plan"
    return 1
}

# Distinct values: of 30,000 rows 10,000 on each rank, 5,000 values of 8 bytes or of a text, of which two thirds go away.
check "count(distinct)" evenly 100000 "select count(distinct k) from p"
check "of few groups" evenly 700000 "select g, count(distinct k), count(*), sum(n) from p group by g"
check "of texts" evenly 400000 "select count(distinct name), max(name) from p"
check "of few values" evenly 2000 "select count(distinct g), sum(n) from p"
check "with a filter" evenly 400000 "select count(distinct k) filter (where n % 2 = 0), avg(distinct k), avg(n) from p"
check "of several expressions" evenly 500000 "select count(distinct k), count(distinct name), sum(n), avg(k) from p"
check "medians" evenly 500000 "select median(n), quantile_disc(k, 0.1), quantile_cont(k, 0.9), max(n) from p"
check "medians of many equal values" evenly 500000 "select median(g), quantile_disc(g, 0.7) filter (where k > 9) from p"
# By hand: k takes each value from 0 to 4999 six times, n 3m + g each one from 0 to 29999.
expect "rows" 0 "$(printf 'a,b,c,d\n5000,2500,12497500,2499.5\ng,a,b\n0,5000,10000\n1,5000,10000\n2,5000,10000\na,b\n5000,3')" \
    run "select count(distinct k) as a, count(distinct k) filter (where k % 2 = 1) as b, sum(distinct k) as c, avg(distinct k) as d from p;
    select g, count(distinct name) as a, count(*) as b from p group by g order by g;
    select count(distinct k) as a, count(distinct g) as b from p"

# By hand: places 14999.5 of n, 0.9 * 29999 of six k each, which as a double is 26999.100000000002; g is 0, 1, 2 as often.
expect "rows of aggregates made apart" 0 "$(printf 'a,b,c,d,e,f,g\n14999.5,499,4499.100000000002,1,2,5000,3\na,b,c,d\n,,0,0')" \
    run "select median(n) as a, quantile_disc(k, 0.1) as b, quantile_cont(k / 1.0, 0.9) as c, median(g) as d, quantile_disc(g, 0.9) as e,
        count(distinct k) as f, count(distinct g) as g from p;
    select median(n) as a, quantile_disc(k, 0.1) as b, count(distinct k) as c, count(distinct g) as d from p where n < 0"

# Tables whose row groups have a column in order: rows that meet by it stay where they are, but for those at the ends
# of ranges. o has each third n, and NULLs at the end.
"$program" -c "copy (select case when n < 27000 then n end as n, k from '$work/p.parquet' where n % 3 = 0 order by n nulls last)
    to '$work/o.parquet' (row_group_size 500)" >"$work/out" || exit 2
meet() { # BYTES SQL
    received "$2" >"$work/bytes" && awk -v most="$1" '{ exit !($2 <= most) }' "$work/bytes" && return
    cat "$work/bytes"; grep -E "exchange|scan|agg" "$work/plan"
    return 1
}
o="'$work/o.parquet'"
check "groups in order" meet 1000 "select count(*), sum(s) from (select n, sum(k) as s from p group by n) q"
check "a join in order" meet 60000 "select count(*), sum(p.k), sum(o.k) from p join $o o on p.n = o.n"
check "outer joins in order" meet 90000 "select count(*), sum(p.k), sum(o.k) from p full join $o o on p.n = o.n"
check "windows in order" meet 1000 "select sum(r) from (select row_number() over (partition by n order by k) as r from p) q"
check "values in order" meet 1000 "select count(distinct n) from p"
ordered="select count(*) as n, sum(p.k) as p, sum(o.k) as o from p"
for off in "" ordered_tables; do
    # The rows are counted by hand.
    expect "rows in order, without ${off:-any rule}" 0 "$(printf 'n,p,o\n9000,22468500,22468500\nn,p,o\n31000,74985000,24995000\nn,p\n21000,52516500\nn,p,o\n900,2244350,2244350')" \
        run "$ordered join $o o on p.n = o.n; $ordered full join $o o on p.n = o.n;
        select count(*) as n, sum(k) as p from p where not exists (select 1 from $o o where o.n = p.n);
        $ordered join $o o on p.n = o.n where p.n < 2700" threads=3 "disabled_optimizer_rules=$off"
done

# A table of two row groups has ranges for two ranks alone: rows go by hashes, to all three.
"$program" -c "copy (select distinct k from '$work/p.parquet' order by k) to '$work/few.parquet' (row_group_size 2500)" >"$work/out" || exit 2
check "fewer row groups than ranks" evenly 400000 "select count(*), sum(p.n) from '$work/few.parquet' f full join p on p.k = f.k"
check "go by hashes" test "$(grep -c "by ranges of" "$work/plan")" = 0

# Row groups that ranks take from each other are read once, whoever reads them. t: 40 row groups, those of the first half
# with 50 times as much to compute on. How many are taken depends on who is faster.
"$program" -c "copy (select n, k, repeat(name, 1 + n % 7) as name from '$work/p.parquet' union all
        select n + 30000, k, repeat(name, 1 + n % 5) from '$work/p.parquet' where n < 10000)
    to '$work/t.parquet' (row_group_size 1000)" >"$work/out" || exit 2
stolen="select count(*) as rows, sum(n) as n, sum(case when n < 20000 then length(repeat(name, 50)) else length(name) end) as bytes,
    count(distinct name) as names from '$work/t.parquet'"
"$program" --format csv -c "$stolen" >"$work/alone" || exit 2
for off in "" "" "" stealing; do
    expect "row groups of other ranks, ${off:-any} once" 0 "$(cat "$work/alone")" run "$stolen" "disabled_optimizer_rules=$off"
done
expect "their number where nothing is wanted" 0 "$(printf 'rows\n17')" run "select count(*) as rows from (select n from '$work/t.parquet' limit 17) q"

# Of many ranks EXPLAIN ANALYZE has one line, and one for each exchange.
"$program" --set ranks=12 --set distribute=always --table "p=$work/p.parquet" \
    -c "explain analyze select count(distinct k) from p" >"$work/plan" || exit 2
check "a line for all ranks" test "$(grep -c '^ *12 ranks, least, mean and most of a rank; thread s ' "$work/plan")" = 1
check "none for each" test "$(grep -cE '^ *rank [0-9]+ \(' "$work/plan")" = 0
check "a line for each exchange" test "$(grep -cE '^ *exchange [0-9]+, [a-z]+, bytes of all ranks [0-9]+; sent ' "$work/plan")" = 2
finish
