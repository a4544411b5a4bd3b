#!/bin/sh
# PISTACHIO_CUDA_TRACE, _TIMEOUT and _POOL, on the emulation: whatever kernel fails or hangs has a name, and nobody waits for it.
# debug.sh PROGRAM LIBRARY KERNELS UNIT_TESTS
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3 ASAN_OPTIONS=intercept_tls_get_addr=0
tests=$4

check "a table" "$program" -c "copy (select i % 3 as g, i as x from range(0, 20000) as r(i)) to '$work/t.parquet'"
query="select g, sum(x) as s from '$work/t.parquet' where x > 10 group by g order by g"
rows=$("$program" --format tsv -c "$query")
run() {
    timeout 60 "$program" --format tsv --set device=cuda -c "$query"
}
# ends_with CODE TEXT VARIABLE...: the query does, with these variables, and the text is in what it says.
ends_with() {
    code=$1 text=$2
    shift 2
    (export "$@" && run) >"$work/rows" 2>"$work/said"
    [ $? = "$code" ] && grep -q -- "$text" "$work/said" && return
    tail -n 5 "$work/said" | cut -c 1-1000
    return 1
}
same_rows() {
    (export "$@" && run) >"$work/rows" 2>"$work/said" && [ "$rows" = "$(cat "$work/rows")" ]
}
last_launch() { # NAME
    grep "^cuda: kernel_" "$work/said" | tail -n 1 | grep "^cuda: kernel_$1, [1-9][0-9]* blocks of [1-9][0-9]* threads: .*states = 0x"
}

check "a failure names the launches" ends_with 1 "ILLEGAL_ADDRESS, 700); launches that had not ended: .*kernel_aggregate_sum" \
    PISTACHIO_CUDA_ILLEGAL=aggregate_sum
check "a failure that is traced names one" ends_with 1 "launches that had not ended: kernel_aggregate_sum$" PISTACHIO_CUDA_TRACE=1 \
    PISTACHIO_CUDA_ILLEGAL=aggregate_sum
check "its arguments are told" last_launch aggregate_sum
check "a trace changes no rows" same_rows PISTACHIO_CUDA_TRACE=1
check "a trace tells of copies" grep -q "^cuda: copy from the device, 8 bytes: target = 0x[0-9a-f]*, source = 0x" "$work/said"
check "a hang is not awaited" ends_with 1 "has done nothing for 0.5 s.*kernel_aggregate_sum" PISTACHIO_CUDA_TIMEOUT=0.5 \
    PISTACHIO_CUDA_HANG=aggregate_sum
check "a hang that is traced" ends_with 1 "launches that had not ended: kernel_aggregate_sum$" PISTACHIO_CUDA_TIMEOUT=0.5 \
    PISTACHIO_CUDA_TRACE=1 PISTACHIO_CUDA_HANG=aggregate_sum
check "a time that is not one" ends_with 1 'PISTACHIO_CUDA_TIMEOUT is "soon", which is not a number of seconds' \
    PISTACHIO_CUDA_TIMEOUT=soon
check "a device that is gone" ends_with 1 "the device is gone" PISTACHIO_CUDA_GONE="$work/t.parquet"
check "a value that is wrong" [ "$rows" != "$(export PISTACHIO_CUDA_WRONG=aggregate_sum && run 2>/dev/null)" ]
check "a mapping for each buffer" same_rows PISTACHIO_CUDA_POOL=off
query="select a.g, count(*) from '$work/t.parquet' as a join '$work/t.parquet' as b on a.x = b.x + 1 group by a.g order by 1"
rows=$("$program" --format tsv -c "$query")
check "a mapping for each buffer of a join" same_rows PISTACHIO_CUDA_POOL=off PISTACHIO_CHUNK_ROWS=1000

# Tests of kernels: which launch failed, and which test was under way.
unit() { # VARIABLE=VALUE...
    (export TEST_TELL=1 "$@" && timeout 60 "$tests" =logic_agrees =choose_agrees) >"$work/said" 2>&1
}
unit PISTACHIO_CUDA_ILLEGAL=logic
check "a kernel's test names it" grep -q "kernel logic failed: .*700" "$work/said"
check "and its arguments" grep -q "^ *op = 0x.*, out = 0x" "$work/said"
unit PISTACHIO_CUDA_WRONG=choose
check "tests that begin and end" sh -c "grep -E '^(begin|passed|failed) ' '$work/said' | tr '\n' ' ' | grep -q '^begin logic_agrees passed logic_agrees begin choose_agrees failed choose_agrees $'"
unit PISTACHIO_CUDA_TIMEOUT=0.5 PISTACHIO_CUDA_HANG=choose
check "a kernel that hangs is named" grep -q "kernel choose failed: .*has done nothing for 0.5 s" "$work/said"
check "tests by a part of their name" sh -c "[ \"\$('$tests' --list logic_ag =choose_agrees | tr '\n' ' ')\" = 'logic_agrees choose_agrees ' ]"
check "a test by all of its name" sh -c "[ -z \"\$('$tests' --list =logic_ag)\" ]"
finish
