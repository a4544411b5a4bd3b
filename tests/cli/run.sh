#!/bin/sh
# The program as its users meet it: exit statuses, formats, settings, the shell on a terminal.
# run.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

expect "one statement" 0 " ?column?
----------
        1
(1 row)" "$program" -c "select 1"
expect "csv quotes what needs it" 0 'a,b,c
"x,""y""",,1.50' "$program" --format csv -c "select 'x,\"y\"' as a, null as b, 1.50 as c"
expect "tsv" 0 "a	b
1	true" "$program" --format tsv -c "select 1 as a, true as b"
expect "jsonl" 0 '{"a": "q\"\\", "b": null, "c": 1.5, "d": true}' \
    "$program" --format jsonl -c "select 'q\"\\' as a, null as b, 1.5 as c, true as d"
expect "markdown" 0 "| a |
| - |
| x |" "$program" --format markdown -c "select 'x' as a"
expect "none" 0 "-" "$program" --format none -c "select 1"
expect "two statements" 0 "a
1
b
2" "$program" --format csv -c "select 1 as a; select 2 as b"
expect "a failed statement" 1 - "$program" -c "select nothing"
says "and its place" 'column "nothing" does not exist'
expect "an unknown option" 2 - "$program" --nonsense
expect "an unknown format" 2 - "$program" --format nonsense -c "select 1"
expect "a missing file" 1 - "$program" -c "select 1" "$work/none.parquet"
expect "a setting" 0 - "$program" --format csv --set threads=3 -c "show threads"
says "has its value" "threads,3,"
expect "a setting in the environment" 0 - \
    env PISTACHIO_THREADS=5 "$program" --format csv -c "show threads"
says "has its value" "threads,5,"
expect "a wrong setting" 1 - "$program" --set threads=many -c "select 1"
echo "select 7 as x;" >"$work/script.sql"
expect "a script" 0 "x
7" "$program" --format csv -f "$work/script.sql"
expect "statements from stdin" 0 "x
7" sh -c "'$program' --format csv <'$work/script.sql'"
expect "copy" 0 - "$program" -c "copy (select 1 as a, 'x' as b) to '$work/t.parquet'"
expect "a file in FROM" 0 "a,b
1,x" "$program" --format csv -c "select * from '$work/t.parquet'"
expect "a table of a name" 0 "b
x" "$program" --format csv --table "n=$work/t.parquet" -c "select b from n"
expect "a file as argument" 0 "a
1" "$program" --format csv -c "select a from t" "$work/t.parquet"
expect "results to a file" 0 - "$program" --format csv -o "$work/o.csv" -c "select 5 as v"
expect "which has them" 0 "v
5" cat "$work/o.csv"

# Without a terminal, and without a place for the result.
expect "calibrate" 0 - env -u HOME -u XDG_CACHE_HOME "$program" calibrate --path "$work" --json
if grep -q 'past the page cache' "$work/err"; then
    failed=$((failed - 1))
    skip "calibrate: $work has no direct reads"
else
    says "measures" '"bytes_per_second": '
    says "and says what it could not keep" "the result is not kept"
    mkdir "$work/cache" "$work/cache/pistachio"
    printf 'pistachio calibration 1\n%s %s 2\n131072 1 5000000\n1048576 8 2000000000\n' \
        "$(stat -c %d "$work")" "$(date +%s)" >"$work/cache/pistachio/storage-$(stat -c %d "$work")"
    expect "a kept calibration" 0 - \
        env XDG_CACHE_HOME="$work/cache" "$program" calibrate --path "$work"
    says "is shown" "1024 KiB      8    2000.0  best"
fi
mkdir "$work/folder"
cp "$work/t.parquet" "$work/folder/good.parquet"
echo nonsense >"$work/folder/bad.parquet"
expect "a folder with a bad file" 0 "b
x" "$program" --format csv -c "select b from good" "$work/folder"
expect "its tables" 0 "name,kind,rows,columns
bad,table,,
good,table,1,2" "$program" --format csv -c "show tables" "$work/folder"
expect "the bad one" 1 - "$program" -c "select 1 from bad" "$work/folder"
says "which it is" "bad.parquet"
analyze="explain analyze select max(b) from '$work/t.parquet'"
expect "explain analyze" 0 - env XDG_CACHE_HOME="$work" "$program" --set direct_io=always -c "$analyze"
says "tells how to get a bound" "T_min is not known: run pistachio calibrate --path $work"
says "tells what was read" "MB in total"
mkdir -p "$work/cache/pistachio"
printf 'pistachio calibration 1\n%s %s 1\n1048576 8 1000\n' "$(stat -c %d "$work")" "$(date +%s)" \
    >"$work/cache/pistachio/storage-$(stat -c %d "$work")"
expect "explain analyze" 0 - \
    env XDG_CACHE_HOME="$work/cache" "$program" --set direct_io=always -c "$analyze"
says "has the bound: a block at 1000 bytes a second" "T_min 4.096 s: 0.0 MB from device"
says "and how far it is from it" "times T_min"
expect "explain analyze of what is cached" 0 - \
    env XDG_CACHE_HOME="$work/cache" "$program" -c "$analyze"
says "reads nothing" "read 0.0 MB from storage, 0.0 MB in total"
expect "calibrate of nothing" 1 - "$program" calibrate --path "$work/none"
expect "calibrate with an unknown option" 2 - "$program" calibrate --nonsense

expect "a trace" 0 - \
    "$program" --trace "$work/trace.json" --set direct_io=always -c "select max(b) from '$work/t.parquet'"
if command -v python3 >/dev/null; then
    expect "is JSON of a scan's steps and its reads" 0 "pull scan t.parquet
read
storage
worker" python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
tracks = {e["args"]["name"].split()[0] for e in events if e["name"] == "thread_name"}
steps = {e["name"] for e in events if e["ph"] in "Xb"}
assert all(e.get("ts", 0) >= 0 and e.get("dur", 0) >= 0 for e in events)
assert sum(e["ph"] == "b" for e in events) == sum(e["ph"] == "e" for e in events)
print(*sorted(s for s in steps if s == "read" or "scan" in s), *sorted(tracks), sep="\n")' \
        "$work/trace.json"
fi
expect "a picture of the time" 0 - "$program" --timeline "$work/time.svg" --set direct_io=always \
    -c "select max(b) from '$work/t.parquet'"
expect "has the storage" 0 1 grep -c 'Storage, GB/s' "$work/time.svg"
expect "is whole" 0 1 grep -c '^</svg>' "$work/time.svg"
expect "a trace that cannot be written" 1 - "$program" --trace "$work/none/t.json" -c "select 1"
says "says so" "could not write trace"

# The shell needs a terminal: script(1) gives one.
if command -v script >/dev/null; then
    shell() { # what is typed
        printf '%b' "$1" | script -qec "$program $work/t.parquet" /dev/null
    }
    expect "the shell" 0 - shell 'select a + 41 as answer\nfrom t;\n.quit\n'
    says "gives rows" " 42"
    expect "the shell's tables" 0 - shell '.tables\n.quit\n'
    says "lists tables" " t "
    expect "a command that is none" 0 - shell '.nonsense\n.quit\n'
    says "says so" "there is no command"
    expect "modes" 0 - shell ".mode json\nselect 'it;' as \"a;b\";\n.quit\n"
    says "changes the format" '"a;b": "it;"'
    expect "an error" 1 - shell 'select nothing;\n.quit\n'
    expect "history" 0 - cat "$work/history"
    says "is kept" "nothing"
else
    skip "the shell: script(1) is not installed"
fi

finish
