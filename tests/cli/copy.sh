#!/bin/sh
# COPY ... TO and -o: formats, options, what is said, and what is left of files that fail.
# copy.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
mkdir "$work/files"
cd "$work/files" || exit 2

# expect NAME STATUS TEXT COMMAND...: the exit status, and the whole of stdout.
expect() {
    name=$1 status=$2 text=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    printf '%s' "${text:+$text
}" >"$work/expected"
    if [ $got = "$status" ] && { [ "$text" = - ] || cmp -s "$work/out" "$work/expected"; }; then
        pass
    else
        fail "$name: status $got, printed:"
        cat "$work/out" "$work/err"
    fi
}

# says NAME TEXT: the last command's stderr has it.
says() {
    if grep -qF -- "$2" "$work/err"; then
        pass
    else
        fail "$1: nothing says \"$2\" in:"
        cat "$work/err"
    fi
}

# refuses NAME STATEMENT MESSAGE PLACE: an error whose mark stands under PLACE's first letter.
refuses() {
    expect "$1" 1 "" "$program" -c "$2"
    says "$1" "$3"
    line=$(grep '^line 1: ' "$work/err") mark=$(grep '^ *^$' "$work/err")
    rest=$(printf '%s' "$line" | cut -c "${#mark}-")
    case $rest in
    "$4"*) pass ;;
    *) fail "$1: the mark is at: $rest" ;;
    esac
}

# holds COMPLAINT CONDITION...
holds() {
    name=$1
    shift
    if "$@"; then pass; else fail "$name"; fi
}

files() { # how many there are
    find . -type f | wc -l | tr -d ' '
}

# ---- formats: by FORMAT, else by the name ----

row="select 1 as i, 'a;b' as s, true as b, null as n"
expect "csv" 0 "COPY 1" "$program" -c "copy ($row) to 'o.csv'"
expect "has what the type has" 0 'i,s,b,n
1,a;b,true,' cat o.csv
expect "tsv" 0 "COPY 1" "$program" -c "copy ($row) to 'o.tsv'"
expect "has it too" 0 'i	s	b	n
1	a;b	true	\N' cat o.tsv
expect "json" 0 "COPY 1" "$program" -c "copy ($row) to 'o.json'"
expect "has objects" 0 '[{"i": 1, "s": "a;b", "b": true, "n": null}]' cat o.json
expect "jsonl" 0 "COPY 1" "$program" -c "copy ($row) to 'O.JSONL'"
expect "has an object a line" 0 '{"i": 1, "s": "a;b", "b": true, "n": null}' cat O.JSONL
expect "parquet" 0 "COPY 1" "$program" -c "copy ($row) to 'o.parquet'"
expect "begins so" 0 PAR1 sh -c "head -c 4 o.parquet; echo"
expect "FORMAT is stronger than the name" 0 "COPY 1" "$program" -c "copy ($row) to 'p.csv' (format parquet)"
expect "than any" 0 PAR1 sh -c "head -c 4 p.csv; echo"
expect "or none" 0 "COPY 1" "$program" -c "copy ($row) to 'name' (format 'CSV')"
expect "of files" 0 'i,s,b,n
1,a;b,true,' cat name
expect "no rows" 0 "COPY 0" "$program" -c "copy (select 1 as i where false) to 'o.csv'"
expect "are a header" 0 "i" cat o.csv
expect "no rows" 0 "COPY 0" "$program" -c "copy (select 1 as i where false) to 'o.json'"
expect "are an array" 0 "[]" cat o.json
expect "a table's name" 0 "COPY 1" "$program" -c "copy o to 't.csv'" o.parquet
expect "copies the table" 0 'i,s,b,n
1,a;b,true,' cat t.csv
before=$(files)
for name in a.foo a 'folder.csv/..a' .csv.; do
    refuses "the name $name" "copy (select 1 as i) to '$name'" "does not say which format to write" "'"
    says "and what to do" "or say (FORMAT parquet)"
done
holds "a refused COPY left a file" [ "$(files)" = "$before" ]

# ---- values ----

numbers="select -9223372036854775808 as a, 9223372036854775807 as b, cast(-32768 as smallint) as c, -0.05 as d,
    cast(-123456789012345678901234.56 as decimal(30,2)) as e, 0.00 as f, 1e15::double as g, 0.1::double as h,
    -1234.5678::double as i, 1e-7::double as j, 0.1::double + 0.2 as k, 'nan'::double as l, 99999::bigint * 100001 as m"
expect "numbers" 0 "COPY 1" "$program" -c "copy ($numbers) to 'o.csv' (header false)"
expect "have all their digits" 0 '-9223372036854775808,9223372036854775807,-32768,-0.05,-123456789012345678901234.56,0.00,1e+15,0.1,-1234.5678,1e-07,0.30000000000000004,NaN,9999999999' cat o.csv
moments="select date '0001-01-01' as a, date '9999-12-31' as b, date '10000-01-01' as c, date '0044-03-15 BC' as d,
    timestamp '2024-02-29 23:59:59.5' as e, time '00:00:00' as f, interval '1 month' as g"
expect "dates" 0 "COPY 1" "$program" -c "copy ($moments) to 'o.csv' (header false)"
expect "and times" 0 '0001-01-01,9999-12-31,10000-01-01,0044-03-15 BC,2024-02-29 23:59:59.5,00:00:00,1 mon' cat o.csv
expect "between minus signs" 0 "COPY 1" "$program" -c "copy (select -5 as a, date '2024-01-02' as b, 7 as c) to 'o.csv' (header false, delimiter '-')"
expect "they are in quotes" 0 '"-5"-"2024-01-02"-7' cat o.csv
expect "NULL as a number" 0 "COPY 1" "$program" -c "copy (select 0 as a, null::integer as b, 1 as c) to 'o.csv' (header false, null '0')"
expect "puts that in quotes" 0 '"0",0,1' cat o.csv
blobs="select '\\x0041ff'::bytea as a, ''::bytea as b"
expect "blobs" 0 "COPY 1" "$program" -c "copy ($blobs) to 'o.csv' (header false)"
expect "in csv" 0 '\x0041ff,\x' cat o.csv
expect "blobs" 0 "COPY 1" "$program" -c "copy ($blobs) to 'o.jsonl'"
expect "in json" 0 '{"a": "\\x0041ff", "b": "\\x"}' cat o.jsonl
expect "blobs" 0 "COPY 1" "$program" -c "copy ($blobs) to 'o.tsv' (header false)"
expect "in tsv" 0 '\\x0041ff	\\x' cat o.tsv

# Rows in order, made into text by several threads, some too long for their buffers.
seq 1 40000 >expected
digits="with d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
series="$digits select a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i + 1 as i from d a, d b, d c, d e, d f where f.i < 4"
expect "many rows" 0 "COPY 40000" "$program" --set threads=4 -c "copy ($series order by 1) to 'o.csv' (header false)"
holds "are in order" cmp -s expected o.csv
expect "and objects" 0 "COPY 40000" "$program" --set threads=4 -c "copy ($series order by 1) to 'o.json'"
sed 's/.*/ {"i": &},/; 1s/^ /[/; $s/,$/]/' expected >expected.json
holds "too" cmp -s expected.json o.json
expect "long rows" 0 "COPY 600" "$program" --set threads=3 -c "copy (select repeat('x', case when i % 200 = 7 then 700000 else i end) as t from ($series) g where i <= 600 order by i) to 'o.tsv' (header false)"
awk 'BEGIN { for (i = 1; i <= 600; i++) print (i % 200 == 7 ? 700000 : i) }' >expected
awk '{ print length($0) }' o.tsv >lengths
holds "are whole" cmp -s expected lengths
expect "little memory" 0 "COPY 40000" "$program" --set threads=4 --set memory_limit=16MiB -c "copy ($series) to 'o.csv' (header false)"
holds "has all rows" [ "$(wc -l <o.csv)" = 40000 ]

# A row group that memory is too short to encode at once becomes several.
long="select i, repeat(md5(cast(i as varchar)), 6) as t from generate_series(1, 30000) s(i)"
expect "memory for no row group" 0 "COPY 30000" "$program" --set threads=2 --set memory_limit=16MiB -c "copy ($long) to 'o.parquet'"
expect "its rows" 0 "n
0" "$program" --format csv -c "select count(*) as n from (($long) except all (select * from 'o.parquet')) v"

# ---- options ----

expect "csv options" 0 "COPY 1" "$program" -c "copy ($row) to 'o.csv' (header false, delimiter ';', null 'NA')"
expect "do what they say" 0 '1;"a;b";true;NA' cat o.csv
expect "PostgreSQL's old words" 0 "COPY 1" "$program" -c "copy ($row) to 'o.csv' csv header delimiter '|' null 'true'"
expect "too, and NULL's text is quoted" 0 'i|s|b|n
1|a;b|"true"|true' cat o.csv
expect "a tab" 0 "COPY 1" "$program" -c "copy ($row) to 'o.csv' (sep e'\t', header)"
expect "between values" 0 'i	s	b	n
1	a;b	true	' cat o.csv
expect "tsv without header" 0 "COPY 1" "$program" -c "copy ($row) to 'o.tsv' (header off)"
expect "has rows alone" 0 '1	a;b	true	\N' cat o.tsv
expect "two columns of one name" 0 "COPY 1" "$program" -c "copy (select 1 as a, 2 as a) to 'o.csv'"
expect "are right in csv" 0 'a,a_1
1,2' cat o.csv

to="to 'x.csv'"
refuses "no such format" "copy ($row) $to (format xml)" "COPY option format cannot be \"xml\"" "format xml"
says "and what there is" "parquet, csv, tsv, json, jsonl, arrow or arrows"
refuses "no such option" "copy ($row) $to (headr)" "COPY has no option \"headr\"" "headr"
says "and what there is" 'did you mean "header"?'
refuses "another format's option" "copy ($row) $to (row_group_size 5)" "the format csv has no option \"row_group_size\"" "row_group_size"
refuses "another format's codec" "copy ($row) $to (codec zstd)" "codec cannot be \"zstd\"" "codec"
refuses "another format's option" "copy ($row) to 'x.parquet' (header)" "the format parquet has no option" "header"
refuses "twice" "copy ($row) to 'x.parquet' (codec zstd, compression none)" "compression is given twice" "compression"
refuses "a header that is none" "copy ($row) $to (header maybe)" "header cannot be \"maybe\"" "header"
for delimiter in ab '' 'é' '"'; do
    refuses "the delimiter '$delimiter'" "copy ($row) $to (delimiter '$delimiter')" "delimiter cannot be" "delimiter"
done
refuses "NULL as delimiter" "copy ($row) $to (null 'a,b')" "NULL must not hold its delimiter" "copy"
refuses "a codec that is none" "copy ($row) to 'x.parquet' (codec lzma)" "codec cannot be \"lzma\"" "codec"
refuses "no rows a group" "copy ($row) to 'x.parquet' (row_group_size 0)" "row_group_size cannot be \"0\"" "row_group_size"

# ---- what a format cannot hold ----

for format in csv jsonl; do
    expect "two names in $format" 0 "COPY 1" "$program" -c "copy (select 1 as a, 2 as b, 3 as a) to 'two.$format'"
    expect "are told apart" 0 - grep -q a_1 "two.$format"
done
expect "two names in parquet" 0 "COPY 1" "$program" -c "copy (select 7 as a, v.*, 8 as a from (values (1, 2)) v(b, a)) to 'two.parquet'"
expect "are told apart" 0 "a,b,a_1,a_2
7,1,2,8" "$program" --format csv -c "select * from 'two.parquet'"
refuses "an interval in parquet" "copy (select 1 as a, interval '1 day' as b) to 'x.parquet'" \
    'cannot hold column "b" of type interval' "interval '1 day' as b"
says "and what to do" "write CAST(... AS varchar), or another format"
expect "an interval in csv" 0 "COPY 1" "$program" -c "copy (select interval '1 day' as b) to 'o.csv'"
expect "is its text" 0 'b
1 day' cat o.csv
holds "a refused COPY left x.csv" [ ! -e x.csv ]
holds "a refused COPY left x.parquet" [ ! -e x.parquet ]

# ---- what statements say ----

all="create view v as select 1 as a; set threads = 2; copy v to 'o.csv'; reset threads; drop view v"
expect "tags" 0 "CREATE VIEW
SET
COPY 1
RESET
DROP VIEW" "$program" -c "$all"
for format in csv tsv json jsonl markdown none; do
    expect "no tags in $format" 0 "" "$program" --format "$format" -c "$all"
done

# ---- what fails leaves no file, and no header ----

rm -f ./*
digits="create view d as select i from (values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) v(i);"
setup="$digits create view n as select d.i * 100 + e.i * 10 + f.i as i from d, d e, d f;"
# A million rows; it fails in their middle.
late="select 1 / (500500 - x.i) as q from (select a.i * 1000 + b.i as i from n a, n b) x"
for format in csv tsv json jsonl; do
    expect "a failing query in $format" 1 "" "$program" --format $format -c "select 1 / (i - i) as q from (values (1)) v(i)"
    expect "COPY of it" 1 - "$program" -c "$setup copy ($late) to 'o.$format'"
    says "says why" "division by zero"
    expect "-o of it" 1 - "$program" --format $format -o "o.$format" -c "$setup $late"
    says "says why" "division by zero"
    expect "-o beside what is right" 1 - "$program" --format $format -o "o.$format" -c "select 1; select nothing"
done
holds "left $(find . -type f)" [ "$(files)" = 0 ]
echo before >o.csv
expect "-o of a failing query" 1 - "$program" --format csv -o o.csv -c "$setup $late"
expect "leaves what was there" 0 before cat o.csv
expect "-o" 0 "" "$program" --format csv -o o.csv -c "select 5 as v"
expect "replaces it" 0 'v
5' cat o.csv
expect "-o of tags" 0 "" "$program" -o o.txt -c "$digits"
expect "has them" 0 "CREATE VIEW" cat o.txt
expect "-o of nothing" 1 - "$program" -o none/o.csv -c "select 1"
says "says why" "No such file or directory"
expect "-o of a folder" 1 - "$program" -o / -c "select 1"
says "says why" "Is a directory"

# ---- pipes, devices and links ----

expect "-o /dev/stdout" 0 'v
5' "$program" --format csv -o /dev/stdout -c "select 5 as v"
expect "COPY to /dev/stdout" 0 'v
5
COPY 1' sh -c '"$1" -c "copy (select 5 as v) to '\''/dev/stdout'\'' (format csv)" | cat' - "$program"
expect "-o into a pipe" 0 'v
5' sh -c '"$1" --format csv -o /dev/stdout -c "select 5 as v" | cat' - "$program"
mkfifo pipe
expect "-o into a named pipe" 0 'v
5' sh -c 'cat pipe & "$1" --format csv -o pipe -c "select 5 as v"; wait' - "$program"
expect "-o /dev/null" 0 "" "$program" -o /dev/null -c "select 5 as v"
holds "/dev/null was replaced" [ -c /dev/null ]
holds "a pipe was replaced" [ -p pipe ]
holds "/dev/stdout was replaced" [ -L /dev/stdout ]
rm -f ./*
mkdir sub
echo before >sub/o.csv
ln -s sub/o.csv link.csv
expect "COPY by a link" 0 "COPY 1" "$program" -c "copy (select 5 as v) to 'link.csv'"
expect "writes what it names" 0 'v
5' cat sub/o.csv
expect "-o by a link" 0 "" "$program" --format csv -o link.csv -c "select 6 as v"
expect "writes it too" 0 'v
6' cat sub/o.csv
holds "a link was replaced" [ -L link.csv ]
rm -rf ./*

# ---- full disks ----

if [ -c /dev/full ]; then
    expect "a full device" 1 - sh -c '"$1" --format csv -c "$2" >/dev/full' - "$program" "$setup select i from n"
    says "says why" "could not write the results: No space left on device"
    expect "many rows to it" 1 - sh -c '"$1" --format csv -c "$2" >/dev/full' - "$program" "select i from range(100000) t(i)"
    says "says why" "could not write the results: No space left on device"
    expect "-o to it" 1 - "$program" --format csv -o /dev/full -c "$setup select i from n"
    says "says why" 'could not write "/dev/full": No space left on device'
    expect "COPY to it" 1 - "$program" -c "$setup copy n to '/dev/full' (format json)"
    says "says why" 'could not write "/dev/full": No space left on device'
else
    skip "/dev/full: it is not there"
fi
# Names of 255 bytes leave no room for those that files have until they are whole.
long=$(printf '%0247d' 0)
for target in "$long.parquet" "$(printf '%0255d' 1)' (per_rank); --" "$(printf '%0255d' 2)' (partition_by (a)); --"; do
    expect "COPY to a name of 255 bytes" 0 - "$program" -c "copy (select 1 as a, 2 as b) to '$target'"
done
expect "COPY over it" 0 - "$program" -c "copy (select 3 as a) to '$long.parquet'"
expect "what is there then" 0 "a
3" "$program" --format csv -c "select a from '$long.parquet'"
rm -r ./0*

# A limit of file sizes fails as a disk does that fills up: 64 blocks are 32 KiB.
limited() { # SQL, further arguments: as the program's
    sql=$1
    shift
    (
        ulimit -f 64
        exec "$program" "$@" -c "$sql"
    )
}
many="select a.i, b.i as j, 'some text' as s from n a, n b"
for format in csv tsv json jsonl parquet; do
    expect "COPY to $format beyond the limit" 1 - limited "$setup copy ($many) to 'o.$format'"
    says "says why" "File too large"
done
expect "-o beyond the limit" 1 - limited "$setup $many" --format csv -o o.csv
says "says why" "File too large"
holds "left $(find . -type f)" [ "$(files)" = 0 ]

# ---- COPY ... FROM with a condition, and columns ----

rm -f ./*
"$program" -c "copy (select i, i::decimal(9,2) / 2 as d from range(1, 9) as r(i)) to 'n.csv'" -c "copy (select i, i::decimal(9,2) / 2 as d from range(1, 9) as r(i)) to 'n.parquet'" >"$work/out" 2>&1 || fail "files"
taken="create table t (i integer, d decimal(30,4), s varchar)"
for file in n.csv n.parquet; do
    expect "COPY FROM $file WHERE" 0 'i,d,s
6,3.0000,
7,3.5000,
8,4.0000,' "$program" --format csv -c "$taken; copy t (i, d) from '$file' where i > 5 and d < 4.5 and s is null; select * from t order by i"
    expect "a subquery in the condition" 1 "CREATE TABLE" "$program" -c "$taken; copy t (i, d) from '$file' where i = (select 1)"
    says "says so" "a subquery in the condition of COPY ... FROM is not supported"
    expect "a condition on another column" 1 "CREATE TABLE" "$program" -c "$taken; copy t (i, d) from '$file' where x > 1"
    says "says so" 'column "x" does not exist'
done
expect "a column twice" 1 "CREATE TABLE" "$program" -c "$taken; copy t (i, d, i) to 'twice.csv'"
says "says so" 'column "i" is named twice'
holds "a refused COPY left twice.csv" [ ! -e twice.csv ]

# A file system of 2 MB, where we may mount one.
if mkdir "$work/small" && mount -t tmpfs -o size=2m none "$work/small" 2>/dev/null; then
    expect "COPY to a full disk" 1 - "$program" -c "$setup copy ($many) to '$work/small/o.csv'"
    says "says why" "No space left on device"
    expect "-o to a full disk" 1 - "$program" --format csv -o "$work/small/o.csv" -c "$setup $many"
    says "says why" "No space left on device"
    holds "left $(ls -A "$work/small")" [ -z "$(ls -A "$work/small")" ]
    umount "$work/small"
else
    skip "a full file system: may not mount one"
fi

finish
