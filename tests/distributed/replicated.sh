#!/bin/sh
# Tables of which every rank has its own copy: they are read where they are needed, and compared.
# replicated.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

mkdir "$work/r0" "$work/r1"
alone "copy (select * from $numbers) to '$work/r0/t.parquet' (row_group_size 100)"
cp "$work/r0/t.parquet" "$work/r1/t.parquet"
expect "replicated" 0 "$(printf 'n,s\n1000,499500')" on 2 --table "t=replicated:$work/r{rank}" \
    -c "select count(*) as n, sum(a.k) as s from t a join t b on a.k = b.k"
expect "a plan with replicated tables" 0 - on 2 --table "t=replicated:$work/r{rank}" \
    -c "explain select count(*) from t a join t b on a.k = b.k"
says "reads a side on every rank" "on every rank"
silent "and sends none" "broadcast"
silent "nor repartitions" "repartition"
# In all kinds of joins, on either side. By hand: 900 of the numbers are above 99.
for join in "a left join t b on a.k = b.k and b.k > 99" "t b right join r a on a.k = b.k and b.k > 99" \
    "r a full join t b on a.k = b.k and b.k > 99 and a.k > 99" "r a join t b on a.k = b.k"; do
    case $join in a\ *) from="t a ${join#a }" ;; *) from=$join ;; esac
    case $join in
    *full*) n=1100 ;;
    *) n=1000 ;;
    esac
    expect "$join" 0 "$(printf 'n\n%s' "$n")" on 2 --table "t=replicated:$work/r{rank}" --table "r=$work/r{rank}" \
        -c "select count(*) as n from $from"
done
expect "in" 0 "$(printf 'n\n900')" on 2 --table "t=replicated:$work/r{rank}" --table "r=$work/r{rank}" \
    -c "select count(*) as n from r where k in (select k from t where k > 99)"
expect "not in" 0 "$(printf 'n\n100')" on 2 --table "t=replicated:$work/r{rank}" --table "r=$work/r{rank}" \
    -c "select count(*) as n from t where k not in (select k from r where k > 99)"
# Other bytes of the same length: v is another digit.
alone "copy (select k, 9 - v as v from $numbers) to '$work/r1/t.parquet' (row_group_size 100)"
if [ "$(stat -c %s "$work/r0/t.parquet")" = "$(stat -c %s "$work/r1/t.parquet")" ]; then
    what="the footer of"
else
    what="bytes, "
fi
for access in "" replicated:; do
    expect "a copy that differs, '$access'" 1 - on 2 --table "t=$access$work/r{rank}" -c "select 1"
    says "names rank and host" "rank 1 (host "
    says "and says what" "$what"
done
mkdir "$work/r2"
cp "$work/r0/t.parquet" "$work/r2/t.parquet"
cp "$work/r0/t.parquet" "$work/r2/u.parquet"
ln -s "$work/r0" "$work/s0"
ln -s "$work/r2" "$work/s1"
expect "a file more on one rank" 1 - on 2 --table "t=replicated:$work/s{rank}" -c "select 1"
says "is counted" "2 at \"$work/s1\", not 1"
says "with a hint" "hint: files that only some machines have: local:$work/s{rank}"

finish
