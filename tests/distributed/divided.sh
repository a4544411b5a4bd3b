#!/bin/sh
# Tables that are divided by a column: joins and groups by it need no exchange.
# divided.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

# Part i has the numbers whose remainder by 4 is i.

mkdir "$work/p" "$work/q" "$work/p/3"
for i in 0 1 2 3; do
    folder=$work/p
    [ $i = 3 ] && folder=$work/p/3
    alone "copy (select * from $numbers where k % 4 = $i) to '$folder/$i.parquet' (row_group_size 50)"
    alone "copy (select k, v as w from $numbers where k % 4 = $i) to '$work/q/$i.parquet' (row_group_size 70)"
done
divided() { # ranks, arguments
    ranks=$1
    shift
    "$program" --ranks "$ranks" --format csv --table "p=partitioned_by=(k):$work/p" --table "q=partitioned_by=(k):$work/q" "$@"
}
for ranks in 2 3 5; do
    expect "a join of divided tables, $ranks ranks" 0 "$(printf 'n,s,w\n1000,499500,4500')" divided $ranks \
        -c "select count(*) as n, sum(p.k) as s, sum(w) as w from p join q on p.k = q.k"
    expect "groups of one, $ranks ranks" 0 "$(printf 'n,s\n1000,4500')" divided $ranks \
        -c "select count(*) as n, sum(s) as s from (select k, sum(v) as s from p group by k) x"
done
expect "an outer join" 0 "$(printf 'n,w\n1000,500')" divided 3 \
    -c "select count(*) as n, count(w) as w from p left join q on p.k = q.k and q.k < 500"
expect "its plan" 0 - divided 3 -c "explain select count(*) from p join q on p.k = q.k"
silent "has no repartition" "repartition"
silent "and no broadcast" "broadcast"
expect "that of groups" 0 - divided 3 -c "explain select k, sum(v) from p group by k"
silent "has no repartition" "repartition"
expect "by another column" 0 "$(printf 'n\n100000')" divided 3 \
    -c "select count(*) as n from p join q on p.v = q.w"
expect "a part that is not one" 1 - "$program" --table "p=partitioned_by=(v):$work/p" -c "select 1"
says "is found out by statistics" "have an equal value of it"
expect "no such column" 1 - "$program" --table "p=partitioned_by=(z):$work/p" -c "select 1"
says "is said" "partitioned_by \"z\""
# Ranges: 0 to 499, 500 to 999; and 0 to 599, 600 to 999. Their parts do not meet.
mkdir "$work/h" "$work/g"
for i in 0 1; do
    alone "copy (select * from $numbers where k / 500 = $i) to '$work/h/$i.parquet'"
    alone "copy (select k, v as w from $numbers where (k < 600) = ($i = 0)) to '$work/g/$i.parquet'"
done
expect "other ranges" 0 "$(printf 'n\n1000')" "$program" --ranks 2 --format csv --table "p=partitioned_by=(k):$work/h" \
    --table "q=partitioned_by=(k):$work/g" -c "select count(*) as n from p join q on p.k = q.k"
# Each rank's own parts.
mkdir "$work/l0" "$work/l1"
cp "$work/p/0.parquet" "$work/p/2.parquet" "$work/l0"
cp "$work/p/1.parquet" "$work/p/3/3.parquet" "$work/l1"
expect "divided and local" 0 "$(printf 'n,s\n1000,499500')" on 2 --table "p=local:partitioned_by=(k):$work/l{rank}" \
    --table "q=partitioned_by=(k):local:$work/l{rank}" -c "select count(*) as n, sum(p.k) as s from p join q on p.k = q.k"

finish
