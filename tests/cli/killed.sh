#!/bin/sh
# Whatever writes files is killed (SIGKILL) at several moments: what had a name before is as it was, or
# the new file whole, and nothing else is in the folder. So it is after Ctrl-C (SIGINT), which also ends the process.
# killed.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"

"$program" tpch generate --scale 0.02 --out "$work/data" 2>/dev/null || exit 1

rows() {
    "$program" --format csv -c "SELECT count(*) FROM '$1'" 2>/dev/null | tail -n 1
}

# The files of the folder: all of the names that are expected, and readable.
is_clean() { # names
    names=$1
    for file in "$work/out"/* "$work/out"/.[!.]*; do
        [ -e "$file" ] || continue
        name=${file##*/}
        case " $names " in
        *" $name "*) ;;
        *)
            echo "$name is left"
            return 1
            ;;
        esac
        case $name in
        *.parquet)
            if [ -z "$(rows "$file")" ]; then
                echo "$name cannot be read"
                return 1
            fi
            ;;
        esac
    done
}

# What had the name before, or the new file, which has many more lines (as wc counts them).
is_whole() { # target
    cmp -s "$work/data/nation.parquet" "$work/out/$1" || [ "$(wc -l <"$work/out/$1")" -gt 100 ] || {
        echo "$1 is neither the old file nor the new one"
        return 1
    }
}

# A command that writes to $work/out/t.parquet or t.csv, killed after each of some times.
try() { # what, expected names, target, command
    what=$1 names=$2 target=$3
    shift 3
    for moment in 0.01 0.05 0.15 0.4; do
        rm -rf "$work/out"
        mkdir "$work/out"
        [ -z "$target" ] || cp "$work/data/nation.parquet" "$work/out/$target"
        "$@" >/dev/null 2>&1 &
        pid=$!
        sleep $moment
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        if is_clean "$names" && { [ -z "$target" ] || is_whole "$target"; }; then
            pass
        else
            fail "$what after $moment s"
        fi
    done
}

tables="customer.parquet lineitem.parquet nation.parquet orders.parquet part.parquet partsupp.parquet
    region.parquet supplier.parquet"
try generate "$(echo $tables)" "" "$program" tpch generate --scale 0.2 --out "$work/out"
try rewrite t.parquet t.parquet "$program" rewrite --encoding v2 --codec optimal \
    "$work/data/lineitem.parquet" "$work/out/t.parquet"
try "rewrite of a new file" t.parquet "" "$program" rewrite --encoding v2 --codec 'none,zstd(9)' \
    "$work/data/lineitem.parquet" "$work/out/t.parquet"
try COPY t.parquet t.parquet "$program" -c "COPY (SELECT a.* FROM '$work/data/lineitem.parquet' a,
    '$work/data/nation.parquet') TO '$work/out/t.parquet'"
try "COPY to CSV" t.csv t.csv "$program" -c "COPY (SELECT a.* FROM '$work/data/lineitem.parquet' a,
    '$work/data/nation.parquet') TO '$work/out/t.csv'"

# The same for SIGINT; a shell's background processes ignore it unless env says otherwise.
interrupt() { # what, expected names, target, command
    what=$1 names=$2 target=$3
    shift 3
    for moment in 0.03 0.3; do
        rm -rf "$work/out"
        mkdir "$work/out"
        [ -z "$target" ] || cp "$work/data/nation.parquet" "$work/out/$target"
        (cd "$work/out" && exec env --default-signal=INT "$@") >/dev/null 2>&1 &
        pid=$!
        sleep $moment
        kill -2 $pid 2>/dev/null
        wait $pid 2>/dev/null
        status=$?
        if { [ $status = 130 ] || [ $status = 0 ]; } && is_clean "$names" && { [ -z "$target" ] || is_whole "$target"; }; then
            pass
        else
            fail "$what, SIGINT after $moment s: status $status"
        fi
    done
}

! env --default-signal=INT true 2>/dev/null || {
    interrupt rewrite t.parquet t.parquet "$program" rewrite --encoding v2 --codec optimal "$work/data/lineitem.parquet" t.parquet
    interrupt "rewrite, sorted" t.parquet t.parquet "$program" rewrite --sort l_comment "$work/data/lineitem.parquet" t.parquet
    interrupt calibrate "" "" "$program" calibrate --force --path .
    interrupt "COPY on ranks" t.parquet t.parquet "$program" --set ranks=3 --set distribute=always -c "COPY (SELECT a.* FROM
        '$work/data/lineitem.parquet' a, '$work/data/nation.parquet' ORDER BY l_comment) TO 't.parquet'"
    interrupt "COPY by keys on ranks" "" "" "$program" --set ranks=3 --set distribute=always -c "COPY (SELECT a.* FROM
        '$work/data/lineitem.parquet' a, '$work/data/nation.parquet') TO 'made' (PARTITION_BY (l_shipmode))"
}
finish
