#!/bin/sh
# The 22 queries' published answers on the simulated device, which is late at random, in chunks of any size.
# chunks.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"

check "generate" "$program" tpch generate --scale 0.01 --out "$work/data" --threads 2
for rows in 5 7 1000; do
    check "published answers, chunks of $rows rows" "$program" tpch run --data "$work/data" --check \
        --set device=simulated --set chunk_rows=$rows
done
finish
