#!/bin/sh
# Nested columns that cannot be read: * leaves them out with a notice, and who asks for one is told why not.
# nested.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"
cp "$here/../data/metadata/variant.parquet" n.parquet # made by tests/parquet/make_metadata_fixtures.py
notice='notice: columns "optional_point", "numbers", "words" are left out: nested columns are not supported'
read="id,required_point"

noted() { # NAME LINES SQL: the notice once, and what is printed.
    expect "$1" 0 "$2" sql "$3"
    says "$1" "$notice"
    if [ "$(grep -c ^notice "$work/err")" = 1 ]; then pass; else fail "$1: the notice is not there once"; fi
}
noted "describe" "column,type,nullable
id,integer,no
required_point,\"struct(x integer, y bigint)\",no" "describe 'n.parquet'"
noted "select" "$read
1,\"{'x': 1, 'y': 2}\"
2,\"{'x': 3, 'y': NULL}\"" "select * from 'n.parquet' order by id"
noted "of a table" "$read" "select t.* from 'n.parquet' t limit 0"
noted "of two" "$read,id_1,required_point_1" "select * from 'n.parquet' a join 'n.parquet' b on a.id = b.id limit 0"
noted "a list of files" "$read" "select * from read_parquet(['n.parquet', 'n.parquet']) limit 0"
noted "by name" "$read" "select * from read_parquet('n.parquet', union_by_name => true) limit 0"
noted "a subquery" "count
2" "select count(*) from (select * from 'n.parquet') q"
noted "summarize" "$(sql "summarize (select id, required_point from 'n.parquet')" 2>/dev/null ||
    sql "summarize select id, required_point from 'n.parquet'")" "summarize 'n.parquet'"
expect "others are left out" 0 "$read" sql "select * exclude (numbers) from 'n.parquet' limit 0"
says "others are left out" 'notice: columns "optional_point", "words" are left out'
expect "all are excluded" 0 "$read" sql "select * exclude (optional_point, numbers, words) from 'n.parquet' limit 0"
silent "all are excluded" notice
expect "no star" 0 "2" rows "select count(*) from 'n.parquet'"
silent "no star" notice
expect "the number of columns" 0 "n,table,2,5" rows "show tables" n.parquet
expect "excluded, but not there" 1 - sql "select * exclude (number) from 'n.parquet'"
says "excluded, but not there" 'column "number" of EXCLUDE does not exist'

asked() { # NAME SQL COLUMN
    expect "$1" 1 - sql "$2"
    says "$1" "column \"$3\" is nested in a way (VARIANT, say) that is not supported"
    says "$1, with its place" "line 1: "
}
asked "select" "select numbers from 'n.parquet'" numbers
asked "in any case" "select Numbers from 'n.parquet'" numbers
asked "of a table" "select t.words from 'n.parquet' t" words
asked "where" "select id from 'n.parquet' where optional_point is null" optional_point
asked "by name" "select words from read_parquet('n.parquet', union_by_name => true)" words
asked "using" "select 1 from 'n.parquet' a join 'n.parquet' b on a.numbers = b.numbers" numbers
expect "a leaf" 1 - sql "select \"numbers.list.element\" from 'n.parquet'"
says "a leaf" 'column "numbers.list.element" does not exist'
finish
