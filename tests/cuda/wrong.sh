#!/bin/sh
# Each kernel of the CUDA device, by its own, is made to write a wrong value on the emulation: a test of kernels that launches it
# fails. A kernel that no such test launches fails here.
# wrong.sh PROGRAM LIBRARY KERNELS UNIT_TESTS [KERNEL...]: without kernels all
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3 ASAN_OPTIONS=intercept_tls_get_addr=0:detect_leaks=0
tests=$4
shift 4
kernels=${*:-$(sed -n 's/^CUDA_\(KERNEL\|STEP\)(\([a-z0-9_]*\).*/\2/p' "$here/../../src/device/cuda/cuda_kernels.def" | sort)}

# Which tests launch each kernel, and how long they take: lines of kernel, milliseconds, test.
launches() {
    files=$(grep -l '^#include "kernel_tables.h"' "$here"/../unit/*/test_*.c | sed 's/.*\///; s/\.c$//')
    # shellcheck disable=SC2086  # several words
    for test in $("$tests" --list $files); do
        rm -f "$work/counts"
        start=$(date +%s%N)
        PISTACHIO_CUDA_COUNTS=$work/counts timeout 200 "$tests" "=$test" >"$work/out" 2>&1
        end=$(date +%s%N)
        [ ! -f "$work/counts" ] || awk -v test="$test" -v ms=$(((end - start) / 1000000)) \
            '{ sub(/^kernel_/, "", $1); print $1, ms, test }' "$work/counts"
    done
}
launches | sort -k1,1 -k2,2n >"$work/launches"
cp "$work/launches" "${LAUNCHES:-/dev/null}"

# Some of the tests that launch it, the quickest first.
is_found() { # KERNEL
    for test in $(awk -v kernel="$1" '$1 == kernel && n++ < 6 { print $3 }' "$work/launches"); do
        PISTACHIO_CUDA_WRONG=$1 PISTACHIO_CUDA_TIMEOUT=10 timeout 200 "$tests" "=$test" >"$work/out" 2>&1 || return 0
    done
    return 1
}
for kernel in $kernels; do
    if ! grep -q "^$kernel " "$work/launches"; then
        fail "$kernel: no test of kernels launches it"
    elif is_found "$kernel"; then
        pass
    else
        fail "$kernel: nobody finds that it is wrong, of $(awk -v kernel="$kernel" '$1 == kernel { print $3 }' "$work/launches" | tr '\n' ' ')"
    fi
done
finish
