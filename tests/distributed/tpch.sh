#!/bin/sh
# The 22 queries, with the published answers, on ranks with files of their own, and on tables that are divided.
# tpch.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

data=$work/data
"$program" tpch generate --scale 0.01 --out "$data" --parts 4 2>"$work/err"
# Two parts of each table for each of two ranks; what a table has only one file of, all have.
for rank in 0 1; do
    for table in orders lineitem customer part partsupp supplier; do
        mkdir -p "$work/$rank/$table"
        cp "$data/$table"/part-000[$((2 * rank))$((2 * rank + 1))].parquet "$work/$rank/$table"
    done
done
answers() {
    "$program" tpch run --check "$@"
}
whole() { # prefix of orders, of lineitem; arguments
    orders=$1 lineitem=$2
    shift 2
    set -- "$@" --table "orders=$orders$data/orders" --table "lineitem=$lineitem$data/lineitem"
    for table in customer part partsupp supplier; do
        set -- "$@" --table "$table=$data/$table"
    done
    answers "$@" --table "nation=replicated:$data/nation.parquet" --table "region=replicated:$data/region.parquet"
}
check "local files, 2 processes" answers --processes 2 --data "local:$work/{rank}" \
    --table "nation=replicated:$data/nation.parquet" --table "region=replicated:$data/region.parquet"
check "everything replicated, 2 processes" answers --processes 2 --data "replicated:$data"
# Those that join or group by the key.
for ranks in 2 3 5; do
    check "divided tables, $ranks ranks" whole "partitioned_by=(o_orderkey):" "partitioned_by=(l_orderkey):" \
        --ranks $ranks --queries 3-5,7,12,18,21
done
check "divided tables, 2 processes" whole "partitioned_by=(o_orderkey):" "partitioned_by=(l_orderkey):" \
    --processes 2 --queries 3,18
finish
