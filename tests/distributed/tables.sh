#!/bin/sh
# Tables of ranks that do not see the same files, and what is said of files that differ or change.
# tables.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

# ---- each rank's own disk: rank 0 has 0 to 599, rank 1 the rest in two files, rank 2 nothing ----

mkdir "$work/0" "$work/1" "$work/2"
alone "copy (select * from $numbers where k < 600) to '$work/0/a.parquet' (row_group_size 100)"
alone "copy (select * from $numbers where k >= 600 and k < 601) to '$work/1/a.parquet'"
alone "copy (select * from $numbers where k > 600) to '$work/1/b.parquet' (row_group_size 100)"
local="local:$work/{rank}"
# By hand: 0 + 1 + ... + 999 = 499500; each last digit 100 times.
for ranks in 2 3; do
    expect "local files, $ranks ranks" 0 "$(printf 'n,s\n1000,499500')" on $ranks --table "t=$local" \
        -c "select count(*) as n, sum(k) as s from t"
done
expect "with what the others have" 0 "$(printf 'n,s\n1000,499500')" on 2 \
    -c "select count(*) as n, sum(a.k) as s from read_parquet('$local') a join read_parquet('$local/*.parquet') b on a.k = b.k"
expect "where only distribution can read it" 0 "$(printf 'v,n\n3,100')" on 3 --set distribute=auto --table "t=$local" \
    -c "select v, count(*) as n from t where v = 3 group by v"
expect "on rank 0 alone" 1 - on 3 --table "t=$local" -c "set distribute = never" -c "select sum(k) from t"
says "is refused" "has files that rank 0 cannot read"
expect "a folder of tables" 0 "$(printf 's\n179700')" on 2 -c "select sum(k) as s from a where k < 600" "$local"
expect "no files anywhere" 1 - on 2 --table "t=local:$work/none{rank}" -c "select 1"
says "is said" "no rank has files of table"
# The same command on one rank: it has its own files.
expect "on one rank" 0 "$(printf 's\n600')" "$program" --format csv -c "select count(*) as s from 'local:$work/0/a.parquet'"

# Columns that differ: whose file it is.
mkdir "$work/4"
alone "copy (select 1 as k, 'one' as v) to '$work/4/0.parquet'"
ln -s "$work/0" "$work/d0"
ln -s "$work/4" "$work/d1"
expect "other columns on a rank" 1 - on 2 --table "t=local:$work/d{rank}" -c "select 1"
says "names rank and host" "rank 1 (host "
says "names file and column" "file \"$work/d1/0.parquet\": its column \"v\" is"

# ---- names and settings of rank 0 ----

expect "a view that has a table's name in other letters" 0 "$(printf 's\n179700')" on 2 --table "T=$work/0" \
    -c "create view u as select sum(k) as s from t" -c "select s from U"

# ---- files that change between statements ----

# Rank 0 sees that a file of its own is another one before the statement begins.
expect "a file that changes" 0 "$(printf 's\n499500\ns\n498901')" on 2 --table "t=local:$work/{rank}" \
    -c "select sum(k) as s from t" -c "copy (select 1 as k, 2 as v) to '$work/0/b.parquet'" \
    -c "select sum(k) - 600 + 0 as s from t"

# ---- files whose columns differ ----

mkdir -p "$work/u0" "$work/u1" "$work/all/y=1" "$work/all/y=2"
alone "copy (select k::smallint as k, v from $numbers where k < 600) to '$work/u0/a.parquet' (row_group_size 100)"
alone "copy (select v::bigint as v, k, 'text' as more from $numbers where k >= 600) to '$work/u1/b.parquet' (row_group_size 100)"
ln "$work/u0/a.parquet" "$work/all/y=1/a.parquet"
ln "$work/u1/b.parquet" "$work/all/y=2/b.parquet"
# By hand: 400 rows of 1000 have `more`; 4500 is the sum of v, 240000 + 79800 = 319800 that of k from 600 on.
for ranks in 2 3; do
    expect "united, $ranks ranks" 0 "$(printf 'n,s,w,m,y\n1000,499500,4500,400,1400')" on $ranks \
        -c "select count(*) as n, sum(k) as s, sum(v) as w, count(more) as m, sum(y) as y from read_parquet('$work/all', union_by_name => true)"
    expect "united and pruned, $ranks ranks" 0 "$(printf 's\n319800')" on $ranks \
        -c "select sum(k) as s from read_parquet('$work/all/*/*', union_by_name => true) where more = 'text' and y = 2"
done
expect "united local files" 0 "$(printf 'v,n,m\n3,100,40')" on 2 \
    -c "select v, count(*) as n, count(more) as m from read_parquet('local:$work/u{rank}', union_by_name => true) where v = 3 group by v"
expect "united files that change" 0 "$(printf 'n\n1000\nn\n601')" on 2 \
    -c "select count(*) as n from read_parquet('$work/all', union_by_name => true)" \
    -c "copy (select 1 as k, 2 as v) to '$work/all/y=2/b.parquet'" \
    -c "select count(*) as n from read_parquet('$work/all', union_by_name => true)"
alone "copy (select 'x' as k) to '$work/u1/b.parquet'"
expect "united files that cannot be" 1 - on 2 -c "select * from read_parquet('local:$work/u{rank}', union_by_name => true)"
says "names both files" "column \"k\" is smallint in file \"$work/u0/a.parquet\" and varchar in file \"$work/u1/b.parquet\""
expect "the word before a path" 1 - "$program" -c "select * from 'union_by_name:$work/all'"
says "the word before a path" "union_by_name is an option of read_parquet"
finish
