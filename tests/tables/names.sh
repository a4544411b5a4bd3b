#!/bin/sh
# Files, folders and tables by whatever names they have: each is found by its name, and means no other.
# names.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"

# ---- names that are patterns, too ----
mkdir -p 'g/D[x]' g/Dx
file 'g/D[x]/t.parquet' "select 5 as v"
file g/Dx/t.parquet "select 6 as v"
file 'h/a*.parquet' "select 7 as v"
file 'h/ab.parquet' "select 8 as v"
file 'h/[.parquet' "select 9 as v"
expect "FROM" 0 5 rows "select v from 'g/D[x]/t.parquet'"
expect "FROM, a folder" 0 5 rows "select v from 'g/D[x]'"
expect "FROM, a pattern below" 0 5 rows "select v from 'g/D[x]/*.parquet'"
expect "a pattern that is no name" 0 6 rows "select v from 'g/D[xy]/t.parquet'"
expect "read_parquet" 0 5 rows "select v from read_parquet('g/D[x]/t.parquet')"
expect "by name" 0 5 rows "select v from read_parquet('g/D[x]/t.parquet', union_by_name => true)"
expect "an argument" 0 5 rows "select v from t" 'g/D[x]'
expect "its file" 0 5 rows "select v from t" 'g/D[x]/t.parquet'
expect "--table" 0 5 rows "select v from u" --table 'u=g/D[x]/t.parquet'
expect "a pattern's table" 0 5 rows "select v from \"D[x]\"" 'g/D[x]/*.parquet'
file sales_1.parquet "select 20 as v"
file sales_2.parquet "select 22 as v"
expect "a pattern without a folder" 0 42 rows "select sum(v) from sales" 'sales_*.parquet'
expect "of signs alone" 0 42 rows "select sum(v) from \"${PWD##*/}\"" '*_[12].parquet'
expect "ranks" 0 5 rows "select v from t" 'g/D[x]' --ranks 2 --set distribute=always
expect "the folder's tables" 0 'D[x],5
Dx,6' rows "select 'D[x]', v from \"D[x]\" union all select 'Dx', v from \"Dx\" order by 1" g
expect "names of files" 0 '[,9
a*,7
ab,8' rows "select '[' as n, v from \"[\" union all select 'a*', v from \"a*\" union all select 'ab', v from ab order by n" h
expect "the folder as a table" 0 24 rows "select sum(v) from 'h'"
expect "inspect" 0 '  g/D[x]/t.parquet' sh -c "'$program' inspect 'g/D[x]/t.parquet' | sed -n 2p"
check "rewrite" "$program" rewrite 'g/D[x]/t.parquet' 'g/D[x]/r.parquet'
expect "rewrite" 0 5 rows "select v from 'g/D[x]/r.parquet'"
rm 'g/D[x]/r.parquet'
check "rewrite of a folder" "$program" rewrite 'g/D[x]' copied
expect "rewrite of a folder" 0 5 rows "select v from 'copied/t.parquet'"
expect "COPY" 0 - sql "copy (select 10 as v) to 'h/a*.parquet'"
expect "COPY" 0 '10
8' sh -c "'$program' --format csv -c \"select v from 'h/a*.parquet'\" -c \"select v from 'h/ab.parquet'\" | grep -v v"
expect "COPY to a folder" 0 - sql "copy (select 1 as v, 2 as k) to 'p[q]' (partition_by k)"
expect "COPY to a folder" 0 "1,2" rows "select * from 'p[q]'"

# ---- columns that are called alike ----
cp "$here/../data/metadata/alike.parquet" alike.parquet # made by tests/parquet/make_metadata_fixtures.py
expect "of a file" 0 "value,value_1,Value,value_1_1,C4,UserID
0,1,2,3,4,5" sql "select * from 'alike.parquet'"
expect "each by its name" 0 "value,value_1,value_1_1,C4,Value
0,1,3,4,2" sql "select value, value_1, value_1_1, c4, \"Value\" from 'alike.parquet'"
expect "described" 0 "value value_1 Value value_1_1 C4 UserID " sh -c "'$program' --format csv -c \"describe 'alike.parquet'\" | sed '1d;s/,.*//' | tr '\n' ' '; echo"
check "rewrite" "$program" rewrite alike.parquet alike2.parquet
expect "rewritten" 0 "0,1,2,3,4,5" rows "select * from 'alike2.parquet'"
expect "rewriting keeps names" 0 3 sh -c "'$program' inspect alike2.parquet | sed -n '/^Schema/,/^Row/p' | grep -ciw value"
expect "of a query" 0 "value,value_1" sql "select 1 as value, 2 as value limit 0"
expect "of a join" 0 "value,UserID,value_1,UserID_1" sql "select a.value, a.userid, b.value, b.userid from 'alike.parquet' a, 'alike.parquet' b limit 0"
expect "without names" 0 "?column?,?column?_1" sql "select 1, 2 limit 0"
expect "CREATE TABLE" 0 "value,value_1
1,2" sql "create table t as select 1 as value, 2 as value; select * from t"
expect "as the file spells them" 0 "UserID,UserID_1,u,UserID_2,sum" \
    sql "select userid, USERID, userid as u, t.UserId::varchar, sum(userid) over () from 'alike.parquet' t limit 0"
expect "in subqueries and views" 0 "UserID
5" sql "create view v as select userid from 'alike.parquet'; select userID from (select * from v) q group by userid order by USERID"

# ---- the shell's commands ----
commands() { # NAME TEXT COMMAND: the name of the first column that it lists.
    printf '%s\n' "$3" >commands.sql
    expect "$1" 0 "$2" sh -c "'$program' --format csv g -f commands.sql | sed -n 2p"
}
commands ".schema of a path" "v,integer,no" ".schema 'g/D[x]/t.parquet'"
commands ".schema of a path without quotes" "v,integer,no" ".schema g/D[x]/t.parquet;"
commands "\\d of a path" "v,integer,no" "\\d 'g/Dx/t.parquet'"
commands "\\d of a name" "v,integer,no" '\d D[x]'
commands "\\d of a quoted name" "v,integer,no" '\d "D[x]"'
file several/a.parquet "select 1 as a"
file several/b.parquet "select 'x' as b, 2 as c"
expect "inspect of several tables" 0 "  several/a.parquet
  several/b.parquet" sh -c "'$program' inspect several | grep -A1 ^File | grep several"
expect "a folder that is not there" 1 - sql "copy (select 1) to 'nowhere/x.parquet'"
expect "its path stands there once" 0 1 sh -c "'$program' -c \"copy (select 1) to 'nowhere/x.parquet'\" 2>&1 | grep -o nowhere/x.parquet | wc -l"

# ---- names of files, tables and columns, of any characters ----
mkdir names
last() { # SQL OPTION...: the last line.
    sql "$@" | tail -n 1
}
number=0
for each in 'a b' ' a' "it's" 'say "so"' 'a.b' 'a;b' '-- a' '$1' '?' 'a\b' 'a%2Fb' 'Übung' '日本' '😀' 'CASE' 'case' 'a
b' '{rank}' 'local:x' '#' '@' '**' 'x.parquet'; do
    number=$((number + 1))
    quoted=$(printf %s "$each" | sed "s/'/''/g")
    double=$(printf %s "$each" | sed 's/"/""/g')
    sql "copy (select $number as v, $number as \"$double\") to 'names/$quoted.parquet'" >/dev/null
    expect "a file" 0 "$number,$number" last "select * from 'names/$quoted.parquet'"
    expect "a folder" 0 "$number,1" last "select \"$double\", (select count(*) from \"$double\") from \"$double\"" names
    expect "by the table" 0 "$number" last "select \"$double\".\"$double\" from 'names/$quoted.parquet'"
    expect "a pattern" 0 "$((number * (number + 1) / 2))" last "select sum(v) from read_parquet('names/?*', union_by_name => true)"
    expect "completed" 0 "$number" last "create table \"$double\" as select $number as \"$double\"; select \"$double\" from \"$double\""
    printf '.schema "%s"\n' "$double" >commands.sql
    case $each in
    *'
'*) ;; # a command is a line
    *) expect ".schema" 0 3 sh -c "'$program' --format csv names -f commands.sql | wc -l" ;;
    esac
done
expect "SHOW TABLES" 0 "$number" sh -c "'$program' --format jsonl names -c 'show tables' | wc -l"
long=$(printf '%0247d' 1)
expect "255 bytes" 0 - sql "copy (select 1 as v) to '$long.parquet'"
expect "255 bytes" 0 1 last "select v from '$long.parquet'"
expect "256 bytes" 1 - sql "copy (select 1 as v) to '1$long.parquet'"
says "256 bytes" "File name too long"
finish
