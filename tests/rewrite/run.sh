#!/bin/sh
# Files rewritten in many ways read back equal, and a target is whole or untouched.
# run.sh PROGRAM [PYTHON: one with duckdb and pyarrow, for check.py]
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
python=${2:-${PISTACHIO_PYTHON:-python3}}

rows() { # of a file, as text; one thread gives them in their order
    "$program" --format csv --set threads=1 -c "SELECT * FROM '$1'"
}

# Input, then options: the rows that come back are the input's, in their order.
same_rows() {
    input=$1
    shift
    rm -f "$work/target.parquet"
    "$program" rewrite "$@" "$input" "$work/target.parquet" || return 1
    read=$work/read-$(basename "$input" .parquet).csv
    [ -e "$read" ] || rows "$input" >"$read" || return 1
    rows "$work/target.parquet" >"$work/after" && cmp "$read" "$work/after"
}

fails_with() { # exit status, text, command
    status=$1 text=$2
    shift 2
    "$@" >"$work/said" 2>&1
    [ $? = "$status" ] && grep -q -- "$text" "$work/said" && return
    cat "$work/said"
    return 1
}

# A fault at the Nth write: an error, the target as it was, nothing beside it.
full_disk() {
    mkdir -p "$work/full"
    cp "$work/data/nation.parquet" "$work/full/t.parquet"
    fails_with 1 "No space left" env "PISTACHIO_FAULT=write:$1:always" \
        "$program" rewrite "$work/data/orders.parquet" "$work/full/t.parquet" || return 1
    cmp "$work/data/nation.parquet" "$work/full/t.parquet" &&
        [ "$(find "$work/full" -type f | wc -l)" = 1 ]
}

sorted() {
    "$program" rewrite --sort "o_orderdate DESC, o_orderkey" --row-groups 3 \
        "$work/data/orders.parquet" "$work/sorted.parquet" &&
        rows "$work/sorted.parquet" >"$work/after" &&
        "$program" --format csv -c "SELECT * FROM '$work/data/orders.parquet'
            ORDER BY o_orderdate DESC, o_orderkey" >"$work/before" &&
        cmp "$work/before" "$work/after"
}

# Several times as many rows as the memory holds: the sort goes by way of temporary files.
sorted_within() { # memory
    "$program" rewrite --sort "l_shipdate DESC, l_orderkey, l_linenumber" --threads 1 --memory "$1" \
        --row-group-rows 20000 "$work/many.parquet" "$work/sorted.parquet" &&
        rows "$work/sorted.parquet" >"$work/after" &&
        "$program" --format csv -c "SELECT * FROM '$work/many.parquet'
            ORDER BY l_shipdate DESC, l_orderkey, l_linenumber" >"$work/before" &&
        cmp "$work/before" "$work/after"
}

# What the writing side holds counts.
copy_within() { # memory, row group's rows
    "$program" --set "memory_limit=$1" -c "COPY (SELECT * FROM '$work/many.parquet')
        TO '$work/copied.parquet' (ROW_GROUP_SIZE $2)" >/dev/null &&
        [ "$("$program" --format csv -c "SELECT count(*) FROM '$work/copied.parquet'" | tail -n 1)" = "$many" ]
}

row_groups() { # expected, options
    expected=$1
    shift
    "$program" rewrite "$@" --report "$work/report.csv" "$work/data/orders.parquet" \
        "$work/groups.parquet" &&
        [ "$(tail -n +2 "$work/report.csv" | cut -d, -f2 | sort -u | wc -l)" = "$expected" ]
}

# What was measured is written, read back, and the same decisions come of it.
profile() {
    "$program" rewrite --for cpu --save-profile "$work/profile" --report "$work/first.csv" \
        "$work/data/orders.parquet" "$work/target.parquet" &&
        "$program" rewrite --for cpu --profile "$work/profile" --report "$work/second.csv" \
            "$work/data/orders.parquet" "$work/target.parquet" &&
        grep -q "^encoding DELTA_BINARY_PACKED int64 " "$work/profile" &&
        cut -d, -f1-9,11 "$work/first.csv" >"$work/before" &&
        cut -d, -f1-9,11 "$work/second.csv" >"$work/after" && cmp "$work/before" "$work/after"
}

# Of files that are never cached only the bytes count, of those that always are the work does.
hot() {
    printf 'cached 1e10\nthreads 1\ncodec zstd 1e9\nencoding PLAIN text 1e12\n' >"$work/profile"
    for hot in 0 100; do
        "$program" rewrite --choose fastest --encoding plain --codec none,zstd --profile "$work/profile" \
            --bandwidth 10MB --hot $hot "$work/data/orders.parquet" "$work/hot$hot.parquet" || return 1
    done
    [ "$(wc -c <"$work/hot0.parquet")" -lt "$(wc -c <"$work/hot100.parquet")" ]
}

# Without --bandwidth it is what `calibrate` found for the device.
calibrated() {
    mkdir -p "$work/cache/pistachio"
    device=$(stat -c %d "$work")
    printf 'pistachio calibration 1\n%s %s 2\n131072 8 1234000000\n1048576 8 987000000\n' "$device" "$(date +%s)" \
        >"$work/cache/pistachio/storage-$device"
    XDG_CACHE_HOME="$work/cache" "$program" rewrite --for cpu --save-profile "$work/profile" \
        "$work/data/nation.parquet" "$work/target.parquet" &&
        grep -q "^bandwidth 1234000000$" "$work/profile"
}

page_rows() {
    "$program" rewrite --page-rows 1000 "$work/data/orders.parquet" "$work/target.parquet" &&
        "$program" inspect --pages "$work/target.parquet" >"$work/pages" &&
        [ "$(grep -c o_orderkey "$work/pages")" -ge 15 ]
}

folder() {
    "$program" rewrite --threads 3 "$work/parts" "$work/folder" &&
        for file in lineitem/part-0000 lineitem/part-0002 orders/part-0001; do
            rows "$work/parts/$file.parquet" >"$work/before" &&
                rows "$work/folder/$file.parquet" >"$work/after" &&
                cmp "$work/before" "$work/after" || return 1
        done
}

in_place() {
    cp "$work/data/customer.parquet" "$work/place.parquet"
    rows "$work/place.parquet" >"$work/before"
    "$program" rewrite --for gpu "$work/place.parquet" "$work/place.parquet" &&
        rows "$work/place.parquet" >"$work/after" && cmp "$work/before" "$work/after"
}

"$program" tpch generate --scale 0.01 --out "$work/data" 2>/dev/null || exit 1
"$program" tpch generate --scale 0.001 --out "$work/parts" --parts 3 2>/dev/null || exit 1
for encoding in v1 v2 plain dictionary delta delta_length delta_bytes split rle; do
    in_turn 2 || continue
    check "encoding $encoding" same_rows "$work/data/orders.parquet" --encoding $encoding --page-version 2
done
for codec in none snappy lz4_raw 'zstd(9)' gzip brotli lightweight optimal none,zstd; do
    in_turn 2 || continue
    check "codec $codec" same_rows "$work/data/orders.parquet" --codec "$codec"
done
for rule in smallest threshold 'threshold(25)' fastest; do
    in_turn 2 || continue
    check "rule $rule" same_rows "$work/data/part.parquet" --encoding v2 --codec none,snappy,zstd --choose "$rule"
done
check "for cpu" same_rows "$work/data/lineitem.parquet" --for cpu
check "for gpu" same_rows "$work/data/lineitem.parquet" --for gpu --pages 7
check "pages and filters" same_rows "$work/data/orders.parquet" --page-size 2kB --row-group-rows 1000 \
    --bloom o_orderkey,o_clerk --no-checksums
check "columns of their own" same_rows "$work/data/orders.parquet" --codec 'o_comment=zstd(3)' \
    --encoding o_orderkey=delta --codec none
"$program" -c "COPY (SELECT * FROM '$work/data/orders.parquet' WHERE o_orderkey < 0) TO '$work/empty.parquet'" >/dev/null
check "no rows" same_rows "$work/empty.parquet" --for cpu
"$program" -c "COPY (SELECT n_nationkey AS a, NULLIF(n_name, 'PERU') AS b, CAST(NULL AS int) AS c, n_regionkey = 1 AS d
    FROM '$work/data/nation.parquet') TO '$work/nulls.parquet' (FORMAT parquet, CODEC zstd, ROW_GROUP_SIZE 7)" >/dev/null
for encoding in v1 v2 delta split rle; do
    in_turn 2 || continue
    check "NULLs, $encoding" same_rows "$work/nulls.parquet" --encoding $encoding --row-group-rows 10
done
check "sort" sorted
"$program" -c "COPY (SELECT * FROM '$work/data/lineitem.parquet' UNION ALL SELECT * FROM '$work/data/lineitem.parquet')
    TO '$work/many.parquet' (ROW_GROUP_SIZE 10000)" >/dev/null
many=$("$program" --format csv -c "SELECT count(*) FROM '$work/many.parquet'" | tail -n 1)
# Enough rows for samples, of every kind of values.
"$program" -c "COPY (SELECT l_comment, NULLIF(l_linenumber, 1) AS number, l_quantity > 25 AS flag,
    NULLIF(l_quantity > 30, l_tax > 0.02) AS flag_or_not, NULLIF(l_shipmode, 'AIR') AS mode, l_shipdate,
    CAST(l_extendedprice AS decimal(38, 2)) AS price, CAST(l_tax AS double) AS tax, CAST(NULL AS int) AS nothing
    FROM '$work/many.parquet') TO '$work/sampled.parquet'" >/dev/null
for form in "--for cpu" "--for gpu" "--encoding v2 --codec optimal" "--encoding dictionary --codec none,zstd" \
    "--for cpu --row-group-rows 65536 --page-rows 999"; do
    in_turn 2 || continue
    check "sampled, $form" same_rows "$work/sampled.parquet" $form
done
"$program" rewrite --for cpu --report "$work/sampled.csv" "$work/sampled.parquet" "$work/target.parquet" 2>/dev/null
check "samples are told" grep -q ',16384,[0-9]*,[0-9]*,[0-9.]*,1$' "$work/sampled.csv"
check "sort within 24 MB" sorted_within 24MB
check "copy within 24 MB" copy_within 24MB 10000
check "copy of a large row group" fails_with 1 "row group needs" copy_within 24MB 1000000
check "row groups" row_groups 4 --row-groups 4
check "rows of row groups" row_groups 15 --row-group-rows 1000
check "rows of pages" page_rows
check "profile" profile
check "hot and cold" hot
check "calibrated bandwidth" calibrated
check "folder" folder
check "in place" in_place
for write in 1 2 5; do
    check "full disk at write $write" full_disk $write
done
check "no such column" fails_with 1 "no_such" "$program" rewrite --codec no_such=zstd \
    "$work/data/orders.parquet" "$work/x.parquet"
check "no such codec" fails_with 2 "zap" "$program" rewrite --codec zap "$work/data/orders.parquet" "$work/x.parquet"
check "no such file" fails_with 1 "nothing.parquet" "$program" rewrite "$work/nothing.parquet" "$work/x.parquet"
check "two files of one name" fails_with 1 "would both become" "$program" rewrite \
    "$work/parts/lineitem/part-0000.parquet" "$work/parts/orders/part-0000.parquet" "$work/two/"
check "nothing was written" test ! -e "$work/x.parquet"

if "$python" -c 'import duckdb, pyarrow' 2>/dev/null; then
    check "pyarrow and DuckDB" "$python" "$here/check.py" "$program" "$work"
else
    skip "pyarrow and DuckDB: $python has not both"
fi
finish
