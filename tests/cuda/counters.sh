#!/bin/sh
# What the CUDA device is told to do, on the emulation: for further chunks few launches and wake-ups, no waits and
# nothing from the driver's memory; and the 22 answers of two ranks that share it. counters.sh PROGRAM LIBRARY KERNELS
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3

check "tables" "$program" tpch generate --scale 0.01 --out "$work/data" --threads 2
for query in "$here"/../../src/tpch/queries/*.sql; do
    echo "explain analyze" && cat "$query" && echo ";"
done >"$work/explained.sql"

# A line for each query: launches, wake-ups, allocations from the driver, things that it shall not do.
device_work() { # CHUNK_ROWS
    "$program" --format tsv --set device=cuda --set cache_memory=0 --set threads=1 --set "chunk_rows=$1" -f "$work/explained.sql" "$work/data" |
        awk 'function number(what) { return match($0, what " [0-9]+") ? substr($0, RSTART + length(what) + 1, RLENGTH - length(what) - 1) : 0 }
            /^device cuda/ { print number("launches"), number("wake-ups"), number("from the system"),
                /blocking waits|of memory not pinned/ ? "waits" : "-" }'
}
# As tests/tpch/run.sh says of the simulated device: chunks half as large are 15 more of lineitem, 19 of all tables.
chunks_cost_little() {
    device_work 4000 >"$work/few" && device_work 2000 >"$work/many" && paste -d ' ' "$work/few" "$work/many" |
        awk '{ more = $5 - $1; wakes = $6 - $2; most = NR == 18 ? 34 : NR == 21 ? 49 : 19 }
            more > 60 * 15 || wakes > 2 * most || $7 > $3 + 2 || $4 != "-" || $8 != "-" { print "query", NR ":", $0; bad = 1 }
            END { exit bad || NR != 22 }'
}
check "launches, wake-ups and memory of further chunks" chunks_cost_little
# Ten tables of as many groups as a chunk has rows become one: a few launches for each table, however many groups there
# are.
groups_cost_little() {
    echo "explain analyze select sum(n), sum(s) from (select cast(i as bigint) * 7919 % 300007 * 1000003 as k, count(*) as n, sum(i) as s
        from generate_series(0, 299999) r(i) group by k) g" >"$work/groups.sql"
    "$program" --format tsv --set device=cuda --set cache_memory=0 --set threads=1 --set chunk_rows=32768 -f "$work/groups.sql" >"$work/groups" &&
        awk '/^device cuda/ { match($0, /launches [0-9]+/); launches = substr($0, RSTART + 9, RLENGTH - 9); print }
            END { exit !launches || launches > 10 * 30 }' "$work/groups"
}
check "launches of aggregates over many groups" groups_cost_little
check "answers of two ranks that share a device" "$program" tpch run --data "$work/data" --check --set device=cuda \
    --set ranks=2 --set distribute=always
finish
