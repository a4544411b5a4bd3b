#!/bin/sh
# The 22 queries at scale factor 1 on the simulated device: within 256 MB of its memory, and within 64 MB, for which
# some spill, the rows are right, the limit is kept and no thread waits; and in chunks of 4 million rows.
# device_memory.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"

check "generate" "$program" tpch generate --scale 1 --out "$work/data" --threads 2
check "published answers, chunks of 4 million rows" "$program" tpch run --data "$work/data" --check \
    --set device=simulated --set chunk_rows=4000000

# Every query's most memory, in MB, below the limit; what is spilled is said.
limit_is_kept() { # MB
    for query in "$here"/../../src/tpch/queries/*.sql; do
        echo "explain analyze" && cat "$query" && echo ";"
    done >"$work/explained.sql"
    "$program" --set device=simulated --set device_memory_limit="$1MB" -f "$work/explained.sql" "$work/data" >"$work/plans" &&
        ! grep 'blocking waits' "$work/plans" &&
        awk -v limit="$1" '/device simulated/ { match($0, /at most [0-9.]+/)
                peak = substr($0, RSTART + 8, RLENGTH - 8) + 0; bad = bad || peak <= 1 || peak > limit; queries++ }
            END { exit bad || queries != 22 }' "$work/plans"
}
for limit in 256 64; do
    check "published answers, $limit MB" "$program" tpch run --data "$work/data" --check \
        --set device=simulated --set device_memory_limit=${limit}MB
    check "the limit of $limit MB is kept" limit_is_kept $limit
done
check "bytes spilled are said" grep -q 'spilled [1-9][0-9.]* MB' "$work/plans"
finish
