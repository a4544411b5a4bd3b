#!/bin/sh
# A page with one bit changed is an error that names the place, before any of its rows is given, whatever the device
# and wherever its checksum is computed. checksums.sh PROGRAM [DEVICE...]
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
shift
[ $# = 0 ] && set -- cpu simulated

# Changes a bit of byte $2 of a file.
damage() {
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059  # the format is the byte
    printf "$(printf '\\%03o' $(((byte + 128) % 256)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>"$work/dd"
}

# Where the pages of a column begin, behind their headers, and how long they are, as inspect says: "at bytes" a line.
rows="select g as n, case when g % 7 > 0 then g * 7 % 1000 end as few, 'text ' || g as t from generate_series(1, 30000) s(g)"
for codec in none snappy zstd; do
    "$program" -c "copy ($rows) to '$work/$codec.parquet' (codec '$codec')" >"$work/out" || fail "copy"
    "$program" inspect --pages "$work/$codec.parquet" | awk '/^Pages/ { on = 1; next }
        on && $1 == "0" { for (i = 1; i <= NF; i++) if ($i == "yes") print $2, $7 }' >"$work/pages"
    check "pages of $codec" [ "$(cut -d ' ' -f 1 "$work/pages" | sort -u | tr '\n' ' ')" = "few n t " ]
    while read -r column at; do
        cp "$work/$codec.parquet" "$work/damaged.parquet"
        damage "$work/damaged.parquet" $((at + 300))
        for device in "$@"; do
            for threads in 1 3; do
                "$program" --format csv --set device="$device" --set threads=$threads -c \
                    "select $column from '$work/damaged.parquet'" >"$work/rows.$device" 2>"$work/said.$device"
                code=$?
                if [ $code = 1 ] && [ "$(wc -l <"$work/rows.$device")" -le 1 ] && grep -q \
                    "damaged.parquet\", row group 0, column \"$column\": page at byte [0-9]*: its checksum is wrong" \
                    "$work/said.$device" && cmp "$work/said.$1" "$work/said.$device"; then
                    pass
                else
                    fail "$codec: $column, page at $at, $device, $threads threads: $code"
                    head -n 3 "$work/rows.$device" "$work/said.$device"
                fi
            done
        done
    done <"$work/pages"
done

finish
