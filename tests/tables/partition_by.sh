#!/bin/sh
# COPY ... (PARTITION_BY ...): folders named key=value, whose rows are the query's.
# partition_by.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"
cd "$work" || exit 2

sql() { # SQL OPTION...
    statement=$1
    shift
    "$program" --format csv "$@" -c "$statement"
}
rows() { # SQL OPTION...
    sql "$@" >"$work/rows" || return 1
    sed 1d "$work/rows"
}

# Names of folders as DuckDB 2.0 writes them.
values="(values (1, 'a/b', 'x'), (2, null, 'y'), (3, '', 'z'), (4, 'ü =%', 'w'), (5, 'NULL', 'q'), (6, 'a/b', 'r'))"
expect "texts" 0 - sql "copy (select * from $values t(i, p, q)) to 'texts' (format parquet, partition_by (p))"
expect "names" 0 "texts/p=%C3%BC%20%3D%25/data_0.parquet
texts/p=/data_0.parquet
texts/p=NULL/data_0.parquet
texts/p=__HIVE_DEFAULT_PARTITION__/data_0.parquet
texts/p=a%2Fb/data_0.parquet" sh -c "find texts -type f | sort"
expect "read back" 0 '1,x,a/b
2,y,
3,z,""
4,w,ü =%
5,q,NULL
6,r,a/b' rows "select i, q, p from 'texts' order by i"
expect "keys are not in the files" 0 "i,q" sh -c "'$program' --format csv -c \"select * from 'texts/p=NULL/data_0.parquet' limit 0\" --set hive_partitioning=off"

# Larger than a batch and a row group, over ranks, on a device, spilled: the same rows.
expect "numbers" 0 - sql "copy (with recursive r(i) as (select 0 union all select i + 1 from r where i < 13)
    select a.i * 14 * 14 * 14 + b.i * 14 * 14 + c.i * 14 + d.i as i from r a, r b, r c, r d) to 'numbers.parquet'"
sum="count(*), sum(i), sum(k), count(d), min(d), max(d), sum(length(t)), count(distinct k)"
query="select i, case when i % 5 < 4 then (i % 5)::bigint end as k, date '2024-02-27' + (i % 3)::int as d, 'text ' || i as t, i % 2 = 0 as b from 'numbers.parquet'"
expected=$(rows "select $sum from ($query) q")
number=0
for options in "" "--set threads=1" "--set ranks=3 --set distribute=always" "--set device=simulated" "--set memory_limit=24MB"; do
    number=$((number + 1))
    # shellcheck disable=SC2086 # words
    expect "write $options" 0 - sql "copy ($query) to 'o$number' (partition_by (k, d, b), row_group_size 700)" $options
    expect "rows $options" 0 "$expected" rows "select $sum from 'o$number'"
    expect "files $options" 0 30 sh -c "find o$number -type f | wc -l"
done
expect "types" 0 "i,integer,yes
t,varchar,yes
k,bigint,yes
d,date,no
b,varchar,no" rows "describe 'o1'"
expect "one partition" 0 1280 rows "select count(*) from 'o1' where k = 1 and d = date '2024-02-27' and b = 'false'"
expect "the rows' order" 0 - sql "copy (select i, k from ($query) q order by i desc) to 'sorted' (partition_by (k))"
expect "the rows' order" 0 "38411
38406" rows "select i from 'sorted/k=1/data_0.parquet' limit 2"
expect "no rows" 0 - sql "copy (select * from 'numbers.parquet' n, (values (1)) v(k) where i < 0) to 'none' (partition_by (k))"
expect "no rows" 0 0 sh -c "find none -type f | wc -l"

# What is there stays, unless it is asked for.
expect "not empty" 1 - sql "copy (select 1 as a, 'NULL' as p) to 'texts' (partition_by p)"
says "not empty" 'folder "texts" is not empty'
expect "nothing was written" 0 '5,q,NULL' rows "select i, q, p from 'texts' where p = 'NULL'"
expect "overwrite" 0 - sql "copy (select 7 as i, 's' as q, 'NULL' as p) to 'texts' (partition_by p, overwrite_or_ignore true)"
expect "overwrite" 0 '1
2
3
4
6
7' rows "select i from 'texts' order by i"

# Each file is whole or absent.
expect "a failure midway" 1 - sql "copy (select i, i % 4 as k, 1 / (38415 - i) as one from 'numbers.parquet') to 'failed' (partition_by k)"
expect "a failure midway" 0 0 sh -c "{ find failed -name '*.parquet' -size -12c; find failed -name '*tmp*'; find failed -mindepth 1 -type d -empty; } | wc -l"
mkdir blocked
echo text >blocked/k=1
expect "a file in the place of a folder" 1 - sql "copy (select 1 as i, 1 as k) to 'blocked' (partition_by k, overwrite_or_ignore)"
says "a file in the place of a folder" "blocked/k=1"
expect "the path is a file" 1 - sql "copy (select 1 as i, 1 as k) to 'numbers.parquet' (partition_by k)"
says "the path is a file" '"numbers.parquet" is no folder'

# Errors name what is wrong.
wrong() { # NAME QUERY OPTIONS TEXT
    expect "$1" 1 - sql "copy ($2) to 'wrong' ($3)"
    says "$1" "$4"
    expect "nothing is made" 0 1 sh -c "test -e wrong; echo \$?"
}
wrong "all columns" "select 1 as a, 2 as b" "partition_by (a, b)" "none is left for the files"
wrong "twice" "select 1 as a, 2 as b" "partition_by (a, a)" 'PARTITION_BY has column "a" twice'
wrong "no such column" "select 1 as alpha, 2 as b" "partition_by (alpa)" 'did you mean "alpha"'
wrong "a double" "select 1 as a, 2::double precision as b" "partition_by b" 'column "b" is of type double'
wrong "a name" "select 1 as a, 2 as \"b=c\"" 'partition_by ("b=c")' '"b=c" cannot be in the name of a folder'
wrong "csv" "select 1 as a, 2 as b" "format csv, partition_by b" 'the format csv has no option "partition_by"'
wrong "nothing" "select 1 as a, 2 as b" "partition_by" "PARTITION_BY lacks names of columns"
expect "the name of NULL" 1 - sql "copy (select 1 as a, '__HIVE_DEFAULT_PARTITION__' as b) to 'wrong' (partition_by b)"
says "the name of NULL" "which means NULL in the name of a folder"
finish
