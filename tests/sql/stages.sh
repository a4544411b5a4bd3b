#!/bin/sh
# The 22 queries on the simulated device and the CPU, stages placed by cost.
# stages.sh PROGRAM, with XDG_CACHE_HOME where figures of a GPU are.
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
queries=$here/../../src/tpch/queries
check "tables" "$program" tpch generate --scale 0.01 --out "$work/data" --threads 2
by_cost() {
    "$program" tpch run --data "$work/data" --check --set device=simulated --set device_stages=cost --set threads=2
}
check "answers" by_cost
moves() { # DEVICE_STAGES LEAST MOST: how many plans have rows that move
    count=0
    : >"$work/taken-$1"
    for query in "$queries"/*.sql; do
        "$program" --set device=simulated --set threads=2 --set "device_stages=$1" -c "explain $(cat "$query")" "$work/data" >"$work/plan" || return
        grep -o "takes filter.*" "$work/plan" >>"$work/taken-$1"
        ! grep -q "move from" "$work/plan" || count=$((count + 1))
    done
    echo "$count queries"
    [ "$count" -ge "$2" ] && [ "$count" -le "$3" ]
}
check "plans by cost" moves cost 15 22
check "plans that are not divided" moves auto 0 0
# No filter is lost: stages between the join that gives it and the scan that takes it are of one device.
check "filters are the same" cmp "$work/taken-auto" "$work/taken-cost"
finish
