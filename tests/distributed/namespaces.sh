#!/bin/sh
# Four ranks, two in each of two network namespaces that a pair of veth devices joins: one is killed or stopped, or
# the link goes down, while rows are sent or between. The others end with a failure, and leave nothing.
# namespaces.sh PROGRAM; TRIES in the environment: how often what, "kill:100 stop:20 link:20"; MS: peer_timeout, in
# milliseconds; LD_LIBRARY_PATH says which UCX.
set -u
kinds=${TRIES:-kill:10 stop:10 link:10} timeout=${MS:-10000}
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

a=pistachio-c-$$ b=pistachio-d-$$ link_a=pistc$$ link_b=pistd$$ port=7177 pids=''
down() {
    for process in $(ip netns pids "$a" 2>/dev/null) $(ip netns pids "$b" 2>/dev/null); do
        kill -KILL "$process" 2>/dev/null # what runs there this script has started
    done
    ip netns del "$a" 2>/dev/null
    ip netns del "$b" 2>/dev/null
}
trap 'down; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
command -v ip >/dev/null || { skip "ranks in network namespaces: ip is not installed (package iproute2)"; exit 77; }
# set_up SPACE LINK ADDRESS
set_up() {
    ip -n "$1" addr add "$3/24" dev "$2" && ip -n "$1" link set "$2" up && ip -n "$1" link set lo up
}
{ ip netns add "$a" && ip netns add "$b" && ip link add "$link_a" netns "$a" type veth peer name "$link_b" netns "$b" &&
    set_up "$a" "$link_a" 10.78.0.1 && set_up "$b" "$link_b" 10.78.0.2; } 2>"$work/err" || {
    skip "ranks in network namespaces: $(head -n 1 "$work/err")"
    exit 77
}

make_table "$work/t.parquet"
mkdir "$work/temporary"
# Both run for minutes: one sends rows all the time, one computes.
pairs="(select a.x * 10000 + b.x as k from t a, t b)"
sends="select count(*) from $pairs p join $pairs q on p.k = q.k"
computes="select count(*) from t a, t b, t c where a.x + b.x + c.x = -1"

# rank NUMBER SQL: its output in $work/rank.NUMBER, its process behind the others of $pids.
rank() {
    space=$a link=$link_a
    [ "$1" -lt 2 ] || { space=$b link=$link_b; }
    ip netns exec "$space" env PISTACHIO_RANK="$1" PISTACHIO_RANKS=4 PISTACHIO_ROOT=10.78.0.1:$port PISTACHIO_TOKEN="$a" \
        PISTACHIO_TEMP_DIRECTORY="$work/temporary" UCX_NET_DEVICES="$link" "$program" \
        --set memory_limit=200MB --set threads=1 --set disabled_optimizer_rules=broadcast -c "set peer_timeout = $timeout" -c "$2" \
        "$work/t.parquet" >"$work/rank.$1" 2>&1 &
    pids="$pids $!"
}
sent() { # bytes that have left a namespace
    ip netns exec "$a" cat "/sys/class/net/$link_a/statistics/tx_bytes"
}
works() { # pid: it computes
    [ "$(awk '{ print ($14 + $15 > 20) }' "/proc/$1/stat" 2>/dev/null)" = 1 ]
}
lives() { # pid: it has not ended
    state=$(awk '{ print $3 }' "/proc/$1/stat" 2>/dev/null)
    [ -n "$state" ] && [ "$state" != Z ]
}
has_sent() { # since so many bytes
    [ $(($(sent) - $1)) -gt 2000000 ]
}
all_ended() { # pids
    for pid in "$@"; do
        lives "$pid" && return 1
    done
    return 0
}
now() {
    date +%s%N
}

# strike KIND PID
strike() {
    case $1 in
    kill) kill -KILL "$2" ;;
    stop) kill -STOP "$2" ;;
    link) ip -n "$b" link set "$link_b" down ;;
    esac
}

# one KIND TRY: adds to clean, late, hung, aborted.
one() {
    kind=$1 number=$2 pids='' port=$((port + 1))
    sql=$sends
    [ $((number % 2)) = 0 ] || sql=$computes
    before=$(sent)
    for r in 0 1 2 3; do rank $r "$sql"; done
    # shellcheck disable=SC2086 # several numbers
    set -- $pids
    if [ "$sql" = "$sends" ]; then until_so has_sent "$before"; else until_so works "$1"; fi || {
        fail "$kind, try $number: the ranks do not work"
        cat "$work"/rank.*
    }
    sleep "0.$((number * 37 % 10))" # some moment
    shift $((number % 4)) # another rank each time
    victim=$1
    strike "$kind" "$victim"
    since=$(now)
    survivors=''
    for pid in $pids; do
        [ "$kind" != link ] && [ "$pid" = "$victim" ] || survivors="$survivors $pid"
    done
    # shellcheck disable=SC2086
    until_so all_ended $survivors || hung=$((hung + 1))
    took=$((($(now) - since) / 1000000))
    [ $took -le $slowest ] || slowest=$took
    [ "$kind" = stop ] && kill -CONT "$victim"
    # shellcheck disable=SC2086
    until_so all_ended $pids || hung=$((hung + 1))
    # shellcheck disable=SC2086
    kill -KILL $pids 2>/dev/null
    wrong=0
    for pid in $pids; do
        wait "$pid"
        status=$?
        [ "$kind" = kill ] && [ "$pid" = "$victim" ] && continue
        [ $status -lt 128 ] || { aborted=$((aborted + 1)) wrong=1; }
    done
    grep -hq "is gone\|nothing came from it\|has left\|cannot reach" "$work"/rank.* || wrong=1
    find "$work/temporary" -mindepth 1 | grep -q . && left=$((left + 1)) wrong=1
    find "$work/temporary" -mindepth 1 -delete
    if [ $wrong = 0 ]; then clean=$((clean + 1)); else cat "$work"/rank.*; fi
    [ "$kind" != link ] || { ip -n "$b" link set "$link_b" up && until_so is_up; }
}
is_up() {
    ip -n "$a" link show "$link_a" | grep -q "state UP" && ip -n "$b" link show "$link_b" | grep -q "state UP"
}

until_so is_up
echo "fault  tries  clean  hung  aborted  files left  slowest end, s"
for kind in $kinds; do
    tries=${kind#*:} kind=${kind%:*}
    clean=0 hung=0 aborted=0 left=0 slowest=0 number=0
    while [ $number -lt "$tries" ]; do
        one "$kind" "$number"
        number=$((number + 1))
    done
    printf '%-5s  %5d  %5d  %4d  %7d  %10d  %9s\n' "$kind" "$tries" $clean $hung $aborted $left "$(awk "BEGIN { print $slowest / 1000 }")"
    check "$kind: all end with a failure, and leave nothing" test "$clean $hung" = "$tries 0"
done
finish
