-- Kinds of statements that TPC-H has none of, over its tables; the last ones, over ClickBench's hits, run where
-- DATA has hits.parquet. Behind a semicolon: rows are not determined but for this column (bench/peers).
-- 1: DISTINCT and GROUP BY under a LIMIT without an order
select count(*) from (select distinct * from lineitem limit 1) v
select count(*) from (select distinct l_comment from lineitem limit 5) v
select count(*) from (select l_comment, count(*) as n from lineitem group by 1 limit 5) v
select l_comment, count(*) as n from lineitem group by 1 limit 5; -- 0
-- 5: the first rows of an order
select l_orderkey, l_comment from lineitem order by l_comment limit 3; -- 2
select l_orderkey, l_comment from lineitem order by l_comment desc limit 3; -- 2
select c, k from (select l_comment c, l_orderkey k from lineitem union all select o_comment, o_orderkey from orders) v order by c, k limit 3
select l_shipmode, l_partkey from lineitem order by l_shipmode, l_partkey limit 3
select l_partkey from lineitem order by l_partkey limit 3
select l_extendedprice from lineitem order by l_extendedprice desc limit 3
select l_comment from lineitem order by l_comment limit 10000
select * from lineitem order by l_extendedprice, l_orderkey limit 10
-- 13: whole sorts
copy (select l_orderkey, l_partkey, l_suppkey from lineitem order by l_partkey, l_suppkey, l_orderkey) to 'kinds.out.parquet'; -- 0
copy (select l_orderkey, l_partkey, l_suppkey from lineitem order by l_partkey) to 'kinds.out.parquet'; -- 0
copy (select l_orderkey, l_extendedprice from lineitem order by l_extendedprice) to 'kinds.out.parquet'; -- 0
copy (select l_orderkey, l_partkey from lineitem order by l_orderkey) to 'kinds.out.parquet'; -- 0
copy (select * from lineitem order by l_extendedprice, l_orderkey) to 'kinds.out.parquet'; -- 0
copy (select l_comment, l_orderkey from lineitem order by l_comment) to 'kinds.out.parquet'; -- 0
-- 19: offsets
select * from lineitem limit 10 offset 5000000; -- 0
select l_comment from lineitem order by l_comment limit 10 offset 1000000
-- 21: what footers tell
select max(l_comment), min(l_comment) from lineitem
select count(l_comment), count(*) from lineitem
select min(l_orderkey), max(l_orderkey) from lineitem
-- 24: joins on ranges
select count(*) from (select o_custkey p from orders where o_orderkey <= 20000) a join (select p_partkey b from part where p_partkey <= 20000) b on a.p between b.b * 10 and b.b * 10 + 100
select count(*), count(b.b) from (select o_custkey p from orders where o_orderkey <= 10000) a left join (select p_partkey b from part where p_partkey <= 10000) b on a.p >= b.b * 10 and a.p < b.b * 10 + 50
select count(*) from (select distinct o_orderdate d from orders) c join (select l_shipdate s, l_receiptdate r from lineitem where l_orderkey <= 60000) l on c.d between l.s and l.r
select count(*) from (select c_custkey a from customer where c_custkey <= 10000) a join (select p_partkey b from part where p_partkey <= 20000) b on a.a < b.b
select count(*) from (select c_custkey x from customer where c_custkey <= 10000) a, (select c_custkey x from customer where c_custkey <= 10000) b where a.x + b.x > 19000
-- 29: text made and taken apart
select count(*) from lineitem where cast(l_orderkey as varchar) like '%99%'
select count(*) from orders join customer on 'Customer#' || substr(o_clerk, 7, 9) = c_name
select l_shipmode || '-' || l_returnflag || '-' || l_linestatus as k, count(*) from lineitem group by 1 order by 1
select substr(cast(l_shipdate as varchar), 1, 7) as k, count(*) from lineitem group by 1 order by 1
select sum(cast(substr(o_clerk, 7) as integer)) from orders
-- 34: others
select count(*) from (select o_orderkey, o_custkey from orders where o_orderkey <= 40000) o join (select c_custkey from customer where c_custkey <= 3000) c on o_custkey = c_custkey or o_orderkey = c_custkey
with t as (select o_custkey k, count(*) n from orders group by 1 having count(*) > 12) select count(*) from t a join t b on a.k = b.k join t c on a.k = c.k join t d on a.k = d.k join t e on a.k = e.k join t f on a.k = f.k join t g on a.k = g.k join t h on a.k = h.k
select count(*) from (select ps_partkey, ps_suppkey from partsupp except select l_partkey, l_suppkey from lineitem) v
copy (select * from lineitem) to 'kinds.out.csv'; -- 0
select count(*) from lineitem where l_receiptdate > l_commitdate + interval '1 month'
select 'x' as k, sum(l_quantity) from lineitem group by 1
select count(*) from orders o where o_orderdate = (select max(o_orderdate) from orders i where i.o_custkey = o.o_custkey)
select * from lineitem limit 10; -- 0
-- 42: over hits
select count(*) from (select distinct * from hits limit 5) v
select "URL" from hits order by 1 limit 3
select "UserID", "SearchPhrase", count(*) as n from hits group by 1, 2 order by 3 desc limit 5; -- 3
select count(distinct "UserID") from hits
select * from hits order by "EventTime", "WatchID" limit 10
