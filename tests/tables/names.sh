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

finish
