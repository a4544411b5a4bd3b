# gpu-steps.sh - the steps of scripts/gpu-check, which sources this.
# shellcheck shell=sh
# shellcheck disable=SC2154  # variables of gpu-check
#
#   probe       the driver by itself, before any kernel of ours: device, link, attributes, times of opening it, copies
#   kernels     each kernel against the scalar one, on inputs in the host's memory, where the device reads it
#   ceilings    copies, random reads and swaps, launches: BENCH_ROWS (2^26) rows
#   first       the SQL tests of FIRST_SQL
#   answers     TPC-H's 22 answers at scale factor ANSWERS_SCALE (1)
#   queries     the 22 queries at QUERIES_SCALE (10) on the device and on all cores, best of QUERIES_RUNS (3) after one that does not
#               count; the device has the CPU's rows; what each copies over the host link, which bounds it
#   operators   kernels of operators by the same measure, beside the ceilings; sort and scan beside CUB's, if it came along
#   decode      all of lineitem at QUERIES_SCALE: a scan, and decoding of what the device's memory has
#   join        JOIN_ROWS (335544320) random keys of 8 bytes a side, as `pistachio bench join`: beside random swaps and reads
#   chunks      queries 1, 6 and 9 with chunks of as many rows as CHUNK_ROWS says
#   sql         the SQL tests, all, SQL_JOBS (4) processes at a time
#   forms       decode, of lineitem as the rewriter makes it for this, and as DuckDB writes it
#   profile     Nsight Compute's figures of hot kernels, where it is installed
#   sanitizer   compute-sanitizer over two files of kernel tests, and with each buffer apart over two queries at SANITIZER_SCALE (0.01)
#   paper       that scan and query 3 with each way to overlap and each switch, 1 to 8 threads, one rank and two; of those
#               that PAPER_FORMS names
#   arrays      rows of lineitem and of the 22 queries as Arrow arrays in the device's memory: their sums are the CPU's
#   large       the 22 queries at LARGE_SCALE (30), and LARGE_BEYOND (100) where disk and time allow, with LARGE_MEMORY (4GB)
#               of the device's memory
#   cores       the 22 queries on the CPU with 1, 2, 4, 8, 16 threads

scale=${QUERIES_SCALE:-10} answers_scale=${ANSWERS_SCALE:-1} sanitizer_scale=${SANITIZER_SCALE:-0.01}
# The host's memory may grow while it is used, so that a share of what there is says nothing. Files are read by each run, unless a
# step says otherwise.
limits="--set memory_limit=${HOST_MEMORY:-96GB} --set cache_memory=0"

# For programs that ask these variables.
export PISTACHIO_CUDA_LIBRARY="$library" PISTACHIO_CUDA_KERNELS="$kernels"

# ---- tables, made in the background ----

# room SCALE TIMES: is there space for tables of so many times their size?
room() {
    has=$(df -Pk "$data" | awk 'NR == 2 { print int($4 / 1048576) }')
    needs=$(awk -v scale="$1" -v times="$2" 'BEGIN { print int(scale * 0.35 * times + 1) }')
    [ "$has" -ge "$needs" ] && return
    echo "scale factor $1 takes $needs GB of disk, and there are $has"
    return 77
}

# make TARGET SCALE TIMES COMMAND...: what the command makes as TARGET.part, if it is not there. Why not: TARGET.failed.
make() {
    made=$1 made_scale=$2 times=$3
    shift 3
    [ -e "$made" ] && return
    rm -rf "$made.part" "$made.failed"
    mkdir -p "$(dirname "$made")"
    if room "$made_scale" "$times" >"$made.why" && run_behind "$@" >"$made.why" 2>&1 && mv "$made.part" "$made"; then
        rm -f "$made.why"
        return
    fi
    rm -rf "$made.part"
    mv "$made.why" "$made.failed"
}

# The command's process can be ended, and with it this one (the trap of make_tables).
run_behind() {
    nice -n "${MAKERS_NICE:-15}" "$@" &
    child=$!
    wait $child
}

generate() { # SCALE
    make "$data/sf$1" "$1" 1 "$pistachio" tpch generate --scale "$1" --out "$data/sf$1.part" --threads "$makers"
}
form() { # NAME OPTION...
    form_name=$1
    shift
    make "$data/sf$scale-$form_name/lineitem.parquet" "$scale" 1 "$pistachio" rewrite "$@" "$data/sf$scale/lineitem.parquet" \
        "$data/sf$scale-$form_name/lineitem.parquet.part"
}

make_tables() {
    child=
    trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit' TERM
    makers=$(nproc)
    [ "$makers" -lt 6 ] || makers=$((makers - 4))
    for table in $1; do
        case $table in
        gpu) form gpu --for gpu ;;
        one-page) form one-page --codec snappy --page-size 1GB --page-rows 2000000 --no-checksums ;;
        *) generate "$table" ;;
        esac
    done
    echo made >"$work/tables"
}

make_behind() { # TABLES
    mkdir -p "$data"
    make_tables "$1" >/dev/null 2>&1 &
    maker="$maker $!"
}

# Tables that the steps need, in the order in which they need them.
make_tables_behind() {
    tables=
    for step in $steps; do
        case $step in
        answers | arrays | profile) tables="$tables $answers_scale" ;;
        queries | decode | chunks | paper | cores | forms) tables="$tables $scale" ;;
        sanitizer) tables="$tables $sanitizer_scale" ;;
        esac
    done
    [ -z "$tables" ] || make_behind "$tables"
}

# Lineitem's other forms take all cores for a while: they are made beside the SQL tests, which nobody times, or when the
# step that needs them begins.
has_forms=
make_forms_behind() {
    case " $(echo "$steps" | tr '\n' ' ') " in *" forms "*) ;; *) return ;; esac
    [ -z "$has_forms" ] || return 0
    has_forms=1
    await_scale "$scale" && make_behind "gpu one-page"
}

# await TARGET: until it is made. 77: there is no room for it; 1: it failed; 124: the step's time is over.
await() {
    until [ -e "$1" ]; do
        if [ -e "$1.failed" ]; then
            cp "$1.failed" "$work/said"
            ! grep -q "GB of disk" "$work/said" || return 77
            return 1
        fi
        if [ "$(left)" -le 1 ]; then
            echo "$1 was not made in time" >"$work/said"
            return 124
        fi
        sleep 0.2
    done
}
await_scale() { # SCALE
    folder=$data/sf$1
    await "$folder"
}

# ---- several at a time ----

# in_parallel COUNT FUNCTION ITEM...: FUNCTION ITEM for each, so many at a time.
in_parallel() {
    lanes=$1 function=$2
    shift 2
    lane=0
    while [ $lane -lt "$lanes" ]; do
        (
            number=0
            for item in "$@"; do
                [ $((number % lanes)) != $lane ] || "$function" "$item"
                number=$((number + 1))
            done
        ) &
        lane=$((lane + 1))
        pids="${pids:-} $!"
    done
    # shellcheck disable=SC2086  # several words
    wait $pids
    pids=
}

# each_line FUNCTION SECONDS FILE COMMAND...: FUNCTION LINE for each line as soon as the command has said it; all go to FILE. The
# command's exit code.
each_line() {
    of_line=$1 for_seconds=$2 into=$3
    shift 3
    : >"$into"
    { timeout -k 3 "$for_seconds" "$@" 2>&1; echo $? >"$into.code"; } | while IFS= read -r line; do
        printf '%s\n' "$line" >>"$into"
        "$of_line" "$line"
    done
    return "$(cat "$into.code")"
}

# reason FILE CODE SECONDS: of what a program said that failed, the first lines and the last.
reason() {
    case $2 in
    124 | 137) echo "did not end within $3 s" ;;
    13[2-9]) echo "ended by signal $(($2 - 128))" ;;
    esac
    grep -av "^begin \|^passed " "$1" | awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) if (i <= 5 || i > NR - 4) print line[i] }'
}

# alone TEST SECONDS COMMAND...: records how it ended; one that fails is run once more, with each launch told, for the reason.
alone() {
    test=$1 seconds=$2
    shift 2
    at=$(left)
    if [ "$at" -le 1 ]; then
        record_test "$test" "passed over" 0
        return
    fi
    [ "$seconds" -lt "$at" ] || seconds=$at
    said=$work/notes/$(echo "$step.$test" | tr '/ ' '__')
    test_begun=$(date +%s)
    timeout -k 3 "$seconds" "$@" >"$said" 2>&1
    code=$?
    took=$(($(date +%s) - test_begun))
    note "$test alone" $code "$said"
    case $code in
    0) record_test "$test" passed $took ;;
    77) record_test "$test" skipped $took "$said" ;;
    *)
        reason "$said" "$code" "$seconds" >"$said.why"
        if [ -z "${PISTACHIO_CUDA_TRACE:-}" ] && [ "$(left)" -gt 5 ]; then
            PISTACHIO_CUDA_TRACE=1 timeout -k 3 "$seconds" "$@" >"$said.trace" 2>&1
            code=$?
            {
                echo "and with each launch awaited:"
                grep -a "^cuda: kernel_" "$said.trace" | tail -n 1 | cut -c 1-700
                grep -av "^cuda: " "$said.trace" >"$said.rest"
                reason "$said.rest" $code "$seconds"
            } >>"$said.why"
        fi
        mv "$said.why" "$said"
        record_test "$test" failed $took "$said"
        ;;
    esac
    rm -f "$said" "$said.trace" "$said.rest"
}

# sum_of_tests: what became of the step's tests, each as it was run last; the code is 0 if none failed.
sum_of_tests() {
    grep -F "\"step\": \"$step\", \"test\": " "$results" | awk -F '"' '{ state[$8] = $12 }
        END { for (test in state) count[state[test]]++
              print count["passed"] + 0 " passed, " count["failed"] + 0 " failed, " count["skipped"] + 0 " skipped"
              exit count["failed"] > 0 }' >"$work/said"
    code=$?
    figure "${step}_passed" "$(cut -d ' ' -f 1 "$work/said")"
    figure "${step}_failed" "$(cut -d ' ' -f 3 "$work/said")" 0
    return $code
}

# ---- the steps ----

# A driver that is not there, or has no device, is why all steps are passed over; one that fails, or hangs, is not.
step_probe() {
    try "$here/probe" "$kernels"
    code=$?
    cp "$work/said" "$work/details/probe.json"
    timeout 10 nvidia-smi -q >"$work/smi" 2>&1 && note nvidia-smi 0 "$work/smi" && cp "$work/smi" "$work/details/nvidia-smi"
    awk -F '"' '/^ "[a-z0-9_]*": [0-9.]+,?$/ { value = $3; gsub(/[^0-9.]/, "", value); print $2, value }' "$work/said" >"$work/figures"
    if [ $code = 77 ]; then
        no_device="there is no driver, or no device: $(tail -n 1 "$work/said" | tr -d '"{}')"
    fi
    ended $code
}

# The tests of a file; those that did not pass once more, each in a process of its own, as what a kernel does wrong ends a
# process's work on the device.
kernel_line() {
    case $1 in
    "passed "*) record_test "${1#passed }" passed 0 ;;
    "skipped the CUDA device"*) ;;
    "skipped "*) record_test "${1#skipped }" skipped 0 ;;
    esac
}
kernel_file() {
    file=$1
    its=$work/notes/kernels.$file
    "$here/unit_tests" --list "$file" | while read -r name; do
        ! is_wanted "$name" || echo "$name"
    done >"$its.wanted"
    [ -s "$its.wanted" ] || return 0
    seconds=$(left)
    [ "$seconds" -lt "${KERNELS_SECONDS:-40}" ] || seconds=${KERNELS_SECONDS:-40}
    # shellcheck disable=SC2046  # several words
    TEST_TELL=1 each_line kernel_line "$seconds" "$its" "$here/unit_tests" $(sed 's/^/=/' "$its.wanted")
    note "$file" $? "$its"
    while read -r name; do
        grep -qx "passed $name\|skipped $name" "$its" || echo "$name" >>"$work/kernels.again"
    done <"$its.wanted"
}
kernel_test() {
    alone "$1" 15 "$here/unit_tests" "=$1"
}
step_kernels() {
    : >"$work/kernels.again"
    # All that the host's memory has is registered: on a device that reads it anyway pages would wander back and forth.
    export PISTACHIO_TEST_REGISTERED="${KERNELS_REGISTERED-1}"
    [ -n "$PISTACHIO_TEST_REGISTERED" ] || unset PISTACHIO_TEST_REGISTERED
    # shellcheck disable=SC2046  # several words
    in_parallel "${KERNELS_JOBS:-3}" kernel_file $(cat "$here/kernel_tests.list")
    # shellcheck disable=SC2046  # several words
    in_parallel "${KERNELS_JOBS:-3}" kernel_test $(cat "$work/kernels.again")
    unset PISTACHIO_TEST_REGISTERED
    sum_of_tests
    ended $?
}

sql_file() {
    alone "$1" 40 "$here/sql_runner" "$here/sql/$1.test"
}
sql_group() {
    group=$1 files='' wanted=''
    for name in $(sed -n "${group}p" "$work/groups"); do
        is_wanted "$name" && files="$files $here/sql/$name.test" wanted="$wanted $name"
    done
    [ -n "$files" ] || return 0
    said=$work/notes/sql.$group
    # shellcheck disable=SC2086  # several words
    timeout -k 3 "$(left)" "$here/sql_runner" $files >"$said" 2>&1
    code=$?
    note "sql tests, group $group" $code "$said"
    for name in $wanted; do
        if [ $code = 0 ]; then
            record_test "$name" passed 0
        else
            sql_file "$name"
        fi
    done
}
step_first() {
    names=
    for name in ${FIRST_SQL:-encoding_hints join_class group sort text}; do
        [ ! -f "$here/sql/$name.test" ] || names="$names $name"
    done
    # shellcheck disable=SC2086  # several words
    in_parallel 3 sql_file $names
    sum_of_tests
    ended $?
}
# Some files share a process, as each opens the device anew; of those of one that fails, each has its own.
step_sql() {
    make_forms_behind
    ls "$here/sql" | sed -n 's/\.test$//p' | xargs -n "${SQL_GROUP:-8}" >"$work/groups"
    # shellcheck disable=SC2046  # several words
    in_parallel "${SQL_JOBS:-4}" sql_group $(seq "$(wc -l <"$work/groups")")
    sum_of_tests
    ended $?
}

# each_query RUN...: the 22 by `tpch run RUN`, in one process; those that did not pass each in its own. Lines of query, seconds and
# rows go to $work/timed.
query_line() {
    number=$(echo "$1" | right_rows | cut -d ' ' -f 1)
    [ -z "$number" ] || record_test "q$number" passed "$(echo "$1" | awk '{ print $2 }')"
}
# Of what tpch run says: query, seconds and rows of those without a failure.
right_rows() {
    awk '/^q[0-9]/ && (NF == 3 || (NF == 4 && $4 == "ok")) { print substr($1, 2) + 0, $2, $3 }'
}
each_query() {
    wanted=
    for number in $(seq 22); do
        ! is_wanted "q$number" || wanted="$wanted,$number"
    done
    : >"$work/timed"
    [ -n "$wanted" ] || return 0
    rm -f "$work/run.json"
    rows=$work/notes/$step.rows
    each_line query_line "$(left)" "$rows" "$pistachio" tpch run --data "$folder" --queries "${wanted#,}" --json "$work/run.json" "$@"
    note "$step" $? "$rows"
    cp "$work/run.json" "$work/details/$step.json" 2>/dev/null
    right_rows <"$rows" >"$work/timed"
    for number in $(echo "$wanted" | tr ',' ' '); do
        grep -q "^$number " "$work/timed" ||
            alone "q$number" 30 "$pistachio" tpch run --data "$folder" --queries "$number" "$@"
    done
    [ ! -f "$work/run.json" ] || best_of "$work/run.json" >"$work/timed"
}

# best_of FILE: of tpch run --json, a line each of query, seconds and rows.
best_of() {
    awk '/"ok": true/ {
        query = $0; sub(/.*"query": /, "", query); rows = $0; sub(/.*"rows": /, "", rows)
        runs = $0; sub(/.*"runs_s": \[/, "", runs); count = split(runs, each, /[],]+/); best = each[1] + 0
        for (i = 2; i <= count; i++) if (each[i] + 0 > 0 && each[i] + 0 < best) best = each[i] + 0
        print query + 0, best, rows + 0 }' "$1"
}

step_answers() {
    # shellcheck disable=SC2086  # several words
    await_scale "$answers_scale" && each_query --check --set device=cuda $limits && sum_of_tests
    ended $?
}

geometric_mean() {
    awk '{ sum += log($2 > 0 ? $2 : 1e-6) } END { if (NR) printf "%.4f", exp(sum / NR) }' "$1"
}

# queries_before WORDS: the 22, each after the words.
queries_before() {
    for query in "$here"/queries/*.sql; do
        echo "$1"
        cat "$query"
        echo ";"
    done
}

# Where nobody has published answers: the CPU's rows, in any order, numbers to 1e-9 of their size.
same_rows() {
    queries_before "" >"$work/queries.sql"
    for device in cuda cpu; do
        # shellcheck disable=SC2086  # several words
        try "$pistachio" --format csv --set device=$device $limits -f "$work/queries.sql" "$folder" || return
        sort "$work/said" >"$work/rows.$device"
    done
    awk -F , 'function is_number(text) { return text ~ /^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$/ }
        function is_close(a, b) { return a == b || (is_number(a) && is_number(b) && (a - b) ^ 2 <= 1e-18 * a * a) }
        FNR == NR { expected[FNR] = $0; count = FNR; next }
        { fields = split(expected[FNR], other); same = fields == NF
          for (i = 1; i <= NF && same; i++) same = is_close($i, other[i])
          if (!same && !bad++) print "the CPU has " expected[FNR] ", the device " $0 }
        END { if (FNR != count) print "the CPU has " count " rows, the device " FNR
              else if (!bad) print count " rows are as on the CPU"
              exit bad || FNR != count }' "$work/rows.cpu" "$work/rows.cuda" >"$work/said"
}

# What each query copies to the device and from there, and what it shall not do: lines of query, bytes, bytes, copies of
# memory that is not pinned, waits that keep a thread.
copied() {
    queries_before "explain analyze" >"$work/explained.sql"
    # shellcheck disable=SC2086  # several words
    try "$pistachio" --format tsv --set device=cuda $limits -f "$work/explained.sql" "$folder" || return
    cp "$work/said" "$work/details/explained"
    awk 'function number(what) { return match($0, what " [0-9]+") ? substr($0, RSTART + length(what) + 1, RLENGTH - length(what) - 1) : 0 }
        /^device cuda/ { print ++query, number("bytes to the device"), number("bytes from the device"),
            number("of memory not pinned"), number("blocking waits") }' "$work/said" >"$work/copied"
    [ "$(wc -l <"$work/copied")" = 22 ] && return
    echo "EXPLAIN ANALYZE says of $(wc -l <"$work/copied") of 22 queries what the device did" >"$work/said"
    return 1
}

# A query's bytes over the host link, each way by itself, at the rate that was copied with: no query can take less.
beside_bounds() {
    in_rate=$(share copy_in_gb_s probe_copy_in_gb_s) out_rate=$(share copy_out_gb_s probe_copy_out_gb_s)
    awk -v in_rate="$in_rate" -v out_rate="$out_rate" '
        FNR == NR { seconds[$1] = $2; next }
        in_rate > 0 && out_rate > 0 && seconds[$1] > 0 {
            to = $2 / in_rate / 1e9; from = $3 / out_rate / 1e9; bound = to > from ? to : from
            printf "q%d_link_gb_s %.3f %s\n", $1, ($2 + $3) / seconds[$1] / 1e9, (bound > 0 ? sprintf("%.3f", ($2 + $3) / bound / 1e9) : "")
            log_sum += log(bound > 0 ? bound / seconds[$1] : 1e-6); count++
        }
        END { if (count) printf "link_bound_of_cuda %.4f 1\n", exp(log_sum / count) }' "$work/cuda" "$work/copied" >>"$work/figures"
}

# The device's part comes first, and its figures stay where the rest does not end.
step_queries() {
    await_scale "$scale" || {
        ended $?
        return
    }
    # shellcheck disable=SC2086  # several words
    each_query --runs "${QUERIES_RUNS:-3}" --set device=cuda $limits
    cp "$work/timed" "$work/cuda"
    figure cuda_mean_s "$(geometric_mean "$work/cuda" | grep . || echo 0)"
    awk '{ printf "q%d_cuda_s %.4f\n", $1, $2 }' "$work/cuda" >>"$work/figures"
    # shellcheck disable=SC2086  # several words
    try "$pistachio" tpch run --data "$folder" --runs 2 --set device=cpu $limits --json "$work/cpu.json" && {
        best_of "$work/cpu.json" >"$work/cpu"
        figure cpu_mean_s "$(geometric_mean "$work/cpu")"
        awk 'FNR == NR { cpu[$1] = $2; next } cpu[$1] > 0 { print $1, $2 / cpu[$1] }' "$work/cpu" "$work/cuda" >"$work/ratios"
        [ ! -s "$work/ratios" ] || figure cuda_of_cpu "$(geometric_mean "$work/ratios")" 0.5
        figure queries_slower "$(awk '$2 > 1' "$work/ratios" | wc -l)" 0
        awk '{ printf "q%d_cuda_of_cpu %.4f\n", $1, $2 }' "$work/ratios" >>"$work/figures"
    }
    # Once more with what was read kept on the device.
    # shellcheck disable=SC2086  # several words
    [ ! -s "$work/cpu" ] || try "$pistachio" tpch run --data "$folder" --runs "${QUERIES_RUNS:-3}" --set device=cuda $limits \
        --set cache_memory=20GB --json "$work/kept.json" && [ -f "$work/kept.json" ] && {
        best_of "$work/kept.json" >"$work/kept"
        figure cuda_kept_mean_s "$(geometric_mean "$work/kept")"
        awk 'FNR == NR { cpu[$1] = $2; next } cpu[$1] > 0 { print $1, $2 / cpu[$1] }' "$work/cpu" "$work/kept" >"$work/ratios"
        [ ! -s "$work/ratios" ] || figure cuda_kept_of_cpu "$(geometric_mean "$work/ratios")" 0.2
        awk '{ printf "q%d_cuda_kept_s %.4f\n", $1, $2 }' "$work/kept" >>"$work/figures"
    }
    copied && {
        figure queries_pageable_copies "$(awk '{ sum += $4 } END { print sum + 0 }' "$work/copied")" 0
        figure queries_blocking_waits "$(awk '{ sum += $5 } END { print sum + 0 }' "$work/copied")" 0
        beside_bounds
        same_rows
    }
    code=$?
    cp "$work/said" "$work/said.rows"
    sum_of_tests || code=1
    [ $code = 0 ] || cp "$work/said.rows" "$work/said"
    ended $code
}

# figures_of: what a benchmark printed.
figures_of() {
    grep -o '"[a-z_0-9]*_\(gb_s\|us\)": [0-9.]*' "$work/said" | tr -d '":'
}

step_ceilings() {
    try "$here/ceilings" "${BENCH_ROWS:-67108864}"
    code=$?
    figures_of >"$work/figures"
    if [ $code = 0 ] && [ -x "$here/cub" ]; then
        cp "$work/said" "$work/details/ceilings"
        try "$here/cub" "${BENCH_ROWS:-67108864}" && cp "$work/said" "$work/details/cub" && figures_of >>"$work/figures"
    fi
    ended $code
}

# The rate of an independent program's random accesses and of CUB is the ceiling where it was measured, else our own.
step_operators() {
    try "$here/operators" "${BENCH_ROWS:-67108864}"
    code=$?
    figures_of | while read -r name value; do
        case $name in
        build*) figure "$name" "$value" "$(share independent_swaps_per_us random_swaps_per_us)" ;;
        probe*) figure "$name" "$value" "$(share independent_reads_per_us random_reads_per_us)" ;;
        sort_rows*) figure "$name" "$value" "$(share cub_sort_rows_per_us)" ;;
        scan_gb_s) figure "$name" "$value" "$(share cub_scan_gb_s)" ;;
        *_gb_s) figure "$name" "$value" "$(share copy_within_gb_s)" ;;
        *) figure "$name" "$value" ;;
        esac
    done
    ended $code
}

# Millions of rows a second of building and of probing; of so few rows that they take no time, none.
step_join() {
    for rows in ${JOIN_ROWS:-67108864 335544320}; do
        try "$pistachio" bench join --device cuda --build-rows "$rows" --probe-rows "$rows" --runs 3
        code=$?
        [ $code = 0 ] || break
        awk -v rows="$rows" '$1 == 1 && NF == 8 {
            if ($2 > 0) printf "build_%d_rows_us %.1f\n", rows, rows / $2 / 1e6
            if ($3 > 0) printf "probe_%d_rows_us %.1f\n", rows, rows / $3 / 1e6
        }' "$work/said" >"$work/joined"
        while read -r name value; do
            case $name in
            build*) figure "$name" "$value" "$(share independent_swaps_per_us random_swaps_per_us)" ;;
            *) figure "$name" "$value" "$(share independent_reads_per_us random_reads_per_us)" ;;
            esac
        done <"$work/joined"
    done
    ended $code
}

# ---- lineitem's columns ----

# Every column is decoded, and each of its values or lengths is used.
lineitem="select sum(l_orderkey), sum(l_partkey), sum(l_suppkey), sum(l_linenumber), sum(l_quantity), sum(l_extendedprice),
 sum(l_discount), sum(l_tax), sum(octet_length(l_returnflag)), sum(octet_length(l_linestatus)),
 sum(l_shipdate - date '1992-01-01'), sum(l_commitdate - date '1992-01-01'), sum(l_receiptdate - date '1992-01-01'),
 sum(octet_length(l_shipinstruct)), sum(octet_length(l_shipmode)), sum(octet_length(l_comment)) from lineitem"
lineitem_bytes=156 # of a row's values in memory: 8 numbers of 8 bytes, 3 dates of 4, 5 texts' views of 16

lineitem_rows() {
    try "$pistachio" --format csv "$folder" -c "select count(*) from lineitem" && rows=$(tail -n 1 "$work/said")
}

# seconds_of FOLDER SQL SETTING...: the best of three runs in one process.
seconds_of() {
    its_folder=$1 sql=$2
    shift 2
    arguments=$limits
    for setting in "$@"; do
        arguments="$arguments --set $setting"
    done
    # shellcheck disable=SC2086  # several words
    try "$pistachio" --timer --format none $arguments "$its_folder" -c "$sql" -c "$sql" -c "$sql" || return
    sed -n 's/^time: \([0-9.]*\) s.*/\1/p' "$work/said" | sort -g | head -n 1 >"$work/seconds"
    [ -s "$work/seconds" ]
}

# per_second AMOUNT: of what took the seconds that were measured last, in units of 10^9.
per_second() {
    awk -v amount="$1" '{ printf "%.3f", amount / $1 / 1e9 }' "$work/seconds"
}

# scan NAME: of the folder's lineitem, in values and in bytes of its file.
scan() {
    name=$1
    shift
    seconds_of "$folder" "$lineitem" device=cuda "$@" || return
    figure "${name}_values_gb_s" "$(per_second $((rows * lineitem_bytes)))"
    figure "${name}_file_gb_s" "$(per_second "$(wc -c <"$folder/lineitem.parquet")")" "$(share copy_in_gb_s probe_copy_in_gb_s)"
}

# resident NAME [GOAL]: what of the folder's lineitem lies in the device's memory, decoded from there.
resident() {
    try "$here/decode" "$folder/lineitem.parquet" "${DECODE_ROUNDS:-5}" || return
    cp "$work/said" "$work/details/decode_$1.json"
    figures_of >"$work/decoded"
    while read -r name value; do
        case $name in
        values*) figure "resident_$1_$name" "$value" ${2:+"$2"} ;;
        *) figure "resident_$1_$name" "$value" ;;
        esac
    done <"$work/decoded"
    figure "resident_$1_host_pages" "$(grep -o '"host_pages": [0-9]*' "$work/said" | grep -o '[0-9]*$')"
}

step_decode() {
    await_scale "$scale" && lineitem_rows && scan made && resident made
    ended $?
}

# As the rewriter makes it for this, and as DuckDB writes it.
step_forms() {
    make_forms_behind
    await_scale "$scale" && lineitem_rows
    code=$?
    for name in gpu one-page; do
        goal=40
        [ $name != gpu ] || goal=125
        folder=$data/sf$scale-$name
        [ $code = 0 ] && await "$folder/lineitem.parquet" && scan "$(echo $name | tr - _)" && resident "$(echo $name | tr - _)" $goal
        code=$?
    done
    ended $code
}

step_chunks() {
    await_scale "$scale"
    code=$?
    for rows in ${CHUNK_ROWS:-1048576 4194304 16777216}; do
        [ $code = 0 ] || break
        # shellcheck disable=SC2086  # several words
        try "$pistachio" tpch run --data "$folder" --queries 1,6,9 --runs 2 --set device=cuda --set "chunk_rows=$rows" $limits \
            --json "$work/run.json"
        code=$?
        best_of "$work/run.json" | while read -r query seconds _; do
            figure "q${query}_chunks_${rows}_s" "$seconds"
        done
    done
    ended $code
}

# Of queries 1, 9 and 18: each kernel's launches and time, one launch after the other; of hot kernels' first launches the share of
# the memory's rate, of the multiprocessors, occupancy.
step_profile() {
    ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null)
    if [ -z "$ncu" ]; then
        echo "there is no Nsight Compute (ncu)" >"$work/said"
        ended 77
        return
    fi
    await_scale "$answers_scale" && for number in 01 09 18; do
        try_for $(($(left) / 3 + 1)) "$ncu" --metrics gpu__time_duration.sum --clock-control none --target-processes all --csv --page raw \
            --launch-count 2000 "$pistachio" --set device=cuda --format none "$folder" -f "$here/queries/q$number.sql"
        code=$?
        awk -F '","' '/^"ID"/ { for (i = 1; i <= NF; i++) if ($i ~ /^gpu__time_duration.sum"?$/) column = i }
            column && NF >= column && $5 ~ /^kernel_/ { took = $column; gsub(/[^0-9.]/, "", took); count[$5]++; time[$5] += took / 1000 }
            END { for (kernel in time) printf "%12.1f us in %6d launches of %s\n", time[kernel], count[kernel], kernel }' "$work/said" |
            sort -rn >"$work/details/times_q$number"
        [ $code = 0 ] || break
    done
    [ $code != 0 ] || for number in 1 9; do
        try_for $(($(left) / 2 + 1)) "$ncu" --set basic --clock-control none --target-processes all --launch-count 40 --csv --page details \
            -k 'regex:decompress|batch_codes|batch_plain|expression|aggregate_sum|sort_rows_radix|code_insert' \
            "$pistachio" --set device=cuda "$folder" -f "$here/queries/q0$number.sql"
        code=$?
        head -c 4000000 "$work/said" >"$work/details/ncu_q$number.csv"
        [ $code = 0 ] || break
    done
    ended $code
}

# sanitized NAME COMMAND...: by one tool of compute-sanitizer.
sanitized() {
    name=$1 tool=${1%%_*}
    shift
    alone "$name" 45 "$sanitizer" --tool "$tool" --error-exitcode 9 "$@"
    grep -q "Device not supported" "$log" || return 0
    return 77
}
step_sanitizer() {
    sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
    if [ -z "$sanitizer" ]; then
        echo "there is no compute-sanitizer" >"$work/said"
        ended 77
        return
    fi
    export PISTACHIO_TEST_REGISTERED=1 PISTACHIO_CUDA_TIMEOUT=0
    await_scale "$sanitizer_scale" &&
        sanitized racecheck_kernels "$here/unit_tests" test_text_kernels test_narrow_keys &&
        sanitized synccheck_kernels "$here/unit_tests" test_text_kernels test_narrow_keys &&
        sanitized memcheck_queries env PISTACHIO_CUDA_POOL=off "$pistachio" tpch run --data "$folder" --check --set device=cuda --queries 1,6 &&
        sanitized initcheck_queries env PISTACHIO_CUDA_POOL=off "$pistachio" tpch run --data "$folder" --check --set device=cuda --queries 1,6 &&
        sum_of_tests
    code=$?
    unset PISTACHIO_TEST_REGISTERED
    export PISTACHIO_CUDA_TIMEOUT=10
    [ $code != 77 ] || echo "compute-sanitizer does not take this device" >"$work/said"
    ended $code
}

# The ways to overlap reading and computing, from none to all, and what each has that those before it have not.
off="metadata_cache=off registered_memory=off reader_combining=off adaptive_regulation=off"
overlaps() {
    cat <<END
full overlap=full
pageable overlap=full pinned_memory=off
synchronized overlap=full synchronization=blocking
blocking overlap=blocking threads=1 $off
chunking overlap=chunking $off
metadata overlap=chunking $off metadata_cache=on
registered overlap=chunking $off metadata_cache=on registered_memory=on
deferred overlap=deferred $off metadata_cache=on registered_memory=on
full_1_thread overlap=full threads=1
full_2_threads overlap=full threads=2
full_4_threads overlap=full threads=4
full_8_threads overlap=full threads=8
END
}

step_paper() {
    await_scale "$scale" && lineitem_rows || {
        ended $?
        return
    }
    q3=$(cat "$here/queries/q03.sql")
    code=0
    overlaps >"$work/overlaps"
    while read -r name settings; do
        case " ${PAPER_FORMS:-$name} " in
        *" $name "*) ;;
        *) continue ;;
        esac
        # shellcheck disable=SC2086  # several words
        seconds_of "$folder" "$lineitem" device=cuda $settings && figure "scan_${name}_gb_s" "$(per_second \
            "$(wc -c <"$folder/lineitem.parquet")")" "$(share copy_in_gb_s probe_copy_in_gb_s)" || code=1
        for ranks in 1 2; do
            # shellcheck disable=SC2086  # several words
            seconds_of "$folder" "$q3" device=cuda ranks=$ranks $settings && figure "q3_${name}_${ranks}_ranks_s" \
                "$(cat "$work/seconds")" || code=1
        done
    done <"$work/overlaps"
    ended $code
}

# ARRAYS_ROUNDS: of which the best counts. Then the 22 queries' rows, not timed.
step_arrays() {
    await_scale "$answers_scale" && try "$here/arrays" "$folder" "select * from lineitem" "${ARRAYS_ROUNDS:-3}"
    code=$?
    [ $code != 0 ] || figures_of | while read -r name value; do
        case $name in
        arrays_fetched*) figure "$name" "$value" "$(share copy_out_gb_s probe_copy_out_gb_s)" ;;
        *) figure "$name" "$value" ;;
        esac
    done
    for query in "$here"/queries/*.sql; do
        [ $code = 0 ] || break
        try "$here/arrays" "$folder" "$(cat "$query")" 0
        code=$?
    done
    [ $code != 0 ] || echo "columns of lineitem and of the 22 queries have the CPU's sums" >"$work/said"
    ended $code
}

# large_at SCALE PREFIX: with little of the device's memory, then on the CPU, which has as many rows.
large_at() {
    folder=$data/sf$1
    if [ ! -d "$folder" ]; then
        room "$1" 1 >"$work/said" || return
        try "$pistachio" tpch generate --scale "$1" --out "$folder.part" && mv "$folder.part" "$folder" || return
    fi
    for device in cuda cpu; do
        memory=
        [ $device = cpu ] || memory="--set device_memory_limit=${LARGE_MEMORY:-4GB}"
        # shellcheck disable=SC2086  # several words
        try "$pistachio" tpch run --data "$folder" --set device=$device $memory $limits --json "$work/run.json" || return
        best_of "$work/run.json" >"$work/$device"
        figure "${2}${device}_mean_s" "$(geometric_mean "$work/$device")"
    done
    paste -d ' ' "$work/cuda" "$work/cpu" | awk '$3 != $6 { wrong = 1; print "query " $1 ": " $3 " rows, the CPU has " $6 }
        END { exit wrong }' >"$work/said"
}
# The larger tables only where there are disk and time for them.
step_large() {
    large_at "${LARGE_SCALE:-30}" ""
    code=$? beyond=
    if [ $code = 0 ]; then
        large_at "${LARGE_BEYOND:-100}" beyond_
        its=$?
        case $its in
        0) beyond=passed ;;
        77 | 124 | 137) beyond="$its: $(text "$work/said")" ;;
        *) code=$its ;;
        esac
    fi
    ended $code ", \"beyond\": \"$beyond\""
}

step_cores() {
    await_scale "$scale"
    code=$? most=$(nproc)
    for threads in 16 8 4 2 1; do
        [ $code = 0 ] && [ "$threads" -le "$most" ] || continue
        # shellcheck disable=SC2086  # several words
        try "$pistachio" tpch run --data "$folder" --set device=cpu --set threads=$threads $limits --json "$work/run.json"
        code=$?
        best_of "$work/run.json" >"$work/$threads"
        figure "threads_${threads}_mean_s" "$(geometric_mean "$work/$threads")"
        # How many times as fast the most threads are: the share of what they could be at most.
        [ "$threads" != 1 ] || [ ! -s "$work/16" ] ||
            figure threads_16_speedup "$(paste -d ' ' "$work/1" "$work/16" | awk '{ print $1, $2 / $5 }' >"$work/ratios" &&
                geometric_mean "$work/ratios")" 16
    done
    ended $code
}
