#!/bin/sh
# Who decompresses pages of which codec on the emulated CUDA device: kernels; nvCOMP, emulated as well, where it is there;
# else the host. Answers, damaged pages, and each of nvCOMP's functions failing.
# codecs.sh PROGRAM LIBRARY KERNELS NVCOMP_4 NVCOMP_5
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3
four=$4 five=$5 data=$here/../data/parquet

rows="select g as n, case when g % 7 > 0 then g * 7 % 1000 end as few, 'text ' || g as t from generate_series(1, 30000) s(g)"
sums="select sum(n), sum(few), count(few), max(t), sum(length(t)) from"
for codec in none snappy gzip brotli zstd lz4 lz4_raw; do
    "$program" -c "copy ($rows) to '$work/$codec.parquet' (codec '$codec')" >"$work/out" || fail "copy"
done
answer=$("$program" --format csv -c "$sums ($rows) r")

# asked LIBRARY CODEC: the answer, then who decompressed its pages, by EXPLAIN ANALYZE.
asked() {
    PISTACHIO_NVCOMP_LIBRARY=$1 "$program" --format csv --set device=cuda -c "$sums '$work/$2.parquet'" || return 1
    PISTACHIO_NVCOMP_LIBRARY=$1 "$program" --format tsv --set device=cuda -c "explain analyze $sums '$work/$2.parquet'" |
        grep '^device cuda' | grep -o 'pages decompressed by [a-z]* *[a-zC-P]* [0-9]*' | sed 's/ [0-9]*$//; s/.* by //'
}
is_by() { # LIBRARY CODEC WHO
    asked "$1" "$2" >"$work/said" 2>&1 && [ "$(cat "$work/said")" = "$answer${3:+
$3}" ] && return
    cat "$work/said"
    return 1
}
for library in none "$four" "$five"; do
    [ "$library" = none ] || in_turn 2 || continue
    by_library=nvCOMP
    [ "$library" != none ] || by_library="the host"
    check "no codec, $library" is_by "$library" none ""
    for codec in snappy lz4 lz4_raw; do
        check "$codec, $library" is_by "$library" $codec "the device"
    done
    for codec in gzip zstd; do
        check "$codec, $library" is_by "$library" $codec "$by_library"
    done
    check "brotli, $library" is_by "$library" brotli "the host"
done

# Which it is says EXPLAIN, and `topology`.
says() { # TEXT COMMAND...
    text=$1
    shift
    "$@" >"$work/said" 2>&1 && grep -q -- "$text" "$work/said" && return
    cat "$work/said"
    return 1
}
explain="explain select * from '$work/zstd.parquet'"
kernels="pages are decompressed by kernels (snappy, lz4, lz4_raw)"
check "EXPLAIN without nvCOMP" says "$kernels, by the host (gzip, brotli, zstd): no nvCOMP: .*none" \
    env PISTACHIO_NVCOMP_LIBRARY=none "$program" --set device=cuda -c "$explain"
check "EXPLAIN of the emulation alone" says "no nvCOMP: the emulation has none" "$program" --set device=cuda -c "$explain"
check "EXPLAIN with nvCOMP 5" says "$kernels, by nvCOMP 5.1.2 (gzip, zstd), by the host (brotli)" \
    env PISTACHIO_NVCOMP_LIBRARY="$five" "$program" --set device=cuda -c "$explain"
check "EXPLAIN with nvCOMP 4" says "$kernels, by nvCOMP 4.1.2 (gzip, zstd), by the host (brotli)" \
    env PISTACHIO_NVCOMP_LIBRARY="$four" "$program" --set device=cuda -c "$explain"
check "topology" says "GPUs: $kernels, by nvCOMP 5.1.2 (gzip, zstd)" \
    env PISTACHIO_NVCOMP_LIBRARY="$five" "$program" topology
check "another version" says "by the host (gzip, brotli, zstd): no nvCOMP: .* is of version 3.2, not 4 or 5" \
    env PISTACHIO_NVCOMP_LIBRARY="$five" PISTACHIO_NVCOMP_VERSION=3200 "$program" --set device=cuda -c "$explain"
check "one that wants pages elsewhere" says "by the host (gzip, brotli, zstd): nvCOMP 5.1.2 has no function for pages" \
    env PISTACHIO_NVCOMP_LIBRARY="$five" PISTACHIO_NVCOMP_ALIGNMENT=8 "$program" --set device=cuda -c "$explain"
check "no library of that kind" says "by the host (gzip, brotli, zstd): no nvCOMP: .* version 0.0" \
    env PISTACHIO_NVCOMP_LIBRARY="$2" "$program" --set device=cuda -c "$explain"

# Files of other writers: several pages, levels that are not compressed, several members of gzip.
same() { # FILE
    "$program" --format csv -c "select * from '$1'" >"$work/expected" 2>"$work/expected.said"
    expected=$?
    PISTACHIO_NVCOMP_LIBRARY=$five "$program" --format csv --set device=cuda -c "select * from '$1'" \
        >"$work/rows" 2>"$work/said"
    code=$?
    if [ $expected != $code ] || grep -q Sanitizer "$work/said"; then
        cat "$work/said"
        return 1
    fi
    sort "$work/expected" >"$work/expected.sorted" # a device's tasks give chunks in any order
    [ $code = 1 ] || sort "$work/rows" | cmp - "$work/expected.sorted"
}
for file in "$data"/*.parquet; do
    in_turn 3 || continue
    check "$(basename "$file")" same "$file"
done

# Damaged pages, without checksums: nvCOMP is as strict as the host.
for source in dictionary_v2_zstd dictionary_v1_gzip_small_pages; do
    bytes=$(wc -c <"$data/$source.parquet")
    at=40
    while [ $at -lt $((bytes / 2)) ]; do
        if in_turn 3; then
            cp "$data/$source.parquet" "$work/damaged.parquet"
            printf '\125' | dd of="$work/damaged.parquet" bs=1 seek=$at conv=notrunc 2>"$work/dd"
            check "$source, byte $at" same "$work/damaged.parquet"
        fi
        at=$((at + bytes / 20))
    done
done

# A function that fails: the host does it, or the query ends with a line that says so.
fails() { # FUNCTION CODEC TEXT: without a text there is the answer
    PISTACHIO_CUDA_FAIL=$1:1 PISTACHIO_NVCOMP_LIBRARY=$five "$program" --format csv --set device=cuda \
        -c "$sums '$work/$2.parquet'" >"$work/said" 2>&1
    code=$?
    [ -z "$3" ] && [ $code = 0 ] && [ "$(cat "$work/said")" = "$answer" ] && return
    [ -n "$3" ] && [ $code = 1 ] && grep -q "$3" "$work/said" && ! grep -q Sanitizer "$work/said" && return
    echo "exit code $code"
    cat "$work/said"
    return 1
}
check "nvcompGetProperties fails" fails nvcompGetProperties zstd ""
for codec in Gzip Zstd; do
    file=$(echo $codec | tr GZ gz) start=nvcompBatched${codec}Decompress
    check "$codec alignments fail" fails ${start}GetRequiredAlignments "$file" ""
    check "$codec space fails" fails ${start}GetTempSizeAsync "$file" "${start}GetTempSizeAsync: nvCOMP's status 10000"
    check "$codec fails" fails ${start}Async "$file" "column .*: nvCOMP did not decompress the page"
done

finish
