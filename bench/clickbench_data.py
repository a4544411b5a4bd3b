"""Makes a table like ClickBench's hits: DATA_FOLDER/hits.parquet, with the public schema's 105 columns.

    clickbench_data.py DATA_FOLDER --rows N [--seed S]          a stand-in, of any number of rows
    clickbench_data.py DATA_FOLDER --from hits.parquet          the real rows (binary columns become text)

The real table has 99,997,497 rows, sorted by CounterID, EventDate, UserID, EventTime, WatchID. Of a stand-in
the distributions are those of the real one as far as they are published, each as a share of the rows, so that a
statement over N rows has N / 100 million of the groups:

    WatchID                  all different                    MobilePhoneModel   empty in 94.5%, else 166 values
    UserID                   17.6% of the rows are different  AdvEngineID        0 in 99.4%, else 18 values
    ClientIP                 9.9%                             SearchPhrase       empty in 86.8%, else 45% different
    URL, Title               18%, 9%                          URL like %google%  0.016%
    RegionID, CounterID      9,040 and 6,506 values           CounterID = 62     0.74%, all of July 2013

All of them are skewed: value number floor(n * u^k), u uniform, of n values, which makes the first ones frequent as
a power law does. A user has few counters, addresses, regions and phrases, so that rows of a user lie together, as
they do in the real table. Constants in statements (a UserID, two hashes) occur. Texts are words of a vocabulary of
2,000, made of syllables; a URL has about 80 bytes, a title 60, a phrase 30. The columns that no statement names are
as wide as in the real table and have few values.

Random numbers are DuckDB's hash() of the row's number and the seed: the same rows for the same version of DuckDB.
DuckDB writes the file, with its defaults.
"""
import argparse, os
import duckdb

# Columns in the schema's order: a type (its value is of few, skewed), or an expression over the drawn numbers.
COLUMNS = """
WatchID bigint: (hash(i, {seed}) >> 2)::bigint
JavaEnable smallint
Title varchar: title
GoodEvent smallint: 1
EventTime bigint: epoch(event_time)::bigint
EventDate date: event_time::date
CounterID integer: counter
ClientIP integer: (hash(ip, 5) % 4294967296)::bigint - 2147483648
RegionID integer: region
UserID bigint: case when uid = 77 then 435090932899640449 else (hash(uid, 3) >> 1)::bigint end
CounterClass smallint
OS smallint
UserAgent smallint
URL varchar: url
Referer varchar: case when r9 < 0.19 then '' else referer end
IsRefresh smallint: (r8 < 0.11)::smallint
RefererCategoryID smallint
RefererRegionID integer
URLCategoryID smallint
URLRegionID integer
ResolutionWidth smallint: [1638, 1368, 1996, 1087, 1750, 339, 1917, 0][1 + (hash(uid, 8) % 8)::integer]
ResolutionHeight smallint
ResolutionDepth smallint
FlashMajor smallint
FlashMinor smallint
FlashMinor2 varchar
NetMajor smallint
NetMinor smallint
UserAgentMajor smallint
UserAgentMinor varchar
CookieEnable smallint: 1
JavascriptEnable smallint: 1
IsMobile smallint
MobilePhone smallint: case when mobile then 1 + hash(uid, 10) % 70 else 0 end
MobilePhoneModel varchar: case when mobile then 'model ' || floor(166 * pow((hash(uid, 11) % 1000) / 1000, 3))::integer else '' end
Params varchar
IPNetworkID integer: floor(4000 * pow(r7, 2))
TraficSourceID smallint: case when r6 < 0.3 then -1 when r6 < 0.6 then 6 else floor(r6 * 10) end
SearchEngineID smallint: case when searched then floor(90 * pow(r5, 6)) + 1 else 0 end
SearchPhrase varchar: phrase
AdvEngineID smallint: case when r4 < 0.0063 then 1 + floor(18 * pow(r5, 4)) else 0 end
IsArtifical smallint
WindowClientWidth smallint: floor(2000 * pow(r7, 2))
WindowClientHeight smallint: floor(1200 * pow(r6, 2))
ClientTimeZone smallint
ClientEventTime bigint: epoch(event_time)::bigint + 10800
SilverlightVersion1 smallint
SilverlightVersion2 smallint
SilverlightVersion3 integer
SilverlightVersion4 smallint
PageCharset varchar
CodeVersion integer
IsLink smallint: (r5 < 0.02)::smallint
IsDownload smallint: (r5 > 0.9995)::smallint
IsNotBounce smallint
FUniqID bigint: (hash(uid, 12) >> 1)::bigint
OriginalURL varchar: case when r3 < 0.3 then url else '' end
HID integer: (hash(i, 13) % 1073741824)::integer
IsOldCounter smallint
IsEvent smallint
IsParameter smallint
DontCountHits smallint: (r2 < 0.1)::smallint
WithHash smallint
HitColor varchar
LocalEventTime bigint: epoch(event_time)::bigint + 7200
Age smallint
Sex smallint
Income smallint
Interests smallint
Robotness smallint
RemoteIP integer: (hash(ip, 14) % 4294967296)::bigint - 2147483648
WindowName integer
OpenerName integer
HistoryLength smallint
BrowserLanguage varchar
BrowserCountry varchar
SocialNetwork varchar
SocialAction varchar
HTTPError smallint
SendTiming integer: floor(100000 * pow(r2, 9))
DNSTiming integer: floor(1000 * pow(r3, 9))
ConnectTiming integer: floor(1000 * pow(r4, 9))
ResponseStartTiming integer: floor(10000 * pow(r5, 9))
ResponseEndTiming integer: floor(10000 * pow(r6, 9))
FetchTiming integer: floor(10000 * pow(r7, 9))
SocialSourceNetworkID smallint
SocialSourcePage varchar
ParamPrice bigint
ParamOrderID varchar
ParamCurrency varchar
ParamCurrencyID smallint
OpenstatServiceName varchar
OpenstatCampaignID varchar
OpenstatAdID varchar
OpenstatSourceID varchar
UTMSource varchar
UTMMedium varchar
UTMCampaign varchar
UTMContent varchar
UTMTerm varchar
FromTag varchar
HasGCLID smallint
RefererHash bigint: case when r9 < 0.001 then 3594120000172545465 else (hash(referer, 15) >> 1)::bigint end
URLHash bigint: case when r8 < 0.0003 then 2868770270353813622 else (hash(url, 16) >> 1)::bigint end
CLID integer
""".strip().splitlines()

# What rows are made of, from their number i. Text t(n, salt, words): that many words of number n.
PREPARE = """
create macro uniform(n, salt) as ((hash(n, salt, {seed}) >> 11) / 9007199254740992.0);
create macro word(n) as
    ['ka','mo','re','ti','su','la','ne','vo','pi','da'][1 + (n % 10)::integer] ||
    ['ran','sti','len','mor','vat','kin','shu','pol','der','gas'][1 + (n // 10 % 10)::integer] ||
    ['a','ov','ing','ek','us','y','on','ist','er','um','i','eta','al','iv','o','ja','in','it','ed','ga']
        [1 + (n // 100 % 20)::integer];
create macro t(n, salt, words) as
    list_aggregate([word(hash(n, salt, k) % 2000) for k in range(words)], 'string_agg', ' ');
create temp table drawn as
select i, uid, uniform(i, 2) r2, uniform(i, 3) r3, uniform(i, 4) r4, r5, uniform(i, 6) r6,
       uniform(i, 7) r7, uniform(i, 8) r8, uniform(i, 9) r9,
       counter, (hash(counter, floor({rows} * 0.11 * pow(r5, 2.6))) % greatest(1, {rows} * 19 // 100))::bigint page
from (select *, case when uniform(i, 0) < 0.0074 then 62
                     else 1 + floor(6506 * pow(uniform(uid, 20 + i % 3), 4))::integer end as counter
      from (select i, uniform(i, 5) r5, floor({rows} * 0.185 * pow(uniform(i, 1), 2.4))::bigint uid
      from (select unnest(range({rows})) i)));
"""
TEXTS = """
select *, timestamp '2013-07-01' + to_seconds(((uniform(uid, 30) + r2 / 16) % 1 * 31 * 86400)::bigint) event_time,
       floor(9040 * pow(uniform(uid, 31), 5))::integer region,
       floor({rows} * 0.12 * pow(uniform(uid, 32 + (r3 < 0.1)::integer), 1.5))::bigint ip,
       hash(uid, 9) % 1000 < 55 mobile, r4 > 0.868 searched,
       case when r4 > 0.868 then t(floor({rows} * 0.085 * pow(r3, 1.6))::bigint, 40, 4) else '' end phrase,
       'http://' || word(page * 7) || '.ru/' || case when page % 6000 = 1 then 'google/' else '' end ||
           replace(t(page, 41, 7), ' ', '/') || '?id=' || page url,
       t(page // 2, 42, 7) || case when page % 2000 < 2 then ' - Google' else '' end title,
       'http://' || word(hash(uid, 43) % 2000) || '.com/' ||
       replace(t(floor({rows} * 0.4 * pow(r6, 2.2))::bigint, 44, 5), ' ', '/') referer
from drawn
"""


def column(number, line):
    head, _, expression = line.partition(": ")
    name, type = head.split()
    if not expression and type == "varchar":
        expression = f"case when hash(i, {number}, 1) % 100 < 90 then '' else word(hash(i, {number}) % 40) end"
    elif not expression:
        expression = f"floor(100 * pow(uniform(uid, {number + 100}), 4))"
    return f"({expression})::{type} as {name}"


def stand_in(connection, rows, seed):
    fill = lambda text: text.replace("{rows}", str(rows)).replace("{seed}", str(seed))
    connection.execute(fill(PREPARE))
    columns = ", ".join(column(n, line) for n, line in enumerate(COLUMNS))
    return fill(f"select {columns} from ({TEXTS}) order by CounterID, EventDate, UserID, EventTime, WatchID")


def real(connection, path):
    connection.execute("set binary_as_string=true")
    return f"select * replace (date '1970-01-01' + EventDate::integer as EventDate) from '{path}'"


parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--rows", type=int, default=10_000_000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--from", dest="source")
options = parser.parse_args()
os.makedirs(options.data, exist_ok=True)
connection = duckdb.connect(os.path.join(options.data, "clickbench.tmp.db"))
connection.execute("set preserve_insertion_order=true")
query = real(connection, options.source) if options.source else stand_in(connection, options.rows, options.seed)
connection.execute(f"copy ({query}) to '{os.path.join(options.data, 'hits.parquet')}'")
connection.close()
for end in ("", ".wal"):
    if os.path.exists(path := os.path.join(options.data, "clickbench.tmp.db" + end)):
        os.remove(path)
