#!/bin/sh
# Sorts, groupings and joins of more rows than device_memory_limit holds, on the simulated device: the rows
# that sort(1), uniq(1) and join(1) give, within the limit; limits that are too small are said.
# spill_device.sh PROGRAM
set -u
# shellcheck source=tests/cli/spill_common.sh
. "$(dirname "$0")/spill_common.sh"
tab=$(printf '\t')
limit=9

# run OPTION... : the rows go to $work/rows, without their names.
run() {
    "$program" --format tsv --set device=simulated --set threads=2 --set chunk_rows=2000 \
        --set device_memory_limit=${limit}MB "$@" >"$work/out" 2>"$work/err" && tail -n +2 "$work/out" >"$work/rows"
}

# spills TEXT SQL: it does, no thread waits for memory, and what the device had at most is not beyond the limit.
spills() {
    ! has_less_to_do || return 0
    run -c "explain analyze $2" && grep -q 'spilled [0-9.]* MB' "$work/out" && ! grep 'blocking waits' "$work/out" &&
        awk -v limit="$limit" '/device simulated/ { match($0, /at most [0-9.]+/)
            peak = substr($0, RSTART + 8, RLENGTH - 8) + 0; exit !(peak > 1 && peak <= limit) }' "$work/out"
    result "$1"
}

"$program" tpch generate --scale 0.02 --out "$work" >"$work/err" 2>&1
table="'$work/part.parquet'"
"$program" -c "copy (select l_comment, l_orderkey, l_linenumber, l_partkey, l_shipinstruct
    from '$work/lineitem.parquet') to $table (row_group_size 10000)" >"$work/err" 2>&1
result "makes the table"
"$program" --format tsv -c "select * from $table" >"$work/out" 2>"$work/err"
tail -n +2 "$work/out" >"$work/plain"

# takes: whether this operator has its turn, of two, or of three where there is less to do.
takes() {
    if has_less_to_do; then in_turn 3; else in_turn 2; fi
}
if takes; then
    sql="select * from $table order by l_comment, l_orderkey desc, l_linenumber"
    sort -t "$tab" -k1,1 -k2,2nr -k3,3n "$work/plain" >"$work/expected"
    run -c "$sql" && cmp "$work/rows" "$work/expected" >>"$work/err"
    result "a sort"
    spills "the sort spills" "$sql"
fi

if takes; then
    sql="select l_comment, l_shipinstruct, count(*), max(l_shipinstruct || l_orderkey), sum(l_linenumber)
        from $table group by 1, 2"
    sort -t "$tab" "$work/plain" | awk -F '\t' '{ key = $1 "\t" $5; count[key]++; sum[key] += $3
        text = $5 $2; if (text > greatest[key]) greatest[key] = text }
        END { for (key in count) print key "\t" count[key] "\t" greatest[key] "\t" sum[key] }' | sort >"$work/expected"
    run -c "$sql" && sort "$work/rows" | cmp - "$work/expected" >>"$work/err"
    result "a grouping"
    spills "the grouping spills" "$sql"
fi

if takes; then
    sql="select a.l_orderkey, a.l_linenumber, b.l_comment from $table a join $table b
        on a.l_comment = b.l_comment and a.l_orderkey = b.l_orderkey"
    awk -F '\t' '{ print $1 "/" $2 "\t" $2 "\t" $3 "\t" $1 }' "$work/plain" | sort -t "$tab" -k1,1 >"$work/keyed"
    join -t "$tab" -o 1.2,1.3,2.4 "$work/keyed" "$work/keyed" | sort >"$work/expected"
    run -c "$sql" && sort "$work/rows" | cmp - "$work/expected" >>"$work/err"
    result "a join"
    spills "the join spills" "$sql"
fi

# What a limit for less than a page says is enough for the pages of all scans.
limit=0.1
! run -c "select l_comment from $table" &&
    grep -q 'device_memory_limit of 100000 bytes reached: [a-z ]* needs [0-9]* bytes' "$work/err" &&
    grep -q 'SET device_memory_limit to more: .* take [0-9]* bytes with what is in use' "$work/err"
result "a limit for less than a page"
sql="select count(*), sum(l_partkey), sum(length(l_comment)) from $table where l_linenumber < 3"
awk -F '\t' '$3 < 3 { rows++; sum += $4; bytes += length($1) } END { print rows "\t" sum "\t" bytes }' "$work/plain" >"$work/expected"
follow_the_hint() {
    bytes=100000
    for _ in $(seq 20); do # most in one or two; in use is what is at work just then, and others need memory, too
        "$program" --format tsv --set device=simulated --set threads=1 --set device_memory_limit=$bytes \
            -c "$sql" >"$work/out" 2>"$work/err" && break
        bytes=$(sed -n -e 's/.* take \([0-9]*\) bytes with what is in use.*/\1/p' \
            -e 's/.*(\([0-9]*\) bytes would have done here).*/\1/p' "$work/err")
        [ -n "$bytes" ] || return
    done
    tail -n +2 "$work/out" | cmp - "$work/expected" >>"$work/err"
}
follow_the_hint
result "the limit that is said to be enough"
finish
