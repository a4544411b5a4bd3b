#!/bin/sh
# Joins whose build side is more than memory_limit holds: the same numbers as awk(1) finds, for each
# type of join, whatever the number of threads; failures of the temporary file are clean, and nothing
# is left of it.
# spill_join.sh PROGRAM
set -u
# shellcheck source=tests/cli/spill_common.sh
. "$(dirname "$0")/spill_common.sh"

# run OPTION... : the rows go to $work/rows, without their names.
run() {
    "$program" --format tsv "$@" >"$work/out" 2>"$work/err" && tail -n +2 "$work/out" >"$work/rows"
}

# Two tables: k has NULLs, and each value several times; s is k as text; h is 1 for most rows of b.
"$program" tpch generate --scale 0.01 --out "$work" >"$work/err" 2>&1
pad="l_comment || ' one ' || l_comment || ' two ' || l_comment || ' three ' || l_comment || l_comment"
keys="l_partkey * 10 + l_linenumber"
id="l_orderkey * 8 + l_linenumber"
"$program" -c "copy (select id, k, 'the key ' || cast(k as varchar) as s,
    case when id % 2000 = 3 then 1 else id end as h, g, pad from
    (select $id as id, case when l_quantity > 47 then null else $keys end as k,
        l_orderkey % 3 as g, $pad as pad from '$work/lineitem.parquet') as t)
    to '$work/a.parquet' (row_group_size 10000)" >"$work/err" 2>&1
result "makes a table"
"$program" -c "copy (select id, k, 'the key ' || cast(k as varchar) as s,
    case when g < 2 then 1 else id end as h, g, pad from
    (select $id as id, case when l_discount = 0.05 then null
        when l_partkey % 5 = 0 then -$id else $keys end as k,
        l_suppkey % 3 as g, $pad as pad from '$work/lineitem.parquet' where l_orderkey % 4 < 3) as t)
    to '$work/b.parquet' (row_group_size 10000)" >"$work/err" 2>&1
result "makes another one"
a="'$work/a.parquet' as a" b="'$work/b.parquet' as b"

# What awk finds: a line for each join, its name first. other: where g must differ, too.
for table in a b; do
    run -c "select id, coalesce(cast(k as varchar), '-'), h, g, length(pad) from '$work/$table.parquet'"
    mv "$work/rows" "$work/$table.rows"
done
expect() {
    awk -v key="$1" '
    { k = $key; g = $4 }
    FILENAME != last { last = FILENAME; file++ }
    file == 1 && k != "-" { bn[k]++; bi[k] += $1; bl[k] += $5; bn[k, g]++; bi[k, g] += $1; bl[k, g] += $5 }
    file == 2 && k != "-" { an[k]++; an[k, g]++ }
    function more(t, c, ia, ib, la, lb) {
        n[t] += c; na[t] += ia[1]; sa[t] += ia[2]; nb[t] += ib[1]; sb[t] += ib[2]; pa[t] += la; pb[t] += lb
    }
    function both(t, c, i, l) { n[t] += c; na[t] += c; sa[t] += c * $1; nb[t] += c; sb[t] += i; pa[t] += c * $5; pb[t] += l }
    function only_a(t) { n[t]++; na[t]++; sa[t] += $1; pa[t] += $5 }
    function only_b(t) { n[t]++; nb[t]++; sb[t] += $1; pb[t] += $5 }
    file == 2 {
        c = k == "-" ? 0 : bn[k] + 0; o = k == "-" ? 0 : c - bn[k, g]
        if (c) {
            both("inner", c, bi[k], bl[k]); both("left", c, bi[k], bl[k]); both("right", c, bi[k], bl[k])
            both("full", c, bi[k], bl[k]); only_a("semi")
        } else {
            only_a("left"); only_a("full"); only_a("anti")
            if (k != "-") only_a("not_in")
        }
        if (c || g == 1) only_a("mark")
        if (o) {
            i = bi[k] - bi[k, g]; l = bl[k] - bl[k, g]
            both("inner_other", o, i, l); both("left_other", o, i, l); both("right_other", o, i, l)
            both("full_other", o, i, l); only_a("semi_other")
        } else {
            only_a("left_other"); only_a("full_other"); only_a("anti_other")
        }
    }
    file == 3 {
        c = k == "-" ? 0 : an[k] + 0; o = k == "-" ? 0 : c - an[k, g]
        if (!c) { only_b("right"); only_b("full") }
        if (!o) { only_b("right_other"); only_b("full_other") }
        if ($1 < 30000) { if (c) only_b("semi_small"); else only_b("anti_small") }
        if ($1 < 30000) { if (o) only_b("semi_small_other"); else only_b("anti_small_other") }
    }
    END {
        for (t in n)
            printf "%s\t%d\t%d\t%.0f\t%.0f\t%d\t%.0f\t%.0f\n", t, n[t], na[t], sa[t], pa[t], nb[t], sb[t], pb[t]
    }' "$work/b.rows" "$work/a.rows" "$work/b.rows.again" >"$work/expected.$1"
}
cp "$work/b.rows" "$work/b.rows.again"
expect 2
expect 3

sum_a="count(a.id), coalesce(sum(a.id), 0), coalesce(sum(length(a.pad)), 0)"
sum_b="count(b.id), coalesce(sum(b.id), 0), coalesce(sum(length(b.pad)), 0)"
# sql JOIN KEY: the statement.
sql() {
    on="a.$2 = b.$2"
    case $1 in *_other) on="$on and a.g <> b.g" ;; esac
    small="(select * from $b where id < 30000) as b"
    case $1 in
    inner* | left* | right* | full*)
        echo "select count(*), $sum_a, $sum_b from $a ${1%_other} join $b on $on" ;;
    semi_small*) echo "select count(*), 0, 0, 0, $sum_b from $small where exists (select * from $a where $on)" ;;
    anti_small*) echo "select count(*), 0, 0, 0, $sum_b from $small where not exists (select * from $a where $on)" ;;
    semi*) echo "select count(*), $sum_a, 0, 0, 0 from $a where exists (select * from $b where $on)" ;;
    anti*) echo "select count(*), $sum_a, 0, 0, 0 from $a where not exists (select * from $b where $on)" ;;
    not_in) echo "select count(*), $sum_a, 0, 0, 0 from $a where $2 not in (select $2 from $b where $2 is not null)" ;;
    mark) echo "select count(*), $sum_a, 0, 0, 0 from $a where $2 in (select $2 from $b) or g = 1" ;;
    esac
}

# same JOIN KEY EXPECTED OPTION...
same() {
    join=$1 key=$2 expected=$3
    shift 3
    run "$@" -c "$(sql "$join" "$key")" &&
        grep "^$join$(printf '\t')" "$work/expected.$expected" | cut -f 2- | cmp - "$work/rows" >>"$work/err"
    result "$join by $key: $*"
}
joins=$(cut -f 1 "$work/expected.2" | sort)
[ "$(echo "$joins" | wc -l)" = 18 ]
result "all joins are there"
! has_less_to_do || joins="inner left_other right full_other semi anti_other not_in mark semi_small anti_small_other"
has_less_to_do || for join in $joins; do
    same "$join" k 2 --set threads=1 --set memory_limit=18MB
done
# Several lanes, which find memory full again and again.
export PISTACHIO_FAULT=room:5:every
for join in $joins; do
    same "$join" s 2 --set threads=4
done
same full h 3 --set threads=4
unset PISTACHIO_FAULT
# Most rows of b have the same key: cutting them does not help.
has_less_to_do || for join in inner right_other left full_other semi_other anti not_in mark anti_small_other; do
    same "$join" h 3 --set threads=1 --set memory_limit=20MB
done
for join in full_other semi_small; do
    same "$join" k 2 --set threads=2
    same "$join" h 3 --set threads=5 --set memory_limit=72MB
done
same inner k 2 --set threads=2 --set memory_limit=24MB --set chunk_rows=300

# spilled SQL OPTION...: megabytes that joins spilled.
spilled() {
    sql=$1
    shift
    run "$@" -c "explain analyze $sql" &&
        sed -n 's/.* join .*spilled \([0-9]*\).*/\1/p' "$work/rows" | sort -n | tail -n 1
}
if ! has_less_to_do; then
    [ "$(spilled "$(sql full k)" --set threads=2 --set memory_limit=22MB)" -gt 1 ]
    result "explain analyze says what was spilled"
    [ -z "$(spilled "$(sql full k)" --set threads=2 --set memory_limit=200MB)" ]
    result "what fits is not spilled"
fi

# So many rows that parts are cut again.
times=8
large() {
    echo "(select id * 20 + n as id, pad || pad || cast(id * n as varchar) || pad as pad from $1 join
        (values (0), (1), (2), (3), (4), (5), (6), (7)) as n (n) on id >= 0 and n < $times)"
}
many="select count(*), sum(a.id), sum(b.id), sum(length(a.pad)) - sum(length(b.pad)), min(a.pad) = min(b.pad)
    from $(large "$a") as a join $(large "$b") as b on a.id = b.id"
awk -v times=$times '{ c += times; s += $1 * 20 * times + times * (times - 1) / 2 } END { printf "%d\t%.0f\t%.0f\t0\ttrue\n", c, s, s }' \
    "$work/b.rows" >"$work/many"
if ! has_less_to_do; then
    run --set threads=2 --set memory_limit=36MB --set chunk_rows=3000 -c "$many" &&
        cmp "$work/rows" "$work/many" >>"$work/err"
    result "many rows"
    few=$(spilled "$many" --set threads=1 --set memory_limit=120MB)
    [ "$(spilled "$many" --set threads=1 --set memory_limit=18MB --set chunk_rows=3000)" -gt $((few * 3 / 2)) ]
    result "parts are cut again"
fi

# Joins of joins, both of which spill; a join without keys; a scalar subquery; an empty build side.
chain="select count(*), sum(a.id), sum(b.id), sum(c.id), sum(length(c.pad)) - sum(length(a.pad)), max(b.s)
    from $a join $b on a.id = b.id join (select * from $a) as c on c.id = b.id
    left join (select * from $b) as d on d.id = c.id"
scalar="select count(*), sum(a.id), sum(length(p)) from
    (select a.id, (select b.pad from $b where b.id = a.id) as p from $a) as a"
crossed="select count(*), sum(a.id), sum(b.id), sum(length(b.pad)) from (select * from $a where id < 60) as a
    join $b on a.id < b.id - length(b.pad)"
empty="select count(*), sum(a.id), count(b.id) from $a left join
    (select * from $b where length(pad) < 0) as b on a.id = b.id"
more_than_one="select sum(length(p)) from (select (select b.pad from $b where b.h = a.h) as p from $a) as a"
names="chain scalar crossed empty"
! has_less_to_do || names=chain
for name in $names; do
    eval "statement=\$$name"
    run --set threads=2 --set memory_limit=500MB -c "$statement" && mv "$work/rows" "$work/plain" &&
        [ -s "$work/plain" ] && for threads in $lanes; do
        run --set threads=$threads --set memory_limit=$((14 + 14 * threads))MB -c "$statement" &&
            cmp "$work/rows" "$work/plain" >>"$work/err"
        result "$name, $threads threads"
    done
done

if has_less_to_do; then
    finish
    exit
fi

# fails NAME TEXT OPTION...: a clean failure that says so.
fails() {
    name=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    [ $? = 1 ] && grep -qF "$text" "$work/err"
    result "$name"
}
fails "more than one row of a scalar subquery" "more than one row" "$program" --set threads=1 \
    --set memory_limit=20MB -c "$more_than_one"
joined() {
    fault=$1
    shift
    PISTACHIO_FAULT=$fault "$program" --set threads=2 --set memory_limit=22MB --format none "$@" \
        -c "$(sql full_other k)"
}
for n in 1 2 3 17 60; do
    fails "write $n fails" "temporary file in \"$work/temp\"" joined write:$n
    fails "writes from $n on fail" "temporary file in \"$work/temp\"" joined write:$n:always
done
fails "reads fail" "could not read file" joined read:90:always
fails "a folder that is not there" "could not make a temporary file in \"$work/none\"" \
    joined none --set temp_directory="$work/none"
full() (
    trap '' XFSZ
    ulimit -f 200
    joined none
)
fails "no room" "make room there" full

# Wide text of few rows of large pages, on the way to another join's build side: it is copied, or
# some row group's pages would stay. Of c the multiples of 9 have a partner, which has 1 + 2 + 3 + 4.
digits="(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
wide() {
    printf "cast(k as varchar) || '%0100d' as s%s" 0 "$1"
}
"$program" -c "copy (with d as (select i from $digits as v (i)),
    n as (select a.i + 10 * b.i + 100 * c.i + 1000 * d.i + 10000 * e.i as k from d a, d b, d c, d d, d e)
    select k, $(wide 1), $(wide 2), $(wide 3) from n order by k)
    to '$work/c.parquet' (row_group_size 50000, codec none)" >"$work/err" 2>&1
result "makes a table of large pages"
"$program" -c "copy (select k * 3 as k, k as o from '$work/c.parquet' where k % 3 = 0)
    to '$work/o.parquet'" >"$work/err" 2>&1
"$program" -c "copy (select o, q from '$work/o.parquet', (values (1), (2), (3), (4)) as x (q))
    to '$work/l.parquet'" >"$work/err" 2>&1
for threads in 1 2; do
    run --set threads=$threads --set memory_limit=32MB -c "select count(*), sum(t), sum(length(s1) + length(s2)
        + length(s3) - 300), bool_or(s3 = '99999' || substr(s1, 6)) from
        (select c.k, s1, s2, s3, sum(q) as t from '$work/c.parquet' c, '$work/o.parquet' o, '$work/l.parquet' l
        where c.k = o.k and l.o = o.o group by c.k, s1, s2, s3) as g"
    seq 0 9 99999 | awk '{ n++; t += 10; l += 3 * length($1) } END { printf "%d\t%d\t%d\ttrue\n", n, t, l }' |
        cmp -s - "$work/rows"
    result "text of large pages, $threads threads"
done

# Killed in the middle: the file has no name that could be left.
"$program" --set threads=2 --set memory_limit=22MB -c "$(sql full_other k)" >/dev/null 2>"$work/err" &
sleep 0.1
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
true
result "killed"

finish
