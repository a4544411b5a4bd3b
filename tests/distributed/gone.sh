#!/bin/sh
# A rank that is killed, or stopped: the others end with a failure that names it; the shell of rank 0 goes
# on with what it can do alone; ranks end with rank 0.
# gone.sh PROGRAM TERMINAL (tests/cli/terminal.c)
set -u
terminal=$2
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

make_table "$work/t.parquet"
cp "$work/t.parquet" "$work/u.parquet"
# Runs for hours.
long="select count(*) from t a, t b, t c where a.x + b.x + c.x = -1"

# The processes that $1 has started, once there are as many as $2.
children() {
    tries=0
    while [ $tries -lt 1500 ]; do
        found=$(pgrep -P "$1")
        [ "$(echo "$found" | grep -c .)" -ge "$2" ] && break
        tries=$((tries + 1))
        sleep 0.02
    done
    echo "$found"
}

# A query's threads work: rank 0 has read what there is, and computes.
started() { # pid
    tries=0
    while [ $tries -lt 1500 ] && [ "$(awk '{ print ($14 + $15 > 10) }' "/proc/$1/stat" 2>/dev/null)" != 1 ]; do
        tries=$((tries + 1))
        sleep 0.02
    done
}

are_gone() { # pid...
    tries=0
    while [ $tries -lt 1500 ]; do
        alive=0
        for pid in "$@"; do
            kill -0 "$pid" 2>/dev/null && alive=1
        done
        [ $alive = 0 ] && return
        tries=$((tries + 1))
        sleep 0.02
    done
    echo "processes are left: $*"
    return 1
}

# lose SIGNAL WHO-AND-WHY SETTING: a rank of three gets the signal while all work.
lose() {
    "$program" --processes 3 -c "set $3" -c "$long" "$work/t.parquet" >"$work/lost" 2>&1 &
    root=$!
    ranks=$(children $root 2)
    one=$(echo "$ranks" | head -n 1)
    started "$one"
    kill -"$1" "$one"
    wait $root
    check "SIG$1: rank 0 fails" test $? = 1
    check "SIG$1: it names the rank" grep -q "error: rank $2" "$work/lost"
    # shellcheck disable=SC2086  # several numbers
    check "SIG$1: nobody is left" are_gone $ranks
}
lose KILL "1 (host .*) is gone.*connection" peer_timeout=60000
lose STOP ". (host .*) is gone.*nothing came from it" peer_timeout=1500 # on a busy machine another one, too

# Ranks end with rank 0.
"$program" --processes 3 -c "$long" "$work/t.parquet" >"$work/lost" 2>&1 &
root=$!
ranks=$(children $root 2)
started $root
kill -KILL $root
wait $root 2>/dev/null
# shellcheck disable=SC2086
check "rank 0 is killed: nobody is left" are_gone $ranks

# Ranks that nobody's end takes along fail with rank 0, each of them: whoever started them is to start them again.
if command -v python3 >/dev/null; then
    port=$(free_port)
    pids=
    for rank in 2 1 0; do
        PISTACHIO_RANKS=3 PISTACHIO_RANK=$rank PISTACHIO_ROOT=127.0.0.1:$port PISTACHIO_TOKEN=secret \
            "$program" -c "$long" "$work/t.parquet" >"$work/by_hand.$rank" 2>&1 &
        root=$!
        [ $rank = 0 ] || pids="$pids $root"
    done
    started $root
    kill -KILL $root
    wait $root 2>/dev/null
    for pid in $pids; do
        wait "$pid"
        check "rank 0 is killed: another one fails" test $? = 1
    done
    check "and says why" grep -q "error: rank 0 (host .*) is gone" "$work/by_hand.1"
    check "all of them" grep -q "error: rank 0 (host .*) is gone" "$work/by_hand.2"
else
    skip "ranks started by hand: no python3 to find a port"
fi

# On a terminal: the shell stays, Ctrl-C stops a statement on all ranks.
"$terminal" 80 true </dev/null >/dev/null
if [ $? = 77 ]; then
    skip "the shell: no pseudo-terminal can be made here"
    finish
    exit
fi
# shell TYPED: as in tests/cli/shell.sh.
shell() {
    printf '%b' "$1" | LC_ALL=C.UTF-8 "$terminal" 100 "$program" --processes 3 "$work/t.parquet"
}
expect "Ctrl-C" 0 - shell "$long;\n\036\0003select sum(x) + 1 as s from t;\n.quit\n"
says "stops the statement" "cancelled"
says "and the next one runs" "49995001"
# A rank does not answer while rank 0 begins a statement: Ctrl-C ends that, too.
expect "Ctrl-C while others bind" 0 - shell "select sum(x) + 3 as s from t;\n\\\\! \
pkill -STOP -n -P \$PPID -x pistachio\n\036select sum(x) + 4 as s from t;\n\036\036\0003\036\\\\! \
pkill -CONT -n -P \$PPID -x pistachio\n\036select sum(x) + 5 as s from t;\n.quit\n"
says "stops the statement" "cancelled"
silent "which gave no rows" "49995004"
says "and the next one runs" "49995005"
expect "a rank is killed while the shell waits" 0 - shell "select sum(x) + 1 as s from t;\n\\\\! \
pkill -KILL -n -P \$PPID -x pistachio\n\036select sum(x) + 2 as s from t;\nset distribute = never;\nselect sum(x) + 3 as s from t;
select count(*) + 66000 as s from '$work/u.parquet';\nselect sum(x) from 'local:$work/u.parquet';\n.quit\n"
says "it ran before" "49995001"
says "the next one says who is gone" "error: rank 2 (host"
says "and how to mend it" "start all ranks again"
says "what rank 0 can do alone goes on" "49995003"
says "of tables that were not open, too" "76000"
says "unless files may be other ranks'" "u.parquet\" may be other ranks'"
finish
