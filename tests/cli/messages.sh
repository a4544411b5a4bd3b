#!/bin/sh
# What is said when something is wrong: what it is, where, why, and what to do.
# messages.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

# fails NAME TEXT HINT ARGUMENT...: exit status 1 and both texts (-: no hint).
fails() {
    what=$1 wanted=$2 hint=$3
    shift 3
    expect "$what" 1 - "$program" "$@"
    says "$what" "$wanted"
    if [ "$hint" = - ]; then silent "$what" "hint:"; else says "$what" "hint: $hint"; fi
}
"$program" -c "copy (select 1 as a) to '$work/t.parquet'" || exit 2

# Files: the system's reason.
reason="No such file or directory"
fails "-f of nothing" "\"$work/none.sql\": $reason" - -f "$work/none.sql"
fails ".read of nothing" "\"$work/none.sql\": $reason" - -c ".read $work/none.sql"
fails "-o to nowhere" "\"$work/none/x\": $reason" - -o "$work/none/x" -c "select 1"
fails "a timeline to nowhere" "could not write timeline \"$work/none/x.svg\": $reason" - \
    --timeline "$work/none/x.svg" -c "select a from '$work/t.parquet'"
fails "a trace to nowhere" "could not write trace \"$work/none/x\": $reason" - \
    --trace "$work/none/x" -c "select a from '$work/t.parquet'"
fails "inspect" "has 1 row group, there is no 9" - inspect --row-group 9 "$work/t.parquet"

# Two tables of one name: which they are, and how to have both.
mkdir "$work/one" "$work/two"
cp "$work/t.parquet" "$work/one/t.parquet"
cp "$work/t.parquet" "$work/two/t.parquet"
one=$work/one/t.parquet two=$work/two/t.parquet
fails "two folders" "named \"t\" already, of \"$one\", which \"$two\" cannot replace" \
    "give the tables of its folder other names, one by one: --table NAME=$two" \
    -c "select 1" "$work/one" "$work/two"
fails "two files" "named \"t\" already, of \"$one\", which \"$two\" cannot replace" \
    "give it another name: --table NAME=$two" -c "select 1" "$one" "$two"
fails "two tables" "named \"n\" already, of \"$one\", which \"$two\" cannot replace" \
    "give it another name: --table NAME=$two" --table "n=$one" --table "n=$two" -c "select 1"
expect "what the hint says" 0 "count
1" "$program" --format csv --table "n=$two" -c "select count(*) from t, n" "$work/one"

# Settings: what they can be, in the units that people write.
fails "a small memory_limit" '"16MB": it is a size as 1GB, 512MiB or 80%, 16MiB or more' - \
    --set memory_limit=16MB -c "select 1"
fails "no threads" '"0": it is auto or a whole number from 1 to 4096' - --set threads=0 -c "select 1"
fails "many threads" '"5000": it is auto or a whole number from 1 to 4096' - --set threads=5000 -c "select 1"
fails "no rows a chunk" '"0": it is auto or a whole number from 1 to 16777216' - --set chunk_rows=0 -c "select 1"
fails "rows beyond the device" "chunk_rows of 16000000 need at least 512000000 bytes of the device's memory, of which there are" \
    "SET chunk_rows to less or to auto, or device_memory_limit to more" \
    --set device=simulated --set device_memory_limit=100MB --set chunk_rows=16000000 -c "select 1"
fails "a switch" 'cannot be "maybe": it is on or off' - -c "set metadata_cache = maybe"
fails "no setting" 'no setting named "nonsense"' "SHOW ALL lists the settings" --set nonsense=1
fails "nearly a setting" 'no setting named "memory_limits"' "did you mean memory_limit?" -c "set memory_limits = 1"
expect "a small --memory" 2 - "$program" rewrite --memory 1MB "$work/t.parquet" "$work/u.parquet"
says "has the least" "at least 16MiB"

# SQL: a hint that helps, or none.
fails "foo(x)" 'function "foo" does not exist' - -c "select foo(1)"
fails "a letter too many" 'function "roundd" does not exist' 'did you mean "round"?' -c "select roundd(1.5)"
fails "form" 'at or near "form"' 'did you mean from?' -c "select a form t"
fails "@@" "varchar @@ varchar" "docs/SQL.md lists the operators" -c "select 'a' @@ 'a'"
fails "two types" "date * integer" "cast one of the two sides" -c "select date '2020-01-01' * 2"

# rewrite: figures of small files, and no folders that nobody made.
expect "one file" 0 - "$program" rewrite "$work/t.parquet" "$work/u.parquet"
says "is one" "1 file, 1 row, "
if grep -Eq ', [0-9]+ bytes to [0-9]+ bytes in|, [0-9.]+ kB to [0-9.]+ kB in' "$work/err"; then
    pass
else
    fail "its size:"
    cat "$work/err"
fi
fails "a target in no folder" "$reason" - rewrite "$work/t.parquet" "$work/no/such/u.parquet"
fails "a folder in no folder" "could not make folder \"$work/no/such\": $reason" - \
    rewrite "$work/t.parquet" "$work/no/such/"
if [ -e "$work/no" ]; then fail "folders were made"; else pass; fi
mkdir "$work/in" "$work/in/x"
cp "$work/t.parquet" "$work/in/x/t.parquet"
expect "a folder as target" 0 - "$program" rewrite "$work/in/x" "$work/to//"
expect "is made" 0 "a
1" "$program" --format csv -c "select * from '$work/to/t.parquet'"

# tpch: what is wrong is said before the work begins.
touch "$work/file"
before=$(date +%s)
fails "tpch generate into a file" "\"$work/file\": Not a directory" - tpch generate --scale 1 --out "$work/file"
fails "tpch generate below a file" "\"$work/file/x\": Not a directory" - tpch generate --scale 1 --out "$work/file/x"
fails "tpch generate below nothing" "\"$work/none/x\": $reason" - tpch generate --scale 1 --out "$work/none/x"
if [ $(($(date +%s) - before)) -lt 20 ]; then pass; else fail "takes long to say so"; fi
expect "tpch --help" 0 - "$program" tpch generate --help

# Secrets of a line that is shown have stars.
fails "a secret before" "line 1: set s3_secret_access_key = '****''**'; select nosuch
                                                      ^" - -c "set s3_secret_access_key = 'hush''ed'; select nosuch"
fails "a token behind" "line 1: select nosuch, 'token'; set s3_session_token to '***'" - -c "select nosuch, 'token'; set s3_session_token to 'abc'"
fails "one of the statement's own" "(type iceberg, token '**', bogus 1)" - -c "attach 'http://127.0.0.1:1' as l (type iceberg, token 'é', bogus 1)"
finish
