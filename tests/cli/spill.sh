#!/bin/sh
# Sorts of more rows than memory_limit holds: the same rows as sort(1) gives, whatever the number of
# threads; failures of the temporary file are clean, and nothing is left of it.
# spill.sh PROGRAM
set -u
# shellcheck source=tests/cli/spill_common.sh
. "$(dirname "$0")/spill_common.sh"
tab=$(printf '\t')

# run OPTION... : the rows go to $work/rows, without their names, NULL at the end as nothing.
run() {
    "$program" --format tsv "$@" >"$work/out" 2>"$work/err" &&
        tail -n +2 "$work/out" | sed 's/\\N$//' >"$work/rows"
}

"$program" tpch generate --scale 0.02 --out "$work" >"$work/err" 2>&1
table="'$work/part.parquet'"
"$program" -c "copy (select l_comment, l_orderkey, l_linenumber, l_extendedprice, l_shipdate,
    case when l_quantity > 10 then l_shipinstruct end as instruct
    from '$work/lineitem.parquet') to $table (row_group_size 20000)" >"$work/err" 2>&1
result "makes the table"

run -c "select * from $table"
mv "$work/rows" "$work/plain"
by_text="select * from $table order by l_comment, l_orderkey desc, l_linenumber"
sort -t "$tab" -k1,1 -k2,2nr -k3,3n "$work/plain" >"$work/by_text"
by_price="select * from $table order by l_extendedprice desc, l_orderkey, l_linenumber"
sort -t "$tab" -k4,4nr -k2,2n -k3,3n "$work/plain" >"$work/by_price"
# A key that is no column, NULLs first: an empty text sorts before the others.
by_null="select * from $table order by instruct || '!' nulls first, l_orderkey * 2, l_linenumber"
sort -t "$tab" -k6,6 -k2,2n -k3,3n "$work/plain" >"$work/by_null"
for threads in $lanes; do
    limit=$((14 + 4 * threads))MB
    for order in by_text by_price by_null; do
        in_turn 2 || continue
        eval "sql=\$$order"
        run --set threads=$threads --set memory_limit=$limit -c "$sql" &&
            cmp "$work/rows" "$work/$order" >>"$work/err"
        result "$order, $threads threads, within $limit"
    done
done
run -c "$by_text" && cmp "$work/rows" "$work/by_text" >>"$work/err"
result "without a limit"
# A run for every few rows, so many that they are merged in several passes, by several lanes.
for threads in $lanes; do
    for order in by_text by_null; do
        in_turn 2 || continue
        eval "sql=\$$order"
        PISTACHIO_FAULT=room:1:always run --set threads=$threads --set memory_limit=80MB --set chunk_rows=100 -c "$sql" &&
            cmp "$work/rows" "$work/$order" >>"$work/err"
        result "passes over runs, $order, $threads threads"
    done
done

# Windows: each lane has whole partitions, of an order or of a text, in memory and of runs.
LC_ALL=C sort -t "$tab" -k2,2n -k3,3n "$work/plain" |
    awk -F "$tab" '{ n = $2 == order ? n + 1 : 1; order = $2; print $2 "\t" $3 "\t" n }' >"$work/by_order"
LC_ALL=C sort -t "$tab" -k6,6 -k2,2n -k3,3n "$work/plain" |
    awk -F "$tab" '{ n = NR > 1 && $6 == text ? n + 1 : 1; text = $6; print $2 "\t" $3 "\t" n }' |
    LC_ALL=C sort -t "$tab" -k1,1n -k2,2n >"$work/by_instruct"
for threads in $lanes; do
    for fault in "" room:1:always; do
        for partition in order:l_orderkey instruct:instruct; do
            in_turn 2 || continue
            PISTACHIO_FAULT=$fault run --set threads=$threads --set memory_limit=80MB --set chunk_rows=1000 -c "select l_orderkey, l_linenumber,
                row_number() over (partition by ${partition#*:} order by l_orderkey, l_linenumber) from $table" &&
                LC_ALL=C sort -t "$tab" -k1,1n -k2,2n "$work/rows" | cmp - "$work/by_${partition%:*}" >>"$work/err"
            result "window over $partition, $threads threads, $fault"
        done
    done
done

if has_less_to_do; then
    finish
    exit
fi
run --set threads=1 --set memory_limit=17MB --set chunk_rows=700 -c "$by_text" &&
    cmp "$work/rows" "$work/by_text" >>"$work/err"
result "small chunks"

run --set threads=1 --set memory_limit=20MB -c "explain analyze $by_text" && grep -q 'spilled [0-9.]* MB' "$work/out"
result "explain analyze says what was spilled"
run --set threads=1 --set memory_limit=20MB -c "explain analyze $by_text limit 10" && ! grep -q 'spilled' "$work/out"
result "a few first rows are not spilled"
run --set threads=1 --set memory_limit=20MB -c "$by_text limit 90000 offset 7" &&
    tail -n +8 "$work/by_text" | head -n 90000 | cmp - "$work/rows" >>"$work/err"
result "many first rows are"

# Equal rows stay in their order, that of the file.
run --set threads=1 --set memory_limit=20MB -c "select * from $table order by instruct nulls first" &&
    sort -s -t "$tab" -k6,6 "$work/plain" | cmp - "$work/rows" >>"$work/err"
result "equal rows stay in order"

# fails NAME TEXT OPTION...: a clean failure that says so.
fails() {
    name=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    [ $? = 1 ] && grep -qF "$text" "$work/err"
    result "$name"
}
sorted() {
    fault=$1
    shift
    PISTACHIO_FAULT=$fault "$program" --set threads=2 --set memory_limit=20MB --format none "$@" \
        -c "$by_text"
}
for n in 1 2 3 17 60; do
    fails "write $n fails" "temporary file in \"$work/temp\"" sorted write:$n
    fails "writes from $n on fail" "temporary file in \"$work/temp\"" sorted write:$n:always
done
fails "reads fail" "could not read file" sorted read:60:always
fails "a folder that is not there" "could not make a temporary file in \"$work/none\"" \
    sorted none --set temp_directory="$work/none"
full() (
    trap '' XFSZ
    ulimit -f 200
    sorted none
)
fails "no room" "make room there" full

# Killed in the middle: the file has no name that could be left.
"$program" --set threads=2 --set memory_limit=20MB -c "$by_text" >/dev/null 2>"$work/err" &
sleep 0.2
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
true
result "killed"

finish
