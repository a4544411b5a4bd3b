#!/bin/sh
# What other writers may leave in files: text that is not UTF-8, decimals of many digits, columns of Parquet's null type,
# types that differ from file to file. other.sh PROGRAM; tests/parquet/make_other_fixtures.py makes the files.
# What is expected: Python's (errors="replace") for text, DuckDB's for types, or by hand.
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
files=$(cd "$here/../data/other" && pwd)
cd "$work" || exit 2

# same NAME EXPECTED SQL [OPTION...]: the rows, on one line.
same() {
    name=$1 expected=$2 sql=$3
    shift 3
    found=$("$program" "$@" --format csv -c "$sql" 2>"$work/said" | tail -n +2 | tr '\n' ';')
    if [ "$found" = "$expected" ]; then
        pass
    else
        fail "$name: $found"
        cat "$work/said"
    fi
}
# wrong NAME PATTERN SQL [OPTION...]: an error that says so.
wrong() {
    name=$1 pattern=$2 sql=$3
    shift 3
    if "$program" "$@" --format none -c "$sql" >/dev/null 2>"$work/said"; then
        fail "$name: no error"
    elif tr '\n' ' ' <"$work/said" | grep -q "$pattern"; then
        pass
    else
        fail "$name"
        cat "$work/said"
    fi
}

# ---- text that is not UTF-8 ----
r=$(printf '\357\277\275')
a40=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
rows="ok;$r;caf$r au lait;;$r$r$r;$r;$a40$r;é;$r;"
for device in cpu simulated; do
    for file in "$files"/bad_text/*.parquet; do
        name="${file##*/} ($device)"
        wrong "$name" 'bad_text/.*row group 0, column "s".*text 2 .*not valid UTF-8.*hint.*invalid_utf8' \
            "SELECT s FROM '$file'" --set device=$device
        same "$name" "$rows" "SELECT s FROM '$file'" --set device=$device --set invalid_utf8=replace
        # The replaced ones are one group, and lie outside of the bounds that the footer has.
        same "$name" "$r,3;" "SELECT s, count(*) FROM '$file' WHERE s >= '$r' AND length(s) = 1 GROUP BY s" \
            --set device=$device --set invalid_utf8=replace
        same "$name" "$r$r$r,a;" "SELECT max(s), left(min(s), 1) FROM '$file'" \
            --set device=$device --set invalid_utf8=replace
    done
    same "UTF-8 ($device)" "1,3,120,300,1,1;" "SELECT min(length(s)), length(min(s)), max(octet_length(s)) filter (where s like '漢%'),
        max(length(s)), length(max(s)), count(*) filter (where s = 'é') FROM '$files/text.parquet'" --set device=$device
done
same "a column nobody reads" "0;1;" "SELECT i FROM '$files/bad_text/plain_1.parquet' WHERE i < 2"
wrong "min" 'not valid UTF-8' "SELECT max(s) FROM '$files/bad_text/plain_1.parquet'"
same "a name" "2;" "SELECT \"x$r\" FROM '$files/bad_name.parquet'"
mkdir -p 'keys/p=%FF' && cp "$files/types/a.parquet" 'keys/p=%FF/a.parquet'
wrong "a folder" 'keys/p=%FF/a.parquet.*not valid UTF-8.*hint.*hive_partitioning' "SELECT * FROM 'keys'"
same "a folder, its files" "1,10;" "SELECT * FROM 'keys'" --set hive_partitioning=off
wrong "SQL" 'not valid UTF-8' "SELECT '$(printf '\355\240\200')'"
wrong "SQL" 'not valid UTF-8' "SELECT '$(printf '\360\200\200\200')'"

# ---- decimals ----
same "wide decimals" "1.5;;-1e+41;0;" "SELECT x FROM '$files/wide_decimal.parquet'"
same "wide decimals" "1.5;;-1e+41;0;" "SELECT x FROM '$files/wide_decimal.parquet'" --set device=simulated
same "wide decimals" "3;1;" "SELECT y FROM '$files/wide_decimal.parquet' WHERE x <> 0 ORDER BY x"
if grep -q 'column "x" of .* is DECIMAL(60,2), of more than 38 digits, and read as double' "$work/said"; then
    pass
else
    fail "a notice of wide decimals"
fi
if "$program" rewrite "$files/wide_decimal.parquet" out.parquet >"$work/said" 2>&1; then
    fail "rewrite of wide decimals"
elif grep -q 'column "x" is DECIMAL(60,2)' "$work/said" && [ ! -e out.parquet ]; then
    pass
else
    fail "rewrite of wide decimals"
    cat "$work/said"
fi
wrong "scale" 'column "x" .*DECIMAL(9,12)' "SELECT x FROM '$files/scale_beyond_precision.parquet'"
same "scale" "7;" "SELECT y FROM '$files/scale_beyond_precision.parquet'"

# ---- the null type ----
n="'$files/nulls/a.parquet'"
same "null type" "1,;2,;" "SELECT * FROM $n"
same "null type" "none,;none,;" "SELECT coalesce(note, 'none'), note + 1 FROM $n"
same "null type" ",,0,2;" "SELECT max(note), sum(note + 1), count(note), count(*) FROM $n"
same "null type" ",2;" "SELECT note, count(*) FROM $n GROUP BY note"
same "null type" "1,;2,;" "SELECT id, note FROM $n WHERE note IS NULL ORDER BY note, id"
same "null type" "0;" "SELECT count(*) FROM $n x JOIN $n y ON x.note = y.note"
same "null type" "1;2;" "SELECT id FROM $n WHERE note IS DISTINCT FROM 'x' AND id::text <> coalesce(note, '')"
same "null type" "1,;2,;" "SELECT * FROM (SELECT id, note FROM $n) t"
same "null type" "3;;;" "SELECT note FROM $n UNION ALL SELECT 3 ORDER BY 1"
same "null type, by name" "1,;2,;3,x;" "SELECT * FROM read_parquet('$files/nulls', union_by_name => true) ORDER BY 1"
same "null type" "1,;2,;3,x;" "SELECT * FROM '$files/nulls' ORDER BY 1"
same "null type" "3,1;" "SELECT count(*), count(note) FROM '$files/nulls'"

# ---- types that differ ----
same "units" "2020-01-01 01:02:03.456;2020-01-01 01:02:03.456789;2020-01-01 01:02:03.456789;" "SELECT t FROM '$files/units' ORDER BY 1"
same "units" "timestamp;timestamp;timestamp;" "SELECT typeof(t) FROM '$files/units'"
same "units, by name" "timestamp_ns,3;" "SELECT typeof(t), count(*) FROM read_parquet('$files/units', union_by_name => true) GROUP BY 1"
mkdir mixed && cp "$files/types/a.parquet" "$files/types/c.parquet" mixed && cp "$files/types/c.parquet" mixed/d.parquet
same "types" "3;" "SELECT count(*) FROM '$files/types'"
same "types" "1;2;3;" "SELECT k FROM '$files/types' ORDER BY k"
same "types" "1,10;2,20;" "SELECT * FROM read_parquet('$files/types/a.parquet', '$files/types/b.parquet') ORDER BY 1"
wrong "types" 'column "v" of file ".*/types/c.parquet": "many" is not a value of type integer' "SELECT v FROM '$files/types'"
wrong "types, files alike" 'column "v" of file ".*/mixed/c.parquet", or another of 2 that have its type: "many"' "SELECT sum(v) FROM '$work/mixed/*.parquet'"

wrong "a time beyond microseconds" 'column "t": page at byte .* a timestamp is out of the range of microseconds' "SELECT t FROM '$files/least_time.parquet'"
same "an empty list without a type" "0;" "SELECT count(*) FROM '$files/untyped_list.parquet'"
same "REQUIRED as a boolean" "1;2;" "SELECT k FROM '$files/required_as_boolean.parquet'"
finish
