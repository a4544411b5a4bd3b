-- What people type that TPC-H has none of, over 10,000,000 rows (bench/typed). After a semicolon: rows are not determined
-- but for this column (bench/peers).
-- 1: ASOF JOIN
select count(*), sum(e.price - q.bid) from events e asof join quotes q on e.symbol = q.symbol and e.ts >= q.ts
select e.symbol, count(q.bid), max(q.bid) from events e asof left join quotes q on e.symbol = q.symbol and e.ts > q.ts group by 1 order by 1
select count(*), epoch_ms(min(q.ts)) from events e asof join quotes q on e.ts >= q.ts
-- 4: QUALIFY
select symbol, price, id from events qualify row_number() over (partition by symbol order by price desc, id) <= 3 order by 1, 2, 3
select count(*), sum(price) from (select user_id, price from events qualify row_number() over (partition by user_id order by ts desc, id) = 1) q
select count(*) from (select id from events qualify price > avg(price) over (partition by symbol, kind)) q
-- 7: PIVOT
select * from (pivot (select symbol, kind, price from events) on kind using sum(price) group by symbol) order by symbol
select * from (pivot (select symbol, kind, price from events) on kind in ('buy', 'sell') using count(*), max(price) group by symbol) order by symbol
-- 9: samples
select count(*), avg(price) from events using sample 10 percent (bernoulli); -- 0
select count(*), avg(price) from events using sample 10 percent (system); -- 0
select count(*), avg(price) from (from events using sample 100000 rows); -- 1
-- 12: distances of texts
select count(*) from events where levenshtein(name, 'andersson') <= 2
select count(*) from events where damerau_levenshtein(name, 'andersson') <= 2
select count(*) from events where jaro_winkler_similarity(name, 'andersson') > 0.9
select count(*) from events where jaccard(name, 'andersson') > 0.6
select max(levenshtein(name, kind)) from events
-- 17: regular expressions
select sum(len(regexp_extract_all(line, '[0-9]+'))) from events
select sum(cast(regexp_extract(line, 'took ([0-9]+) ms', 1) as bigint)) from events
select count(*) from events where regexp_matches(line, 'to 10\.0\.[0-9]+\.7$')
select max(regexp_replace(line, '[0-9]+', '#', 'g')) from events
-- 21: JSON
select doc->>'$.user.name' as n, count(*) from events group by 1 order by 1
select sum(cast(doc->>'$.amount' as double)) from events where doc->>'$.ok' = 'true'
select sum(json_array_length(doc, '$.tags')) from events
select json_extract_string(doc, '$.tags[0]') as t, avg(cast(json_extract(doc, '$.user.id') as integer)) from events group by 1 order by 1
-- 25: parts of texts
select sum(len(string_split(line, ' '))) from events
select split_part(line, ' ', 1) as u, count(*) from events group by 1 order by 2 desc, 1 limit 5
