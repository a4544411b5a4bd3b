#!/bin/sh
# COPY (PER_RANK): a part for each rank in a folder that is whole, or not there. parts.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"

# t: x from 0 to 9999, in row groups of 500.
digits="(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
"$program" -c "copy (with d(i) as $digits select a.i + 10 * b.i + 100 * c.i + 1000 * e.i as x from d a, d b, d c, d e)
    to '$work/t.parquet' (row_group_size 500)" >"$work/out" || exit 2
three() {
    "$program" --set ranks=3 --set distribute=always --set threads=3 --table "t=$work/t.parquet" "$@"
}
names() { # of a folder's files, in a line
    (cd "$1" && echo *)
}
# By hand: 0 + 1 + ... + 9999 = 49995000.
whole="$(printf 'n,s\n10000,49995000')"
expect "parts" 0 "COPY 10000" three -c "copy t to '$work/parts' (per_rank)"
check "one a rank" test "$(names "$work/parts")" = "part-0000.parquet part-0001.parquet part-0002.parquet"
expect "all rows are there" 0 "$whole" "$program" --format csv -c "select count(*) as n, sum(x) as s from '$work/parts'"
for part in 0 1 2; do
    expect "some in each" 0 "$(printf 'ok\ntrue')" "$program" --format csv \
        -c "select count(*) > 0 as ok from '$work/parts/part-000$part.parquet'"
done
check "nothing else" test "$(find "$work" -name '*.tmp*')" = ""
# An empty folder is replaced, another one is not.
mkdir "$work/empty"
expect "joined, grouped rows" 0 "COPY 100" three -c "copy (select a.x % 100 as k, count(*) as n from t a join t b on a.x = b.x group by 1)
    to '$work/empty/' (format parquet, per_rank true, codec zstd)"
expect "each group once" 0 "$(printf 'n,k,s\n100,100,10000')" "$program" --format csv \
    -c "select count(*) as n, count(distinct k) as k, sum(n) as s from '$work/empty'"
expect "a folder that is there" 1 - three -c "copy t to '$work/parts' (per_rank)"
says "is said to be" "\"$work/parts\" is there already"
check "and stays" test "$(names "$work/parts")" = "part-0000.parquet part-0001.parquet part-0002.parquet"
expect "a folder in one that is not" 1 - three -c "copy t to '$work/none/parts' (per_rank)"
says "is said" "could not create folder"
# A few rows are all rank 0's, those of an order go to ranks by its ranges.
expect "first ones" 0 "COPY 5000" three -c "copy (select x from t order by x limit 5000) to '$work/first' (per_rank)"
expect "rank 0 has them" 0 "$(printf 'n\n5000')" "$program" --format csv -c "select count(*) as n from '$work/first/part-0000.parquet'"
sorted() { # ORDER: each part has about a third, and the parts one after the other are in order
    rm -rf "$work/ordered"
    three -c "copy (select x, x % 10 as y, case when x % 10 > 0 then 5 else x end as heavy from t order by $1) to '$work/ordered' (per_rank)" >"$work/out"
    for part in 0 1 2; do
        rows=$("$program" --format tsv -c "select count(*) from '$work/ordered/part-000$part.parquet'" | tail -1)
        [ "$rows" -gt 2500 ] && [ "$rows" -lt 4200 ] || return 1
    done
    "$program" --format tsv -c "select ${1%% *} from '$work/ordered'" >"$work/out"
    "$program" --format tsv -c "select ${1%% *} from (select x, x % 10 as y, case when x % 10 > 0 then 5 else x end as heavy from '$work/t.parquet')
        order by $1" | cmp - "$work/out"
}
check "in order" sorted "x desc"
check "in order of two" sorted "y, x desc"
check "in order of a value that most rows have" sorted "heavy"
# Row groups are dealt out by what conditions leave of them: of four that are left, in a sorted file or in
# folders of keys, each rank has one or two. By hand: 2000 rows in row groups of 500.
"$program" -c "copy (select x, x / 2000 as k from '$work/t.parquet' order by x) to '$work/sorted.parquet' (row_group_size 500);
    copy (select x, k from '$work/sorted.parquet') to '$work/hive' (partition_by (k), row_group_size 500)" >"$work/out" || exit 2
spread() { # TABLE CONDITION: rows of each rank, in order
    rm -rf "$work/spread"
    "$program" --set ranks=4 --set distribute=always --table "s=$1" -c "copy (select x from s where $2) to '$work/spread' (per_rank)" \
        >"$work/out" || fail "$2"
    for part in 0 1 2 3; do
        "$program" --format tsv -c "select count(*) from '$work/spread/part-000$part.parquet'" | tail -1
    done | sort -n | tr '\n' ' '
}
check "a range of a sorted file" test "$(spread "$work/sorted.parquet" "x between 4000 and 5999")" = "500 500 500 500 "
check "two ranges of it" test "$(spread "$work/sorted.parquet" "x < 1000 or x >= 9000")" = "500 500 500 500 "
check "one folder" test "$(spread "$work/hive" "k = 3")" = "500 500 500 500 "
check "a range of its files" test "$(spread "$work/hive" "x between 2000 and 3999")" = "500 500 500 500 "
# A failure after rows were written leaves nothing.
expect "a failure on one rank" 1 - three -c "copy (select 1 / (9999 - x) as x from t) to '$work/failed' (per_rank)"
says "is told" "division by zero"
check "leaves nothing" test "$(find "$work" -name '*failed*')" = ""
expect "a rank that goes" 1 - three --set network_fault=gone:1:6 -c "copy t to '$work/gone' (per_rank)"
says "is named" "is gone"
check "and leaves nothing" test "$(find "$work" -name '*gone*')" = ""
# A frame that is spoiled fails the statement on all ranks, also on those that speak to neither its sender nor its receiver.
for frame in 1 2 3 4 5 6 7 8 9 10; do
    check "spoiled frame $frame is an error" test "$(timeout 60 "$program" --set ranks=4 --set distribute=always --set network_fault=rubbish:0:$frame \
        --table "t=$work/t.parquet" -c "select count(*) from t a join t b on a.x = b.x + 1" >"$work/out" 2>&1; echo $?)" = 1
done
# On one rank, and what the option does not go with.
expect "on one rank" 0 "COPY 10000" "$program" -c "copy (select * from '$work/t.parquet') to '$work/one' (per_rank)"
check "one part" test "$(names "$work/one")" = "part-0000.parquet"
expect "a folder for each rank" 0 "COPY 10000" three -c "copy t to '$work/disk{rank}' (per_rank)"
check "which has its part" test "$(names "$work/disk2")" = "part-0002.parquet"
expect "as it was" 0 "COPY 10000" three -c "copy t to '$work/t2.parquet' (per_rank false)"
check "one file" test -f "$work/t2.parquet"
expect "text" 1 - three -c "copy t to '$work/x' (format csv, per_rank)"
says "has no parts" "the format csv has no option \"per_rank\""

# Processes.
export UCX_MEM_EVENTS=no UCX_LOG_LEVEL=fatal ASAN_OPTIONS=detect_leaks=0 PISTACHIO_PEER_TIMEOUT=60000
if ! "$program" --processes 2 -c "select 1" >"$work/out" 2>"$work/err" && grep -q libucx "$work/err"; then
    skip "parts of processes: no libucp here, none when this was built, or no /sys"
    finish
    exit
fi
expect "processes" 0 "COPY 10000" "$program" --processes 2 --set distribute=always --table "t=$work/t.parquet" \
    -c "copy t to '$work/processes' (per_rank)"
check "two parts" test "$(names "$work/processes")" = "part-0000.parquet part-0001.parquet"
expect "all rows" 0 "$whole" "$program" --format csv -c "select count(*) as n, sum(x) as s from '$work/processes'"
finish
