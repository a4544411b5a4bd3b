#!/bin/sh
# `pistachio bench`: each algorithm on one rank and on several finds the matches that there are (the program
# compares), and sends as many bytes as it must.
# bench.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

join() {
    "$program" bench join --build-rows 3000 --probe-rows 9000 --runs 1 "$@"
}
# row RANKS COLUMN: a figure of the last command's line for so many ranks.
row() {
    awk -v ranks="$1" -v column="$2" '$1 == ranks { print $column }' "$work/out"
}
equal() { # name, figure, what it is to be
    if [ "$2" = "$3" ]; then
        pass
    else
        fail "$1: $2, not $3, in:"
        cat "$work/out"
    fi
}

for algorithm in redundant parallel partitioned; do
    for selectivity in 0 0.25 1; do
        expect "$algorithm, selectivity $selectivity" 0 - join --algorithm $algorithm --selectivity $selectivity --ranks 3
        equal "matches of one rank and of 3" "$(row 3 8)" "$(row 1 8)"
    done
    equal "every probe row has a partner" "$(row 3 8)" 9000
    equal "one rank sends nothing" "$(row 1 6)" 0.00
    expect "$algorithm, fewer build rows than ranks" 0 - "$program" bench join --algorithm $algorithm --build-rows 2 \
        --probe-rows 100 --selectivity 1 --ranks 5 --runs 2
    equal "all of 100 rows" "$(row 5 8)" 100
done
# On a device whose memory the host cannot touch, and of which all ranks have a part.
for algorithm in redundant parallel partitioned; do
    expect "$algorithm on a device" 0 - join --algorithm $algorithm --device simulated --selectivity 1 --ranks 3
    equal "$algorithm: every probe row on a device" "$(row 1 8) $(row 3 8)" "9000 9000"
done
expect "chunks of few rows on a device" 0 - env PISTACHIO_CHUNK_ROWS=64 "$program" bench join --build-rows 3000 \
    --probe-rows 9000 --algorithm partitioned --device simulated --ranks 2 --runs 2
expect "no such device" 2 - join --device nothing
expect "a shuffle is the CPU's" 2 - "$program" bench shuffle --device simulated
# Ranks leave as soon as they are done: what they had still to say is said.
leave() {
    turns=0
    while [ $turns -lt 20 ]; do
        "$program" bench join --build-rows 2 --probe-rows 100 --ranks 5 --runs 1 >"$work/out" || return 1
        turns=$((turns + 1))
    done
}
check "ranks that leave" leave
# Each of 3000 keys of 8 bytes goes to 2 other ranks; 12000 rows in all.
expect "bytes of the redundant build" 0 - join --ranks 3
equal "bytes a row" "$(row 3 6)" 4.00
expect "no matches" 0 - join --algorithm partitioned --ranks 2
equal "of selectivity 0" "$(row 2 8)" 0

shuffle() {
    "$program" bench shuffle --left-rows 3000 --right-rows 9000 --columns 2 --hit-ratio 1 --runs 1 "$@"
}
for variant in blocking pooled chunking deferred; do
    expect "shuffle, $variant" 0 - shuffle --variant $variant --ranks 3
    equal "lines" "$(grep -c -e '^all-to-all ' -e '^with partitioning ' -e '^with the join .* 9000$' "$work/out")" 3
    # Two thirds of 12000 rows of 16 bytes leave their rank, if they go in turns; a word before each block.
    equal "bytes" "$(awk '$1 == "all-to-all" { print $4 }' "$work/out")" 0.1
done
expect "shuffle on one rank" 0 - shuffle --ranks 1
expect "a row of many columns" 0 - "$program" bench shuffle --left-rows 20 --right-rows 30 --columns 64 --ranks 2 --runs 1

expect "no such benchmark" 2 - "$program" bench jion
says "what there is" "join or shuffle is needed, not jion"
expect "no such algorithm" 2 - join --algorithm fast
says "what there are" "one of redundant parallel partitioned"
expect "no such option" 2 - join --rank 3
says "the nearest" "did you mean --ranks?"
expect "a selectivity above 1" 2 - join --selectivity 2
expect "no rows" 2 - join --build-rows 0
expect "an option of the other benchmark" 2 - shuffle --build-rows 3
says "that there is none" "no option --build-rows"
expect "too many columns" 2 - shuffle --columns 65
finish
