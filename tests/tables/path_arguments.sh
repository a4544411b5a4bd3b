#!/bin/sh
# Paths as arguments that are not written as a text: variables, lists of them, constant expressions; of every function that
# takes paths.
# path_arguments.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"
for number in 1 2; do
    for form in parquet csv json arrow; do
        sql "copy (select $number as a) to 'p$number.$form' (format $form)" >/dev/null
    done
done
sql "copy (select 3 as a) to 'it''s, a \"name\".parquet'" >/dev/null
# after STATEMENTS QUERY: the query's rows.
after() {
    printf "%s;\n" "$1" "$2" >script.sql
    "$program" --format csv -f script.sql >rows || return 1
    tail -n 1 rows
}
# read_paths FUNCTION ARGUMENT STATEMENT: what the files have, once a variable is set.
read_paths() {
    after "$3" "select sum(a), count(*) from $1($2)"
}
for pair in read_parquet:parquet read_csv:csv read_json:json read_arrow:arrow; do
    function=${pair%:*}
    form=${pair#*:}
    one="set variable f = 'p1.$form'"
    two="set variable fs = ['p1.$form', 'p2.$form']"
    expect "$function of a variable" 0 "1,1" read_paths "$function" "getvariable('f')" "$one"
    expect "$function of a list" 0 "3,2" read_paths "$function" "getvariable('fs')" "$two"
    expect "$function of a list with a variable" 0 "3,2" read_paths "$function" "[getvariable('f'), 'p2.$form']" "$one"
    expect "$function of an element" 0 "2,1" read_paths "$function" "getvariable('fs')[2]" "$two"
    expect "$function of texts put together" 0 "1,1" read_paths "$function" "'p' || '1.$form'" "$one"
    expect "$function of a list of such" 0 "3,2" read_paths "$function" "['p' || '1.$form', concat('p', 2, '.$form')]" "$one"
    expect "$function of a pattern" 0 "3,2" read_paths "$function" "getvariable('f') || ''" "set variable f = 'p[12].$form'"
done
two="set variable fs = ['p1.parquet', 'p2.parquet']"
expect "facts of a list" 0 "2,2" after "$two" "select sum(num_rows), count(*) from parquet_file_metadata(getvariable('fs'))"
expect "glob" 0 "1" after "$two" "select count(*) from glob(getvariable('fs')[1])"
expect "by name" 0 "3" after "$two" "select sum(a) from read_parquet(getvariable('fs'), union_by_name => true)"
expect "names in quotes" 0 "4" after "set variable q = ['p1.parquet', 'it''s, a \"name\".parquet']" "select sum(a) from read_parquet(getvariable('q'))"
expect "in a view" 0 "2" after "$two;create view v as from read_parquet(getvariable('fs')[2])" "select a from v"
expect "in a macro" 0 "3" after "$two;create macro m(p) as table select sum(a) as s from read_parquet(p)" "from m(getvariable('fs'))"
expect "of a variable that a query made" 0 "3" after "set variable g = (select list(file order by file) from glob('p?.parquet'))" \
    "select sum(a) from read_parquet(getvariable('g'))"

for function in read_parquet read_csv read_json read_arrow parquet_schema; do
    expect "$function of no variable" 1 - sql "from $function(getvariable('nothing'))"
    says "$function of no variable" "a path of $function is NULL"
    expect "$function of a number" 1 - sql "from $function(7)"
    says "$function of a number" "arguments of $function must be paths in quotes"
    expect "$function of a column" 1 - sql "from $function(x)"
    says "$function of a column" "arguments of $function must be paths in quotes"
    expect "$function of a query" 1 - sql "from $function((select 'p1.parquet'))"
    says "$function of a query" "arguments of $function must be paths in quotes"
    expect "$function of a NULL in a list" 1 - sql "from $function(['p1.parquet', NULL])"
    says "$function of a NULL in a list" "a path of $function is NULL"
done
expect "an element behind the last" 1 - sql "from read_parquet(list_value('p1.parquet')[2])"
says "an element behind the last" "a path of read_parquet is NULL"
expect "the place" 1 - sql "from read_parquet('p1.parquet', 'none' || '.parquet')"
says "the place" "line 1: "
finish
