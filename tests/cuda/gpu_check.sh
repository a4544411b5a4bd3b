#!/bin/sh
# scripts/gpu-bundle makes a folder that scripts/gpu-check runs, here on the emulation; what is missing is said.
# gpu_check.sh PROGRAM LIBRARY KERNELS BUILD [steps]: with `steps` those that run queries, on little data
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
root=$here/../.. bundle=$work/bundle
export RESULTS=$work/results BENCH_ROWS=4096 JOIN_ROWS=3000

# A build with sanitizers is larger than what one takes along.
check "a bundle" env LIMIT_MB=400 TESTS=test_text_kernels "$root/scripts/gpu-bundle" --from "$4" "$bundle"
check "what the bundle has" test -x "$bundle/pistachio" -a -x "$bundle/decode" -a -x "$bundle/arrays" -a -x "$bundle/unit_tests" -a \
    -f "$bundle/queries/q22.sql"
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
# has STEP FIGURE...: with a value each.
has() {
    step=$1
    shift
    for figure in "$@"; do
        grep -q "^$figure [0-9.]" "$RESULTS/$step.figures" && continue
        echo "$step has no $figure"
        cat "$RESULTS/$step.figures"
        return 1
    done
}

# Each step once, alone, with a bound of its own: that all of them run and what they measure is there. The values say nothing.
steps_of_queries() {
    export PISTACHIO_CUDA_LIBRARY="$1" PISTACHIO_CUDA_KERNELS="$2" SANITIZER_SCALE=0.01 ANSWERS_SCALE=0.01 QUERIES_SCALE=0.001 \
        LARGE_SCALE=0.001 LARGE_BEYOND=0.001 LARGE_MEMORY=64MB QUERIES_RUNS=1 DECODE_ROUNDS=1 ARRAYS_ROUNDS=1 SQL_JOBS=2 PAPER_FORMS="blocking full synchronized pageable full_2_threads"
    for file in "$bundle"/sql/*.test; do
        case $file in
        */interval_unit.test | */approximate.test) ;;
        *) rm "$file" ;;
        esac
    done
    for step in ceilings sql answers arrays decode queries paper cores large; do
        check "step $step" "$bundle/gpu-check" $step
        check "$step passes" is $step passed figures
        check "the JSON of $step" python3 -c "import json, sys; json.load(open(sys.argv[1]))" "$RESULTS/$step.json"
    done
    for form in made gpu one_page; do
        check "decoding of form $form" has decode ${form}_values_gb_s resident_${form}_values_gb_s resident_${form}_flat_gb_s \
            resident_${form}_stored_gb_s resident_${form}_host_pages
    done
    check "each column's decoding" python3 -c "import json, sys
resident = json.load(open(sys.argv[1]))['resident']
assert sorted(resident) == ['gpu', 'made', 'one_page'] and all(len(form['columns']) == 16 for form in resident.values())" \
        "$RESULTS/decode.json"
    check "arrays in either memory" has arrays arrays_kept_gb_s arrays_fetched_gb_s
    check "the device beside the CPU" has queries cuda_of_cpu q1_cuda_of_cpu q22_cuda_of_cpu
    check "the host link" has queries link_bound_of_cuda q1_link_gb_s q22_link_gb_s
    check "each query's bound" python3 -c "import json, sys
links = json.load(open(sys.argv[1]))['links']
assert [link['query'] for link in links] == list(range(1, 23)) and all(0 < link['bound_s'] and link['bytes'] > 0 for link in links)" \
        "$RESULTS/queries.json"
    check "nothing waits" grep -q '^queries_pageable_copies 0 0$' "$RESULTS/queries.figures"
    check "no thread waits" grep -q '^queries_blocking_waits 0 0$' "$RESULTS/queries.figures"
    check "the paper's switches" has paper scan_full_gb_s scan_pageable_gb_s scan_synchronized_gb_s q3_pageable_1_ranks_s \
        q3_full_2_ranks_s
    check "cores" has cores threads_1_mean_s
    check "little memory" has large cuda_mean_s cpu_mean_s beyond_cuda_mean_s
}
if [ "${5:-}" = steps ]; then
    steps_of_queries "$2" "$3"
    finish
    exit
fi

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
# Other kernels than the bundle's stay those of all steps.
other_kernels() {
    mkdir "$work/driver" && ln -s "$1" "$work/driver/libcuda.so.1" && mkdir "$bundle/all" &&
        mv "$bundle"/sql/*.test "$bundle/all" && cp "$bundle/all/interval_unit.test" "$bundle/sql" && rm -f "$bundle/pistachio.kernels" &&
        env -u PISTACHIO_CUDA_LIBRARY LD_LIBRARY_PATH="$work/driver" PISTACHIO_CUDA_KERNELS="$2" "$bundle/gpu-check" sql ceilings \
            >"$work/said" 2>&1 && is sql passed figures && is ceilings passed figures && return
    cat "$work/said"
    return 1
}
check "other kernels than the bundle's" other_kernels "$2" "$3"
check "a table of figures, ceilings, shares and what was before" has_share "$2" "$3"

# CUB's program needs a GPU: what says its figures in its place has those of ours doubled, or does not run.
stands_in() { # CODE TEXT
    printf '#!/bin/sh\necho \047%s\047\nexit %s\n' "$2" "$1" >"$bundle/cub" && chmod +x "$bundle/cub"
}
twice() {
    awk -v name="$1" '$1 == name { print 2 * $2 }' "$RESULTS/operators.figures"
}
beside_cub() {
    stands_in 0 "{\"cub_scan_gb_s\": $(twice scan_gb_s), \"cub_sort_rows_per_us\": 1000000}" &&
        env PISTACHIO_CUDA_LIBRARY="$1" PISTACHIO_CUDA_KERNELS="$2" "$bundle/gpu-check" operators >"$work/said" 2>&1 &&
        is operators passed '"cub": "measured"' && grep '^scan_of_cub [0-9.]* 0.7$' "$RESULTS/operators.figures" &&
        grep '^sort_of_cub 0.[0-9]* 0.7$' "$RESULTS/operators.figures"
}
check "beside CUB" beside_cub "$2" "$3"
without_cub() {
    stands_in 77 "error: no \"device\"" &&
        env PISTACHIO_CUDA_LIBRARY="$1" PISTACHIO_CUDA_KERNELS="$2" "$bundle/gpu-check" operators >"$work/said" 2>&1 &&
        is operators passed 'does not run: error: no' && ! grep cub "$RESULTS/operators.figures" &&
        python3 -c "import json, sys; json.load(open(sys.argv[1]))" "$RESULTS/operators.json"
}
check "CUB that does not run" without_cub "$2" "$3"

# All but `cores`, which is the CPU's.
steps="kernels sql answers arrays sanitizer ceilings operators join decode queries paper large"
# shellcheck disable=SC2086  # several words
check "no driver" env PISTACHIO_CUDA_LIBRARY="$work/none.so" "$bundle/gpu-check" $steps
for step in $steps; do
    check "$step without a driver" is $step skipped "there is no CUDA driver"
done
check "a driver without a device" env PISTACHIO_CUDA_LIBRARY="$2" PISTACHIO_CUDA_KERNELS="$3" PISTACHIO_CUDA_DEVICES=0 "$bundle/gpu-check" \
    ceilings
check "ceilings without a device" is ceilings skipped "the driver has found none"
# A driver that is there and does not work is no reason to skip.
broken() {
    ! env PISTACHIO_CUDA_LIBRARY="$1" PISTACHIO_CUDA_KERNELS="$2" PISTACHIO_CUDA_FAIL=cuLaunchKernel:1 "$bundle/gpu-check" ceilings \
        >"$work/said" 2>&1 && is ceilings failed "cuLaunchKernel was made to fail" && return
    cat "$work/said"
    return 1
}
check "a driver that fails" broken "$2" "$3"
# The tests of kernels that came along are those that there are; one that fails counts more than one that has nothing to do.
all_tests() {
    for file in "$root"/tests/unit/test_*.c; do
        ! grep -q "test_kernel_table(\|test_kernel(" "$file" || basename "$file" .c
    done >"$work/expected" && mkdir -p "$work/build/tests/sql" &&
        for name in pistachio tests/sql/sql_runner tests/unit_tests bench_ceilings bench_operators bench_decode bench_arrays; do
            cp /bin/true "$work/build/$name"
        done && "$root/scripts/gpu-bundle" --from "$work/build" "$work/all" && cmp "$work/all/kernel_tests.list" "$work/expected"
}
check "all tests of kernels" all_tests
worst() {
    printf '#!/bin/sh\nexit $1\n' >"$work/all/unit_tests" && echo "0 77 1 0 77" >"$work/all/kernel_tests.list"
    ! "$work/all/gpu-check" kernels && is kernels failed why
}
check "a test that fails behind one that is skipped" worst
unknown() {
    ! "$bundle/gpu-check" nothing >"$work/said" 2>&1 && grep -q "there is no step nothing" "$work/said"
}
check "a step that is not there" unknown
without_program() {
    ! "$root/scripts/gpu-check" >"$work/said" 2>&1 && grep -q "the program is missing" "$work/said"
}
check "no bundle" without_program
finish
