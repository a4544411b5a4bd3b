#!/bin/sh
# scripts/gpu-bundle makes a folder that scripts/gpu-check runs, here on the emulation; what is missing is said.
# gpu_check.sh PROGRAM LIBRARY KERNELS BUILD
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
root=$here/../.. bundle=$work/bundle
export RESULTS=$work/results BENCH_ROWS=4096 JOIN_ROWS=3000

# A build with sanitizers is larger than what one takes along.
check "a bundle" env LIMIT_MB=400 TESTS=test_text_kernels "$root/scripts/gpu-bundle" --from "$4" "$bundle"
too_large() {
    ! env LIMIT_MB=1 TESTS=test_text_kernels "$root/scripts/gpu-bundle" --from "$4" "$bundle.small" >"$work/said" 2>&1 &&
        grep -q "more than 1 MB" "$work/said"
}
check "a bundle that is too large" too_large "$@"

# is STEP STATE TEXT: the step's file says so.
is() {
    grep -q "\"step\": \"$1\", \"state\": \"$2\".*$3" "$RESULTS/$1.json" && return
    cat "$RESULTS/$1.json"
    return 1
}
check "steps on the emulation" env PISTACHIO_CUDA_LIBRARY="$2" PISTACHIO_CUDA_KERNELS="$3" PISTACHIO_CHUNK_ROWS=500 \
    "$bundle/gpu-check" kernels ceilings operators join
check "kernels" is kernels passed "passed, 0 failed"
check "ceilings" is ceilings passed figures
check "join" is join passed figures
for step in kernels ceilings operators join; do
    check "the JSON of $step" python3 -c "import json, sys; json.load(open(sys.argv[1]))" "$RESULTS/$step.json"
done
has_share() {
    env PISTACHIO_CUDA_LIBRARY="$1" PISTACHIO_CUDA_KERNELS="$2" "$bundle/gpu-check" operators >"$work/said" 2>&1 &&
        awk '$1 == "add_gb_s" { ok = NF == 6 && $5 == "%" } END { exit !ok }' "$work/said" && return
    cat "$work/said"
    return 1
}
check "a table of figures, ceilings, shares and what was before" has_share "$2" "$3"

# All but `cores`, which is the CPU's.
steps="kernels sql answers sanitizer ceilings operators join decode queries paper large"
# shellcheck disable=SC2086  # several words
check "no driver" env PISTACHIO_CUDA_LIBRARY="$work/none.so" "$bundle/gpu-check" $steps
for step in $steps; do
    check "$step without a driver" is $step skipped "there is no CUDA driver"
done
# A driver that is there and does not work is no reason to skip.
broken() {
    ! env PISTACHIO_CUDA_LIBRARY="$1" PISTACHIO_CUDA_KERNELS="$2" PISTACHIO_CUDA_FAIL=cuLaunchKernel:1 "$bundle/gpu-check" ceilings \
        >"$work/said" 2>&1 && is ceilings failed "cuLaunchKernel was made to fail" && return
    cat "$work/said"
    return 1
}
check "a driver that fails" broken "$2" "$3"
unknown() {
    ! "$bundle/gpu-check" nothing >"$work/said" 2>&1 && grep -q "there is no step nothing" "$work/said"
}
check "a step that is not there" unknown
without_program() {
    ! "$root/scripts/gpu-check" >"$work/said" 2>&1 && grep -q "the program is missing" "$work/said"
}
check "no bundle" without_program
finish
