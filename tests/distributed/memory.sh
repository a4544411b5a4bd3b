#!/bin/sh
# A repartitioned join whose build side is four times memory_limit and whose probe side is twenty times: how much
# memory each rank takes, also where one of them is ten times slower. memory.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

if grep -q __asan_init "$program" || grep -q __tsan_init "$program"; then
    skip "memory of ranks: a sanitizer's would be measured"
    finish
    exit
fi
# Texts of about 800 bytes: 64 MB of build rows, 320 MB of probe rows.
alone "copy (with d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)),
        n(n) as (select a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i + 100000 * g.i from d a, d b, d c, d e, d f, d g)
        select n % 45000 as k, repeat(cast(n as varchar) || ' ', 120) as name from n where n < 400000)
        to '$work/p.parquet' (row_group_size 2000);
    copy (with d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)),
        n(n) as (select a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i from d a, d b, d c, d e, d f)
        select n as k, repeat(cast(n as varchar) || ' ', 120) as text from n where n < 80000)
        to '$work/b.parquet' (row_group_size 2000)"
sql="select count(*) as n, sum(length(name)) as s, sum(length(text)) as t from p join b on p.k = b.k;"
# By hand: 120 times the digits and one, of n (2,688,890 together) and of n % 45000 (2,300,010).
rows="400000,322666800,276001200"

# The statement on two ranks with 16 MB each; then each rank's VmHWM in kB.
peaks() {
    printf '%s\n' "$sql" "\\! for p in \$PPID \$(pgrep -P \$PPID -x pistachio); do awk '/VmHWM/ { print \"peak\", \$2 }' /proc/\$p/status; done" |
        "$program" --processes 2 --format csv --set memory_limit=32MB --set temp_directory="$work" \
            --set disabled_optimizer_rules=broadcast,runtime_filters --table "p=$work/p.parquet" --table "b=$work/b.parquet"
}
# At most memory_limit and 150 MB, of both.
is_little() {
    awk '/^peak/ { count++; if ($2 > (16 + 150) * 1024) wrong = 1 } END { exit wrong || count != 2 }' "$work/peaks" && return
    cat "$work/peaks"
    return 1
}
peaks >"$work/peaks" 2>&1
check "the rows" grep -qx "$rows" "$work/peaks"
check "memory of the ranks" is_little

# Rank 1 works for a tenth of the time.
peaks >"$work/peaks" 2>&1 &
root=$!
slow=0
while kill -0 $root 2>/dev/null; do
    one=$(pgrep -P "$(pgrep -P $root -x pistachio | head -n 1)" -x pistachio | head -n 1)
    [ -n "$one" ] && kill -STOP "$one" 2>/dev/null && slow=$((slow + 1))
    sleep 0.09
    [ -n "$one" ] && kill -CONT "$one" 2>/dev/null
    sleep 0.01
done
check "rank 1 was stopped" test $slow -gt 3
check "the rows, of a slow rank" grep -qx "$rows" "$work/peaks"
check "memory, of a slow rank" is_little
finish
