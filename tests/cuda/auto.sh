#!/bin/sh
# device = auto on the emulation: which statements open the GPU, and what becomes of those that fail there.
# auto.sh PROGRAM LIBRARY KERNELS [sweep SQL_RUNNER [FUNCTION...]]: with `sweep` each of the driver's functions (or these) fails in turn, under
# the 22 queries and some files of tests/sql.
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3
source=$here/../../src/device/cuda
mkdir -p "$work/fast/pistachio" "$work/none"
# A GPU that costs nothing: whatever reads a table goes there.
printf 'pistachio device 1\n0 0 1e15 1e15\n' >"$work/fast/pistachio/cuda-0"
export XDG_CACHE_HOME="$work/fast"
# One that is worth it for many rows, not for few: most statements run on both.
both=$here/figures/both

sweep() { # SQL_RUNNER [FUNCTION...]
    runner=$1
    shift
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(sed -n 's/^FUNCTION(\(cu[A-Za-z0-9_]*\).*/\1/p' "$source/driver_functions.def" | grep -v cuGetError)
    check "tables" "$program" tpch generate --scale 0.01 --out "$work/data" --threads 2
    for name; do
        case $name in
        *Async* | *Value64* | cuLaunchKernel | cuStream* | cuMemHostAlloc | cuMemCreate) calls="1 2 7 300" ;;
        *) calls=1 ;;
        esac
        for nth in $calls; do
            for figures in "$work/fast" "$both"; do
                check "the 22 queries, $name fails, call $nth" env PISTACHIO_CUDA_FAIL="$name:$nth" XDG_CACHE_HOME="$figures" \
                    "$program" tpch run --data "$work/data" --check --set device=auto --queries "$(cat "$here/queries.txt")"
            done
            for file in join_class group sort text; do
                check "$file.test, $name fails, call $nth" env PISTACHIO_CUDA_FAIL="$name:$nth" \
                    "$runner" --auto "$here/../sql/$file.test"
            done
        done
    done
}
if [ "${4:-}" = sweep ]; then
    shift 4
    sweep "$@"
    finish
    exit
fi

check "a table" "$program" -c "copy (select x, x % 7 as y, 100 - x as z from range(1, 50001) t(x)) to '$work/t.parquet'"
query="select y, count(*), sum(x) from '$work/t.parquet' where x > 100 group by y order by y"
rows=$("$program" --format tsv -c "$query")
run_auto() { # STATEMENT: rows to out, notices and failures to said
    timeout 60 "$program" --format tsv --set device=auto -c "$1" >"$work/rows" 2>"$work/said"
}
is_right() {
    [ "$(cat "$work/rows")" = "$rows" ] || {
        cat "$work/rows" "$work/said"
        return 1
    }
}
on_the_gpu() {
    run_auto "explain analyze $query" && grep "^device cuda: predicted .* ms on the CPU, .* ms on the GPU" "$work/rows" &&
        grep "^device cuda: launches" "$work/rows" && run_auto "$query" && is_right && [ ! -s "$work/said" ]
}
check "a statement that is faster there" on_the_gpu
on_the_cpu() { # STATEMENT WHY
    run_auto "explain analyze $1" && grep "^device cpu: .*$2" "$work/rows" && ! grep "launches" "$work/rows"
}
check "a statement without a table" on_the_cpu "select 42" "the statement reads no table"
slower() {
    XDG_CACHE_HOME="$work/none" on_the_cpu "$query" "predicted .* ms to open it"
}
check "a statement that ends in milliseconds" slower

# again CALL TEXT: the call fails, the rows are those of the CPU, and one notice says why.
again() {
    PISTACHIO_CUDA_FAIL=$1 run_auto "$query" && is_right && [ "$(grep -c . "$work/said")" = 1 ] &&
        grep "^notice: the statement runs on the CPU: .*$2" "$work/said"
}
check "a device that is lost" again cuLaunchKernel:3 "cuLaunchKernel was made to fail"
no_memory() {
    PISTACHIO_DEVICE_MEMORY_LIMIT=100KB again none "device_memory_limit"
}
check "a device without memory" no_memory
check "a kernel that is missing" again cuModuleGetFunction:5 "cuModuleGetFunction"
check "a driver that does not begin" again cuInit:1 "cuInit"
stays_lost() {
    PISTACHIO_CUDA_FAIL=cuLaunchKernel:3 run_auto "$query; explain $query" && grep "^device cpu: .*cuLaunchKernel was made to fail" "$work/rows"
}
check "statements after it" stays_lost
XDG_CACHE_HOME=$both
on_both() {
    run_auto "explain $query" && grep "^device cuda and cpu: predicted .* ms on both" "$work/rows" &&
        grep -q "move from cuda to cpu" "$work/rows" && run_auto "explain analyze $query" && grep -q "^device cuda: launches" "$work/rows" &&
        run_auto "$query" && is_right && [ ! -s "$work/said" ]
}
check "stages on both" on_both
whole() {
    run_auto "set device_stages = 'whole'; explain $query" && ! grep "move from" "$work/rows" && grep "^device cuda: predicted" "$work/rows"
}
check "a statement that is not to be divided" whole
check "a device that is lost, with stages on both" again cuLaunchKernel:3 "cuLaunchKernel was made to fail"
check "a device without memory, with stages on both" no_memory
check "a driver that does not begin, with stages on both" again cuInit:1 "cuInit"
XDG_CACHE_HOME=$work/fast
no_driver() {
    PISTACHIO_CUDA_LIBRARY=$work/none.so run_auto "$query" && is_right && [ ! -s "$work/said" ] &&
        PISTACHIO_CUDA_LIBRARY=$work/none.so on_the_cpu "$query" "there is no CUDA driver"
}
check "no driver" no_driver
wrong_value() {
    run_auto "select 1 / cast(z as integer) from '$work/t.parquet' where z = 0"
    [ $? = 1 ] && ! grep notice "$work/said" && grep "division by zero" "$work/said"
}
check "an error of the statement's own" wrong_value
written() {
    rm -f "$work/copy.parquet"
    PISTACHIO_CUDA_FAIL=cuLaunchKernel:4 run_auto "copy ($query) to '$work/copy.parquet'" &&
        [ "$("$program" --format tsv -c "select * from '$work/copy.parquet' order by 1")" = "$rows" ]
}
check "COPY" written
calibrated() {
    rm -rf "$work/measured"
    XDG_CACHE_HOME="$work/measured" "$program" calibrate --device >"$work/said" && grep -q "^its link  *[0-9.]* GB/s" "$work/said" &&
        [ "$(sed -n 2p "$work/measured/pistachio/cuda-0" | wc -w)" = 4 ] || return
    printf 'pistachio device 1\n0.5 2e-6 3e9 4e12\n' >"$work/measured/pistachio/cuda-0"
    [ "$(XDG_CACHE_HOME="$work/measured" "$program" calibrate --device --json)" = '{"open_seconds": 0.5, "launch_seconds": 2e-06, '\
'"link_bytes_per_second": 3e+09, "memory_bytes_per_second": 4e+12}' ] &&
        ! PISTACHIO_CUDA_LIBRARY=$work/none.so "$program" calibrate --device --force 2>"$work/said" && grep -q "no CUDA driver" "$work/said" &&
        ! "$program" calibrate --device --path "$work" 2>"$work/said" && grep -q "exclude each other" "$work/said"
}
check "calibrate --device" calibrated
finish
