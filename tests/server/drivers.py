#!/usr/bin/env python3
"""Clients of others over the server, each where it is installed: the 22 queries of TPC-H through psql, asyncpg and pgjdbc; types,
parameters, cursors, COPY and catalogs through asyncpg, psycopg, pg8000, lib/pq, adbc-driver-postgresql, ODBC, pandas and SQLAlchemy; a project of dbt.
drivers.py PROGRAM

Exit status 77: none of them is there."""
import asyncio
import datetime
import decimal
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import PROGRAM, Server, check, counts, finish  # noqa: E402  pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
QUERIES = os.path.join(HERE, '../../src/tpch/queries/q%02d.sql')
ANSWERS = os.path.join(HERE, '../../src/tpch/answers/sf0.01/q%02d.csv')
JDBC = '/usr/share/java/postgresql.jar'
GO = '/usr/share/gocode'
ODBC = next((path for path in ('/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so', '/usr/lib/odbc/psqlodbcw.so') if os.path.exists(path)), None)


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


# ---- the 22 queries ----

def query(number):
    with open(QUERIES % number, encoding='utf-8') as file:
        return file.read().strip().rstrip(';')


def is_same(found, expected):
    if found == expected:
        return True
    try:
        a, b = float(found), float(expected)
    except ValueError:
        return False
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


first = {}


def check_answers(client, found):
    """found: by query, rows of texts."""
    for number in range(1, 23):
        rows = found[number]
        if os.path.exists(ANSWERS % number):
            with open(ANSWERS % number, encoding='utf-8') as file:
                expected = [line.split('|') for line in file.read().splitlines()[1:]]
        else: # query 16: what the first client got
            expected = first.setdefault(number, rows)
        good = len(rows) == len(expected) and all(len(r) == len(e) and all(map(is_same, r, e)) for r, e in zip(rows, expected))
        check('query %d by %s' % (number, client), good, True)
        if not good:
            print(rows[:2], expected[:2])


def text(v):
    return '' if v is None else str(v)


def through_psql(server):
    found = {}
    for number in range(1, 23):
        ran = subprocess.run(['psql', '-XAtq', '-h', server.folder, '-d', 'x', '-F', '|', '-c', query(number)], capture_output=True, text=True, check=True)
        found[number] = [line.split('|') for line in ran.stdout.splitlines()]
    check_answers('psql', found)


async def through_asyncpg(server):
    asyncpg = module('asyncpg')
    c = await asyncpg.connect(host=server.folder, user='x', database='x')
    found = {}
    for number in range(1, 23):
        statement = await c.prepare(query(number))
        found[number] = [[text(v) for v in row] for row in await statement.fetch()]
    check_answers('asyncpg', found)
    await c.close()


JAVA = r'''
import java.nio.file.*; import java.sql.*;
public class Queries {
    public static void main(String[] words) throws Exception {
        try (Connection c = DriverManager.getConnection(words[0], "x", "x")) {
            for (int number = 1; number <= 22; number++) {
                String sql = Files.readString(Path.of(String.format(words[1], number))).strip().replaceAll(";$", "");
                try (PreparedStatement s = c.prepareStatement(sql)) {
                    for (int again = 0; again < (number == 6 ? 7 : 1); again++) {
                        ResultSet rows = s.executeQuery();
                        System.out.println("query " + number);
                        int count = rows.getMetaData().getColumnCount();
                        while (rows.next())
                            for (int i = 1; i <= count; i++)
                                System.out.print((rows.getString(i) == null ? "" : rows.getString(i)) + (i < count ? "|" : "\n"));
                    }
                }
            }
        }
    }
}
'''


def through_jdbc(server):
    with open(server.folder + '/Queries.java', 'w', encoding='utf-8') as file:
        file.write(JAVA)
    ran = subprocess.run(['java', '-cp', JDBC, server.folder + '/Queries.java', 'jdbc:postgresql://127.0.0.1:%d/x' % server.port, QUERIES],
                         capture_output=True, text=True, check=False)
    check('pgjdbc ran', (ran.returncode, ran.stderr), (0, ''))
    found, number = {}, 0
    for line in ran.stdout.splitlines():
        if line.startswith('query '):
            number = int(line[6:])
            found[number] = []
        else:
            found[number].append(line.split('|'))
    check_answers('pgjdbc', found)


# ---- asyncpg ----

async def asyncpg_types(server):
    asyncpg = module('asyncpg')
    c = await asyncpg.connect(host=server.folder, user='x', database='x')
    for sql, values, expected in (
            ('select [1, 2, null]::int[] as a', (), [1, 2, None]), ('select $1::text[] as a', (['x', None, 'ä"'],), ['x', None, 'ä"']),
            ('select $1::numeric(12,2) as a', (decimal.Decimal('1.50'),), decimal.Decimal('1.50')), ('select $1::bigint[] as a', ([2 ** 40],), [2 ** 40]),
            ('select $1::boolean as a', (True,), True), ("select {'a': 1} as a", (), '{"a": 1}'), ("select array_agg(oid order by oid)[1:2] as a from pg_type", (), [16, 17]),
            ("select typtype as a from pg_type where typname = 'int4'", (), b'b'), ("select typreceive::text as a from pg_type where oid = $1", (23,), 'int4recv'),
            ("select sum(id) as a from things where id = any($1::int[])", ([1, 3],), 4)):
        check('asyncpg: ' + sql, await c.fetchval(sql, *values), expected)
    await c.set_type_codec('numeric', schema='pg_catalog', encoder=str, decoder=float)
    check('set_type_codec', await c.fetchval('select 1.5::numeric(5,1)'), 1.5)
    await c.set_type_codec('json', schema='pg_catalog', encoder=str, decoder=lambda t: ('json', t))
    check('of json', await c.fetchval("select {'a': 1}"), ('json', '{"a": 1}'))
    async with c.transaction():
        cursor = await c.cursor('select i from range($1) r(i) order by i', 100)
        check('a cursor', [r['i'] for r in await cursor.fetch(3)], [0, 1, 2])
        await cursor.fetch(10)
        check('further on', (await cursor.fetchrow())['i'], 13)
        check('an iterator', [r['i'] async for r in c.cursor('select i from range(120) r(i) order by i')], list(range(120)))
    try:
        async with c.transaction():
            await c.execute('select x')
    except asyncpg.UndefinedColumnError:
        check('a failure in a transaction', await c.fetchval('select 1'), 1)
    check('many values', len(await c.fetch('select $1::int + i as n from range(1000) r(i)', 1)), 1000)
    await c.executemany('select $1::int', [(i,) for i in range(10)])
    rows = await c.fetch('select * from things order by id')
    check('records', [dict(r) for r in rows], [{'id': i, 'name': 'n%d' % i} for i in (1, 2, 3)])
    await c.close()


# ---- COPY in binary ----

# Columns, and their values in rows.
COPIED = ('a boolean, b smallint, c integer, d bigint, e real, f double, g decimal(38,10), h date, i time, j timestamp, k timestamptz, l real[], m varchar, '
          'n blob, o uuid, p json, q integer[], r varchar[], s decimal(10,2)[]')
FIRST, LAST = datetime.datetime.min, datetime.datetime.max
ROWS = [
    (True, -2**15, -2**31, -2**63, 1.5, 5e-324, decimal.Decimal('-' + '9' * 28 + '.' + '9' * 10), datetime.date.min, datetime.time.min, FIRST,
     FIRST.replace(microsecond=1, tzinfo=datetime.timezone.utc), [0.5, None], '', b'', uuid.UUID(int=0), '{}', [], [], []),
    (False, 2**15 - 1, 2**31 - 1, 2**63 - 1, float('inf'), 1.7976931348623157e308, decimal.Decimal('9' * 28 + '.' + '9' * 10), datetime.date.max,
     datetime.time.max, LAST, LAST.replace(microsecond=1, tzinfo=datetime.timezone.utc), [], 'ä"\\\n,\t\r\\N', bytes(range(256)),
     uuid.UUID(int=2**128 - 1), '{"a": [1, null, "\\n\\""]}', [1, None, -2**31], ['', None, 'NULL', '{"a",\\}'], [decimal.Decimal('1.50'), None]),
    (None,) * 19]


async def asyncpg_copy(server):
    asyncpg = module('asyncpg')
    c = await asyncpg.connect(host=server.folder, user='x', database='x')
    await c.execute('create table copied (%s)' % COPIED)
    for rows in (ROWS, [], ROWS * 500):
        check('copy_records_to_table', await c.copy_records_to_table('copied', records=rows), 'COPY %d' % len(rows))
    found = [tuple(r) for r in await c.fetch('select * from copied')]
    check('its rows', found[:3], ROWS)
    check('all of them', found == ROWS * 501, True)
    check('some columns', await c.copy_records_to_table('copied', records=[('only', 7)], columns=['m', 'c'], where='c = 7') if asyncpg.__version__ >= '0.29' else
          await c.copy_records_to_table('copied', records=[('only', 7)], columns=['m', 'c']), 'COPY 1')
    check('the others', tuple(await c.fetchrow("select a, c, m, s from copied where m = 'only'")), (None, 7, 'only', None))
    try:
        await c.copy_records_to_table('copied', records=[(2, 1), (3, decimal.Decimal(10) ** 28)], columns=['c', 'g'])
        check('a wrong value', False, True)
    except asyncpg.NumericValueOutOfRangeError as e:
        check('a wrong value', str(e).split(': ')[0], 'row 2, column "g"')
    check('the connection after it', await c.fetchval('select 7'), 7)
    await c.close()


def psycopg_copy(server):
    psycopg = module('psycopg')
    types = 'bool int2 int4 int8 float4 float8 numeric date time timestamp timestamptz float4[] text bytea uuid json int4[] text[] numeric[]'.split()
    with psycopg.connect(host=server.folder, user='x', dbname='x', autocommit=True) as c, c.cursor() as cursor:
        cursor.execute('create table copied (%s)' % COPIED)
        for rows in (ROWS, [], ROWS * 500):
            with cursor.copy('copy copied from stdin (format binary)') as copy:
                copy.set_types(types)
                for row in rows:
                    copy.write_row([psycopg.types.json.Json(json.loads(v)) if i == 15 and v else v for i, v in enumerate(row)])
            check('rows of psycopg', cursor.rowcount, len(rows))
        found = cursor.execute('select * from copied', binary=True).fetchall()
        expected = [[json.loads(v) if i == 15 and v else v for i, v in enumerate(row)] for row in ROWS]
        check('as they were', [[json.loads(v) if i == 15 and isinstance(v, str) else v for i, v in enumerate(row)] for row in found[:3]], expected)
        check('all of them', len(found), 1503)
        for rows, state in (([(1, 'x'), (2, 'y\0')], '22021'), ([(1,)], '22P04')):
            try:
                with cursor.copy('copy copied (c, m) from stdin (format binary)') as copy:
                    copy.set_types(['int4', 'text'][:len(rows[0])])
                    for row in rows:
                        copy.write_row(row)
                check('a wrong row', False, True)
            except psycopg.Error as e:
                check('a wrong row', e.sqlstate, state)
        with cursor.copy('copy (select c, m from copied limit 3) to stdout (format binary)') as copy:
            copy.set_types(['int4', 'text'])
            check('and back', list(copy.rows()), [(r[2], r[12]) for r in ROWS])


# ---- others ----

def pg8000_parts(server):
    pg8000 = module('pg8000.native')
    c = pg8000.Connection('x', unix_sock=server.path + '/.s.PGSQL.5432' if os.path.isdir(server.path) else server.path)
    check('pg8000', c.run('select id, name from things where id > :least order by id', least=1), [[2, 'n2'], [3, 'n3']])
    check('its columns', [(d['name'], d['type_oid']) for d in c.columns], [('id', 23), ('name', 25)])
    check('types of pg8000', c.run("select 1.5::numeric(5,1), true, date '2020-01-02', null, [1, 2], 2::bigint")[0][:1], [decimal.Decimal('1.5')])
    c.run('begin')
    try:
        c.run('select x')
        check('a failure', False, True)
    except Exception as e:  # pylint: disable=broad-exception-caught
        check('a failure', e.args[0]['C'], '42703')
    c.run('rollback')
    check('and after it', c.run('select 7'), [[7]])
    c.close()


def adbc_parts(server):
    dbapi = module('adbc_driver_postgresql.dbapi')
    with dbapi.connect('postgresql://x@/pistachio?host=' + server.folder) as c, c.cursor() as cursor:
        cursor.execute("select id, name, id * 1.5 as d, date '2020-01-02' as day, id::bigint as b, id > 1 as t, id::double as f from things order by id")
        table = cursor.fetch_arrow_table()
        check('adbc-driver-postgresql', [str(t) for t in table.schema.types][:2] + [str(t) for t in table.schema.types][3:],
              ['int32', 'string', 'date32[day]', 'int64', 'bool', 'double'])
        check('its rows', table.column('name').to_pylist(), ['n1', 'n2', 'n3'])
        cursor.execute('select id from things where id = $1', (2,))
        check('a parameter', cursor.fetchall(), [(2,)])
        found = c.adbc_get_objects(depth='all', db_schema_filter='public').read_all().to_pylist()
        tables = [t for catalog in found for s in catalog['catalog_db_schemas'] for t in s['db_schema_tables']]
        check('objects', [(t['table_name'], [k['column_name'] for k in t['table_columns']]) for t in tables if t['table_name'] == 'things'],
              [('things', ['id', 'name'])])


def pandas_parts(server):
    pandas, sqlalchemy = module('pandas'), module('sqlalchemy')
    engine = sqlalchemy.create_engine('postgresql+psycopg://x@/x?host=' + server.folder)
    frame = pandas.read_sql('select * from things order by id', engine)
    check('pandas.read_sql', (list(frame['id']), list(frame['name'])), ([1, 2, 3], ['n1', 'n2', 'n3']))
    frame = pandas.read_sql_query(sqlalchemy.text('select name from things where id = :id'), engine, params={'id': 2})
    check('with a parameter', list(frame['name']), ['n2'])
    frame = pandas.read_sql_table('things', engine)
    check('pandas.read_sql_table', sorted(frame.columns), ['id', 'name'])
    chunks = list(pandas.read_sql('select i from range(10) r(i)', engine, chunksize=4))
    check('by chunks', [len(c) for c in chunks], [4, 4, 2])
    meta = sqlalchemy.MetaData()
    meta.reflect(engine)
    check('SQLAlchemy reflects', [(t.name, [str(c.type) for c in t.columns]) for t in meta.tables.values() if t.name == 'things'], [('things', ['INTEGER', 'TEXT'])])
    with engine.connect() as c:
        c.execute(sqlalchemy.text('create view seen as select id + 1 as x from things'))
        check('definitions of views', sqlalchemy.inspect(c).get_view_definition('seen'), 'select id + 1 as x from things')
        check('names of views', sqlalchemy.inspect(c).get_view_names(), ['seen'])
        check('settings', c.execute(sqlalchemy.text('show default_table_access_method')).scalar(), 'parquet')
    engine.dispose()


def odbc_parts(server):
    with open(server.folder + '/odbc.ini', 'w', encoding='ascii') as file:
        file.write('[p]\nDriver=%s\nServername=127.0.0.1\nPort=%d\nUsername=x\nPassword=x\nDatabase=x\n' % (ODBC, server.port))
    environment = dict(os.environ, ODBCINI=server.folder + '/odbc.ini')
    ran = subprocess.run(['isql', '-b', '-v', '-d|', 'p'], input='select id, name from things order by id\nselect sum(id) from things\n',
                         capture_output=True, text=True, check=False, env=environment)
    check('ODBC', ran.stdout.split(), ['1|n1', '2|n2', '3|n3', '6'])


def go_parts(server):
    environment = dict(os.environ, GO111MODULE='off', GOPATH=GO, GOCACHE=server.folder + '/go')
    ran = subprocess.run(['go', 'run', HERE + '/pq.go', 'host=127.0.0.1 port=%d user=x password=x dbname=x sslmode=disable' % server.port],
                         capture_output=True, text=True, check=False, env=environment)
    check('lib/pq', ran.stdout.splitlines(), ['2 n2', '3 n3', '2 4 6 8 10 12 14 ', '1.5 2020-02-29 false [1 255] [1 2 3] [a b"]',
                                              'true 42703 undefined_column 8', '3', 'true', '499500 "row\\t999"'])
    if ran.returncode:
        print(ran.stderr)


DBT = {'dbt_project.yml': "name: shop\nversion: '1.0'\nprofile: shop\nmodels:\n  +materialized: view\n",
       'profiles.yml': 'shop:\n  target: dev\n  outputs:\n    dev: {type: postgres, host: FOLDER, port: 5432, user: x, password: x, dbname: pistachio, '
                       'schema: analytics, threads: 4}\n',
       'models/sources.yml': 'version: 2\nsources:\n  - name: raw\n    schema: public\n    tables: [{name: orders}, {name: customer}]\nmodels:\n'
                             '  - name: large\n    columns: [{name: o_orderkey, tests: [not_null, unique]}]\n',
       'models/large.sql': "select * from {{ source('raw', 'orders') }} where o_totalprice > 100000",
       'models/segments.sql': "select c_mktsegment, count(*) as n from {{ ref('large') }} join {{ source('raw', 'customer') }} "
                              "on o_custkey = c_custkey group by 1"}


def dbt_project(server):
    folder = server.folder + '/dbt'
    os.makedirs(folder + '/models')
    for name, content in DBT.items():
        with open(folder + '/' + name, 'w', encoding='utf-8') as file:
            file.write(content.replace('FOLDER', server.folder))
    for words in ('debug', 'run', 'run', 'test', 'docs generate'):
        ran = subprocess.run(['dbt', '--no-use-colors', *words.split(), '--profiles-dir', '.'], cwd=folder, capture_output=True, text=True, check=False,
                             env=dict(os.environ, DBT_SEND_ANONYMOUS_USAGE_STATS='false'))
        check('dbt ' + words, ran.returncode, 0)
        if ran.returncode:
            print(ran.stdout[-2000:])
    ran = subprocess.run(['psql', '-XAtq', '-h', server.folder, '-d', 'x', '-c', 'select count(*), sum(n) = (select count(*) from analytics.large) from analytics.segments'],
                         capture_output=True, text=True, check=False)
    check('what dbt made', ran.stdout, '5|t\n')


class Many(Server):
    """A server of the small table and of TPC-H, for clients that look for a socket in a folder."""

    def __init__(self):
        self.port = 20000 + (os.getpid() + 7777) % 20000
        self.data = tempfile.mkdtemp()
        subprocess.run([PROGRAM, 'tpch', 'generate', '--scale', '0.01', '--out', self.data], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        super().__init__('--listen', 'unix:FOLDER', '--listen', '127.0.0.1:%d' % self.port, '--trust-loopback', '--catalog', 'FOLDER/catalog', *sorted(
            self.data + '/' + name for name in os.listdir(self.data) if name.endswith('.parquet')))

    def end(self):
        super().end()
        shutil.rmtree(self.data)


def main():
    parts = ((shutil.which('psql'), through_psql), (module('asyncpg'), lambda s: asyncio.run(through_asyncpg(s))),
             (shutil.which('java') and os.path.exists(JDBC), through_jdbc), (module('asyncpg'), lambda s: asyncio.run(asyncpg_types(s))),
             (module('asyncpg'), lambda s: asyncio.run(asyncpg_copy(s))), (module('psycopg'), psycopg_copy), (module('pg8000'), pg8000_parts), (module('adbc_driver_postgresql') and module('pyarrow'), adbc_parts),
             (module('pandas') and module('sqlalchemy') and module('psycopg'), pandas_parts), (shutil.which('isql') and ODBC, odbc_parts),
             (shutil.which('go') and os.path.isdir(GO + '/src/github.com/lib/pq'), go_parts),
             (shutil.which('dbt') and shutil.which('psql'), dbt_project))
    if not any(there for there, _ in parts):
        print('0 passed, 0 failed, 1 skipped')
        return 77
    server = Many()
    for there, part in parts:
        if there:
            part(server)
        else:
            counts['skipped'] = counts.get('skipped', 0) + 1
    server.end()
    return finish()


if __name__ == '__main__':
    sys.exit(main())
