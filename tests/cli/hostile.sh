#!/bin/sh
# Absurd SQL and files that are no Parquet: an answer or an error with its place, never a crash, and
# in seconds. hostile.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"

# repeat TEXT COUNT: with %d, the number of each copy.
repeat() { awk -v text="$1" -v count="$2" 'BEGIN { for (i = 0; i < count; i++) printf text, i }'; }

is_file=false
ends() { # name, exit status, text of the answer or the error, for the statements in $work/sql
    name=$1 wanted=$2 text=$3
    $is_file || in_turn 3 || return
    # 134 and above: a signal, a sanitizer's abort among them; 124: too slow.
    timeout 120 "$program" --format csv -f "$work/sql" >"$work/said" 2>&1
    status=$?
    if [ $status = "$wanted" ] && grep -q -- "$text" "$work/said"; then
        pass
    else
        fail "$name: exit status $status"
        cut -c 1-300 "$work/said" | tail -n 5
    fi
}

t="$work/t.parquet"
"$program" -c "COPY (SELECT a.i * 10 + b.i AS i, 'text' AS s
    FROM (VALUES (0),(1),(2),(3),(4)) a(i), (VALUES (0),(1),(2),(3)) b(i)) TO '$t'" || exit 2

deep="more than 1000 levels deep"
{ printf 'SELECT '; repeat '(' 10000; printf 1; repeat ')' 10000; } >"$work/sql"
ends "10,000 parentheses" 1 "$deep"
{ printf 'SELECT '; repeat '(' 200; printf 1; repeat ')' 200; } >"$work/sql"
ends "200 parentheses" 0 '^1$'
{ printf 'SELECT '; repeat '- ' 10000; printf 1; } >"$work/sql"
ends "10,000 signs" 1 "$deep"
{ printf 'SELECT 1'; repeat '+1' 10000; } >"$work/sql"
ends "10,000 additions" 1 "$deep"
{ printf 'SELECT '; repeat 'abs(' 5000; printf 1; repeat ')' 5000; } >"$work/sql"
ends "5,000 calls" 1 "$deep"
{ printf 'SELECT '; repeat 'CASE WHEN true THEN ' 3000; printf 1; repeat ' END' 3000; } >"$work/sql"
ends "3,000 CASEs" 1 "$deep"
{ repeat 'SELECT * FROM (' 1000; printf 'SELECT 1 AS a'; repeat ') x' 1000; } >"$work/sql"
ends "1,000 subqueries" 1 "$deep"
{ repeat 'SELECT * FROM (' 500; printf 'SELECT 1 AS a'; repeat ') x' 500; } >"$work/sql"
ends "500 subqueries" 0 '^1$'
{ repeat 'SELECT (' 500; printf 'SELECT 1'; repeat ')' 500; } >"$work/sql"
ends "500 scalar subqueries" 0 '^1$'
{ printf 'SELECT count(*) FROM (SELECT 1 AS a'; repeat ' UNION SELECT %d' 5000; printf ') u'; } >"$work/sql"
ends "5,000 UNIONs" 0 '^5000$'
{ printf 'SELECT count(*), sum(a) FROM (SELECT 0 AS a'; repeat ' UNION ALL SELECT %d' 2000; printf ') u'; } >"$work/sql"
ends "2,000 UNION ALLs" 0 '^2001,1999000$'
{ printf 'SELECT 1'; repeat ' UNION ALL SELECT 1' 20000; } >"$work/sql"
ends "20,000 UNION ALLs" 1 "more than 10000 UNIONs"
{ printf "SELECT count(*) FROM '$t' WHERE i IN (-1"; repeat ',%d' 100000; printf ')'; } >"$work/sql"
ends "100,000 IN items" 0 '^20$'
{ printf "SELECT count(*) FROM '$t' WHERE s NOT IN ('a'"; repeat ",'x%d'" 100000; printf ')'; } >"$work/sql"
ends "100,000 texts in NOT IN" 0 '^20$'
{ printf 'SELECT count(*) FROM (VALUES (0)'; repeat ',(%d)' 50000; printf ') v'; } >"$work/sql"
ends "50,000 rows of VALUES" 0 '^50001$'
{ printf "SELECT count(*) FROM '$t' WHERE i <> -1"; repeat ' AND i <> %d' 3000; } >"$work/sql"
ends "3,000 conditions" 0 '^0$'
{ printf "SELECT count(*) FROM '$t' WHERE i = -1"; repeat ' OR i = %d' 50000; } >"$work/sql"
ends "50,000 conditions of an OR" 0 '^20$'
{ printf "SELECT count(*) FROM '$t' WHERE i IN (-1"; repeat ',i + %d' 10000; printf ')'; } >"$work/sql"
ends "10,000 IN items that are no constants" 0 '^20$'
{ printf 'SELECT sum(CASE'; repeat ' WHEN i = %d THEN 2' 5000; printf " END) FROM '$t'"; } >"$work/sql"
ends "5,000 branches" 0 '^40$'
{ printf 'SELECT sum(CASE'; repeat ' WHEN i / 1 = %d THEN 20 / (i + 1)' 5000; printf " END) FROM '$t'"; } >"$work/sql"
ends "5,000 branches that can fail" 0 '^45$'
{ printf 'SELECT max(greatest(i'; repeat ', i + %d' 5000; printf ")), max(coalesce(NULL"
    repeat ', nullif(i, %d)' 5000; printf ")) FROM '$t'"; } >"$work/sql"
ends "5,000 arguments" 0 '^5042,43$'
{ printf "SELECT count(*) FROM '$t' GROUP BY i"; repeat ', i + %d' 5000; printf ' ORDER BY i'
    repeat ', i - %d' 5000; } >"$work/sql"
ends "5,000 keys" 0 '^1$'
{ printf 'SUMMARIZE SELECT i'; repeat ', i + %d' 600; printf " FROM '$t'"; } >"$work/sql"
ends "SUMMARIZE of 601 columns" 0 ',integer,599,642,20,'
{ printf 'SELECT 1 '; repeat '/*' 12000; repeat '*/' 12000; } >"$work/sql"
ends "12,000 comments in each other" 0 '^1$'
{ printf "SELECT count(*) FROM '$t' t0"; repeat ", '$t' u%d" 100
    printf ' WHERE true'; repeat ' AND u%d.i = t0.i' 100; } >"$work/sql"
ends "101 tables" 0 '^20$'
{ printf "SELECT length('"; repeat x 1000000; printf "')"; } >"$work/sql"
ends "1 MB of text" 0 '^1000000$'
{ printf 'SELECT /*'; repeat '*' 1000000; printf '*/ 1'; } >"$work/sql"
ends "1 MB of comment" 0 '^1$'
{ printf 'SELECT'; repeat ' ' 1000000; printf '1'; } >"$work/sql"
ends "1 MB of spaces" 0 '^1$'
repeat '\001\377)(' 250000 >"$work/sql"
ends "1 MB of rubbish" 1 'not valid UTF-8'
{ printf 'SELECT 0'; repeat ',%d' 20000; } >"$work/sql"
ends "20,000 columns" 0 ',20000\|,19999$'
{ printf "SELECT count(*) FROM '$t' WHERE s LIKE '"; repeat '%%e' 20000; printf "'"; } >"$work/sql"
ends "a long pattern" 0 '^0$'
repeat 'SELECT %d;' 2000 >"$work/sql"
ends "2,000 statements" 0 '^1999$'
{ repeat ';' 20000; printf 'SELECT 5'; } >"$work/sql"
ends "20,000 semicolons" 0 '^5$'

is_file=true
printf 'no Parquet at all, but long enough' >"$work/text.parquet"
: >"$work/empty.parquet"
head -c 200 "$t" >"$work/short.parquet"
mkfifo "$work/pipe.parquet"
mkdir "$work/none" "$work/mixed"
cp "$t" "$work/mixed/a.parquet"
"$program" -c "COPY (SELECT 'x' AS i, 'text' AS s) TO '$work/mixed/b.parquet'" || exit 2
echo "SELECT * FROM '$work/text.parquet'" >"$work/sql"
ends "a text file" 1 'text.parquet": it is not a Parquet file'
echo "SELECT * FROM '$work/empty.parquet'" >"$work/sql"
ends "an empty file" 1 'empty.parquet": it is too short'
echo "SELECT * FROM '$work/short.parquet'" >"$work/sql"
ends "half a file" 1 'short.parquet": it is not a Parquet file'
echo "SELECT * FROM '$work/pipe.parquet'" >"$work/sql"
ends "a pipe" 1 'not a regular file'
echo "SELECT * FROM '$work/absent.parquet'" >"$work/sql"
ends "no such file" 1 'absent.parquet": No such file'
echo "SELECT * FROM '$work/none*.parquet'" >"$work/sql"
ends "a pattern of nothing" 1 'no file matches'
echo "SELECT * FROM '$work/none'" >"$work/sql"
ends "an empty folder" 1 'no '
echo "SELECT * FROM '$work/mixed'" >"$work/sql"
ends "a value that is not of the first file's type" 1 '"x" is not a value of type'

finish
