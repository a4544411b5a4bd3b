#!/bin/sh
# A file that is cut short, written over, or replaced while a query reads it: the first two are a
# clean error that says so, the third changes nothing.
# changed.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"

"$program" tpch generate --scale 0.01 --out "$work" >"$work/err" 2>&1 || exit 1
"$program" -c "copy (select * from '$work/lineitem.parquet') to '$work/whole.parquet' (row_group_size 2000)" >"$work/err" 2>&1 || exit 1
rows=$("$program" --format csv -c "select count(*), sum(l_orderkey) from '$work/whole.parquet'" | tail -1)

# during NAME CHANGE OPTION...: queries $work/t.parquet, whose rows leave by a pipe that nobody reads
# before CHANGE was done: the query cannot have read all of it by then.
during() {
    name=$1 change=$2
    shift 2
    cp "$work/whole.parquet" "$work/t.parquet"
    touch -d '1 hour ago' "$work/t.parquet"
    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    "$program" --format csv --set chunk_rows=200 "$@" -c "select * from '$work/t.parquet'" >"$work/pipe" 2>"$work/err" &
    pid=$!
    exec 3<"$work/pipe"
    head -c 1 <&3 >/dev/null
    eval "$change"
    cat <&3 >"$work/out"
    exec 3<&-
    wait $pid
    status=$?
}
result() {
    if [ $? = 0 ]; then
        pass
    else
        fail "$1 (exit status $status)"
        head -5 "$work/err"
    fi
}
is_told() {
    [ $status = 1 ] && grep -q 'changed while it was read' "$work/err"
}

for options in "--set threads=1" "--set threads=3" "--set threads=2 --set direct_io=always" \
    "--set threads=2 --set io_engine=threads --set direct_io=always"; do
    # shellcheck disable=SC2086
    {
        during cut 'truncate -s 100000 "$work/t.parquet"' $options
        is_told
        result "cut short, $options"
        during emptied ': >"$work/t.parquet"' $options
        is_told
        result "emptied, $options"
        during garbled 'dd if=/dev/zero of="$work/t.parquet" bs=1000 count=900 conv=notrunc 2>/dev/null' $options
        is_told
        result "written over, $options"
        during grown 'echo more >>"$work/t.parquet"' $options
        is_told
        result "grown, $options"
        during replaced 'cp "$work/orders.parquet" "$work/new" && mv "$work/new" "$work/t.parquet"' $options
        [ $status = 0 ] && [ "$(wc -l <"$work/out")" = "$(($(echo "$rows" | cut -d, -f1) + 1))" ]
        result "replaced, $options"
        during removed 'rm "$work/t.parquet"' $options
        [ $status = 0 ]
        result "removed, $options"
    }
done

finish
