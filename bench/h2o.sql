-- H2O.ai's database benchmark (https://github.com/duckdblabs/db-benchmark), one question a line: ten of grouping, five of
-- joining. What a question gives is counted and summed, as the benchmark checks it, instead of being printed.
-- 1: grouping
select count(*), sum(v1) from (select id1, sum(v1) as v1 from h2o group by id1) q
select count(*), sum(v1) from (select id1, id2, sum(v1) as v1 from h2o group by id1, id2) q
select count(*), sum(v1), sum(v3) from (select id3, sum(v1) as v1, avg(v3) as v3 from h2o group by id3) q
select count(*), sum(v1), sum(v2), sum(v3) from (select id4, avg(v1) as v1, avg(v2) as v2, avg(v3) as v3 from h2o group by id4) q
select count(*), sum(v1), sum(v2), sum(v3) from (select id6, sum(v1) as v1, sum(v2) as v2, sum(v3) as v3 from h2o group by id6) q
select count(*), sum(m), sum(sd) from (select id4, id5, median(v3) as m, stddev(v3) as sd from h2o group by id4, id5) q
select count(*), sum(r) from (select id3, max(v1) - min(v2) as r from h2o group by id3) q
select count(*), sum(v3) from (select id6, v3 from (select id6, v3, row_number() over (partition by id6 order by v3 desc) as n from h2o where v3 is not null) s where n <= 2) q
select count(*), sum(r2) from (select id2, id4, power(corr(v1, v2), 2) as r2 from h2o group by id2, id4) q
select count(*), sum(v3), sum(n) from (select id1, id2, id3, id4, id5, id6, sum(v3) as v3, count(*) as n from h2o group by id1, id2, id3, id4, id5, id6) q
-- 11: joining
select count(*), sum(v1), sum(v2) from (select x.*, s.id4 as small_id4, v2 from h2o_x x join h2o_small s using (id1)) q
select count(*), sum(v1), sum(v2) from (select x.*, m.id1 as medium_id1, m.id4 as medium_id4, m.id5 as medium_id5, v2 from h2o_x x join h2o_medium m using (id2)) q
select count(*), sum(v1), sum(v2) from (select x.*, m.id1 as medium_id1, m.id4 as medium_id4, m.id5 as medium_id5, v2 from h2o_x x left join h2o_medium m using (id2)) q
select count(*), sum(v1), sum(v2) from (select x.*, m.id1 as medium_id1, m.id2 as medium_id2, m.id4 as medium_id4, v2 from h2o_x x join h2o_medium m using (id5)) q
select count(*), sum(v1), sum(v2) from (select x.*, b.id1 as big_id1, b.id2 as big_id2, b.id4 as big_id4, b.id5 as big_id5, b.id6 as big_id6, v2 from h2o_x x join h2o_big b using (id3)) q
