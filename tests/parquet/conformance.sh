#!/bin/sh
# The files of apache/parquet-testing read to their values (conformance.txt) or are refused with the
# right error. conformance.sh PROGRAM [FOLDER]. Skipped (77) where the files are not.
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
folder=${2:-${PARQUET_TESTING:-$here/../../../shared/data/parquet-testing}}
if [ ! -d "$folder" ]; then
    skip "all: no parquet-testing files (PARQUET_TESTING=folder)"
    finish
    exit 77
fi

# Each column, flat ones on both devices.
for device in cpu simulated; do
    tab=$(printf '\t')
    while IFS=$tab read -r file column rows digest format; do
        case $file in '#'*) continue ;; esac
        [ "$device" = cpu ] || [ -z "$format" ] || continue
        [ -f "$folder/$file" ] || continue
        [ "$device" = cpu ] || in_turn 3 || continue
        sql="SELECT \"$column\" FROM '$folder/$file'"
        # A lone NULL is written as "" so that its line is not empty: undone here.
        if [ -n "$format" ]; then
            found=$("$program" --format "$format" -c "$sql" 2>"$work/said" | md5sum)
        else
            found=$("$program" --set device=$device --format csv -c "$sql" 2>"$work/said" | tail -n +2 |
                sed 's/^""$//' | md5sum)
        fi
        if [ "${found%% *}" = "$digest" ]; then
            pass
        else
            fail "$file: $column ($rows rows, $device)"
            head -n 2 "$work/said"
        fi
    done <"$here/conformance.txt"
done

# What cannot be read says why, and names the column.
refused() { # file, columns, text of the error
    [ -f "$folder/$1" ] || return
    if "$program" --format none -c "SELECT $2 FROM '$folder/$1'" 2>"$work/said"; then
        fail "$1: $2 is not refused"
    elif grep -q "$3" "$work/said"; then
        pass
    else
        fail "$1: $2"
        cat "$work/said"
    fi
}
refused datapage_v1-corrupt-checksum.parquet a 'column "a".*checksum'
refused datapage_v1-corrupt-checksum.parquet b 'column "b".*checksum'
refused rle-dict-uncompressed-corrupt-checksum.parquet '*' 'checksum'
# The values that pyarrow reads, which looks at no checksum.
sums=$("$program" --set page_checksums=ignore --format csv -c "SELECT sum(a), min(b), sum(b)
    FROM '$folder/datapage_v1-corrupt-checksum.parquet'" 2>&1 | tail -n 1)
if [ ! -f "$folder/datapage_v1-corrupt-checksum.parquet" ] || [ "$sums" = 43118090496,-2088599168,129016190976 ]; then
    pass
else
    fail "datapage_v1-corrupt-checksum.parquet without checksums: $sums"
fi

finish
