#!/bin/sh
# The CUDA device on the emulation: answers, and one line for each thing that may be missing or fail.
# run.sh PROGRAM LIBRARY KERNELS [faults]: with `faults` only these.
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3
source=$here/../../src/device/cuda

# says TEXT COMMAND...: fails with status 1, and TEXT is in what it says.
says() {
    text=$1
    shift
    "$@" >"$work/said" 2>&1
    [ $? = 1 ] && grep -q -- "$text" "$work/said" && return
    cat "$work/said"
    return 1
}

# seldom NAME COMMAND...: a check that each second commit's gate makes.
seldom() {
    ! in_turn 2 || check "$@"
}
check "tables" "$program" tpch generate --scale 0.01 --out "$work/data" --threads 2
query="select count(*), sum(l_quantity) from '$work/data/lineitem.parquet' where l_discount > 0.05"
what_is_there() {
check "answers" "$program" tpch run --data "$work/data" --check --set device=cuda --queries "$(cat "$here/queries.txt")"
check "answers of two ranks that share a device" "$program" tpch run --data "$work/data" --check --set device=cuda \
    --set ranks=2 --set distribute=always --queries 3,13,18,22
# Ranks that are processes have a device each, as far as there are so many.
if UCX_LOG_LEVEL=fatal "$program" --processes 2 -c "select 1" >"$work/out" 2>&1; then
    export PISTACHIO_CUDA_DEVICES=2 UCX_LOG_LEVEL=fatal UCX_MEM_EVENTS=no
    devices() { # RANKS EXPECTED
        "$program" topology --processes "$1" | sed -n 's/^  device = cuda is //p' >"$work/devices"
        printf "$2" | cmp -s - "$work/devices"
    }
    check "a device for each process" devices 2 "cuda:0\ncuda:1\n"
    check "one that two share" devices 3 "cuda:0, which 2 ranks share\ncuda:1\ncuda:0, which 2 ranks share\n"
    processes_share() {
        [ "$(ASAN_OPTIONS=detect_leaks=0 "$program" --processes 2 --format csv --set device=cuda --set distribute=always -c "$query")" = \
            "$("$program" --format csv -c "$query")" ]
    }
    check "answers of two processes on two devices" processes_share
    unset PISTACHIO_CUDA_DEVICES UCX_LOG_LEVEL UCX_MEM_EVENTS
else
    skip "a device for each process: ranks cannot meet here"
fi
# The talk's joins: every probe row has its partner, on one rank and on two that share the device.
joins() {
    PISTACHIO_CHUNK_ROWS=500 "$program" bench join --device cuda --ranks 2 --algorithm "$1" --selectivity 1 \
        --build-rows 3000 --probe-rows 9000 --runs 1 >"$work/joined" &&
        [ "$(awk '$1 == 1 || $1 == 2 { print $8 }' "$work/joined" | sort | uniq -c | tr -s ' ')" = " 2 9000" ]
}
for algorithm in redundant parallel partitioned; do
    seldom "bench join, $algorithm" joins $algorithm
done
# More rows than the device's memory holds: they go to temporary files through pinned memory, and come back.
sort="select l_comment, l_orderkey, l_linenumber from '$work/data/lineitem.parquet' order by 1, 2, 3"
small="--set device=cuda --set threads=2 --set chunk_rows=2000 --set device_memory_limit=6MB"
spills() {
    "$program" --format tsv -c "$sort" >"$work/expected" &&
        # shellcheck disable=SC2086  # several words
        "$program" --format tsv $small -c "$sort" >"$work/rows" && cmp "$work/rows" "$work/expected" &&
        "$program" $small -c "explain analyze $sort" | grep 'spilled [0-9.]* MB'
}
check "a sort that spills" spills

# Pinned memory of the process's own, or the driver's, if that refuses it.
registers() {
    for failing in none:1 cuMemHostRegister_v2:1 cuMemHostRegister_v2:2; do
        # shellcheck disable=SC2086  # several words
        env PISTACHIO_CUDA_REGISTERED=1 PISTACHIO_CUDA_FAIL=$failing PISTACHIO_CUDA_COUNTS="$work/counts" \
            "$program" --format tsv $small -c "$sort" >"$work/rows" && cmp "$work/rows" "$work/expected" || return 1
    done
    grep 'call_cuMemHostRegister_v2 [1-9]' "$work/counts" && grep 'call_cuMemHostUnregister [1-9]' "$work/counts"
}
check "memory that the driver is told of" registers

# Memory that is not pinned is only what somebody asks for: the same rows, and its copies are counted.
copied="explain analyze select sum(l_quantity), min(l_comment) from '$work/data/lineitem.parquet'"
pinned() {
    "$program" --format tsv --set device=cuda -c "$copied" >"$work/said" && ! grep "not pinned" "$work/said" &&
        grep 'bytes to the device [1-9][0-9]*, bytes from the device [1-9]' "$work/said"
}
check "bytes over the host link" pinned
not_pinned() {
    "$program" --format tsv --set device=cuda --set pinned_memory=off -c "$copied" >"$work/said" &&
        grep '^device cuda.*of memory not pinned [1-9]' "$work/said" || return 1
    for statement in "$query" "$sort"; do
        # shellcheck disable=SC2086  # several words
        "$program" --format tsv $small --set pinned_memory=off -c "$statement" >"$work/rows" || return 1
        "$program" --format tsv -c "$statement" | cmp - "$work/rows" || return 1
    done
}
seldom "copies of memory that is not pinned" not_pinned

# The host's memory says nothing of the device's, nor the other way round.
check "chunks of more than memory_limit" "$program" --set memory_limit=24MB --set chunk_rows=1000000 --set device=cuda -c "select 1"
check "chunks of more than the device's memory" says "of the device's memory, of which there are 22500000" \
    env PISTACHIO_CUDA_MEMORY=24000000 "$program" --set chunk_rows=1000000 --set device=cuda -c "select 1"

seldom "no driver" says "there is no CUDA driver" env PISTACHIO_CUDA_LIBRARY="$work/none.so" \
    "$program" --set device=cuda -c "select 1"
seldom "a library that is none" says "there is no CUDA driver" env PISTACHIO_CUDA_LIBRARY="$3" \
    "$program" --set device=cuda -c "select 1"
seldom "an old driver" says "the CUDA driver is too old: it is for CUDA 11.8" env PISTACHIO_CUDA_VERSION=11080 \
    "$program" --set device=cuda -c "select 1"
seldom "no device" says "there is no device cuda: the driver has found none" env PISTACHIO_CUDA_DEVICES=0 \
    "$program" --set device=cuda -c "select 1"
no_device_is_no_fault() {
    PISTACHIO_CUDA_DEVICES=0 "$program" topology >"$work/said" 2>&1 && ! grep GPU "$work/said"
}
seldom "no device to list" no_device_is_no_fault
# begins_with ERROR TEXT: cuInit gives the error, and the hint has the text.
begins_with() {
    says "$2" env PISTACHIO_CUDA_FAIL="cuInit:1:$1" "$program" --set device=cuda -c "select 1"
}
seldom "a toolkit's stub" begins_with 34 "there is no CUDA driver: .* is what a toolkit has to link with"
seldom "a driver and a kernel module of two versions" begins_with 803 "are of different versions"
seldom "no kernel module" begins_with 999 "/dev/nvidia-uvm"
seldom "a device of long ago" says "is of sm_75: kernels are for sm_80 and later" env PISTACHIO_CUDA_CAPABILITY=75 \
    "$program" --set device=cuda -c "select 1"
# Kernels of a later nvcc than the driver.
for error in 200 209 218 222; do
    seldom "kernels that the driver refuses, error $error" says "of a later nvcc than the driver" \
        env PISTACHIO_CUDA_FAIL=cuModuleLoadData:1:$error "$program" --set device=cuda -c "select 1"
done
seldom "the version of a driver that refuses kernels" says "with a driver for CUDA 12.8: cuModuleLoadData: .*, 222)" \
    env PISTACHIO_CUDA_FAIL=cuModuleLoadData:1:222 "$program" --set device=cuda -c "select 1"
seldom "a driver without a compiler" says "libnvidia-ptxjitcompiler.so.1" \
    env PISTACHIO_CUDA_FAIL=cuModuleLoadData:1:221 "$program" --set device=cuda -c "select 1"
seldom "no such device" says "there is no device cuda:7: the driver has 1" \
    "$program" --set device=cuda:7 -c "select 1"
seldom "no kernels" says "could not open the kernels" env PISTACHIO_CUDA_KERNELS="$work/none" \
    "$program" --set device=cuda -c "select 1"
head -c 20 "$3" >"$work/short.kernels"
seldom "kernels that are cut short" says "is cut short" env PISTACHIO_CUDA_KERNELS="$work/short.kernels" \
    "$program" --set device=cuda -c "select 1"
tr 'e' 'o' <"$3" >"$work/other.kernels"
seldom "kernels for another device" says "cuModuleLoadData: .*CUDA_ERROR_INVALID_IMAGE" \
    env PISTACHIO_CUDA_KERNELS="$work/other.kernels" "$program" --set device=cuda -c "select 1"
seldom "not a file of kernels" says "does not hold kernels" env PISTACHIO_CUDA_KERNELS="$0" \
    "$program" --set device=cuda -c "select 1"
}

if [ "${4:-}" != faults ]; then
    what_is_there "$@"
    finish
    exit
fi

# Each of the driver's functions fails, the first time that it is called and, if streams are concerned, later: the
# query ends with the driver's text, or gives its rows where nothing depends on the call; and the process goes on.
rows=$("$program" --format tsv -c "$query")
fault() { # FUNCTION NTH
    PISTACHIO_CUDA_FAIL=$1:$2 timeout 60 "$program" --format tsv --set device=cuda -c "$query" \
        >"$work/out" 2>"$work/said"
    code=$?
    [ $code = 0 ] && [ "$rows" = "$(cat "$work/out")" ] && return
    [ $code = 1 ] && grep -q "$1 was made to fail" "$work/said" && ! grep -q Sanitizer "$work/said" && return
    echo "$1:$2 ends with $code"
    cat "$work/said"
    return 1
}
for name in $(sed -n 's/^FUNCTION(\(cu[A-Za-z0-9_]*\).*/\1/p' "$source/driver_functions.def" | grep -v cuGetError); do
    case $name in
    *Async* | *Value64* | cuLaunchKernel | cuStream* | cuMemHostAlloc) calls="1 2 7" ;;
    *) calls=1 ;;
    esac
    for nth in $calls; do
        check "$name fails, call $nth" fault "$name" $nth
    done
done

finish
