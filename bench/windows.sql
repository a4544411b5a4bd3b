-- Window functions over TPC-H's lineitem, for bench/peers --statements. The inner rows are added up, so that handing
-- them out counts for nothing.
-- 1: many small partitions
select sum(s), count(*) from (select sum(l_quantity) over (partition by l_orderkey order by l_linenumber) s from lineitem) v
select sum(a), count(*) from (select avg(l_quantity) over (partition by l_partkey order by l_shipdate, l_orderkey, l_linenumber rows between 6 preceding and current row) a from lineitem) v
select count(*), sum(f), sum(l) from (select first_value(l_extendedprice) over w f, last_value(l_extendedprice) over w l from lineitem window w as (partition by l_partkey order by l_shipdate, l_orderkey, l_linenumber rows between unbounded preceding and unbounded following)) v
-- 4: partitions of some hundreds of rows
select sum(s), count(*) from (select sum(l_extendedprice) over (partition by l_suppkey order by l_shipdate, l_orderkey, l_linenumber rows unbounded preceding) s from lineitem) v
select sum(r), sum(d) from (select rank() over w r, dense_rank() over w d from lineitem window w as (partition by l_suppkey order by l_extendedprice desc)) v
select sum(l_extendedprice - p), count(p) from (select l_extendedprice, lag(l_extendedprice) over (partition by l_suppkey order by l_shipdate, l_orderkey, l_linenumber) p from lineitem) v
select count(*), sum(l_extendedprice) from (select l_extendedprice, row_number() over (partition by l_suppkey order by l_extendedprice desc, l_orderkey, l_linenumber) n from lineitem) v where n <= 3
-- 8: few large ones, and none
select n, count(*), sum(l_extendedprice) from (select l_extendedprice, ntile(4) over (partition by l_shipmode order by l_extendedprice, l_orderkey, l_linenumber) n from lineitem) v group by n order by n
select count(*), sum(m) from (select max(l_extendedprice) over (partition by l_returnflag, l_linestatus order by l_shipdate, l_orderkey, l_linenumber rows between 1000 preceding and current row) m from lineitem) v
select max(s), sum(s) from (select sum(l_quantity) over (order by l_shipdate, l_orderkey, l_linenumber) s from lineitem) v
