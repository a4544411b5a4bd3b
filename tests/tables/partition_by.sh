#!/bin/sh
# COPY ... (PARTITION_BY ...): folders named key=value, whose rows are the query's.
# partition_by.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"

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
expect "a failure midway" 1 0 sh -c "ls -A | grep -c failed"
mkdir failed
expect "in a folder that is there" 1 - sql "copy (select i, i % 4 as k, 1 / (38415 - i) as one from 'numbers.parquet') to 'failed' (partition_by k)"
expect "in a folder that is there" 0 0 sh -c "{ find failed -name '*.parquet' -size -12c; find failed -name '*tmp*'; find failed -mindepth 1 -type d -empty; } | wc -l"
# A folder that was not there appears whole, or neither it nor those above it do.
expect "before any row" 1 - sql "copy (select 1 / (i - 5) as one, i as k from (values (5)) t(i)) to 'new/above/failed' (partition_by k)"
says "before any row" "division by zero"
expect "before any row" 1 0 sh -c "ls -A | grep -c new"
mkdir new
expect "a folder that was there" 1 - sql "copy (select 1 / (i - 5) as one, i as k from (values (5)) t(i)) to 'new/above/failed' (partition_by k)"
expect "a folder that was there" 0 0 sh -c "ls -A new | wc -l"
expect "an empty one" 1 - sql "copy (select 1 / (i - 5) as one, i as k from (values (5)) t(i)) to 'new' (partition_by k)"
expect "an empty one" 0 0 sh -c "ls -A new | wc -l"
expect "folders above" 0 - sql "copy (select 1 as i, 2 as k) to 'new/above/it//all/' (partition_by k)"
expect "folders above" 0 "new/above/it/all/k=2/data_0.parquet" find new -type f

# Another way to take what is there: append adds files, overwrite replaces all at once, by rows that may come of it.
expect "append" 0 - sql "copy (select 2 as i, 2 as k union all select 3, 4) to 'new/above/it/all' (partition_by k, append)"
expect "append" 0 "1,2
2,2
3,4" rows "select * from 'new/above/it/all' order by i"
expect "append" 0 3 sh -c "find new -name 'data_*.parquet' | wc -l"
expect "overwrite" 0 - sql "copy (select i + 10 as i, k * 2 as k from 'new/above/it/all' where i < 3) to 'new/above/it/all' (partition_by k, overwrite)"
expect "overwrite" 0 "11,4
12,4" rows "select * from 'new/above/it/all' order by i"
expect "overwrite" 0 "new/above/it/all/k=4/data_0.parquet" find new -type f
expect "overwrite that fails" 1 - sql "copy (select 1 / (i - 12) as i, k from 'new/above/it/all') to 'new/above/it/all' (partition_by k, overwrite)"
expect "overwrite that fails" 0 "new
new/above
new/above/it
new/above/it/all
new/above/it/all/k=4
new/above/it/all/k=4/data_0.parquet" sh -c "find new | sort"
ln -s above/it/all new/link
expect "by a link" 0 - sql "copy (select 5 as i, 5 as k) to 'new/link/' (partition_by k, overwrite)"
expect "by a link" 0 "5,5" rows "select * from 'new/above/it/all'"
expect "here" 1 - sh -c "cd new && '$program' -c \"copy (select 5 as i, 5 as k) to '.' (partition_by k, overwrite)\""
says "here" "is the one that the program runs in"
expect "here" 0 "5,5" rows "select * from 'new/above/it/all'"

# Text: each file as COPY would write it.
expect "csv" 0 - sql "copy (select * from (values (1, 'a;b', 'x'), (2, null, null), (3, '', 'x')) t(i, s, k) order by i desc) to 'text' (format csv, delimiter ';', partition_by k)"
expect "csv" 0 'text/k=__HIVE_DEFAULT_PARTITION__/data_0.csv
i;s
2;
text/k=x/data_0.csv
i;s
3;""
1;"a;b"' sh -c "for f in \$(find text -type f | sort); do echo \$f; cat \$f; done"
expect "csv without a header, beside it" 0 - sql "copy (select 4 as i, 't' as s, 'x' as k) to 'text' (format csv, header false, partition_by k, append)"
expect "csv without a header, beside it" 0 "4,t" sh -c "cat \$(find text -type f | grep -v 'data_0[.]csv')"
expect "json" 0 - sql "copy (select * from (values (1, 'a', 1.5), (2, null, 1.5), (3, 'c', null)) t(i, s, k) order by i) to 'json' (format json, partition_by k)"
expect "json" 0 '[{"i": 1, "s": "a"},
 {"i": 2, "s": null}]' cat json/k=1.5/data_0.json
expect "jsonl" 0 - sql "copy (select i, 'text ' || i as t, i % 3 as k from 'numbers.parquet' order by i) to 'lines' (format jsonl, partition_by k)"
expect "jsonl" 0 '{"i": 38413, "t": "text 38413"}' tail -n 1 lines/k=1/data_0.jsonl
expect "jsonl" 0 "38416" sh -c "cat lines/*/*.jsonl | wc -l"
expect "no rows of text" 0 - sql "copy (select 1 as i, 2 as k limit 0) to 'nothing' (format csv, partition_by k)"
expect "no rows of text" 0 0 sh -c "find nothing -type f | wc -l"
expect "text that cannot be written" 1 - env PISTACHIO_FAULT=write:3 "$program" -c "copy (select i, i % 3 as k from 'numbers.parquet') to 'full' (format csv, partition_by k)"
says "text that cannot be written" "could not write file"
expect "text that cannot be written" 1 0 sh -c "ls -A | grep -c full"

mkdir blocked
echo text >blocked/k=1
expect "a file in the place of a folder" 1 - sql "copy (select 1 as i, 1 as k) to 'blocked' (partition_by k, overwrite_or_ignore)"
says "a file in the place of a folder" "blocked/k=1"
expect "the path is a file" 1 - sql "copy (select 1 as i, 1 as k) to 'numbers.parquet' (partition_by k)"
says "the path is a file" '"numbers.parquet" is not a folder'

# Errors name what is wrong.
wrong() { # NAME QUERY OPTIONS TEXT
    expect "$1" 1 - sql "copy ($2) to 'wrong' ($3)"
    says "$1" "$4"
    expect "nothing is made" 0 1 sh -c "test -e wrong; echo \$?"
}
wrong "a value that is too long for a name" "select 1 as a, repeat('long ', 60) as b" "partition_by (b)" "File name too long"
wrong "all columns" "select 1 as a, 2 as b" "partition_by (a, b)" "none is left for the files"
wrong "twice" "select 1 as a, 2 as b" "partition_by (a, a)" 'PARTITION_BY has column "a" twice'
wrong "no such column" "select 1 as alpha, 2 as b" "partition_by (alpa)" 'did you mean "alpha"'
wrong "a double" "select 1 as a, 2::double precision as b" "partition_by b" 'column "b" is of type double'
wrong "two ways" "select 1 as a, 2 as b" "partition_by b, append, overwrite" "COPY takes one of OVERWRITE, OVERWRITE_OR_IGNORE and APPEND"
wrong "append" "select 1 as a, 2 as b" "format parquet, append" "COPY takes APPEND with PARTITION_BY"
wrong "per rank" "select 1 as a, 2 as b" "per_rank, overwrite" "PER_RANK makes a new folder"
wrong "nothing" "select 1 as a, 2 as b" "partition_by" "PARTITION_BY lacks names of columns"

# What was written comes back as it was.
back() { # NAME TYPE VALUES: each value a row, in the key and in the file.
    rm -rf back
    expect "$1, written" 0 - sql "copy (select k, k as v from (values $3) t(k)) to 'back' (format parquet, partition_by (k))"
    for types in '' ", hive_types => 'k $2'"; do
        expect "$1, read$types" 0 0 rows "select count(*) from read_parquet('back'$types) t
            where k::varchar is distinct from v::varchar"
    done
}
back "texts" varchar "('a'), (''), (null), ('NULL'), ('01'), ('1'), ('%'), ('%41'), ('/'), ('a/b'), ('='), ('a=b'), ('.'), ('..'), (' '), ('ü'), ('日本'), ('😀'), ('a''b\"c'), ('_x'), ('__HIVE_DEFAULT_PARTITION__'), (chr(10)), (chr(9) || chr(127))"
back "texts of digits" varchar "('01234'), ('1234'), ('-0'), ('+1')"
back "texts of dates" varchar "('2024-01-01'), ('2024-1-1'), ('2024-01-01 00:00:00')"
back "numbers" integer "(1), (-5), (null), (0)"
back "large numbers" ubigint "(18446744073709551615::ubigint), (0)"
back "decimals" "decimal(10,2)" "(1.50::decimal(10,2)), (1.05), (-0.01), (null)"
back "large decimals" "decimal(38,3)" "(12345678901234567890123456789012345.125::decimal(38,3)), (-1)"
back "booleans" boolean "(true), (false), (null)"
back "dates" date "(date '2024-02-29'), (date '0001-01-01'), (date '12024-01-01'), (null)"
back "dates before Christ" date "(date '0044-03-15 BC'), (date '2024-02-29')"
back "timestamps" timestamp "(timestamp '2024-02-29 01:02:03.000004'), (timestamp '2024-02-29'), (null)"
back "timestamps with time zone" timestamptz "(timestamptz '2024-02-29 01:02:03.5+02'), (null)"
back "times" time "(time '01:02:03.000004'), (time '00:00')"
back "UUIDs" uuid "('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid), (null)"
expect "names of keys, written" 0 - sql "copy (select 1 as v, 2 as \"a/b\", 3 as \"c=d\", 4 as \"e%41\", 5 as \".f\", 6 as \" ü'\") to 'keys'
    (format parquet, partition_by (\"a/b\", \"c=d\", \"e%41\", \".f\", \" ü'\"))"
expect "names of keys, read" 0 "v,a/b,c=d,e%41,.f, ü'
1,2,3,4,5,6" sql "select * from 'keys'"
finish
