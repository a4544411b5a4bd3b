"""SIGINT at a random moment of statements that are long in one operator, kernel or part of planning: it is heard soon."""
from .counts import MAKERS as COUNTS
from .scene import Check, Scene

SOON = 1.0  # seconds of processors after SIGINT, of which two make 0.5, whatever else is at work on the machine
SOON_LAUNCHED = 12.0  # where kernels are a device's, of up to three ranks, which do not hear it: those that are launched end first
MANY = "range(3000000) t(i)"
STATEMENTS = {
    "sort": f"SELECT max(r) FROM (SELECT i, row_number() OVER (ORDER BY i * 7919::bigint % 1000003, i) AS r FROM {MANY}) q",
    "sort of texts": "SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY md5(CAST(i AS varchar))) AS r FROM range(1000000) t(i)) q",
    "top": "SELECT i FROM range(100000000) t(i) ORDER BY i * 7919::bigint % 1000003 DESC, i LIMIT 1000",
    "range join": "SELECT count(*) FROM range(60000) a(i) JOIN range(60000) b(j) ON a.i * 7 % 60000 > b.j AND a.i + b.j < 90000",
    "cross join": "SELECT count(*) FROM range(60000) a(i), range(60000) b(j) WHERE (a.i * b.j) % 7 = 3",
    "texts compared": "SELECT count(*) FROM (SELECT 'a' || i AS s FROM range(40000) t(i)) a, (SELECT 'b' || i AS s FROM range(40000) t(i)) b WHERE a.s || 'c' > b.s",
    "join": "SELECT count(*), sum(a.i + b.i) FROM range(3000000) a(i) JOIN range(3000000) b(i) ON a.i % 1000 = b.i % 1000",
    "join of texts": "SELECT count(*) FROM (SELECT md5(CAST(i AS varchar)) AS s FROM range(1500000) t(i)) a JOIN (SELECT md5(CAST(i AS varchar)) AS s FROM range(1500000) t(i)) b ON a.s = b.s",
    "groups": "SELECT count(*) FROM (SELECT i * 31 AS k, count(*), max(i) FROM range(8000000) t(i) GROUP BY k) q",
    "groups of texts": "SELECT count(*) FROM (SELECT 'x' || i AS k, count(*) FROM range(3000000) t(i) GROUP BY k) q",
    "count(DISTINCT)": "SELECT i % 100, count(DISTINCT i * 7), count(DISTINCT i % 5000) FROM range(5000000) t(i) GROUP BY 1",
    "median": "SELECT i % 3, median(i * 7919::bigint % 1000003) FROM range(6000000) t(i) GROUP BY 1",
    "median of a window": "SELECT sum(m) FROM (SELECT median(i * 7919::bigint % 1003) OVER (ORDER BY i ROWS BETWEEN 2000 PRECEDING AND CURRENT ROW) AS m FROM range(300000) t(i)) q",
    "windows": "SELECT sum(a), sum(b) FROM (SELECT lag(i) OVER (PARTITION BY i % 7 ORDER BY i) AS a, sum(i) OVER (ORDER BY i RANGE BETWEEN 50 PRECEDING AND 50 FOLLOWING) AS b FROM range(2000000) t(i)) q",
    "distinct values of a window": "SELECT count(*) FROM (SELECT dense_rank() OVER (ORDER BY i % 100000) AS r FROM range(2000000) t(i)) q WHERE r > 5",
    "recursion": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100000000) SELECT count(*) FROM t",
    "growing recursion": "WITH RECURSIVE t(n, v) AS (SELECT 1, 1 UNION SELECT n + 1, (v * 31 + k) % 1000003 FROM t, range(3) r(k) WHERE n < 40) SELECT count(*) FROM t",
    "series": "SELECT count(*), sum(i) FROM generate_series(1, 1000000000000) t(i)",
    "set operation": "SELECT count(*) FROM (SELECT i FROM range(4000000) t(i) EXCEPT SELECT i * 2 FROM range(4000000) t(i)) q",
    "grouping sets": "SELECT count(*) FROM (SELECT i % 1000 AS a, i % 77 AS b, i % 13 AS c, count(*) FROM range(4000000) t(i) GROUP BY CUBE (a, b, c)) q",
    "correlated": "SELECT count(*) FROM range(40000) a(i) WHERE i > (SELECT avg(j) FROM range(40000) b(j) WHERE j <> a.i AND j > a.i - 30000)",
    "LATERAL": "SELECT count(*) FROM range(20000) a(i), LATERAL (SELECT j FROM range(20000) b(j) WHERE j > a.i ORDER BY j DESC LIMIT 3) q",
    "LIKE": "SELECT count(*) FROM range(50) t(i) WHERE repeat('a', 60000) || i LIKE '%' || repeat('a', 30000) || 'b%'",
    "regular expression": "SELECT count(*) FROM range(3000000) t(i) WHERE md5(CAST(i AS varchar)) ~ '(a|b)*c[0-9]+(d|e)*f' OR CAST(i AS varchar) ~ '^(1|2)*3$'",
    "long texts": "SELECT sum(length(replace(upper(repeat('abc', 200000) || i), 'B', 'xy'))) FROM range(2000) t(i)",
    "texts of numbers": "SELECT max(length(CAST(i * 1.0000001 AS varchar) || CAST(CAST(i AS decimal(30,5)) * 1.00001 AS varchar))) FROM range(6000000) t(i)",
    "dates": "SELECT count(DISTINCT date_trunc('month', timestamp '2000-01-01' + i * interval '1 minute')) FROM range(6000000) t(i)",
    "decimals": "SELECT sum(CAST(i AS decimal(18,3)) * CAST(i % 1000 AS decimal(10,2)) / 7) FROM range(8000000) t(i)",
    "COPY to parquet": "COPY (SELECT i, md5(CAST(i AS varchar)) AS s, i * 0.5 AS x FROM range(4000000) t(i)) TO 'made.parquet' (CODEC gzip)",
    "COPY to csv": "COPY (SELECT i, md5(CAST(i AS varchar)) AS s, i * 0.5 AS x FROM range(20000000) t(i)) TO 'made.csv'",
    "PARTITION_BY": "COPY (SELECT i % 5000 AS k, i, md5(CAST(i AS varchar)) AS s FROM range(2000000) t(i)) TO 'made' (PARTITION_BY (k))",
    "CREATE TABLE": "CREATE TABLE made AS SELECT i, md5(CAST(i AS varchar)) AS s FROM range(6000000) t(i) ORDER BY s",
    "string_agg": "SELECT length(string_agg(CAST(i AS varchar), ',' ORDER BY i DESC)) FROM range(3000000) t(i)",
    "SUMMARIZE": "CREATE VIEW made AS SELECT i, i % 7 AS a, md5(CAST(i AS varchar)) AS s, i * 0.5 AS x FROM range(3000000) t(i);\nSUMMARIZE made",
    "comments": "SELECT " + "/*" * 12000 + " x " + "*/" * 12000 + " 1",
    "rows": "SELECT i, 'x' || i FROM range(100000000) t(i)",
}
PLANNED = {"AND": 20000, "OR": 20000, "IN of expressions": 5000, "windows": 800, "count(DISTINCT)": 2000, "joins": 300, "WITH": 4000, "levels": 900, "CASE": 20000, "UNION ALL": 8000,
           "GROUP BY": 8000, "greatest": 20000, "columns": 20000, "GROUPING SETS": 500, "VALUES": 300000}
NAMES = (*STATEMENTS, *(f"planning {form}" for form in PLANNED))


def scene(choices):
    return Scene()


def check(choices, scene):
    if choices.chance(30):
        form = choices.pick(tuple(PLANNED))
        sql, form = COUNTS[form](choices, PLANNED[form])[0], f"planning {form}"
    else:
        form = choices.pick(tuple(STATEMENTS))
        sql = STATEMENTS[form]
    after = (choices.pick((1, 2, 5, 10, 20)) * (1 + choices.below(100))) / 1000

    def look(ran, folder):
        soon = SOON if made.settings.get("device", "cpu") == "cpu" else SOON_LAUNCHED
        return "SIGINT is heard late" if ran.after > soon else ""
    made = Check((form,), [sql], None, interrupt=after, seconds=after + 25, may_fail=r"cancelled|interrupted|more than|too many|nested|memory_limit", look=look)
    made.settings = {"memory_limit": choices.pick(("1GiB", "64MiB"))}
    if choices.chance(40):
        made.settings["threads"] = choices.pick(("1", "3"))
    if choices.chance(25):
        made.settings.update({"ranks": choices.pick(("2", "3")), "distribute": "always"})
    if choices.chance(10):
        made.settings["device"] = "simulated"
    return made
