#!/bin/sh
# Lists, structs and maps of files: read, selected, joined, printed as DuckDB prints them; what is not supported is refused.
# nested_values.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"
cp "$here/../data/metadata/values.parquet" v.parquet # made by tests/parquet/make_metadata_fixtures.py

# The values are DuckDB's, cast to text.
expect "describe" 0 "column,type,nullable
id,integer,no
l,bigint[],yes
t,varchar[],yes
s,\"struct(a integer, b varchar)\",yes
m,\"map(varchar, double)\",yes
ls,\"struct(x smallint, l tinyint[])[]\",yes" sql "describe 'v.parquet'"
expect "all rows" 0 "1,\"[1, 2, NULL]\",\"[a, b c]\",\"{'a': 1, 'b': x}\",{k=1.5},\"[{'x': 1, 'l': [1, 2]}, {'x': NULL, 'l': []}]\"
2,,[],,{},[]
3,[],,\"{'a': NULL, 'b': y z}\",,
4,[3],\"['x,y', 'it\\'s', '']\",\"{'a': 4, 'b': NULL}\",\"{a=NULL, b c=2.5}\",\"[NULL, {'x': 4, 'l': NULL}]\"
5,[NULL],\"['null', NULL]\",\"{'a': NULL, 'b': NULL}\",{''=0.5},\"[{'x': 5, 'l': [NULL]}]\"
6,\"[4, 5, 6, 7, 8, 9]\",\"[' a', 'a=b', '[x]']\",\"{'a': 6, 'b': ''}\",,[]
7,[10],[a text that does not lie in its view],,{'x=y'=3.5},
8,[],\"[NULL, NULL]\",\"{'a': 8, 'b': q}\",{},\"[{'x': 8, 'l': [8]}]\"
9,\"[11, NULL, 12]\",[ä],\"{'a': 9, 'b': 'x,y'}\",{k=NULL},\"[{'x': 9, 'l': [9, 9, 9]}]\"" rows "from 'v.parquet'" --set threads=1
expect "some" 0 '6,"[4, 5, 6, 7, 8, 9]"
9,"[11, NULL, 12]"' rows "select id, l from 'v.parquet' where id % 3 = 0 and l is not null and s is not null and id > 3" --set threads=1
expect "JSON" 0 '{"id": 4, "t": ["x,y", "it'"'"'s", ""], "s": {"a": 4, "b": null}, "m": {"a": null, "b c": 2.5}, "ls": [null, {"x": 4, "l": null}]}' \
    "$program" --format jsonl -c "select id, t, s, m, ls from 'v.parquet' where id = 4"
expect "a table" 0 " t                    | m
----------------------+-------------------
 ['x,y', 'it\\'s', ''] | {a=NULL, b c=2.5}
(1 row)" "$program" -c "select t, m from 'v.parquet' where id = 4"
expect "a join" 0 "9,\"[11, NULL, 12]\",\"[{'x': 9, 'l': [9, 9, 9]}]\"" \
    rows "select v.id, l, ls from (values (9), (10)) k(i) join 'v.parquet' v on v.id = k.i"
"$program" --format csv -c "select k.i, v.l, v.s from (values (4), (10)) k(i) left join 'v.parquet' v on v.id = k.i" 2>&1 |
    sed 1d | sort >"$work/outer"
expect "an outer join" 0 "10,,
4,[3],\"{'a': 4, 'b': NULL}\"" cat "$work/outer"
expect "twice" 0 "4,[3],[3]" rows "with x as materialized (select id, l from 'v.parquet') select a.id, a.l, b.l from x a join x b using (id) where a.id = 4"
expect "offset" 0 '9,"[11, NULL, 12]"' rows "select id, l from 'v.parquet' limit 3 offset 8" --set threads=1
expect "counting NULLs" 0 "1" rows "select count(*) from 'v.parquet' where l is null"
expect "SUMMARIZE" 0 "column_name,column_type,min,max,approx_unique,avg,std,count,null_percentage
l,bigint[],,,,,,9,11.11
m,\"map(varchar, double)\",,,,,,9,22.22" sql "summarize select l, m from 'v.parquet'"

# An order, and windows of it.
expect "an order" 0 '9,"[11, NULL, 12]"
8,[]
7,[10]' rows "select id, l from 'v.parquet' order by id desc limit 3"
expect "a whole order" 0 "\"['x,y', 'it\\'s', '']\",\"{a=NULL, b c=2.5}\"
\"[' a', 'a=b', '[x]']\",
\"[a, b c]\",{k=1.5}" rows "select t, m from 'v.parquet' order by len(t) desc nulls last, id limit 3"
expect "a window" 0 '9,"[11, NULL, 12]",1
8,[],2' rows "select id, l, row_number() over (order by id desc) n from 'v.parquet' order by n limit 2"
# Fields and elements.
expect "fields" 0 '9,9,"x,y"
8,8,q
6,6,""' rows "select id, s.a, s.b from 'v.parquet' where s.a > 4 order by s.b desc"
expect "elements" 0 "1,1,,,3,1,2
2,,,,,,
3,,,,0,,
4,3,3,,1,,
5,,,,1,5,
6,4,9,,6,,
7,10,10,,1,,
8,,,,0,8,
9,11,12,,3,9,9" rows "select id, l[1], l[-1], l[7], len(l), ls[1].x, ls[1].l[2] from 'v.parquet' order by id"
expect "a group" 0 "false,5,13
true,4,2" rows "select s.a is null g, count(*), sum(len(l)) from 'v.parquet' group by 1 order by 1"
expect "a table's column's field" 0 "1,x,a,1,1" rows "select id, v.s.b, v.t[1], cardinality(m), s['a'] from 'v.parquet' v where id = 1"

# Compared, grouped, ordered: by element, then length; NULLs are equal, and after all values.
everywhere() { # NAME LINES SQL
    expect "$1" 0 "$2" rows "$3"
    expect "$1, of three ranks" 0 "$2" rows "$3" --ranks 3 --set distribute=always
    expect "$1, on a lazy device" 0 "$2" rows "$3" --set device=simulated
    export PISTACHIO_FAULT=room:1:always
    expect "$1, from temporary files" 0 "$2" rows "$3"
    unset PISTACHIO_FAULT
}
everywhere "groups" "[],2
\"[1, 2, NULL]\",1
[3],1
\"[4, 5, 6, 7, 8, 9]\",1
[10],1
\"[11, NULL, 12]\",1
[NULL],1
,1" "select l, count(*) from 'v.parquet' group by l order by l"
everywhere "an order by structs" "6,\"{'a': 6, 'b': ''}\",
8,\"{'a': 8, 'b': q}\",{}
9,\"{'a': 9, 'b': 'x,y'}\",{k=NULL}
3,\"{'a': NULL, 'b': y z}\",
5,\"{'a': NULL, 'b': NULL}\",{''=0.5}" "select id, s, m from 'v.parquet' where id <> 4 and id <> 1 and s is not null order by s, id"
everywhere "a join by lists" "3,8,\"{'a': 8, 'b': q}\"
8,3,\"{'a': NULL, 'b': y z}\"" "select a.id, b.id, b.s from 'v.parquet' a join 'v.parquet' b on a.l = b.l where a.id <> b.id order by 1"
everywhere "the least and the greatest" "{},{'x=y'=3.5},7,[NULL]" "select min(m), max(m), count(distinct l), max(l) from 'v.parquet'"
everywhere "windows" "1,,{k=1.5},1
2,\"[1, 2, NULL]\",{k=1.5},1
3,,{k=1.5},1
4,[],{k=1.5},1
8,[3],{k=1.5},2" "select id, lag(l) over (order by id), max(m) over (order by id), row_number() over (partition by l order by id) from 'v.parquet' where id < 5 or id = 8 order by id"
everywhere "sets" "[]
[3]
" "select l from 'v.parquet' where id < 5 except select l from 'v.parquet' where id in (1, 9) order by 1"
everywhere "choices" "1,\"[1, 2, NULL]\",true,\"[1, 2, NULL]\"
3,,true,[]
5,[NULL],false,[NULL]" "select id, case when id <> 3 then l end, l < (select l from 'v.parquet' where id = 5), coalesce(nullif(l, l), l) from 'v.parquet' where id in (1, 3, 5) order by id"

# Of a struct only the leaves are read that somebody asks for: s.b's first page is damaged.
cp v.parquet damaged.parquet
printf '\377\377\377\377' | dd of=damaged.parquet bs=1 seek=499 conv=notrunc 2>/dev/null
expect "one leaf" 0 "28,9,7" rows "select sum(s.a), count(s.a is null), count(s) from 'damaged.parquet'"
expect "another leaf" 1 - rows "select max(s.b) from 'damaged.parquet'"
expect "both leaves" 1 - rows "select max(s) from 'damaged.parquet'"
# Statistics of leaves leave row groups out: those without such an s.a are the first two.
expect "a condition on a leaf" 0 "9" rows "select max(s.a) from 'damaged.parquet' where s.a > 8 and s.b <> ''"
expect "a condition on a damaged one" 1 - rows "select max(s.a) from 'damaged.parquet' where s.a < 8 and s.b <> ''"

refused() { # SQL TEXT
    expect "$1" 1 - sql "$1"
    says "$1" "$2"
}
refused "select s.c from 'v.parquet'" 'the struct has no field "c"'
refused "select id.c from 'v.parquet'" 'there is no table "id"'
refused "select l['a'] from 'v.parquet'" "bigint"
refused "select id from 'v.parquet' where l = 'x'" "the text is not a value of type bigint[]"
refused "select id from 'v.parquet' where l in ('x', 'y')" "the text is not a value of type bigint[]"
refused "select coalesce(s, 'x') from 'v.parquet'" "the text is not a value of type struct(a integer, b varchar)"
expect "a copy" 0 "COPY 9" "$program" -c "copy (from 'v.parquet') to 'w.parquet' (row_group_size 4)"
expect "its rows" 0 "0,0" rows "select (select count(*) from (from 'v.parquet' except all from 'w.parquet')), (select count(*) from (from 'w.parquet' except all from 'v.parquet'))"
expect "a table" 0 "9,6" rows "create table x as from 'w.parquet'; select count(*), count(distinct ls) from x"
# A lazy device holds bytes of values; its host computes with the values.
lazy="--set device=simulated --set threads=2"
# shellcheck disable=SC2086
expect "on a lazy device" 0 "$(rows "from 'v.parquet' order by id")" rows "from 'v.parquet' order by id" $lazy
# shellcheck disable=SC2086
expect "a condition on a leaf, on a lazy device" 0 "9" rows "select max(s.a) from 'damaged.parquet' where s.a > 8 and s.b <> ''" $lazy
# shellcheck disable=SC2086
expect "a damaged leaf, on a lazy device" 1 - rows "select max(s.b) from 'damaged.parquet'" $lazy
# shellcheck disable=SC2086
expect "a copy from a lazy device" 0 "COPY 9" "$program" $lazy -c "copy (from 'v.parquet') to 'y.parquet' (row_group_size 4)"
expect "its rows" 0 "0,0" rows "select (select count(*) from (from 'v.parquet' except all from 'y.parquet')), (select count(*) from (from 'y.parquet' except all from 'v.parquet'))"
# shellcheck disable=SC2086
expect "its plan" 0 1 sh -c "\"$program\" --format csv $lazy -c \"explain select id from 'v.parquet' where len(l) > 2\" | grep -c 'on_host(array_length(nested_of_bytes(l))) > 2'"
# shellcheck disable=SC2086
expect "rows that stay on the device" 1 - sql "select l from 'v.parquet'" $lazy --set result_memory=device
says "rows that stay on the device" 'column "l" of the result is a list, struct or map, which cannot stay'
expect "files with and without the column" 0 "1,\"[1, 2]\"
2," rows "copy (select 1 as a, [1, 2] as l) to 'p1.parquet'; copy (select 2 as a) to 'p2.parquet'; select a, l from read_parquet(['p1.parquet', 'p2.parquet'], union_by_name => true) order by a" --set device=simulated
finish
