#!/bin/sh
# What a lazy device has read stays in its memory: later statements read nothing of the files again.
# stays.sh PROGRAM DEVICE [LIBRARY KERNELS] [queries]: with `queries` the 22 of TPC-H.
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
device=$2
if [ "$device" = cuda ]; then
    export PISTACHIO_CUDA_LIBRARY=$3 PISTACHIO_CUDA_KERNELS=$4 PISTACHIO_CUDA_COUNTS="$work/counts"
    shift 2
fi
on() { # PROGRAM'S ARGUMENTS
    "$program" --format tsv --set "device=$device" --set device_memory_limit=1GB "$@"
}
# How much of files a statement's scans read or decompressed, 0 if nothing, and how many bytes were kept: of each EXPLAIN ANALYZE.
read_and_kept() {
    awk '/^time [0-9.]+ s/ { print read + 0, kept + 0; read = kept = 0 }
        match($0, /read [0-9.]+ [kMG]?B/) && / scan / { read += 1 }
        /pages decompressed/ && /^device / { read += 1 }
        match($0, /bytes from its cache [0-9]+/) && /^device / { kept += substr($0, RSTART + 21, RLENGTH - 21) }'
}

queries() {
    check "tables" "$program" tpch generate --scale 0.01 --out "$work/data" --threads 2
    touch -d '1 hour ago' "$work"/data/*
    for query in "$here"/../../src/tpch/queries/*.sql; do
        echo "explain analyze" && cat "$query" && echo ";"
    done >"$work/explained.sql"
    cat "$work/explained.sql" "$work/explained.sql" >"$work/twice.sql"
    twice() {
        on -f "$work/twice.sql" "$work/data" >"$work/plans" && read_and_kept <"$work/plans" >"$work/bytes" &&
            [ "$(wc -l <"$work/bytes")" = 44 ] && awk 'NR > 22 && ($1 || !$2) { print "query", NR - 22, "reads again"; bad = 1 }
                END { exit bad }' "$work/bytes"
    }
    check "the second run of each query reads nothing" twice
    check "answers from what was kept" sh -c "'$program' tpch run --data '$work/data' --check --runs 2 --set device=$device"
}
if [ "${3:-}" = queries ]; then
    queries
    finish
    exit
fi

# Codes, numbers, texts, NULLs, three row groups; the codec of the second table has no kernel.
rows=6000
make_table() { # FILE FIRST CODEC [MODIFIED]
    "$program" -c "copy (select x, x % 10 as y, case when x % 3 = 0 then null else x * 2 end as z,
            'text ' || (x % 1000) as t, x / 4.0 as d, x % 2 = 0 as b
        from range($2, $2 + $rows) r(x)) to '$1' (compression $3, row_group_size 2048)" && touch -d "${4:-2 hours ago}" "$1"
}
check "a table" make_table "$work/t.parquet" 1 snappy
check "a table of gzip" make_table "$work/g.parquet" 1 gzip
sum="select count(*), sum(x), count(z), sum(z), count(distinct t), sum(d), sum(b::int)"

cat >"$work/statements.sql" <<EOF
$sum from '$work/t.parquet' where x between 2500 and 3000;
$sum from '$work/t.parquet';
$sum from '$work/t.parquet' where x between 2500 and 3000;
$sum from '$work/t.parquet';
$sum from '$work/g.parquet';
$sum from '$work/g.parquet' where t = 'text 77' or z > 10000;
select t, sum(x) from '$work/t.parquet' where b group by t order by t limit 5;
select a.x, b.t from '$work/t.parquet' a join '$work/g.parquet' b on a.x = b.x where a.y = 3 order by a.x limit 7;
EOF
"$program" --format tsv -f "$work/statements.sql" >"$work/expected"
same_rows() { # SETTINGS...
    on --set threads=2 "$@" -f "$work/statements.sql" >"$work/rows" && cmp "$work/rows" "$work/expected"
}
check "rows of what was kept" same_rows
check "rows of small windows, little memory" same_rows --set chunk_rows=1024 --set device_memory_limit=4MB

analyze="explain analyze $sum from '$work/t.parquet'"
kept="select column_name, form, row_count, uses from pistachio_cache() where file_name like '%/t.parquet' order by 1"
is_read_once() {
    on -c "$analyze; $analyze; $analyze where x > 5000; $kept; uncache table '$work/t.parquet'; $analyze;
        clear cache; select 'left', count(*) from pistachio_cache()" >"$work/said"
    read_and_kept <"$work/said" >"$work/bytes"
    awk '{ print } (NR == 1 || NR == 4) != ($1 > 0) || (NR == 1 || NR == 4) != ($2 == 0) { bad = 1 }
        END { exit bad || NR != 4 }' "$work/bytes" || return
    [ "$(awk '/ scan / { print ++n, (match($0, /launches|pages decompressed/) > 0) }' "$work/said" | tr '\n' ' ')" = "1 1 2 0 3 1 4 1 " ] &&
        [ "$(grep -c "decoded, on the device.$rows.2$" "$work/said")" = 5 ] && grep -q "^left.0$" "$work/said" &&
        grep -q "^device.*kernels [0-9.]* s" "$work/said"
}
check "a file is read once, and again when it is forgotten" is_read_once
# Of a part of the file the second statement decodes nothing, either; then all of it is kept in the part's place.
is_kept_in_part() {
    part="$analyze where x between 2500 and 3000"
    on -c "$part; $part; $analyze; $part; $analyze; $kept" >"$work/said"
    [ "$(read_and_kept <"$work/said" | awk '{ printf "%d%d ", ($1 > 0), ($2 > 0) }')" = "10 01 10 01 01 " ] &&
        [ "$(grep -c "decoded, on the device.$rows.3$" "$work/said")" = 5 ]
}
check "a part of a file is decoded once, and all of it" is_kept_in_part
is_not_kept() {
    on --set cache_memory=0 -c "$analyze; $analyze; from pistachio_cache()" >"$work/said"
    read_and_kept <"$work/said" | awk '!$1 || $2 { bad = 1 } END { exit bad || NR != 2 }' && ! grep stored "$work/said"
}
check "cache_memory = 0 keeps nothing" is_not_kept

# The columns of a chunk are decoded together, of however many row groups it is: copies take no launch's place.
has_few_launches() {
    columns=$(awk 'BEGIN { for (i = 0; i < 16; i++) printf "%sx + %d as c%d", i ? ", " : "", i, i }')
    sums=$(awk 'BEGIN { for (i = 0; i < 16; i++) printf "%ssum(c%d)", i ? ", " : "", i }')
    "$program" -c "copy (select $columns from range(1, 8193) r(x)) to '$work/w.parquet' (row_group_size 1024)" || return
    on --set threads=1 -c "explain analyze select $sums from '$work/w.parquet'" >"$work/said"
    awk '/ scan / && match($0, /launches [0-9]+/) { print; launches = substr($0, RSTART + 9) + 0 } END { exit !launches || launches > 5 }' "$work/said"
}
check "launches of 16 columns of 8 row groups" has_few_launches

# Of a file that was written a moment ago the next version may have the same time.
is_too_new() {
    make_table "$work/new.parquet" 1 snappy now && on -c "$sum from '$work/new.parquet'; select 'left', count(*) from pistachio_cache()" >"$work/said" &&
        grep -q "^left.0$" "$work/said"
}
check "a file that is new is not kept" is_too_new

# What the device has no room for is pinned: it is not read again, but crosses the link. No more than half of its memory is taken.
is_pinned() {
    rows=40000 limit=500kB fits=250e3
    [ "$device" = simulated ] || rows=160000 limit=2MB fits=1e6 # the scratch of kernels takes half a megabyte
    make_table "$work/p.parquet" 1 snappy || return
    sums="explain analyze select sum(x), sum(d) from '$work/p.parquet'"
    on --set device_memory_limit="$limit" --set chunk_rows=2048 --set threads=1 -c "$sums; $sums; select form, sum(bytes) < $fits as fits
        from pistachio_cache() group by form order by form" >"$work/said"
    # Little may have gone for what the statement itself needed.
    awk -v most="$((rows * 2))" 'match($0, /[0-9]+ values from the cache/) { values += substr($0, RSTART) }
        END { print values, "of", most, "values"; exit values < most * 0.9 }' "$work/said" || return
    rows=6000
    grep "^stored, pinned" "$work/said" && grep -q "^decoded, on the device.true" "$work/said"
}
check "what has no room is pinned" is_pinned

# A file that is replaced is another one.
is_replaced() {
    make_table "$work/r.parquet" 1 snappy && make_table "$work/other.parquet" 101 snappy "1 hour ago" || return
    mkfifo "$work/go"
    on -f "$work/go" >"$work/said" 2>&1 &
    exec 3>"$work/go"
    echo "select sum(x) from '$work/r.parquet'; select sum(x) from '$work/r.parquet';" >&3
    turn=0
    while [ "$(grep -c '^1' "$work/said")" -lt 2 ] && [ "$turn" -lt 200 ]; do
        sleep 0.05
        turn=$((turn + 1))
    done
    mv "$work/other.parquet" "$work/r.parquet"
    echo "select sum(x) from '$work/r.parquet';" >&3
    exec 3>&-
    wait
    [ "$(grep '^1' "$work/said" | tr '\n' ' ')" = "18003000 18003000 18603000 " ]
}
check "a file that is replaced" is_replaced

# Of all that was done here, with much memory and with little.
is_free_of_locks() {
    awk '/^call_/ { calls += $2 } /^call_/ && $3 { print; bad = 1 } END { exit bad || calls < 1000 }' "$work/counts"
}
[ "$device" = simulated ] || check "no call of the driver under the device's lock" is_free_of_locks
finish
