#!/bin/sh
# 10,000 files in 1,000 folders named key=value: one partition is one folder's files, and takes as long as that.
# many_files.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"

partitions=1000 limit_ms=50
if has_less_to_do; then
    partitions=100
fi
file all/k=0/0.parquet "select * from (values (1, 'a'), (2, 'b'), (3, null)) t(id, name)"
for n in 1 2 3 4 5 6 7 8 9; do
    cp all/k=0/0.parquet "all/k=0/$n.parquet"
done
k=1
while [ $k -lt $partitions ]; do
    cp -r all/k=0 "all/k=$k"
    k=$((k + 1))
done

# opened NAME COUNT SQL OPTION...: so many of all files.
opened() {
    which=$1 count=$2 sql=$3
    shift 3
    expect "$which" 0 - "$program" --format tsv "$@" -c "explain analyze $sql"
    says "$which" "files $((partitions * 10)), opened $count"
}

one="select count(*), sum(id), count(name), min(k), max(k) from 'all' where k = 77"
for options in "" "--set device=simulated" "--set threads=1" "--set disabled_optimizer_rules=all"; do
    # shellcheck disable=SC2086 # words
    expect "one partition $options" 0 30,60,20,77,77 rows "$one" $options
done
opened "one partition" 10 "$one"
opened "one partition, one thread" 10 "$one" --set threads=1
opened "two partitions" 20 "select id from 'all' where k in (3, 99, 5000)"
opened "no partition" 0 "select id from 'all' where k = 5000"
opened "a join's key" 10 "select count(*) from 'all' a join (values (42)) v(k) on a.k = v.k"
opened "a pattern" 10 "select sum(id) from 'all/**/*.parquet' where k = 77"

# The processor time of a process that does nothing else, the least of seven, in milliseconds: the clock would show what
# else the machine does.
milliseconds() {
    least=1000000
    for _ in 1 2 3 4 5 6 7; do
        # user and system, of children: 0m0.012s 0m0.020s on the second line
        spent=$(sh -c '"$@" >/dev/null; times' sh "$program" -c "$one" | tail -n 1 |
            awk '{ for (i = 1; i <= NF; i++) { split($i, p, /[ms]/); sum += p[1] * 60000 + p[2] * 1000 } print int(sum + 0.5) }')
        if [ "$spent" -lt "$least" ]; then
            least=$spent
        fi
    done
    echo "$least"
}
if grep -q -e __asan_init -e __tsan_init "$program"; then
    skip "the time of one partition: a sanitizer's would be measured"
else
    took=$(milliseconds)
    if [ "$took" -lt $limit_ms ]; then
        pass
    else
        fail "one partition takes $took ms of processor time, not less than $limit_ms"
    fi
fi
finish
