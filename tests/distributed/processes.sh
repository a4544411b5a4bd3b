#!/bin/sh
# Statements on ranks that are processes: rows, failures of any rank, settings and views of rank 0, tables
# that differ, and processes that are started one by one.
# processes.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

mkdir "$work/0" "$work/1" "$work/2"
make_table "$work/0/t.parquet"
cp "$work/0/t.parquet" "$work/1"
cp "$work/0/t.parquet" "$work/2"
t="$work/0/t.parquet"

# By hand: 0 + 1 + ... + 9999 = 49995000, 10000 / 7 = 1428.6; squares of the numbers below 100.
for ranks in 1 2 3; do
    expect "a sum, $ranks processes" 0 "$(printf 's\n49995000')" on $ranks -c "select sum(x) as s from t" "$t"
done
expect "groups and an order" 0 "$(printf 'k,n\n6,1428\n5,1428\n4,1428')" on 3 \
    -c "select x % 7 as k, count(*) as n from t group by 1 order by 1 desc limit 3" "$t"
expect "a join" 0 "$(printf 'n\n100')" on 2 -c "select count(*) as n from t a join t b on a.x = b.x * b.x" "$t"
"$program" --set distribute=never -c "copy (select x from '$t' where x < 9) to '$work/small.parquet'" >"$work/out"
expect "more ranks than row groups" 0 "$(printf 's\n36')" on 4 -c "select sum(x) as s from small" "$work/small.parquet"
expect "a clock" 0 "$(printf 'n\n1')" on 3 -c "select count(distinct now()) as n from t" "$t"

# All ranks' rows are counted: 10000 of the scan, one of each rank's sum.
expect "explain analyze" 0 - on 3 -c "explain analyze select sum(x) from t where x >= 0" "$t"
says "says what each did" "rank 2 (host "
cp "$work/out" "$work/explained"
check "counts the rows of all" grep -Eq '^"? +10000 +.* scan t' "$work/explained"
check "and the sums of three" grep -Eq '^"? +3 +.* gather' "$work/explained"

expect "topology" 0 - "$program" topology --processes 2
says "has all ranks" "rank 1: host "
says "what they have" "cores: "
cores=$(nproc)
if [ "$cores" -ge 2 ]; then
    says "each has its share of the cores" "cores: $((cores / 2)) of"
    own=$(sed -n 's/^  works on cores \([0-9,-]*\).*/\1/p' "$work/out" | sort -u | wc -l)
else
    skip "shares of one core"
fi
says "and how they reach each other" "to rank 0 (host "
[ "$cores" -lt 2 ] || check "no core is of two shares" [ "$own" = 2 ]
expect "topology of one process" 0 - "$program" topology
says "is that of the machine" "memory: "

# What rank 0 says counts everywhere.
expect "views and settings" 0 "$(printf 'n\n5000\nn\n2500\nn\n10000')" on 2 \
    -c "create view v as select x from t where x % 2 = 0" -c "select count(*) as n from v" \
    -c "create or replace view v as select x from t where x % 4 = 0" \
    -c "set memory_limit = '64MB'" -c "set network_message_bytes = 300" -c "select count(*) as n from v" \
    -c "drop view v" -c "create view v as select x from t" -c "select count(*) as n from v" "$t"
expect "each rank's own disk" 0 "$(printf 's\n49995000')" on 3 --set "temp_directory=$work/{rank}" \
    -c "select sum(x) as s from t" "$work/{rank}/t.parquet"

# Failures are rank 0's, with the rank where they happened; the next statement runs.
expect "a failure of rank 2" 1 - on 3 -c "select sum(1 / (x - 9999)) from t" "$t"
says "names it" "rank 2 (host "
says "and says what" "division by zero"
expect "no such file" 1 - on 3 -c "select 1" --table "t=$work/{rank}/u.parquet"
says "is said" "could not open file \"$work/" # of the rank that says it first
says "and which" "/u.parquet\""
mv "$work/2/t.parquet" "$work/2/u.parquet"
expect "no such file on one rank" 1 - on 3 -c "select sum(x) from t" "$work/{rank}/t.parquet"
says "names the rank" "rank 2 (host "
says "and the file" "could not open file \"$work/2/t.parquet\""
"$program" --set distribute=never -c "copy (select x + 1 as x from '$t' where x < 9000) to '$work/2/t.parquet'
    (row_group_size 1000)" >"$work/out"
expect "another file on one rank" 1 - on 3 -c "select sum(x) from t" "$work/{rank}/t.parquet"
says "names the rank" "rank 2 (host "
says "and the table" "has other files than rank 0"
expect "ranks stay so many" 1 - on 2 -c "set ranks = 3" -c "select sum(x) from t" "$t"
says "says so" "one of 2 ranks"

# Network threads sleep while no statement runs, and while one only computes.
network_ticks() { # of processor time of all of them, in hundredths of a second; fails where they are not two
    for process in "$shell" $(cat "/proc/$shell/task/$shell/children"); do
        grep -lx network "/proc/$process"/task/*/comm
    done >"$work/threads"
    [ "$(wc -l <"$work/threads")" = 2 ] || return
    # shellcheck disable=SC2046 # several files
    awk '{ sum += $14 + $15 } END { print sum + 0 }' $(sed 's/comm$/stat/' "$work/threads")
}
computing() { # a rank has computed for a tenth of a second since it had so many ticks
    [ "$(awk '{ print $14 + $15 }' "/proc/$shell/stat")" -gt $(($1 + 10)) ]
}
sleep_mostly() {
    before=$(network_ticks) && sleep 2 && after=$(network_ticks) && [ $((after - before)) -le 20 ]
}
if [ -r "/proc/$$/task/$$/children" ]; then
    mkfifo "$work/shell"
    "$program" --processes 2 "$t" <"$work/shell" >"$work/out" 2>"$work/err" &
    shell=$!
    exec 3>"$work/shell"
    until_so network_ticks >"$work/ticks"
    check "network threads sleep while no statement runs" sleep_mostly
    ticks=$(awk '{ print $14 + $15 }' "/proc/$shell/stat")
    echo "select count(*) from t a, t b, t c where a.x + b.x + c.x = -1;" >&3
    until_so computing "$ticks"
    check "and while one computes" sleep_mostly
    exec 3>&-
    kill -KILL "$shell"
    wait "$shell" 2>/dev/null
else
    skip "what network threads take: the kernel does not say which processes have been started"
fi

# Files named after ranks are written by each of them, others by rank 0.
expect "traces" 0 - on 3 --trace "$work/trace{rank}.json" --timeline "$work/one.svg" -c "select sum(x) as s from t" "$t"
for rank in 0 1 2; do
    check "rank $rank's trace" grep -q "scan" "$work/trace$rank.json"
done
check "one timeline" test -s "$work/one.svg"

# Nobody beyond this machine reaches its ranks: what they listen at is loopback's (0100007F in /proc/net/tcp).
cat >"$work/listeners.sh" <<'EOF2'
for p in $1 $(pgrep -P "$1" -x pistachio); do
    for i in $(ls -l "/proc/$p/fd" | sed -n 's/.*socket:.\([0-9]*\).*/\1/p'); do
        awk -v i="$i" '$10 == i && $4 == "0A" { print "listens", $2 }' "/proc/$p/net/tcp" "/proc/$p/net/tcp6"
    done
done
EOF2
printf 'select count(*) as n from t;\n\\! sh %s $PPID\n' "$work/listeners.sh" | on 3 "$t" >"$work/listeners" 2>"$work/err"
grep -v '^listens 0100007F:' "$work/listeners" >"$work/beyond"
check "ranks listen" grep -q '^listens 0100007F:' "$work/listeners"
check "not beyond loopback" cmp -s "$work/beyond" - <<EOF2
n
10000
EOF2

# Where descriptors are short, UCX would stop the process.
few() {
    ulimit -n 30
    on 8 -c "select 1 as a"
}
expect "few descriptors" 1 - few
says "says how many are needed" "open files in each process, and the limit is 30"

# One by one, as from several shells.
if command -v python3 >/dev/null; then
    port=$(free_port)
    export PISTACHIO_RANKS=2 PISTACHIO_ROOT=127.0.0.1:$port PISTACHIO_TOKEN=secret
    PISTACHIO_RANK=1 "$program" "$t" >"$work/other" 2>&1 &
    expect "started one by one" 0 "$(printf 's\n49995000')" env PISTACHIO_RANK=0 \
        "$program" --format csv -c "select sum(x) as s from t" "$t"
    wait $!
    expect "the other one" 0 0 echo $?
    check "says nothing" cmp -s "$work/other" /dev/null
    unset PISTACHIO_TOKEN
    expect "no token" 1 - env PISTACHIO_RANK=0 "$program" -c "select 1"
    says "is missed" "PISTACHIO_ROOT is set, but not PISTACHIO_TOKEN"
else
    skip "processes started one by one: no python3 to find a port"
fi
finish
