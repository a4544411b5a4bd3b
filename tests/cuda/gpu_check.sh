#!/bin/sh
# scripts/gpu-bundle makes a folder that scripts/gpu-check runs, here on the emulation. What is missing is said; a kernel that fails,
# hangs, writes wrong values or takes the device with it is named, and loses nothing of what else was tested.
# gpu_check.sh PROGRAM LIBRARY KERNELS BUILD [steps|kill|rehearsal]: with `steps` those that run queries, on little data; with `kill`
# runs that end at any time; with `rehearsal` all of it as on a machine that has nothing but the bundle
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
root=$here/../.. bundle=$work/bundle out=$work/results build=$4
library=$2 kernels=$3
export BENCH_ROWS=4096 JOIN_ROWS=3000 HOST_MEMORY=4GB KERNELS_JOBS=2 KERNELS_REGISTERED='' ASAN_OPTIONS=intercept_tls_get_addr=0
# Little data takes less time than the estimates say.
export ESTIMATE_PERCENT=5
# A build with sanitizers is larger than what one takes along.
export LIMIT_MB=400 PACK=cat TESTS="test_text_kernels test_narrow_keys test_kernels_values"

check "a bundle" "$root/scripts/gpu-bundle" --from "$build" "$bundle"
check "what the bundle has" test -x "$bundle/pistachio" -a -x "$bundle/decode" -a -x "$bundle/arrays" -a -x "$bundle/unit_tests" -a \
    -x "$bundle/probe" -a -f "$bundle/queries/q22.sql" -a -f "$bundle.tar.gz"
tr ' ' '\n' <"$bundle/kernel_tests.list" >"$work/list" && mv "$work/list" "$bundle/kernel_tests.list"

# on_emulation NAME=VALUE... -- ARGUMENT...: gpu-check, which may fail; its results go to $out.
on_emulation() {
    rm -rf "$out"
    go_on "$@"
}
go_on() {
    (
        export PISTACHIO_CUDA_LIBRARY="$library" PISTACHIO_CUDA_KERNELS="$kernels"
        while [ "$1" != -- ]; do
            export "${1?}"
            shift
        done
        shift
        "$bundle/gpu-check" --out "$out" "$@"
    ) >"$work/said" 2>&1
    code=$?
}

# results PYTHON: over the lines of results, `steps` and `tests` by name, each the last one; and all files are what may come back.
results() {
    python3 - "$out" <<END && return
import json, os, sys
lines = [json.loads(line) for line in open(sys.argv[1] + '/results.jsonl')]
steps = {line['step']: line for line in lines if 'test' not in line}
tests = {line['test']: line for line in lines if 'test' in line}
def state(line, name, *words):
    text = line.get('why', line.get('said', ''))
    assert line['state'] == name and all(word in text for word in words), line
def states(name):
    return sorted(test for test in tests if tests[test]['state'] == name)
files = os.listdir(sys.argv[1])
assert len(files) <= 8 and all(os.path.getsize(sys.argv[1] + '/' + name) < 16 << 20 for name in files), files
$1
END
    cut -c 1-400 "$out/results.jsonl"
    tail -n 5 "$work/said"
    return 1
}
says() { # TEXT
    grep -q -- "$1" "$work/said" && return
    tail -n 20 "$work/said"
    return 1
}

# ---- each step once, on little data: that it runs, and what it measures is there; the values say nothing ----

steps_of_queries() {
    export ANSWERS_SCALE=0.01 QUERIES_SCALE=0.001 LARGE_SCALE=0.001 LARGE_BEYOND=0.001 LARGE_MEMORY=64MB QUERIES_RUNS=1 DECODE_ROUNDS=1 \
        ARRAYS_ROUNDS=1 SQL_JOBS=2 CHUNK_ROWS="1000 100000" FIRST_SQL="join_class sort" DATA="$work/data" \
        PAPER_FORMS="blocking full synchronized pageable full_2_threads"
    for file in "$bundle"/sql/*.test; do
        case $file in
        */interval_unit.test | */approximate.test | */join_class.test | */sort.test) ;;
        *) rm "$file" ;;
        esac
    done
    on_emulation -- ceilings first answers queries decode chunks sql forms paper arrays large cores
    check "all steps pass" [ $code = 0 ]
    check "each step's line" results "assert len(steps) == 12 and all(line['state'] == 'passed' for line in steps.values()), steps"
    check "decoding of each form" results "
for form, step in ('made', 'decode'), ('gpu', 'forms'), ('one_page', 'forms'):
    for name in '%s_values_gb_s', 'resident_%s_values_gb_s', 'resident_%s_flat_gb_s', 'resident_%s_stored_gb_s', 'resident_%s_host_pages':
        assert name % form in steps[step]['figures'], (name, form)"
    check "arrays in either memory" results "assert {'arrays_kept_gb_s', 'arrays_fetched_gb_s'} <= set(steps['arrays']['figures'])"
    check "the device beside the CPU" results "
figures = steps['queries']['figures']
assert {'cuda_of_cpu', 'cuda_kept_of_cpu', 'queries_slower', 'link_bound_of_cuda'} <= set(figures)
for number in range(1, 23):
    assert {'q%d_cuda_s' % number, 'q%d_cuda_of_cpu' % number, 'q%d_link_gb_s' % number} <= set(figures), number
assert figures['queries_pageable_copies'] == 0 and figures['queries_blocking_waits'] == 0"
    check "queries and files of tests by themselves" results "assert len(states('passed')) == 22 + 4, states('passed')"
    check "chunks" results "assert {'q1_chunks_1000_s', 'q9_chunks_100000_s'} <= set(steps['chunks']['figures'])"
    check "the paper's switches" results "
assert {'scan_full_gb_s', 'scan_pageable_gb_s', 'scan_synchronized_gb_s', 'q3_full_2_ranks_s'} <= set(steps['paper']['figures'])"
    check "cores" results "assert 'threads_1_mean_s' in steps['cores']['figures']"
    check "little memory" results "
assert {'cuda_mean_s', 'cpu_mean_s', 'beyond_cuda_mean_s'} <= set(steps['large']['figures'])
assert steps['large']['beyond'] == 'passed'"
    # A kernel that fails: the queries that use it are named, each by itself, and the others have their times.
    on_emulation PISTACHIO_CUDA_ILLEGAL=like PISTACHIO_CUDA_TIMEOUT=2 -- answers sql
    check "queries without the kernel pass" results "
assert {'q1', 'q3', 'q4', 'q5', 'q6', 'q7', 'q22'} <= set(states('passed')) and 'q13' in states('failed'), states('failed')
state(tests['q13'], 'failed', 'kernel_like', 'with each launch awaited', 'cuda: kernel_like, ')"
    check "files of SQL tests without it pass" results "assert {'approximate', 'interval_unit', 'sort'} <= set(states('passed')), states('failed')"
}

# ---- ends at any time ----

# What was measured stays, each line whole; and the next run goes on from there.
killed_after() { # SECONDS
    rm -rf "$out"
    (
        export PISTACHIO_CUDA_LIBRARY="$library" PISTACHIO_CUDA_KERNELS="$kernels" ANSWERS_SCALE=0.01 DATA="$work/data"
        exec setsid timeout -s KILL "$1" "$bundle/gpu-check" --out "$out" probe kernels ceilings answers
    ) >"$work/said" 2>&1
    results "" || return 1
    go_on ANSWERS_SCALE=0.01 DATA="$work/data" -- --resume "$out" probe kernels ceilings answers
    [ $code = 0 ] && results "
assert all(line['state'] == 'passed' for line in steps.values()) and len(steps) == 4, steps
for name in tests:
    assert sum(line.get('test') == name for line in lines) == 1, name"
}
runs_that_end() {
    mkdir -p "$work/data" && "$bundle/pistachio" tpch generate --scale 0.01 --out "$work/data/sf0.01" --threads 2 >/dev/null
    random=$(date +%s)
    for _ in 1 2 3 4 5 6; do
        random=$(((random * 1103515245 + 12345) % 2147483648))
        check "a run that is killed after $((random / 65536 % 6000)) ms" \
            killed_after "$(awk -v ms=$((random / 65536 % 6000)) 'BEGIN { print ms / 1000 + 0.1 }')"
    done
}

# ---- as on a machine that is lent: the packed bundle in an empty folder, nothing in the environment, a budget ----

rehearse() { # SECONDS NAME=VALUE...
    seconds=$1
    shift
    rm -rf "$work/lent"
    mkdir -p "$work/lent/out" && tar xf "$bundle.tar.gz" -C "$work/lent" || return 1
    begun=$(date +%s)
    (cd "$work/lent" && env -i PATH="$PATH" HOME="$work/lent" PISTACHIO_CUDA_LIBRARY="$library" PISTACHIO_CUDA_KERNELS="$kernels" \
        MAKERS_NICE=0 ANSWERS_SCALE=0.01 QUERIES_SCALE=0.001 BENCH_ROWS=4096 JOIN_ROWS=3000 HOST_MEMORY=4GB KERNELS_JOBS=2 KERNELS_REGISTERED= \
        LARGE_SCALE=0.001 LARGE_BEYOND=0.001 ESTIMATE_PERCENT=20 ASAN_OPTIONS=intercept_tls_get_addr=0 "$@" \
        bundle/gpu-check --budget "$seconds" --out "$work/lent/out") >"$work/said" 2>&1
    took=$(($(date +%s) - begun))
    out=$work/lent/out
    echo "$* took $took s; $(ls "$out" | wc -l) files, $(du -sk "$out" | cut -f 1) KB; $(grep -c . "$out/results.jsonl") lines"
    [ "$took" -le $((seconds + 20)) ]
}
rehearsals() {
    check "a rehearsal within its budget" rehearse 120
    cat "$work/out"
    check "its steps" results "
assert len(steps) == 18 and not states('failed'), states('failed')
assert all(steps[name]['state'] == 'passed' for name in ('probe', 'kernels', 'ceilings')), steps"
    # What the machine is too slow for is passed over, or says so.
    for fault in ILLEGAL HANG WRONG; do
        check "a rehearsal with $fault" rehearse 60 PISTACHIO_CUDA_TIMEOUT=2 "PISTACHIO_CUDA_$fault=cast_to_text"
        cat "$work/out"
        check "what comes back with $fault" results "
assert len(steps) == 18 and all(steps[name]['state'] == 'passed' for name in ('probe', 'ceilings')), steps
assert 'casts_from_and_to_text' in states('failed') and 'bits_are_counted' in states('passed'), states('failed')
assert len(states('passed')) > 5 * sum(tests[name]['step'] == 'kernels' for name in states('failed')), states('failed')"
    done
}

case ${5:-} in
rehearsal)
    rehearsals
    finish
    exit
    ;;
steps)
    steps_of_queries
    finish
    exit
    ;;
kill)
    runs_that_end
    finish
    exit
    ;;
esac

# ---- what is there ----

on_emulation PISTACHIO_CHUNK_ROWS=500 -- --budget 300 probe kernels ceilings operators join
check "steps on the emulation" [ $code = 0 ]
check "each step passes" results "assert list(steps) == 'probe kernels ceilings operators join'.split() and set(line['state'] for line in lines) == {'passed'}"
check "what the driver says" results "assert {'init_ms', 'context_ms', 'module_ms', 'memory_gb', 'stream_words', 'probe_copy_in_gb_s'} <= set(steps['probe']['figures'])"
check "each test of kernels" results "assert {'bits_are_counted', 'values_are_kept_and_found'} <= set(states('passed')) and steps['kernels']['figures']['kernels_failed'] == 0"
check "figures and their ceilings" results "assert steps['operators']['ceilings']['add_gb_s'] == steps['ceilings']['figures']['copy_within_gb_s']"
check "a table of figures, ceilings and shares" awk '$1 == "add_gb_s" { ok = NF == 5 && $5 == "%" } END { exit !ok }' "$out/table"
go_on -- --resume "$out" probe kernels ceilings join
check "what passed is not run again" results "assert len(lines) == len(tests) + 5, lines"
on_emulation ESTIMATE_PERCENT=100 -- --budget 60 probe kernels
check "what does not fit is passed over" results "
state(steps['probe'], 'passed')
state(steps['kernels'], 'passed over', 'it takes 70 s, and ')"
check "the steps" sh -c "'$bundle/gpu-check' --list | grep -q '^kernels 70 180$'"

# CUB's program needs a GPU: one stands in for it, or does not run.
stands_in() { # CODE TEXT
    printf '#!/bin/sh\necho \047%s\047\nexit %s\n' "$2" "$1" >"$bundle/cub" && chmod +x "$bundle/cub"
}
stands_in 0 '{"cub_scan_gb_s": 1000.5, "cub_sort_rows_per_us": 2000, "independent_reads_per_us": 3000, "independent_swaps_per_us": 4000}'
on_emulation -- ceilings operators
check "beside CUB" results "
ceilings = steps['operators']['ceilings']
assert ceilings['scan_gb_s'] == 1000.5 and ceilings['sort_rows_per_us'] == 2000, ceilings
assert ceilings['probe_rows_per_us'] == 3000 and ceilings['build_rows_per_us'] == 4000, ceilings"
stands_in 77 'error: no "device"'
on_emulation -- ceilings
check "CUB that does not run" results "state(steps['ceilings'], 'passed'); assert 'cub_scan_gb_s' not in steps['ceilings']['figures']"

# ---- what fails ----

on_emulation PISTACHIO_CUDA_ILLEGAL=cast_to_text -- kernels ceilings
check "an address that is illegal ends its own test" results "
assert states('failed') == ['casts_from_and_to_text'] and len(states('passed')) > 4, states('failed')
for name in states('failed'):
    state(tests[name], 'failed', 'kernel cast_to_text failed', 'ILLEGAL_ADDRESS', 'kernel_cast_to_text, ', ' = 0x')
state(steps['kernels'], 'failed', 'passed, ')
state(steps['ceilings'], 'passed')"
cp -r "$out" "$work/illegal"
on_emulation -- --resume "$work/illegal" --only failed kernels ceilings
check "what failed is run again, alone" results "
assert not states('failed') and steps['kernels']['state'] == 'passed'
assert sum(line.get('test') == 'bits_are_counted' for line in lines) == 1
assert sum(line['step'] == 'ceilings' for line in lines) == 1"
on_emulation PISTACHIO_CUDA_HANG=cast_to_text PISTACHIO_CUDA_TIMEOUT=1 -- kernels
check "a kernel that hangs ends its own test" results "
assert states('failed') == ['casts_from_and_to_text'] and len(states('passed')) > 4, states('failed')
for name in states('failed'):
    state(tests[name], 'failed', 'kernel cast_to_text failed', 'has done nothing for 1 s', 'kernel_cast_to_text, ')"
on_emulation PISTACHIO_CUDA_WRONG=cast_to_text -- kernels
check "a kernel that writes a wrong value" results "
assert states('failed') == ['casts_from_and_to_text'] and len(states('passed')) > 4, states('failed')"
on_emulation PISTACHIO_CUDA_MEMORY=20000000 BENCH_ROWS=1048576 -- ceilings kernels
check "no memory" results "
state(steps['ceilings'], 'failed', 'bytes more')
state(steps['kernels'], 'passed')"
touch "$work/gone"
on_emulation PISTACHIO_CUDA_GONE="$work/gone" -- probe kernels ceilings
check "a device that is gone" results "
state(steps['probe'], 'failed', '(79)')
state(steps['ceilings'], 'failed', 'the device is gone')
assert len(states('failed')) > 5 and {'bits_are_counted', 'values_are_kept_and_found'} <= set(states('failed')), tests"
on_emulation PISTACHIO_CUDA_FAIL=cuLaunchKernel:1 -- probe ceilings
check "a driver that fails" results "
state(steps['probe'], 'passed')
state(steps['ceilings'], 'failed', 'cuLaunchKernel was made to fail')"

# ---- what is not there ----

on_emulation PISTACHIO_CUDA_LIBRARY="$work/none.so" -- probe kernels ceilings sql
check "no driver" results "
assert [line['step'] for line in lines] == 'probe kernels ceilings sql'.split()
for step in steps.values():
    state(step, 'skipped', 'there is no CUDA driver')"
check "no driver is no failure" [ $code = 0 ]
on_emulation PISTACHIO_CUDA_DEVICES=0 -- probe ceilings
check "a driver without a device" results "state(steps['ceilings'], 'skipped', 'there is no driver, or no device', '(100)')"
# Other kernels than the bundle's stay those of all steps.
other_kernels() {
    mkdir "$work/driver" && ln -s "$library" "$work/driver/libcuda.so.1" && mkdir "$bundle/all" &&
        mv "$bundle"/sql/*.test "$bundle/all" && cp "$bundle/all/interval_unit.test" "$bundle/sql" && rm -f "$bundle/pistachio.kernels" || return 1
    rm -rf "$out"
    env -u PISTACHIO_CUDA_LIBRARY LD_LIBRARY_PATH="$work/driver" PISTACHIO_CUDA_KERNELS="$kernels" "$bundle/gpu-check" --out "$out" \
        probe ceilings sql >"$work/said" 2>&1
    results "assert len(steps) == 3 and all(line['state'] == 'passed' for line in lines)"
}
check "other kernels than the bundle's" other_kernels

# The tests of kernels that came along are those that there are.
all_tests() {
    for file in "$root"/tests/unit/*/test_*.c; do
        ! grep -q "test_kernel_table(\|test_kernel(\|TEST_ALIKE(" "$file" || basename "$file" .c
    done >"$work/expected" && mkdir -p "$work/build/tests/sql" &&
        for name in pistachio tests/sql/sql_runner tests/unit_tests bench_probe bench_ceilings bench_operators bench_decode bench_arrays; do
            cp /bin/true "$work/build/$name"
        done && env -u TESTS "$root/scripts/gpu-bundle" --from "$work/build" "$work/all" && cmp "$work/all/kernel_tests.list" "$work/expected"
}
check "all tests of kernels" all_tests
too_large() {
    ! env LIMIT_MB=0 "$root/scripts/gpu-bundle" --from "$work/build" "$work/all" >"$work/said" 2>&1 && says "more than 0 MB"
}
check "a bundle that is too large" too_large
wrong_usage() { # TEXT ARGUMENT...
    text=$1
    shift
    "$bundle/gpu-check" "$@" >"$work/said" 2>&1
    [ $? = 2 ] && says "$text"
}
check "a step that is not there" wrong_usage "there is no step nothing" nothing
check "an option that is not there" wrong_usage "there is no option --all" --all
check "a budget that is none" wrong_usage "takes a number of seconds" --budget 1m
check "failures of no run" wrong_usage "needs --resume" --only failed
check "a run that was not" wrong_usage "has no results.jsonl" --resume "$work/none"
without_program() {
    ! "$root/scripts/gpu-check" >"$work/said" 2>&1 && says "the program is missing"
}
check "no bundle" without_program
finish
