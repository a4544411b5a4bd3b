#!/bin/sh
# The generator's rows against what DuckDB says of its own dbgen's, the published answers, and failures.
# run.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"

rows_are_right() {
    "$program" --format tsv -f "$here/generated.sql" "$1" | grep -v '^count	\|^l_linenumber\|^substring' |
        tr '\t' '|' >"$work/rows" && cmp "$work/rows" "$here/generated.txt"
}

# The program must fail with status 1 and this in its message, and leave no file behind.
fails_with() {
    text=$1 folder=$2
    shift 2
    "$@" >"$work/said" 2>&1
    [ $? = 1 ] && grep -q -- "$text" "$work/said" && [ -z "$(find "$folder" -type f 2>/dev/null)" ] && return
    cat "$work/said"
    return 1
}

check "generate" "$program" tpch generate --scale 0.01 --out "$work/one" --threads 2
check "rows" rows_are_right "$work/one"
check "generate in parts" "$program" tpch generate --scale 0.01 --out "$work/parts" --parts 3 --threads 3
check "published answers" "$program" tpch run --data "$work/one" --check --set threads=7 --json "$work/times.json"
if ! has_less_to_do; then
    for threads in 1 2; do
        in_turn 3 || continue
        check "published answers, $threads threads" "$program" tpch run --data "$work/one" --check \
            --set threads=$threads
    done
    for isa in scalar avx2; do
        [ $isa = scalar ] || grep -qw $isa /proc/cpuinfo || continue
        in_turn 3 || continue
        check "published answers, $isa" "$program" tpch run --data "$work/one" --check --set isa=$isa
    done
    ! in_turn 4 || check "published answers, read past the page cache" "$program" tpch run --data "$work/one" --check \
        --set direct_io=always
    ! in_turn 4 || check "published answers, read by threads" "$program" tpch run --data "$work/one" --check \
        --set direct_io=always --set io_engine=threads
    for overlap in blocking chunking deferred; do
        in_turn 4 || continue
        check "published answers, overlap $overlap" "$program" tpch run --data "$work/one" --check \
            --set direct_io=always --set overlap=$overlap
    done
    for setting in reader_combining registered_memory adaptive_regulation; do
        in_turn 4 || continue
        check "published answers, $setting off" "$program" tpch run --data "$work/one" --check \
            --set direct_io=always --set $setting=off
    done
    ! in_turn 4 || check "published answers, dynamic buffering" "$program" tpch run --data "$work/one" --check \
        --set dynamic_buffering=on
    ! in_turn 4 || check "published answers, nothing read ahead" "$program" tpch run --data "$work/one" --check \
        --set direct_io=never --set read_ahead=0
fi
check "published answers, simulated device" "$program" tpch run --data "$work/one" --check \
    --set device=simulated
# Rows of ranks leave a device's memory and come to it through pinned memory, and no thread waits for them.
devices_on_ranks() {
    on_ranks="--set ranks=2 --set distribute=always --set device=simulated"
    # shellcheck disable=SC2086  # several words
    "$program" tpch run --data "$work/one" --check $on_ranks || return
    ! has_less_to_do || return 0
    for query in "$here"/../../src/tpch/queries/*.sql; do
        echo "explain analyze" && cat "$query" && echo ";"
    done >"$work/explained.sql"
    # shellcheck disable=SC2086
    "$program" $on_ranks -f "$work/explained.sql" "$work/one" >"$work/plans" || return
    [ "$(grep -c 'device simulated: launches' "$work/plans")" = 22 ] && grep -q 'repartition.*wake-ups' "$work/plans" &&
        ! grep 'blocking waits\|not pinned' "$work/plans"
}
check "published answers, 2 ranks, simulated devices" devices_on_ranks
# Messages are smaller where memory is short: as many as there are must leave room for what is done with them.
! in_turn 2 || check "published answers, 2 ranks, little memory" "$program" tpch run --data "$work/one" --check \
    --set ranks=2 --set distribute=always --set memory_limit=20MB
# Each query's launches, wake-ups, things that it shall not do, megabytes, and allocations from the system, on the
# simulated device. What it reads is not kept: that takes memory for each chunk. Another seed makes another device, whose memory nobody has used.
device_work() { # chunk_rows synchronization [threads folder]
    seed=0
    for query in "$here"/../../src/tpch/queries/*.sql; do
        seed=$((seed + 1))
        echo "set simulated_seed = $seed; explain analyze" && cat "$query" && echo ";"
    done >"$work/explained.sql"
    "$program" --format tsv --set device=simulated --set cache_memory=0 --set "threads=${3:-1}" --set "chunk_rows=$1" --set "synchronization=$2" \
        -f "$work/explained.sql" "${4:-$work/one}" |
        awk '/^device simulated/ {
            launches = wakes = fresh = 0
            if (match($0, /launches [0-9]+/)) launches = substr($0, RSTART + 9, RLENGTH - 9)
            if (match($0, /wake-ups [0-9]+/)) wakes = substr($0, RSTART + 9, RLENGTH - 9)
            if (match($0, /from the system [0-9]+/)) fresh = substr($0, RSTART + 16, RLENGTH - 16)
            match($0, /at most [0-9.]+ MB/)
            print launches, wakes, /blocking waits|of memory not pinned/ ? "waits" : "-", substr($0, RSTART + 8, RLENGTH - 11), fresh
        }'
}
# Of chunks half as large there are 15 more of lineitem, and 19 of all tables if one reads them once; queries
# 18 and 21 read lineitem two and three times. A chunk more is at most 60 launches, and 2 wake-ups, and takes no
# memory from the system but where tasks happen to be further ahead of each other: as much as two chunks take (of
# 19), and which query that happens to is chance, so that one of three tries must be without.
chunks_cost_little_once() {
    device_work 4000 deferred >"$work/few" && device_work 2000 deferred >"$work/many" && paste -d ' ' "$work/few" "$work/many" |
        awk '{ more = $6 - $1; wakes = $7 - $2; most = NR == 18 ? 34 : NR == 21 ? 49 : 19 }
            more > 60 * 15 || wakes > 2 * most || $10 > $5 + 100 || $3 != "-" || $8 != "-" { print "query", NR ":", $0; bad = 1 }
            END { exit bad || NR != 22 }'
}
chunks_cost_little() {
    chunks_cost_little_once || chunks_cost_little_once || chunks_cost_little_once
}
# What was read, tables and chunks between stages are there either way, and stages may meet: a megabyte. Nor is
# anything kept chunk by chunk. The device has three streams: as many tasks, each with a chunk, are at work, for
# which one thread is enough where it does not wait, and three are needed where they do. Nor are there more with
# more threads, or three times as much as with the one of a thread that waits. How much three threads hold that
# wait depends on how many of them happen to run at once, and what others hold on which stages meet: of up to three
# tries the most of what waits is the bound of the least of what does not.
memory_is_bounded_once() { # try
    for threads in 1 5; do
        device_work 2000 deferred $threads "$work/parts" >"$work/deferred.$threads" || return
    done
    device_work 2000 blocking 1 "$work/parts" >"$work/blocking.1" &&
        device_work 2000 blocking 3 "$work/parts" >"$work/blocking.3" &&
        paste -d ' ' "$work/deferred.1" "$work/deferred.5" "$work/blocking.3" "$work/blocking.1" >"$work/memory.$1" &&
        cat "$work"/memory.? | awk '
            function least(name, megabytes) { if (!(name in has) || has[name] > megabytes) has[name] = megabytes }
            function most(name, megabytes) { if (has[name] < megabytes) has[name] = megabytes }
            query == 22 { query = 0 }
            { query++; least(query "one", $4); least(query "five", $9); most(query "three wait", $14); most(query "one waits", $19) }
            $3 != "-" || $8 != "-" { print "query", query ":", $0; bad = 1 }
            END {
                for (query = 1; query <= 22; query++) {
                    bound = 1.3 * has[query "three wait"] + 1
                    by_one = 3 * 1.3 * has[query "one waits"] + 1
                    bound = bound < by_one ? bound : by_one
                    bound = bound < 9 ? bound : 9
                    if (has[query "one"] > bound || has[query "five"] > bound) {
                        print "query", query ":", has[query "one"], has[query "five"], "MB, bound", bound
                        bad = 1
                    }
                }
                exit bad || NR % 22
            }'
}
memory_is_bounded() {
    rm -f "$work"/memory.?
    memory_is_bounded_once 1 || memory_is_bounded_once 2 || memory_is_bounded_once 3
}
a_wait_is_found() {
    PISTACHIO_FAULT=wait:3:every
    export PISTACHIO_FAULT
    device_work 4000 deferred >"$work/planted"
    unset PISTACHIO_FAULT
    grep -q ' waits ' "$work/planted"
}
if ! has_less_to_do; then
    ! in_turn 3 || check "launches and wake-ups of further chunks" chunks_cost_little
    ! in_turn 3 || check "memory of what is deferred" memory_is_bounded
    check "a wait that blocks is found" a_wait_is_found
fi
for ranks in 2 5; do
    has_less_to_do && [ $ranks = 5 ] && continue
    in_turn 2 || continue
    check "published answers, $ranks ranks" "$program" tpch run --data "$work/one" --check \
        --set ranks=$ranks --set distribute=always
done
if has_less_to_do; then
    finish
    exit
fi
check "times as JSON" grep -q '"query": 22, "ok": true' "$work/times.json"
check "files of parts" test -f "$work/parts/lineitem/part-0002.parquet"
check "rows of parts" rows_are_right "$work/parts"
! in_turn 2 || check "published answers, 3 ranks, small messages" "$program" tpch run --data "$work/parts" --check \
    --set ranks=3 --set distribute=always --set network_message_bytes=300 --set chunk_rows=64
# The 22 queries' rows, on so many processes.
rows_on() { # processes
    for query in "$here"/../../src/tpch/queries/*.sql; do
        set -- "$@" -f "$query"
    done
    processes=$1
    shift
    env UCX_MEM_EVENTS=no UCX_LOG_LEVEL=fatal ASAN_OPTIONS=detect_leaks=0 "$program" --processes "$processes" --set distribute=always \
        --set peer_timeout=60000 --format csv "$@" "$work/parts" >"$work/rows.$processes" 2>"$work/said"
}
rows_on 1
if rows_on 2 || ! grep -q libucx "$work/said"; then
    check "rows of 2 processes" cmp "$work/rows.1" "$work/rows.2"
    check "all 22" test "$(wc -l <"$work/rows.2")" -gt 900
else
    skip "rows of 2 processes: no libucp here, none when this was built, or no /sys"
fi
check "a tiny scale factor" "$program" tpch generate --scale 0.0001 --out "$work/tiny" --parts 7
check "scale factor of nothing" fails_with "between" "$work/none" \
    "$program" tpch generate --scale 0 --out "$work/none"
check "a folder that cannot be made" fails_with "/proc/none" "$work/none" \
    "$program" tpch generate --scale 0.01 --out /proc/none
check "full disk" fails_with "No space left on device" "$work/full" \
    env PISTACHIO_FAULT=write:1:always "$program" tpch generate --scale 0.01 --out "$work/full"
check "no answers of that scale" fails_with "150 orders" "$work/none" \
    "$program" tpch run --data "$work/tiny" --check

finish
