#!/bin/sh
# Broadcasts of build sides that are larger than was thought: conditions that exclude nothing, each of which the
# estimate takes for one that excludes most. overflow.sh PROGRAM
set -u
# shellcheck source=tests/distributed/threads_common.sh
. "$(dirname "$0")/threads_common.sh"

# p: 6000 rows, k from 0 to 2999 and NULLs. b: 10,000 rows, two of each k.
numbers="n(n) as (select a.i + 10 * b.i + 100 * c.i + 1000 * e.i from d a, d b, d c, d e)"
"$program" -c "copy (with $digits, $numbers select case when n % 7 = 0 then null else n % 3000 end as k, n as v
        from n where n < 6000) to '$work/p.parquet' (row_group_size 250);
    copy (with $digits, $numbers select n % 5000 as k, n as w, 'a text of more than twelve letters, ' || n % 100 as name
        from n) to '$work/b.parquet' (row_group_size 250)" >"$work/out" || exit 2

# With $all nothing is excluded; with this all but 2 of 10,000 rows are.
few="b.w % 5000 = 17"
queries() { # CONDITION
    echo "select count(*) as n, sum(v) as v, sum(w) as w, count(distinct name) as t from p join b on p.k = b.k where $1;
        select count(*) as n, sum(v) as v, sum(w) as w from p left join (select * from b where $1) b on p.k = b.k and w > 5999;
        select count(*) as n, sum(v) as v from p where exists (select 1 from b where b.k = p.k and b.w <> p.v and $1);
        select count(*) as n, sum(v) as v from p where not exists (select 1 from b where b.k = p.k and b.w > 5010 and $1);
        select count(*) as n, sum(v) as v, sum(w) as w from b right join p on b.k = p.k and $1;
        select count(*) as n, sum(v) as v, sum(b.w) as w from p join b on p.k = b.k join b c on p.v = c.w
            where $1 and c.w // 100000 = 0 and c.w % 2 < 2 and c.w % 3 < 3"
}
# Each with the rows that DuckDB gives.
all_rows="n,v,w,t
10284,30846858,41130858,100
n,v,w
6000,17997000,23994000
n,v
5142,15423429
n,v
876,2600661
n,v,w
11142,33420429,41130858
n,v,w
10284,30846858,41130858"
few_rows="n,v,w,t
2,34,5034,1
n,v,w
6000,17997000,
n,v
1,17
n,v
5999,17996983
n,v,w
6001,17997017,5034
n,v,w
2,34,5034"
for settings in "threads=3" "threads=3 network_message_bytes=300 network_seed=7" "threads=2 device=simulated"; do
    # shellcheck disable=SC2086 # several words
    expect "all rows, $settings" 0 "$all_rows" run "$(queries "$all")" $settings
done
expect "few rows" 0 "$few_rows" run "$(queries "$few")" threads=3 network_message_bytes=300
PISTACHIO_FAULT=room:2:every
export PISTACHIO_FAULT
expect "rows in temporary files" 0 "$all_rows" run "$(queries "$all")" threads=3 network_message_bytes=300
unset PISTACHIO_FAULT

# What went between ranks, together. Where the broadcast overflows it is less than all to all, and probe rows go, too.
sent() { # KIND SQL RULES-OFF
    run "explain analyze $2" threads=3 network_message_bytes=300 disabled_optimizer_rules="$3" >"$work/plan"
    awk -v kind="$1," '$1 ~ /exchange$/ && $3 == kind {
        count = split($0, parts, /; /)
        for (p = 1; p <= count; p++)
            if (parts[p] ~ /^sent/)
                for (i = split(parts[p], words, /[ ,"]+/); i > 1; i--)
                    if (words[i] == "to")
                        sum += words[i - 1]
        } END { print sum + 0 }' "$work/plan"
}
one="select sum(w) from p join b on p.k = b.k where"
bytes=$(sent broadcast "$one $all" overflow)
check "without it the broadcast has all rows" test "$bytes" -gt 200000
check "fewer with it" test "$(sent broadcast "$one $all" "")" -lt $((bytes * 3 / 4))
check "and probe rows are sent" test "$(sent repartition "$one $all" "")" -gt 10000
check "which stay where it does not overflow" test "$(sent repartition "$one $few" "")" = 0
check "although they might be sent" grep -q "if the broadcast overflows" "$work/plan"
# Where a group relies on where rows are by their keys, they do not move again.
plan() { # GROUPS
    run "explain select $1, sum(q.v), sum(b.w) from p join p q on p.k = q.k join b on p.v = b.k where $all group by 1" \
        disabled_optimizer_rules=join_order >"$work/plan"
    grep -c "if the broadcast overflows" "$work/plan"
}
check "rows on whose place nothing relies may move" test "$(plan p.v)" = 1
check "others stay" test "$(plan p.k)" = 0
# A probe side that goes to all ranks, thought to be of 540 rows: they meet build rows as they come, and none moves.
probe="select count(*) as n, sum(p.v) as v, sum(b.w) as w, min(b.name) as name from p join b on p.k = b.k
    where b.w < 500 and p.v % 2 < 2 and (p.v + p.k) % 3 < 3"
expect "a probe side that all ranks have" 0 "$(printf 'n,v,w,name\n857,1501000,214000,"a text of more than twelve letters, 0"')" \
    run "$probe" threads=3 network_message_bytes=300
run "explain $probe" >"$work/plan"
check "is sent as it comes" grep -q "broadcast \[k" "$work/plan"
check "to the last row" test "$(grep -c overflows "$work/plan")" = 0
finish
