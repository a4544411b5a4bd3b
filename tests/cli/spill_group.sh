#!/bin/sh
# Groupings of more groups than memory_limit holds: the same as sort(1), uniq(1) and awk(1) say, and
# within the limit; failures of the temporary file are clean, and nothing is left of it.
# spill_group.sh PROGRAM
set -u
# shellcheck source=tests/cli/spill_common.sh
. "$(dirname "$0")/spill_common.sh"
tab=$(printf '\t')

# run SQL OPTION...: the rows, ordered, go to $work/rows, NULL as nothing.
run() {
    sql=$1
    shift
    "$program" --format tsv "$@" -c "$sql" >"$work/out" 2>"$work/err" &&
        tail -n +2 "$work/out" | sed 's/\\N/-/g' | sort >"$work/rows"
}

"$program" tpch generate --scale 0.01 --out "$work" >"$work/err" 2>&1
table="'$work/part.parquet'"
"$program" -c "copy (select l_comment, l_orderkey, l_linenumber, l_quantity, l_shipdate,
    case when l_quantity > 10 then l_comment || ' or so' end as often
    from '$work/lineitem.parquet') to $table (row_group_size 20000)" >"$work/err" 2>&1
result "makes the table"
run "select l_comment, l_orderkey, l_linenumber, cast(l_quantity as integer), often from $table"
mv "$work/rows" "$work/plain"

# Text keys; NULL among them; numbers, that come in order; several keys; sums, least and greatest.
cut -f 1 "$work/plain" | sort | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print $0 "\t" n }' |
    sort >"$work/by_text"
by_text="select l_comment, count(*) from $table group by 1"
awk -F "$tab" '{ s[$5] += $4; n[$5]++; if (!($5 in m) || $1 > m[$5]) m[$5] = $1 }
    END { for (k in s) print k "\t" s[k] "\t" n[k] "\t" m[k] }' "$work/plain" | sort >"$work/by_null"
by_null="select often, cast(sum(l_quantity) as integer), count(*), max(l_comment) from $table group by 1"
awk -F "$tab" '{ s[$2] += $4; n[$2]++; if (!($2 in m) || $1 < m[$2]) m[$2] = $1; if ($5 != "-") o[$2]++ }
    END { for (k in s) print k "\t" s[k] "\t" n[k] "\t" m[k] "\t" o[k] + 0 }' "$work/plain" |
    sort >"$work/by_order"
by_order="select l_orderkey, cast(sum(l_quantity) as integer), count(*), min(l_comment), count(often)
    from $table group by 1"
awk -F "$tab" '{ print $2 "\t" $3 "\t" $4 }' "$work/plain" | sort >"$work/by_both"
by_both="select l_orderkey, l_linenumber, cast(max(l_quantity) as integer) from $table group by 1, 2"
awk -F "$tab" '{ print $2 % 50 "\t" $1 }' "$work/plain" | sort -u | cut -f 1 | uniq -c |
    awk '{ print $2 "\t" $1 }' | sort >"$work/by_few"
by_few="select l_orderkey % 50, count(distinct l_comment) from $table group by 1"
cut -f 1,5 "$work/plain" | sort -u >"$work/distinct"
distinct="select distinct l_comment, often from $table"
for threads in $lanes; do
    for group in by_text by_null by_order by_both by_few distinct; do
        in_turn 2 || continue
        eval "sql=\$$group"
        run "$sql" --set threads=$threads --set memory_limit=17MB &&
            cmp "$work/rows" "$work/$group" >>"$work/err"
        result "$group, $threads threads, within 17 MB"
        # Cut again and again, at moments that differ.
        PISTACHIO_FAULT=room:$((8 + threads)):every run "$sql" --set threads=$threads &&
            cmp "$work/rows" "$work/$group" >>"$work/err"
        result "$group, $threads threads, in many parts"
    done
done
PISTACHIO_FAULT=room:3 run "$by_null" --set threads=2 && cmp "$work/rows" "$work/by_null" >>"$work/err"
result "spills once"
# Nothing is spilled while rows come, but merging does not fit.
PISTACHIO_FAULT=room:9:always run "select l_linenumber, count(*) from $table group by 1" --set threads=2 &&
    [ "$(awk -F "$tab" '{ s += $2 } END { print s }' "$work/rows")" = "$(wc -l <"$work/plain")" ]
result "few groups, spilled late"

# Parts of parts are written when they are worth it: each group was in a block of its own in each of five.
PISTACHIO_FAULT=room:7:every "$program" --set threads=1 --set memory_limit=64MB --set chunk_rows=7 \
    -c "explain analyze select count(distinct i) from range(20000) r(i)" >"$work/out" 2>"$work/err" &&
    [ "$(sed -n 's/.*spilled \([0-9]*\)\.[0-9] MB.*/\1/p' "$work/out")" -lt 3 ]
result "groups that are cut again and again are written a few times"

"$program" --set threads=1 --set memory_limit=17MB -c "explain analyze $by_text" >"$work/out" 2>"$work/err" &&
    grep -q 'spilled [0-9.]* MB' "$work/out"
result "explain analyze says what was spilled"
"$program" --set threads=2 -c "explain analyze $by_text" >"$work/out" 2>"$work/err" && ! grep -q 'spilled' "$work/out"
result "nothing is without need"

# fails NAME TEXT OPTION...: a clean failure that says so.
fails() {
    name=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    [ $? = 1 ] && grep -qF "$text" "$work/err"
    result "$name"
}
grouped() {
    fault=$1
    shift
    PISTACHIO_FAULT=$fault "$program" --set threads=2 --set memory_limit=17MB --format none "$@" \
        -c "$by_null"
}
for n in 1 2 17; do
    fails "write $n fails" "temporary file in \"$work/temp\"" grouped write:$n
    fails "writes from $n on fail" "temporary file in \"$work/temp\"" grouped write:$n:always
done
fails "reads fail" "could not read" grouped read:60:always
fails "a folder that is not there" "could not make a temporary file in \"$work/none\"" \
    grouped none --set temp_directory="$work/none"

# Of large row groups the tasks that have one each are fewer than threads.
if ! has_less_to_do; then
    make_large "$work"
    # Of an order of n lines there are 3n rows, each of which meets n lines.
    "$program" --format tsv -c "select l_orderkey, l_linenumber from '$work/lineitem.parquet'" 2>>"$work/err" |
        awk 'NR > 1 { n[$1]++; s[$1] += $2 }
            END { for (k in n) { rows += 3 * n[k] * n[k]; sum += 3 * n[k] * s[k] } printf "%d\t%d\n", rows, sum }' >"$work/sums"
    "$program" --set threads=2 --set memory_limit=64MB --format tsv -c "select sum(n), sum(s) from (
        select a, b, c, d, e, count(*) as n, sum(o.l_linenumber) as s, min(id) as k
        from '$work/large.parquet' w join '$work/orders.parquet' on w.l_orderkey = o_orderkey
        join '$work/lineitem.parquet' o on o_orderkey = o.l_orderkey where o_orderdate < date '1999-01-01'
        group by a, b, c, d, e order by k limit 1000000) as g" >"$work/out" 2>"$work/err" &&
        tail -n +2 "$work/out" | cmp - "$work/sums" >>"$work/err"
    result "row groups that are large within memory_limit"
fi

# Killed in the middle: the file has no name that could be left.
"$program" --set threads=2 --set memory_limit=17MB --format none -c "$by_null" 2>"$work/err" &
sleep 0.2
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
true
result "killed"

finish
