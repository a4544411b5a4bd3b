#!/bin/sh
# Ranks of one process with a device each, on the emulation: rows go from device to device, and no byte of them through the host.
# devices.sh PROGRAM LIBRARY KERNELS [answers|joins|faults]; ROWS a side of the joins, SEEDS of the faults
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3 PISTACHIO_CUDA_DEVICES=4
part=${4:-first}
ranked="--set device=cuda --set distribute=always"

scale=0.001
[ "$part" = first ] || scale=0.01
[ "$part" = joins ] || check "tables" "$program" tpch generate --scale $scale --out "$work/data" --threads 2

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
    "$program" --format tsv -c "$statement" "$work/data" >"$work/expected" || return 1
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
            grep -q '^  GPU cuda:0 reaches cuda:1 by way of the host, cuda:2 directly (slower: rank 1)$' "$work/said" &&
            grep -q '^  GPUs of 2 ranks of one process: cuda:1, cuda:2$' "$work/said"
    }
    check "bytes of a join by link" bytes_by_link redundant 3 3000 900
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
        check "$(basename "$query"): a slow rank" slow_rank "$(cat "$query")"
    done
}

# A rank whose links are slow holds back what is packed for it: all devices keep within their memory, and the rows are right.
slow_rank() {
    links=0-2=3e6,1-2=3e6
    small="--set device_memory_limit=12MB --set chunk_rows=3000"
    # shellcheck disable=SC2086  # several words
    PISTACHIO_CUDA_LINKS=$links on_devices 3 "$1" $small && across || return 1
    sed -n 's/^device cuda: .* at most \([0-9.]*\) MB of its memory.*/\1/p' "$work/said" |
        awk '{ lines++; if ($1 > 12) bad = 1 } END { exit bad || !lines }' || { grep '^device cuda' "$work/said"; return 1; }
    # shellcheck disable=SC2086  # several words
    PISTACHIO_CUDA_LINKS=$links same_rows 3 "$1" $small
}

# The talk's joins: bytes on each link between two devices. Keys are of 8 bytes, slots of 16, of which there are two a row.
# ALGORITHM RANKS BUILD_ROWS PROBE_ROWS
bytes_by_link() {
    rm -f "$work/counts"
    PISTACHIO_CUDA_DEVICES=16 PISTACHIO_CUDA_COUNTS=$work/counts "$program" bench join --device cuda --ranks "$2" --algorithm "$1" \
        --build-rows "$3" --probe-rows "$4" --selectivity 1 --runs 1 >"$work/said" || { cat "$work/said"; return 1; }
    awk -v ranks="$2" -v matches="$4" '$1 == ranks && $NF == matches { right = 1 } END { exit !right }' "$work/said" || return 1
    grep '^link_' "$work/counts" | awk -v algorithm="$1" -v n="$2" -v build="$3" -v probe="$4" '
        BEGIN {
            redundant = 8 * build / n               # all of a device'"'"'s build keys to each other one
            keys = 8 * build / n / n                # of which each device gets the keys of its hashes
            wanted = algorithm == "redundant" ? redundant : algorithm == "parallel" ? keys + 32 * build / n : keys + 8 * probe / n / n
            hashed = 8 * sqrt(algorithm == "partitioned" ? (build + probe) / n / n : build / n / n)
            slots = algorithm == "parallel" ? 32 * sqrt(build / n) : 0
            most = algorithm == "redundant" ? 8 : 5 * (hashed + slots)  # a row; five standard deviations of hashed keys
        }
        { links++; if ($3 || $4 > wanted + most || $4 < wanted - most) { print; bad = 1 } }
        END { if (links != n * (n - 1)) print links, "links"; exit bad || links != n * (n - 1) }'
}

joins() {
    for ranks in 2 3 4 8 16; do
        for algorithm in redundant parallel partitioned; do
            check "$algorithm, $ranks devices" bytes_by_link $algorithm $ranks "${ROWS:-65536}" "${ROWS:-65536}"
        done
    done
}

# One statement of several kinds, with delays, a fault or little memory, as the seed says: right rows, or one line that says what failed.
# SEED: prints what it did, if it was wrong.
one_seed() {
    seed=$1
    number=$((seed * 7919 % 104729))
    statement=$(sed -n "$((number % $(wc -l <"$work/statements") + 1))p" "$work/statements")
    expected=$work/expected.$((number % $(wc -l <"$work/statements") + 1))
    [ -s "$expected" ] || "$program" --format tsv -c "$statement" "$work/data" >"$expected" || return 1
    nth=$((number / 13 % 40 + 1)) fault='' options="--set ranks=$((number / 11 % 3 + 2)) --set network_seed=$seed --set chunk_rows=$((number / 5 % 3 * 3000 + 1500))"
    case $((number / 7 % 9)) in
    0) fault=PISTACHIO_CUDA_FAIL=cuMemcpyPeerAsync:$nth ;;
    1) fault=PISTACHIO_CUDA_FAIL=cuLaunchKernel:$((nth * 9)) ;;
    2) fault=PISTACHIO_CUDA_FAIL=cuMemCreate:$((nth % 5 + 1)) ;;
    3) fault=PISTACHIO_CUDA_FAIL=cuStreamWriteValue64_v2:$((nth * 3)) ;;
    4) options="$options --set network_fault=gone:1:$nth" ;;
    5) options="$options --set network_fault=rubbish:1:$nth" ;;
    6) options="$options --set device_memory_limit=$((nth + 4))MB" ;;
    7) fault=PISTACHIO_CUDA_LINKS=0-1=0,0-2=1e8,1-2=1e9 ;;
    8) fault="PISTACHIO_CUDA_GONE=$work/gone PISTACHIO_CUDA_GONE_DEVICE=1" ;;
    esac
    rm -f "$work/gone"
    case $fault in *GONE*) (sleep "0.$((number % 8 + 1))" && : >"$work/gone") & ;; esac
    # shellcheck disable=SC2086  # several words
    env $fault timeout 120 "$program" --format tsv $ranked $options -c "$statement" "$work/data" >"$work/rows" 2>"$work/why"
    code=$?
    [ $code = 0 ] && cmp -s "$work/rows" "$expected" && echo right >>"$work/ended" && return
    [ $code = 1 ] && [ "$(grep -c '^error: ' "$work/why")" = 1 ] && ! grep -q 'internal error' "$work/why" && echo clean >>"$work/ended" && return
    echo "seed $seed, exit status $code: $fault $options: $statement"
    tail -20 "$work/why"
    return 1
}

faults() {
    {
        echo "$join"
        echo "select l_shipmode, count(*), sum(l_quantity) from lineitem, orders where l_orderkey = o_orderkey and o_orderpriority < '3' group by 1 order by 1"
        echo "select count(distinct l_partkey), count(distinct l_comment), max(l_comment) from lineitem"
        echo "select o_orderkey, o_comment from orders where o_totalprice > 200000 order by o_comment, 1 limit 50"
        echo "select l_suppkey % 3, count(*), min(p_name) from lineitem, part where l_partkey = p_partkey group by 1 order by 1"
        echo "select count(*), sum(a.l_quantity) from lineitem a, lineitem b where a.l_linenumber = 7 and b.l_linenumber = 7 and a.l_suppkey = b.l_suppkey"
    } >"$work/statements"
    : >"$work/ended"
    seed=0
    while [ $seed -lt "${SEEDS:-60}" ]; do
        seed=$((seed + 1))
        one_seed $seed >"$work/wrong" || { cat "$work/wrong"; return 1; }
    done
    sort "$work/ended" | uniq -c
    [ "$(sort -u "$work/ended" | wc -l)" = 2 ]
}

case $part in
first) first ;;
joins) joins ;;
faults) check "${SEEDS:-60} seeds of delays and faults" faults ;;
answers) answers ;;
*) echo "devices.sh: there is no part $part" >&2 && exit 2 ;;
esac
finish
