#!/bin/sh
# Schemas and catalogs: CREATE SCHEMA, ATTACH, USE, search_path, names of up to five parts, what lists them.
# schemas.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"
mkdir -p lake/part lake/sales/eu lake/sales/us lake/empty
sql "copy (select 1 as a, 'x' as b) to 'lake/orders.parquet'" >/dev/null
sql "copy (select 7 as a) to 'lake/part/1.parquet'" >/dev/null
sql "copy (select 8 as a) to 'lake/part/2.parquet'" >/dev/null
sql "copy (select 5 as a) to 'lake/sales/eu/x.parquet'" >/dev/null
sql "copy (select 6 as a) to 'lake/sales/us/x.parquet'" >/dev/null

# Two schemas and tables t in each.
made="create schema s; create table s.t as select 1 as a; create table t as select 2 as a; create table s.u as select 3 as b"
after() { rows "$made; $1"; }
expect "a schema's table" 0 "1" after "from s.t"
expect "USE" 0 "1,2" after "use s; select t.a, x.a from t, main.t as x"
expect "main after the path" 0 "9" after "create table m as select 9; use s; from m"
expect "a path" 0 "1" after "set search_path = 's, main'; from t"
expect "SET schema" 0 "2" after "use s; set schema = 'main'; from t"
expect "RESET" 0 "2" after "use s; reset search_path; from t"
expect "PostgreSQL's path" 0 "2" after "set search_path to \"\$user\", public; from t"
expect "a view keeps its path" 0 "3" after "use s; create view v as from u; use main; from s.v"
expect "a view without one keeps that" 0 "2" after "create view v as from t; use s; from main.v"
expect "both names in FROM" 0 "1,2,1,2" after "select s.t.a, main.t.a, x.* from s.t, main.t, (select s.t.a, public.t.a as b from s.t, t) as x"
expect "catalog and all" 0 "1,1" after "select pistachio.s.t.a, s.t.* from pistachio.s.t"
expect "an outer table of that name" 0 "1" after "select (select s.t.a from main.t) from s.t"
expect "ambiguous" 1 - after "select t.a from s.t, main.t"
says "ambiguous" 'column reference "a" is ambiguous'
expect "several stars" 1 - after "select t.* from s.t, main.t"
says "several stars" 'several tables of FROM are named "t"'
expect "an alias hides it" 1 - after "select s.t.a from s.t as x"
says "an alias hides it" 'there is no table "s.t" in the FROM clause'
expect "another schema's" 1 - after "select s.t.a from t"
expect "current_schema" 0 "s,pistachio" after "use s; select current_schema(), current_database()"
expect "INSERT and DROP" 0 "1" after "use s; insert into t values (4); drop table u; drop table main.t; select count(*) - 1 from t"
expect "IF NOT EXISTS" 0 "1" after "create table if not exists s.t as select 5; from s.t"
expect "SHOW TABLES" 0 "t,table,1,1
u,table,1,1" after "show tables from s"
expect "not empty" 1 - after "drop schema s"
says "not empty" 'schema "s" is not empty: "t" is in it'
expect "CASCADE" 0 "2" after "drop schema s cascade; from t"
expect "gone" 1 - after "drop schema s cascade; from s.t"
says "gone" 'schema "s" does not exist'
expect "in use" 1 - after "use s; drop schema s cascade"
says "in use" 'USE main first'
expect "twice" 1 - after "create schema S"
says "twice" 'there is a schema named "s" already'
expect "IF EXISTS" 0 "2" after "create schema if not exists s; drop schema if exists z; from t"
expect "no schema" 1 - after "create table z.t (a integer)"
says "no schema" 'schema "z" does not exist'
expect "no such path" 1 - after "set search_path = 's, z'"
says "no such path" 'schema "z" does not exist'
expect "the first" 1 - after "drop schema main"
expect "quotes, dots, case" 0 "7,7" rows "create schema \"A b.c\"; create table \"A b.c\".\"x.y\" as select 7 as k; use \"A b.c\"; select \"a B.C\".\"X.Y\".K, \"x.y\".k from \"x.y\""
expect "information_schema" 0 "pistachio,public,t
pistachio,s,t
pistachio,s,u" after "select table_catalog, table_schema, table_name from information_schema.tables order by all"
expect "columns" 0 "s,u,b" after "select table_schema, table_name, column_name from information_schema.columns where table_name = 'u'"
expect "pg_catalog" 0 "public,t
s,t
s,u" after "select nspname, relname from pg_class join pg_namespace as n on n.oid = relnamespace order by all"

# A folder as a catalog.
attached() { rows "attach 'lake' as a; $1"; }
expect "its table" 0 "1,x,1" attached "select a.orders.*, pistachio.a from a.orders, a.main.orders as pistachio(a, c) where c = 'x'"
expect "a folder as a table" 0 "15" attached "select sum(a) from a.part"
expect "folders as a schema" 0 "5,6" attached "select e.a, a.sales.us.a from a.sales.eu as e, a.sales.us"
expect "USE a catalog" 0 "1,x" attached "use a; from orders"
expect "USE its schema" 0 "5" attached "use a.sales; from eu"
expect "the database's own" 0 "3" attached "create table m as select 3; use a; from pistachio.m"
expect "SHOW ALL TABLES" 0 "a,main,orders,\"[a, b]\",\"[integer, text]\",false
a,main,part,[a],[integer],false
a,sales,eu,[a],[integer],false
a,sales,us,[a],[integer],false" attached "show all tables"
expect "SHOW DATABASES" 0 "a
pistachio" attached "show databases"
expect "SHOW SCHEMAS" 0 "a,main
a,sales
pistachio,main" attached "show schemas"
expect "a schema goes before a catalog" 0 "4" attached "create schema pistachio.a; create table pistachio.a.t as select 4; from a.t"
expect "DETACH" 0 "8" rows "attach database 'lake'; detach database lake; attach if not exists 'lake' as lake; select max(a) from lake.part"
expect "attached twice" 1 - attached "attach 'lake' as a"
says "attached twice" 'there is a catalog named "a" already'
expect "detached" 1 - attached "detach a; from a.orders"
expect "detached in use" 1 - attached "use a.sales; detach a"
expect "no folder" 1 - rows "attach 'none' as b"
says "no folder" 'could not open file "none"'
expect "no files" 1 - rows "attach 'lake/empty' as b"
says "no files" 'folder "lake/empty" has no Parquet files'
expect "a name of the system's" 1 - rows "attach 'lake' as temp"
expect "one file" 0 "1,x" rows "attach 'lake/orders.parquet' as b; from b.orders"
expect "not trusted" 1 - rows "set enable_external_access = off; attach 'lake' as b"
says "not trusted" 'enable_external_access'
expect "ranks that are processes" 0 "1,3,15" rows "$made; attach 'lake' as a; use s; create view main.v as from u; set distribute = 'always'; select t.a, v.b, (select sum(a) from a.part) from t, main.v" --processes 2
finish
