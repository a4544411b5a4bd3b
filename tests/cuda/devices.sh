#!/bin/sh
# Ranks of one process with a device each, on the emulation: rows go from device to device, and no byte of them through the host.
# devices.sh PROGRAM LIBRARY KERNELS [answers|faults]
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3 PISTACHIO_CUDA_DEVICES=4
part=${4:-first}
ranked="--set device=cuda --set distribute=always"

check "tables" "$program" tpch generate --scale 0.01 --out "$work/data" --threads 2

# on_devices RANKS STATEMENT [OPTION...]: what EXPLAIN ANALYZE counts, in $work/said; copies by link in $work/links.
on_devices() {
    ranks=$1 statement=$2
    shift 2
    rm -f "$work/counts"
    # shellcheck disable=SC2086  # several words
    PISTACHIO_CUDA_COUNTS=$work/counts "$program" --format tsv $ranked --set "ranks=$ranks" "$@" \
        -c "explain analyze $statement" "$work/data" >"$work/said" 2>"$work/why" || { cat "$work/why"; return 1; }
    grep '^link_' "$work/counts" >"$work/links"
    return 0
}
# Bytes from other devices, and none by way of the host.
across() {
    grep -q 'bytes from other devices [1-9]' "$work/said" && ! grep -q 'bytes of exchanges by way of the host' "$work/said" &&
        [ "$(awk '{ n += $4 } END { print n ? 1 : 0 }' "$work/links")" = 1 ] && return
    cat "$work/said" "$work/links"
    return 1
}
# RANKS STATEMENT [OPTION...]: the rows are those of the CPU.
same_rows() {
    ranks=$1 statement=$2
    shift 2
    "$program" --format tsv -c "$statement" "$work/data" >"$work/expected" &&
        # shellcheck disable=SC2086  # several words
        "$program" --format tsv $ranked --set "ranks=$ranks" "$@" -c "$statement" "$work/data" >"$work/rows" &&
        cmp "$work/rows" "$work/expected"
}
join="select n_name, count(*), min(s_comment), sum(s_acctbal) from supplier, nation where s_nationkey = n_nationkey group by n_name order by n_name"

first() {
    check "an exchange of two devices" same_rows 2 "$join"
    counted() { on_devices 2 "$join" && across && ! grep 'without peer access' "$work/said"; }
    check "from device to device" counted
    staged() {
        PISTACHIO_CUDA_DEVICES=2 PISTACHIO_CUDA_LINKS=0-1=0 on_devices 2 "$join" && across &&
            grep -q 'copies between devices without peer access [1-9]' "$work/said" && awk '{ n += $3 } END { exit !n }' "$work/links"
    }
    check "two devices that do not reach each other" staged
    switched_off() {
        on_devices 2 "$join" --set device_exchange=off && [ ! -s "$work/links" ] &&
            grep -q 'bytes of exchanges by way of the host [1-9]' "$work/said"
    }
    check "by way of the host, when asked for" switched_off
    shared() { PISTACHIO_CUDA_DEVICES=1 on_devices 2 "$join" && grep -q 'bytes from other devices [1-9]' "$work/said" && [ ! -s "$work/links" ]; }
    check "two ranks that share a device" shared
    topology() {
        PISTACHIO_CUDA_DEVICES=3 PISTACHIO_CUDA_LINKS=0-1=0,0-2=1e9 "$program" topology >"$work/said" &&
            grep -q '^  GPU cuda:0 reaches cuda:1 by way of the host, cuda:2 directly (slower: rank 1)$' "$work/said"
    }
    check "links in the topology" topology
    near() { PISTACHIO_CUDA_DEVICES=3 PISTACHIO_CUDA_LINKS=0-1=0,0-2=0,1-2=1e9 on_devices 2 "$join" && across && ! grep 'without peer access' "$work/said"; }
    check "ranks at devices that reach each other" near
}

answers() {
    for ranks in 2 3 4; do
        # shellcheck disable=SC2086  # several words
        check "answers of $ranks devices" "$program" tpch run --data "$work/data" --check $ranked --set "ranks=$ranks"
        # shellcheck disable=SC2086  # several words
        check "of small chunks" "$program" tpch run --data "$work/data" --check $ranked --set "ranks=$ranks" --set chunk_rows=1500
    done
    for query in "$here"/../../src/tpch/queries/*.sql; do
        none_by_host() { on_devices 3 "$(cat "$query")" && ! grep -E 'without peer access|by way of the host' "$work/said"; }
        check "$(basename "$query"): no byte through the host" none_by_host
    done
}

case $part in
first) first ;;
answers) answers ;;
*) echo "devices.sh: there is no part $part" >&2 && exit 2 ;;
esac
finish
