# threads_common.sh - what tests of joins on ranks that are threads share; sourced with the program as $1.
# shellcheck shell=sh
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"

# In a WITH: d, the ten digits.
# shellcheck disable=SC2034 # used by the scripts that source this
digits="d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"

# run SQL SETTING...: as CSV, on three ranks, all that can be done on all of them is. Tables p and b are in $work.
run() {
    sql=$1 options=""
    shift
    for setting; do options="$options --set $setting"; done
    # shellcheck disable=SC2086 # several words
    "$program" --format csv --set ranks=3 --set distribute=always --set chunk_rows=250 $options --table "p=$work/p.parquet" \
        --table "b=$work/b.parquet" -c "$sql"
}

# A condition on b.w that excludes nothing, each part of which the estimate takes for one that excludes most.
# shellcheck disable=SC2034
all="b.w // 100000 = 0 and b.w % 2 < 2 and b.w % 3 < 3 and b.w % 5 < 5"
