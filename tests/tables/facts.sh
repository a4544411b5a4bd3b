#!/bin/sh
# Facts of files as rows: parquet_metadata, parquet_schema, parquet_file_metadata, parquet_kv_metadata, glob.
# facts.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"
sql "copy (select i::integer as a, 'it''s ' || i as b, i::decimal(10,2) as e, nullif(i, i) as n from range(5) as t(i)) to 'f.parquet' (codec snappy)" >/dev/null
sql "copy (select i as a from range(7) as t(i)) to 'g.parquet' (codec zstd, row_group_size 3)" >/dev/null
facts="select"

expect "a file" 0 "f.parquet,5,1" rows "$facts file_name, num_rows, num_row_groups from parquet_file_metadata('f.parquet')"
expect "several" 0 "f.parquet,5
g.parquet,7" rows "$facts file_name, num_rows from parquet_file_metadata('*.parquet') order by 1"
expect "a list" 0 "12,2" rows "$facts sum(num_rows), count(*) from parquet_file_metadata(['f.parquet', 'g.parquet'])"
expect "its size" 0 "$(wc -c <f.parquet | tr -d ' ')" rows "$facts file_size_bytes from parquet_file_metadata('f.parquet')"
expect "leaves" 0 "a,INT32,integer,0
b,BYTE_ARRAY,varchar,1
e,INT64,\"decimal(10,2)\",2
n,INT32,integer,3" rows "$facts name, type, column_type, column_id from parquet_schema('f.parquet') order by column_id"
expect "chunks" 0 "0,a,0,4,0,snappy
0,b,it's 0,it's 4,0,snappy
0,e,0.00,4.00,0,snappy
0,n,,,5,snappy" rows "$facts row_group_id, path_in_schema, stats_min, stats_max, stats_null_count, compression from parquet_metadata('f.parquet') order by column_id"
expect "row groups" 0 "0,3,0,2,zstd
1,3,3,5,zstd
2,1,6,6,zstd" rows "$facts row_group_id, row_group_num_rows, stats_min, stats_max, compression from parquet_metadata('g.parquet') order by 1"
expect "all chunks" 0 "7,true" rows "$facts count(*), bool_and(total_compressed_size > 0) from parquet_metadata('*.parquet') as m"
expect "names of columns" 0 "x,y" rows "$facts 'x', 'y' from parquet_file_metadata('f.parquet') as f(name)"
expect "no pairs" 0 "0" rows "$facts count(*) from parquet_kv_metadata('f.parquet')"
expect "a pattern" 0 "f.parquet
g.parquet" rows "$facts file from glob('*.parquet') order by 1"
expect "nothing" 0 "0" rows "$facts count(*) from glob('none*.parquet')"
named() { rows "select $1 from read_parquet($2, filename => true) $3"; }
expect "a column of the file's path" 0 "0,f.parquet
1,f.parquet" named "a, filename" "'f.parquet'" "order by 1 limit 2"
expect "of several files" 0 "f.parquet,5
g.parquet,7" named "filename, count(*)" "['f.parquet', 'g.parquet'], union_by_name => true" "group by 1 order by 1"
expect "as a condition" 0 "7" rows "select count(*) from read_parquet('[fg].parquet', filename => true, union_by_name => true) where filename = 'g.parquet'"
mkdir -p keys/k=1 keys/k=2
cp g.parquet keys/k=1 && cp g.parquet keys/k=2
expect "before keys of folders" 0 "0,keys/k=1/g.parquet,1
0,keys/k=2/g.parquet,2" named "*" "'keys/*/*.parquet'" "where a = 0 order by all"
expect "not asked for" 0 "0" rows "select * from read_parquet('g.parquet', filename => false) limit 1"
expect "a name" 1 - rows "select 1 from read_parquet('f.parquet', filename => 'x')"
says "a name" 'filename cannot be "x"'
expect "no file" 1 - sql "select * from parquet_schema('none.parquet')"
says "no file" 'could not open file "none.parquet"'
says "no file, with its place" "line 1: "
expect "no path" 1 - sql "select * from parquet_schema(1)"
says "no path" "arguments of parquet_schema must be paths in quotes"
expect "two" 1 - sql "select * from parquet_metadata('f.parquet', 'g.parquet')"
says "two" 'function "parquet_metadata" takes a path, or a list of paths'
printf 'PAR1 this is no file of rows PAR1' >bad.parquet
expect "another file" 1 - sql "select * from parquet_metadata('bad.parquet')"
says "another file" 'file "bad.parquet"'
finish
