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
# At least one - beside a colon, as GitHub's grammar of tables wants; | and \ are escaped.
expect "markdown" 0 "| a   |
| --- |
| x   |" "$program" --format markdown -c "select 'x' as a"
expect "markdown of a digit" 0 "| a   |
| --: |
|   1 |" "$program" --format markdown -c "select 1 as a"
expect "markdown of what it knows" 0 '| a       | b    |
| ------- | ---- |
| a\|b\\c | NULL |
| x<br>y  | NULL |' "$program" --format markdown \
    -c "select * from (values (E'a|b\\\\c', null), (E'x\\ny', null)) t(a, b)"
expect "none" 0 "-" "$program" --format none -c "select 1"

# psql's way: a + where a value goes on; what would move the cursor is written out.
expect "values of several lines" 0 " a   | b      | c
-----+--------+------
   1 | x     +| p   +
     | longer | q
 100 | y      | a\\rb
(2 rows)" "$program" -c "select * from (values (1, E'x\\nlonger', E'p\\nq'), (100, 'y', E'a\\rb')) t(a, b, c)"
expect "tabs and controls" 0 " a
-----------------
 1       2
 日本    \x1B[1m
(2 rows)" "$program" -c "select E'1\\t2' as a union all select E'日本\\t\\x1b[1m' order by 1"
expect "NULL and the empty text" 0 " a    | b
------+---
 NULL | 
(1 row)" "$program" -c "select null as a, '' as b"
expect "NULL as one wants it" 0 " a   | b
-----+---
 (-) | 1
(1 row)" "$program" --null '(-)' -c "select null as a, 1 as b"
expect "records" 0 "-[ RECORD 1 ]
a     | 1
bcdef | x+
      | y
-[ RECORD 2 ]
a     | 2
bcdef | NULL" "$program" -c '\x' -c "select * from (values (1, E'x\\ny'), (2, null)) t(a, bcdef)"

# Several -c and -f run in their order, to the first error.
echo "select 'f' as x;" >"$work/f.sql"
expect "several -c and -f" 0 "x
1
x
f
x
2" "$program" --format csv -c "select 1 as x" -f "$work/f.sql" -c "select 2 as x"
expect "a file that is standard input" 0 "x
1
x
f" sh -c "'$program' --format csv -c 'select 1 as x' -f - <'$work/f.sql'"
expect "the first error ends it" 1 "x
1" "$program" --format csv -c "select 1 as x" -c "select nothing" -c "select 2 as x"
expect "a value behind =" 0 "x
1" "$program" --format=csv --set=threads=2 -c "select 1 as x"

# Commands where there is no terminal.
printf '.mode csv\nselect 1 as x;\n\\pset null NIL\nselect 2 as y; .mode table\n  \\echo done\nselect null as z' >"$work/c.sql"
commands='x
1
y
2
done
 z
-----
 NIL
(1 row)'
expect "commands in a pipe" 0 "$commands" sh -c "cat '$work/c.sql' | '$program'"
expect "commands in a file" 0 "$commands" "$program" -f "$work/c.sql"
expect "commands behind -c" 0 "$commands" "$program" -c "$(cat "$work/c.sql")"
expect "an end" 0 "x
1" "$program" --format csv -c "select 1 as x; .quit
select 2 as x"
expect "a wrong command ends it" 1 - sh -c "printf '.nonsense\\nselect 1;' | '$program'"
says "and says so" "there is no command .nonsense"
expect "a dot in a statement" 0 "x
0.5" "$program" --format csv -c "select
.5 as x"
echo ".read $work/self.sql" >"$work/self.sql"
expect "a file that reads itself" 1 - "$program" -f "$work/self.sql"
says "ends" "too deep"

# What editors put in front of text, and what is none.
printf '\357\273\277select 1 as x;' >"$work/mark.sql"
expect "a byte-order mark in a pipe" 0 "x
1" sh -c "'$program' --format csv <'$work/mark.sql'"
expect "a byte-order mark in a file" 0 "x
1" "$program" --format csv -f "$work/mark.sql"
printf '\377\376s\0e\0' >"$work/wide.sql"
expect "UTF-16" 1 - "$program" -f "$work/wide.sql"
says "is named" "UTF-16"
printf 'select 1;\0select 2;' >"$work/zero.sql"
expect "a zero byte" 1 - "$program" -f "$work/zero.sql"
says "is found" "byte 10"

# Where an error is: the line of the text, a mark below the character.
printf "select 1;\nselect 'äöü', nothing;" >"$work/place.sql"
expect "an error in line 2" 1 - "$program" -f "$work/place.sql"
says "has its line" "line 2: select 'äöü', nothing;"
says "and its place" "                      ^"

# Of a pipe each statement is answered when it is complete: the second one asks for what the first one's answer says.
mkfifo "$work/in" "$work/answers"
"$program" --format csv <"$work/in" >"$work/answers" 2>"$work/err" &
talk() {
    exec 3>"$work/in" 4<"$work/answers"
    printf 'select 41 as a;\nsel' >&3
    read -r name <&4 && read -r value <&4
    printf 'ect %s + 1 as b;\nselect ' "$value" >&3
    read -r second <&4 && read -r sum <&4
    printf "%s as c" "';'" >&3
    exec 3>&-
    read -r third <&4 && read -r rest <&4
    exec 4<&-
    echo "$name $value $second $sum $third $rest"
}
expect "a pipe" 0 "a 41 b 42 c ;" talk
wait

# Ctrl-C and SIGTERM end the program as signals do, so that a loop in a shell ends too. Without --foreground
# timeout sends a second signal, to its group, and the second Ctrl-C ends the program where it is.
numbers=$(seq -s, 1 50 | sed 's/[0-9]*/(&)/g')
"$program" -c "copy (select a.i * 50 + b.i as i from (values $numbers) a(i), (values $numbers) b(i)) to '$work/n.parquet'"
long="select count(*) from n a, n b, n c where a.i + b.i * c.i = 7"
expect "Ctrl-C" 130 - timeout --foreground --preserve-status -s INT 3 "$program" -c "$long" -c "select 1" "$work/n.parquet"
says "says so" "cancelled"
silent "ends all" "?column?"
expect "SIGTERM" 143 - timeout --foreground --preserve-status -s TERM 3 "$program" -c "$long" "$work/n.parquet"
expect "Ctrl-C of COPY" 130 - timeout --foreground --preserve-status -s INT 3 "$program" \
    -c "copy ($long) to '$work/gone.parquet'" "$work/n.parquet"
expect "Ctrl-C of -o" 130 - timeout --foreground --preserve-status -s INT 3 "$program" -o "$work/gone.txt" \
    -c "select 1" -c "$long" "$work/n.parquet"
expect "leaves nothing" 1 "" sh -c "ls '$work' | grep gone || { echo; exit 1; }"
expect "Ctrl-C of who waits for input" 130 - sh -c "sleep 3 | timeout --foreground --preserve-status -s INT 1 '$program'"

# Wrong usage: a line and a hint.
usage() { # NAME TEXT HINT ARGUMENT...
    what=$1 wanted=$2 hint=$3
    shift 3
    expect "$what" 2 - "$program" "$@"
    says "$what" "$wanted"
    says "$what" "$hint"
    if [ "$(wc -l <"$work/err")" = 2 ]; then pass; else fail "$what: more than two lines"; fi
}
usage "an option" "there is no option --nonsense" "--help lists" --nonsense
usage "nearly an option" "there is no option --foramt" "did you mean --format?" --foramt csv
usage "-csv" "there is no option -csv" "--format csv" -csv
usage "-json" "there is no option -json" "--format json" -json -c "select 1"
usage "-timer" "there is no option -timer" "did you mean --timer?" -timer
usage "a format" '--format cannot be "xml"' "table, csv" --format xml
usage "nearly a command" 'no command and no file "inspct"' "did you mean pistachio inspect?" inspct x
usage "rewrite" "there is no option --codecs" "did you mean --codec?" rewrite --codecs a b c
usage "rewrite's codecs" '--codec cannot be "x=lzma"' "brotli" rewrite --codec x=lzma a b
usage "rewrite's encodings" '--encoding cannot be "rel"' "delta_length" rewrite --encoding rel a b
usage "rewrite's rules" '--choose cannot be "best"' "smallest, fastest" rewrite --choose best a b
usage "rewrite's shares" '--hot cannot be "200"' "0 to 100" rewrite --hot 200 a b
usage "rewrite's sizes" '--page-size cannot be "8GB"' "1GiB" rewrite --page-size 8GB a b
usage "rewrite's presets" '--for cannot be "tpu"' "cpu or gpu" rewrite --for tpu a b
usage "rewrite's row groups" "--row-groups and --row-group-rows" "each says" \
    rewrite --row-groups 5 --row-group-rows 10 a b
usage "inspect" "there is no option --page" "did you mean --pages?" inspect --page x
usage "calibrate" "there is no option --forse" "did you mean --force?" calibrate --forse
usage "tpch" "there is no option --skale" "did you mean --scale?" tpch generate --skale 1
usage "tpch's queries" '--queries cannot be "1-99"' "1 to 22" tpch run --queries 1-99 --data x

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
expect "a setting of several" 0 - "$program" --format csv --set join_variant=pooled \
    -c "show join_variant; show overlap; set synchronization = deferred; show join_variant"
says "has its name" "join_variant,pooled,"
says "sets them" "overlap,blocking,"
says "is none of their other values" "join_variant,custom,"
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

# Lists of paths and patterns; hidden files are not among them.
for name in lake/2024/a lake/2024/b lake/2025/q1/a lake/_tmp/a lake/.old/a lake/2025/_a; do
    mkdir -p "$work/${name%/*}"
    cp "$work/t.parquet" "$work/$name.parquet"
done
expect "paths and patterns of any depth" 0 "n
\"2,1,1,2,3\"" "$program" --format csv -c "select (select count(*) from '$work/lake/*/?.parquet') || ',' ||
    (select count(*) from '$work/lake/**/q?/*') || ',' || (select count(*) from '$work/lake/2025') || ',' ||
    (select count(*) from read_parquet(['$work/lake/2025/**', '$work/lake/**/b.parquet'])) || ',' ||
    (select count(*) from '$work/lake/**') as n"
expect "results to a file" 0 - "$program" --format csv -o "$work/o.csv" -c "select 5 as v"
expect "which has them" 0 "v
5" cat "$work/o.csv"
printf '.mode csv\n.output %s\nselect 6 as v;\n.output\nselect 7 as v;\n' "$work/p.csv" >"$work/script.sql"
expect "a script's results to a file" 0 "v
7" "$program" -f "$work/script.sql"
expect "which has its own" 0 "v
6" cat "$work/p.csv"

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
analyze="explain analyze select max(b || '') from '$work/t.parquet'"
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
expect "explain analyze on ranks" 0 - env XDG_CACHE_HOME="$work/cache" "$program" --ranks 2 --set distribute=always \
    --set direct_io=always -c "$analyze"
says "has the bound of the rank that has read" "T_min 4.096 s)"
expect "explain analyze of what is cached" 0 - \
    env XDG_CACHE_HOME="$work/cache" "$program" -c "$analyze"
says "reads nothing" "read 0.0 MB from storage, 0.0 MB in total"
fields=$(seq -s, 50 | sed 's/[0-9][0-9]*/f&: i * 48271 % 1000003 + &/g')
expect "a struct of 50 fields" 0 - "$program" -c "copy (select {$fields} as s from range(20000) r(i)) to '$work/wide.parquet'"
if [ "$(wc -c <"$work/wide.parquet")" -gt 2000000 ]; then pass; else fail "a struct of 50 fields: its file is small"; fi
expect "a leaf of it" 0 - "$program" -c "explain analyze select sum(s.f41) from '$work/wide.parquet'"
says "reads its bytes alone" "(read 0.1 MB, decoded"
touch -d '2000-01-01' "$work/t.parquet"
cached() {
    echo "cache table '$work/t.parquet' (a);${1:-}"
}
expect "a column that was cached" 0 "column_name
a" "$program" --format csv -c "$(cached "
    select column_name from pistachio_cache() where file_name like '%/t.parquet'")"
expect "is read from the cache" 0 - "$program" -c "$(cached "explain analyze select max(a + 0) from '$work/t.parquet'")"
says "as it says" "1 values from the cache: 0.0 MB,"
expect "one that is not" 0 - "$program" -c "explain analyze select max(a + 0) from '$work/t.parquet'"
says "is decoded, which is counted" "decoded in 0.0"
expect "until it is forgotten" 0 "count
0
count
1
count
0" "$program" --format csv -c "$(cached "
    uncache table '$work/t.parquet'; select count(*) from pistachio_cache();
    cache table '$work/t.parquet' (b); select count(*) from pistachio_cache();
    clear cache; select count(*) from pistachio_cache()")"
expect "the cache where it is off" 1 - "$program" --set cache_memory=0 -c "$(cached)"
says "and how to have it" "SET cache_memory"
expect "a column that is not there" 1 - "$program" -c "cache table '$work/t.parquet' (a, c)"
says "is named" 'column "c" does not exist'
expect "the cache of several ranks" 1 - "$program" --ranks 2 -c "from pistachio_cache()"
says "is refused" "pistachio_cache() with several ranks is not supported"
expect "to empty it where nothing but tables may be read" 1 - \
    "$program" --set enable_external_access=off -c "clear cache"
says "is refused as well" "CLEAR CACHE is not allowed"
expect "calibrate of nothing" 1 - "$program" calibrate --path "$work/none"
expect "calibrate with an unknown option" 2 - "$program" calibrate --nonsense

expect "a trace" 0 - \
    "$program" --trace "$work/trace.json" --set direct_io=always -c "select max(b || '') from '$work/t.parquet'"
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
    -c "select max(b || '') from '$work/t.parquet'"
expect "has the storage" 0 1 grep -c 'Storage, GB/s' "$work/time.svg"
expect "is whole" 0 1 grep -c '^</svg>' "$work/time.svg"
expect "a picture of two joins" 0 - "$program" --timeline "$work/time.svg" -c "select count(*)
    from '$work/t.parquet' t join '$work/t.parquet' u on t.a = u.a join '$work/t.parquet' v on u.b = v.b where t.a < 2"
expect "says what was run" 0 1 grep -c '^<title>select count' "$work/time.svg"
expect "tells the joins apart" 0 2 sh -c "grep -o 'join probe [ab]=[ab]<' '$work/time.svg' | sort -u | wc -l"
expect "a trace that cannot be written" 1 - "$program" --trace "$work/none/t.json" -c "select 1"
says "says so" "could not write trace"

finish
