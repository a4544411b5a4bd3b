#!/bin/sh
# Joins half of whose probe rows have one key. skew.sh PROGRAM
set -u
# shellcheck source=tests/distributed/threads_common.sh
. "$(dirname "$0")/threads_common.sh"

# p: 30,000 rows, of which every other one has k = 7 and kn = NULL. b: 30,000 rows, two of each k.
numbers="n(n) as (select a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i from d a, d b, d c, d e, d f where f.i < 3)"
"$program" -c "copy (with $digits, $numbers select case when n % 2 = 0 then 7 else n * 7919 % 5003 end as k,
        case when n % 2 = 0 then null else n * 7919 % 5003 end as kn,
        'a text of more than twelve letters, ' || case when n % 2 = 0 then 7 else n * 7919 % 5003 end as name,
        n * 7919 % 30011 as v from n order by n) to '$work/p.parquet' (row_group_size 250);
    copy (with $digits, $numbers select n % 15000 as k, case when n % 3 = 0 then null else n % 15000 end as kn,
        'a text of more than twelve letters, ' || n % 15000 as name, n as w from n) to '$work/b.parquet' (row_group_size 250)" \
    >"$work/out" || exit 2

# Each with the rows that DuckDB gives.
inner="select count(*) as n, sum(p.v) as v, sum(b.w) as w from p join b on p.k = b.k"
unique="select count(*) as n, sum(p.v) as v, sum(b.w) as w from p join b on p.k = b.k and w < 15000"
texts="select count(*) as n, sum(p.v) as v, sum(b.w) as w from p join b on p.name = b.name and b.w > p.v"
nulls="select count(*) as n, sum(p.v) as v, sum(b.w) as w from p left join b on p.kn = b.kn and b.w < 20000"
without="select count(*) as n, sum(p.v) as v, sum(b.w) as w from p left join b on p.k = b.k and b.k <> 7"
semi="select count(*) as n, sum(v) as v from p where exists (select 1 from b where b.k = p.k)"
anti="select count(*) as n, sum(v) as v from p where not exists (select 1 from b where b.kn = p.kn and b.w > p.v)"
full="select count(*) as n, sum(p.v) as v, sum(b.w) as w from p full join b on p.k = b.k"
grouped="select count(*) as n, sum(c) as c from (select p.k, count(*) as c from p join b on p.k = b.k group by p.k) x"
some_rows="n,v,w
30000,450147456,37623552
n,v,w
17491,135315418,270751881
n,v,w
39993,599945765,199888074
n,v
30000,450147456"
other_rows="n,v,w
60000,900294912,525247104
n,v,w
44997,675144495,299992062
n,v
24170,398883529
n,v,w
79994,900294912,875162098
n,c
5003,60000"
some="$unique; $texts; $nulls; $semi"
expect "rows" 0 "$some_rows" run "$some" threads=3
expect "other rows" 0 "$other_rows" run "$inner; $without; $anti; $full; $grouped" threads=6
! in_turn 2 || expect "rows, lazy devices" 0 "$some_rows" run "$some" threads=3 device=simulated
! in_turn 2 || expect "rows, messages late" 0 "$some_rows" run "$some" threads=3 network_seed=7 network_message_bytes=300
PISTACHIO_FAULT=room:2:every
export PISTACHIO_FAULT
! in_turn 2 || expect "rows in temporary files" 0 "$some_rows" run "$some" threads=3
unset PISTACHIO_FAULT

# Build sides that were to go to all ranks and overflow: the rows are those of $inner, $texts, $nulls, $semi and $anti.
on_all="and $all"
wide="$inner $on_all; $texts $on_all; $nulls $on_all; ${semi%)} and b.w + p.v >= 0 $on_all); ${anti%)} $on_all)"
wide_rows="n,v,w
60000,900294912,525247104
n,v,w
17491,135315418,270751881
n,v,w
39993,599945765,199888074
n,v
30000,450147456
n,v
24170,398883529"
messages="threads=3 network_message_bytes=300" device="threads=3 device=simulated"
has_less_to_do || device="$messages device=simulated"
for settings in "$messages network_seed=5" "$device"; do
    in_turn 2 || continue
    # shellcheck disable=SC2086 # several words
    expect "rows of sides that overflow, $settings" 0 "$wide_rows" run "$wide" $settings
done

if has_less_to_do; then
    finish
    exit
fi

# Of 30,000 probe rows each of three ranks has 10,000 to probe, in the mean. The most that one has, join by join:
most_probed() { # SETTING SQL
    "$program" --set ranks=3 --set distribute=always --set threads=3 --set chunk_rows=250 --set "$1" \
        --table "p=$work/p.parquet" --table "b=$work/b.parquet" -c "$2" >"$work/plans" || return
    sed -n 's/.*probed 30000, at most \([0-9]*\) on a rank.*/\1/p' "$work/plans"
}
are() { # COUNT TEST SETTING SQL: of so many joins, all
    most_probed "$3" "$4" >"$work/most"
    [ "$(wc -l <"$work/most")" = "$1" ] && awk "!(\$1 $2) { wrong = 1 } END { exit wrong }" "$work/most" && return
    cat "$work/most" "$work/plans"
    return 1
}
each="explain analyze $inner; explain analyze $unique; explain analyze $texts; explain analyze $nulls;
    explain analyze $without; explain analyze $semi; explain analyze $anti"
check "no rank probes more than 1.2 times the mean" are 7 "<= 12000" device=cpu "$each"
# What ranks have sent each other is what they have received, exchange by exchange (the plans above).
are_alike() {
    awk '/thread s +share/ { plan++ }
        /^ *exchange [0-9]+, / {
            split($0, parts, /; /)
            for (p in parts) {
                count = split(parts[p], words, /[ ,]+/)
                way = words[1]
                for (i = 1; i < count && (way == "sent" || way == "received"); i++)
                    if (words[i] ~ /^[0-9]+$/ && words[i + 2] == "rank") {
                        own = $0; sub(/.*, rank /, "", own); sub(/;.*/, "", own)
                        from = way == "sent" ? own : words[i + 3]; to = way == "sent" ? words[i + 3] : own
                        sum[plan " " $2 " " from " " to] += way == "sent" ? words[i] : -words[i]
                        seen[way]++
                    }
            }
        }
        END { for (key in sum) wrong = wrong || sum[key]; exit wrong || seen["sent"] < 50 || seen["sent"] != seen["received"] }' \
        "$work/plans" && return
    cat "$work/plans"
    return 1
}
check "bytes sent and received" are_alike
check "nor on lazy devices" are 2 "<= 12000" device=simulated "explain analyze $texts; explain analyze $nulls"

explained() { # STATEMENTS, each without its semicolon's blank
    printf 'explain analyze %s' "$1" | sed 's/; /; explain analyze /g'
}
check "nor where a broadcast overflows" are 5 "<= 12000" network_message_bytes=300 "$(explained "$wide")"
check "which they all do" test "$(grep -c "if the broadcast overflows, heavy keys stay" "$work/plans")" = 5
check "without it one rank does" are 2 "> 19000" heavy_keys=off "explain analyze $inner; explain analyze $nulls"
check "there, too" are 2 "> 19000" heavy_keys=off "explain analyze $inner $on_all; explain analyze $nulls $on_all"
finish
