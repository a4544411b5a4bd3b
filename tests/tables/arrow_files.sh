#!/bin/sh
# Files and streams of Arrow's IPC format: what pyarrow has written (tests/data/arrow/make.py says the values), what COPY writes,
# and what is not such a file.
# arrow_files.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"
files=$here/../data/arrow
cp "$files"/*.a* "$files"/*.feather .

# Every flat type, NULLs, extremes; both forms, both codecs, one batch and two.
flat="true,-128,-32768,-2147483648,-9223372036854775808,0,0,0.5,0.5,0.1,-1.23,99999999999999999999999999999999999999,2024-02-29,2024-02-29,23:59:59,23:59:59.999999,1969-12-31 23:59:59,1969-12-31 23:59:59.999,1969-12-31 23:59:59.999999,1969-12-31 23:59:59.999999+00,\"\",ä,ä,\\x,\\x616263,,00:00:01,00000000-0000-0000-0000-000000000001
,,,,,,,,,,,,,,,,,,,,,,,,,,,
false,127,32767,2147483647,9223372036854775807,255,18446744073709551615,65504,-0.25,1e+300,999.99,-1,1969-12-31,1969-12-31,00:00:00,00:00:00,1970-01-01 00:00:00,1970-01-01 00:00:00,1969-12-31 23:59:59.999999,1969-12-31 23:59:59.999999+00,a text that does not lie in its view,twelve bytes,thirteen byte,\\x00ff,\\x78797a,,-00:00:00.005,ffffffff-ffff-ffff-ffff-ffffffffffff"
for table in flat.arrow flat.arrows lz4.feather zstd.arrow; do
    expect "$table" 0 "$flat" rows "from '$table'" --set threads=1
done
expect "types" 0 "\"b boolean|i8 tinyint|i16 smallint|i32 integer|i64 bigint|u8 utinyint|u64 ubigint|f16 float|f32 float|f64 double|d5 decimal(5,2)|d38 decimal(38,0)|date date|date64 date|t32 time|t64 time|ts timestamp|ms timestamp|us timestamp|tz timestamp with time zone|s varchar|ls varchar|vs varchar|z blob|fz blob|n integer|dur interval|uuid uuid\"" \
    rows "select string_agg(column_name || ' ' || column_type, '|') from (describe 'flat.arrow')"
expect "simulated device" 0 "$(printf '%s\n' "$flat" | cut -d, -f1-5,21)" \
    rows "select b, i8, i16, i32, i64, s from 'flat.arrow'" --set device=simulated

# Lists, structs and maps.
nested="\"[1, NULL]\",[a],[1],\"[1, 2]\",\"{'a': 1, 'b': x}\",{k=1},[{'a': [1]}]
[],,[],,,{},
,\"[b, NULL]\",,\"[3, NULL]\",\"{'a': NULL, 'b': y}\",,\"[NULL, {'a': NULL}]\"
[3],[],\"[2, 3]\",\"[5, 6]\",\"{'a': 4, 'b': NULL}\",\"{x=NULL, y=2}\",[]"
for table in nested.arrow nested.arrows; do
    expect "$table" 0 "$nested" rows "from '$table'" --set threads=1
done
expect "elements" 0 "1,1,2
,,
,,
3,4,6" rows "select l[1], s.a, fl[2] from 'nested.arrow'" --set threads=1

# Dictionaries: NULL as a code and as a value; another one for each batch; values that are added.
expect "a dictionary" 0 "x,1
,2
a long text of a dictionary,3
,4
a long text of a dictionary,5" rows "from 'dictionary.arrow'" --set threads=1
expect "groups of one" 0 ",2
a long text of a dictionary,2
x,1" rows "select d, count(*) from 'dictionary.arrow' group by d order by 1 nulls first"
expect "changing dictionaries" 0 '"a,b,c,c,d,e"' rows "select string_agg(d, ',') from 'changing.arrows'" --set threads=1
expect "deltas" 0 '"a,b,a,b,c,a,b,c,d"' rows "select string_agg(d, ',') from 'delta.arrows'" --set threads=1

# Names, several files, options.
expect "names" 0 '1,2,3' rows "from 'names.arrow'"
expect "no rows" 0 "0" rows "select count(*) from 'empty.arrow'"
expect "a pattern" 0 "6,zstd.arrow" rows "select count(*), max(filename) from read_arrow(['flat.arrow', 'z*.arrow'], filename => true)"
expect "columns that are not read" 0 "3" rows "select count(*) from 'flat.arrow'"
expect "by name" 0 "6,1" rows "select count(*), count(v) from read_arrow(['names.arrow', 'dictionary.arrow'], union_by_name => true)"
expect "a missing column" 1 - sql "from read_arrow(['names.arrow', 'dictionary.arrow'])"
says "a missing column" "file \"dictionary.arrow\" has no column \"v\", which \"names.arrow\" has"
expect "another type" 1 - sql "from read_arrow(['flat.arrow', 'nested.arrow'], union_by_name => true)"
says "another type" "file \"nested.arrow\": column \"s\" is a struct(a integer, b varchar), but a varchar in \"flat.arrow\""
expect "an option" 1 - sql "from read_arrow('flat.arrow', header => true)"
says "an option" 'read_arrow has no option "header"'

# COPY: what was written is read.
for table in flat nested; do
    for ending in arrow arrows feather; do
        sql "copy (from '$table.arrow') to 'copy.$ending'" >/dev/null
        expect "COPY of $table, $ending" 0 "$(rows "from '$table.arrow'" --set threads=1)" \
            rows "from 'copy.$ending'" --set threads=1
    done
done
sql "copy (select i, 'a text of more than twelve bytes ' || i s from range(300000) t(i)) to 'many.arrow'" >/dev/null
for options in threads=1 threads=3 ranks=2; do
    expect "many rows, $options" 0 "300000,44999850000,a text of more than twelve bytes 99999" \
        rows "select count(*), sum(i), max(s) from 'many.arrow'" --set "$options" --set distribute=always
done
expect "order" 0 "250000
250001" rows "select i from 'many.arrow' limit 2 offset 250000"
for codec in lz4 zstd; do
    sql "copy (from 'many.arrow') to 'packed.arrow' (compression $codec); copy (from 'nested.arrow') to 'packed.arrows' (codec $codec)" >/dev/null
    expect "many rows, $codec" 0 "300000,44999850000,a text of more than twelve bytes 99999" \
        rows "select count(*), sum(i), max(s) from 'packed.arrow'" --set threads=3
    expect "nested, $codec" 0 "$(rows "from 'nested.arrow'" --set threads=1)" rows "from 'packed.arrows'" --set threads=1
    # shellcheck disable=SC2012
    if [ "$(ls -l packed.arrow | awk '{ print $5 }')" -lt 8000000 ]; then pass; else fail "$codec compresses nothing"; fi
done
expect "a codec that Arrow does not have" 1 - sql "copy (select 1 a) to 'no.arrow' (compression snappy)"
says "a codec that Arrow does not have" "none, lz4 or zstd"
sql "copy (select 1 a where false) to 'none.arrow'" >/dev/null
expect "COPY of no rows" 0 "0" rows "select count(*) from 'none.arrow'"
expect "into a table" 0 "count
5" sql "create table t as select 'x' d, 1::bigint i limit 0; copy t from 'dictionary.arrow'; select count(*) from t"
expect "partitions" 1 - sql "copy (select 1 a, 2 b) to 'p' (format arrow, partition_by (a))"
says "partitions" 'the format arrow has no option "partition_by"'

# Nested columns are grouped, compared, sorted and joined by their values.
sql "copy (select [i % 2, 1] l, {'a': i // 2} s, i from range(4) r(i)) to 'groups.arrow'" >/dev/null
for device in cpu simulated; do
    expect "groups of lists, $device" 0 "\"[0, 1]\",2
\"[1, 1]\",2" rows "select l, count(*) from 'groups.arrow' group by l order by l" --set device=$device
    expect "lists and structs compared, $device" 0 "2
3" rows "select i from 'groups.arrow' where l >= [0, 1] and s > {'a': 0} order by l, s" --set device=$device
    expect "lists joined, $device" 0 "8" rows "select count(*) from 'groups.arrow' a join 'groups.arrow' b on a.l = b.l" --set device=$device
done

# Files of other formats, and files that are cut off.
expect "a union" 1 - sql "from 'union.arrow'"
says "a union" "column \"u\": the Arrow type union is not supported"
head -c 3000 flat.arrow >cut.arrow
expect "a file that is cut off" 1 - sql "from 'cut.arrow'"
says "a file that is cut off" "does not end in an Arrow footer"
head -c 3000 flat.arrows >cut.arrows
expect "a stream that is cut off" 1 - sql "from 'cut.arrows'"
says "a stream that is cut off" "the stream is cut off"
printf 'FEA1 and more bytes' >old.feather
expect "version 1" 1 - sql "from 'old.feather'"
says "version 1" "version 1 of the Feather format is not supported"
printf 'a,b\n1,2\n' >csv.arrow
expect "csv" 1 - sql "from 'csv.arrow'"
says "csv" "file \"csv.arrow\": "
: >nothing.arrow
expect "an empty file" 1 - sql "from 'nothing.arrow'"
says "an empty file" "the stream ends before its schema"
finish
