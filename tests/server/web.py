#!/usr/bin/env python3
"""The server's HTTP side: queries in each format, cancelling, who may ask, and clients that are slow, gone or hostile.
web.py PROGRAM"""
import base64
import csv
import http.client
import io
import json
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = sys.argv[1]
# AddressSanitizer keeps what was freed: less of it, or it would be seen as memory of the server.
ENVIRONMENT = {**os.environ, 'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':quarantine_size_mb=8'}
ENDLESS = 'select count(*) from range(1000000000) a(i), range(1000000000) b(i) where a.i + b.i < 0'
passed = failed = 0


def check(name, found, expected=True):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print('failed: %s: %r instead of %r' % (name, found, expected))


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


class Server:
    def __init__(self, *options, tls=False):
        self.folder = tempfile.mkdtemp()
        os.mkdir(self.folder + '/tables')
        sql = ("copy (select i::integer as id, 'n' || i as name, case when i %% 3 > 0 then i * 1.5 end as x from range(1, 1001) as r(i)) "
               "to '%s/tables/things.parquet'")
        subprocess.run([PROGRAM, '-c', sql % self.folder], check=True, capture_output=True)
        self.tls = tls
        subprocess.run([PROGRAM, 'serve', '--users', self.folder + '/users', '--add-user', 'anna'], input='geheim\n', text=True,
                       check=True)
        options = [option.replace('FOLDER', self.folder) for option in options]
        if tls:
            subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                            '-keyout', 'key', '-out', 'crt', '-days', '2', '-subj', '/CN=localhost', '-addext',
                            'subjectAltName=DNS:localhost'], cwd=self.folder, check=True, capture_output=True)
        self.process = subprocess.Popen([PROGRAM, 'serve', '--listen', 'unix:' + self.folder + '/s', '--http', '127.0.0.1:0',
                                         *options, self.folder + '/tables'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=ENVIRONMENT)
        self.process.stdout.readline()
        said = self.process.stdout.readline()
        if 'http' not in said:
            said = self.process.stderr.read()
            print('0 passed, 0 failed, 1 skipped: ' + said if 'has no HTTP' in said else said)
            sys.exit(77 if 'has no HTTP' in said else 1)
        self.port = int(said.rpartition(':')[2])

    def connect(self):
        if not self.tls:
            return http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        context = ssl.create_default_context(cafile=self.folder + '/crt')
        return http.client.HTTPSConnection('localhost', self.port, timeout=60, context=context)

    def ask(self, method, path, body=None, **headers):
        """Returns status, headers and body."""
        c = self.connect()
        c.request(method, path, body, {name.replace('_', '-'): value for name, value in headers.items()})
        reply = c.getresponse()
        found = reply.read()
        c.close()
        return reply.status, reply.headers, found

    def query(self, sql, parameters='', **headers):
        status, _, body = self.ask('POST', '/query' + parameters, sql.encode(), **headers)
        return status, body.decode()

    def rows(self, sql, parameters=''):
        return json.loads(self.query(sql, parameters)[1])

    def raw(self, *parts, end=True):
        """Sends bytes and returns what comes until the end."""
        with socket.create_connection(('127.0.0.1', self.port), 60) as s:
            found = b''
            try:
                for part in parts:
                    s.sendall(part)
                if end:
                    s.shutdown(socket.SHUT_WR)
                while some := s.recv(65536):
                    found += some
            except OSError: # the server has closed it
                pass
            return found

    def statements(self):
        return {one['id']: one for one in json.loads(self.ask('GET', '/queries')[2])}

    def memory(self):
        with open('/proc/%d/status' % self.process.pid, encoding='ascii') as status:
            return next(int(line.split()[1]) for line in status if line.startswith('VmRSS')) >> 10

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        check('the server ends by itself', self.process.wait(60), 0)
        shutil.rmtree(self.folder)


# ---- what is answered ----

def formats(s):
    sql = 'select id, name, x from things order by id limit 3'
    check('JSON', s.rows(sql), [{'id': 1, 'name': 'n1', 'x': 1.5}, {'id': 2, 'name': 'n2', 'x': 3.0},
                                {'id': 3, 'name': 'n3', 'x': None}])
    check('NDJSON', [json.loads(line) for line in s.query(sql, Accept='application/x-ndjson')[1].splitlines()], s.rows(sql))
    found = s.ask('POST', '/query', sql.encode(), Accept='text/csv, application/json;q=0.5')
    check('csv', list(csv.reader(io.StringIO(found[2].decode()))), [['id', 'name', 'x'], ['1', 'n1', '1.5'], ['2', 'n2', '3.0'],
                                                                   ['3', 'n3', '']])
    check('its type', found[1]['Content-Type'], 'text/csv; charset=utf-8')
    check('columns in the head', json.loads(found[1]['X-Pistachio-Columns']),
          [['id', 'integer'], ['name', 'varchar'], ['x', 'decimal(12,1)']])
    check('tsv', s.query(sql, '?format=tsv')[1].splitlines()[3], '3\tn3\t\\N')
    check('an unknown type', s.query(sql, Accept='image/png')[0], 400)
    check('anything', s.query(sql, Accept='text/html, */*;q=0.8')[0], 200)
    check('no rows', s.rows('select id from things where id < 0'), [])
    check('many rows', len(s.rows('select a.id from things a, things b where b.id <= 100')), 100000)
    check('several statements', s.rows('create view v as select 7 as n; select 1; select n from v; -- end'), [{'n': 7}])
    check('no statement', s.query(' -- nothing')[0], 200)
    check('a statement without rows', s.query("set timezone = 'UTC'"), (200, 'SET\n'))
    check('a setting', s.rows('show timezone', '?set.timezone=Europe/Berlin')[0]['value'], 'Europe/Berlin')
    check('a setting with a quote', s.query('select 1', "?set.timezone=x'y")[0], 400)
    check('not a setting', s.query('select 1', '?set.time%20zone=x')[0], 400)
    check('parameters', s.rows('select $1::int + $2 as n', '?param.1=1&param.2=41'), [{'n': 42}])
    check('a parameter by name', s.rows('select $word as w', '?param.word=%C3%A4'), [{'w': 'ä'}])
    check('an unknown parameter', s.query('select $1::int', '?param.1=1&param.7=2')[0], 400)
    check('a parameter without value', s.query('select $1::int, $2::int', '?param.1=1')[0], 400)


ERRORS = [('selec 1', 400, '42601', 1), ("select 'ä', foo from things", 400, '42703', 13), ('select 1; select * from absent', 400, '42P01', 25),
          ("select * from '/etc/passwd'", 403, '42501', None), ("copy things to '/tmp/x.parquet'", 403, '42501', None),
          ('select 1 / (id - id) from things', 400, '22012', None), ('set threads = 1', 403, '42501', None)]


def errors(s):
    for sql, status, state, position in ERRORS:
        found, text = s.query(sql)
        error = json.loads(text)['error']
        check(sql, (found, error['sqlstate']), (status, state))
        if position:
            check('place in ' + sql, error.get('position'), position)
    check('a byte 0', s.ask('POST', '/query', b'select 1\0')[0], 400)
    check('not UTF-8', s.ask('POST', '/query', b"select '\xff'")[0], 400)
    check('a wrong id', s.query('select 1', '?id=%3Cb%3E')[0], 400)
    for method, path, status in (('GET', '/query?sql=select+1', 405), ('GET', '/absent', 404), ('POST', '/', 404),
                                 ('DELETE', '/query/absent', 404), ('OPTIONS', '/query', 501), ('PUT', '/query', 501)):
        check(method + ' ' + path, s.ask(method, path)[0], status)
    # A failure after rows were sent: the reply has no right end.
    try:
        s.query('select 1 / (900000 - a.id * 1000 - b.id) from things a, things b', '?format=csv')
        check('a reply that breaks off', False)
    except (http.client.IncompleteRead, ConnectionResetError):
        check('a reply that breaks off', True)


def arrow(s):
    status, headers, body = s.ask('POST', '/query', b'select id, name, x from things order by id', Accept='application/vnd.apache.arrow.stream')
    large = s.ask('POST', '/query?format=arrow', b"select repeat('x', 1000000) as t from range(3)")[2]
    check('an Arrow stream of large texts', (b'x' * 3000000 in large, large[-8:]), (True, b'\xff' * 4 + bytes(4)))
    check('an Arrow stream', (status, headers['Content-Type'], body[:4]), (200, 'application/vnd.apache.arrow.stream', b'\xff' * 4))
    check('its end', body[-8:], b'\xff\xff\xff\xff\0\0\0\0')
    at = count = 0
    while struct.unpack('<Ii', body[at:at + 8])[1]:  # Message.bodyLength is the last of the root table's slots
        length = struct.unpack('<Ii', body[at:at + 8])[1]
        message = body[at + 8:at + 8 + length]
        root = struct.unpack('<I', message[:4])[0]
        at += 8 + length + struct.unpack('<q', message[root + 4 + 24:root + 4 + 32])[0]
        count += 1
    check('messages fit together', (count >= 2, at + 8), (True, len(body)))
    try:
        from pyarrow import ipc  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    table = ipc.open_stream(body).read_all()
    table.validate(full=True)
    check('ids', table['id'].to_pylist(), list(range(1, 1001)))
    check('names', table['name'].to_pylist(), ['n%d' % i for i in range(1, 1001)])
    check('numbers', [None if x is None else float(x) for x in table['x'].to_pylist()],
          [i * 1.5 if i % 3 else None for i in range(1, 1001)])
    sql = b"select true a, null b, 255::utinyint c, 1.5::real d, 1::decimal(38,0) e, date '2020-01-01' f, interval '1 month' g, " \
          b"repeat('x', 99) h, '\\x00ff'::blob i, uuid '6ecd8c99-4036-403d-bf84-cf8400f67836' j, timestamptz '2020-01-01 00:00:00+00' k"
    for extra in ('', '&set.arrow_dictionary=on', '&set.arrow_decimal=64'):
        table = ipc.open_stream(s.ask('POST', '/query?format=arrow' + extra, sql)[2]).read_all()
        table.validate(full=True)
        row = table.to_pylist()[0]
        check('types' + extra, (row['a'], row['b'], row['c'], row['d'], int(row['e']), str(row['f']), row['g'].months, row['h'],
                                row['i'], str(row['j']), str(row['k'])),
              (True, None, 255, 1.5, 1, '2020-01-01', 1, 'x' * 99, b'\0\xff', '6ecd8c99-4036-403d-bf84-cf8400f67836',
               '2020-01-01 00:00:00+00:00'))
    table = ipc.open_stream(s.ask('POST', '/query?format=arrow', b'select id from things where id < 0')[2]).read_all()
    check('no rows', (table.num_rows, table.schema.names), (0, ['id']))
    table = ipc.open_stream(s.ask('POST', '/query?format=arrow', LENT % b'order by k')[2]).read_all()
    table.validate(full=True)
    check('rows in buffers that are lent', (table['k'].to_pylist() == list(range(1001, 201001)),
                                            all(t == 'n%d of a text n%d' % (k // 1000, k % 1000) if k % 1000 else True
                                                for k, t in zip(table['k'].to_pylist(), table['t'].to_pylist())),
                                            all(l == [k // 1000, None] for k, l in zip(table['k'].to_pylist(), table['l'].to_pylist())
                                                if k % 1000)), (True, True, True))


# 200,000 rows, some of them in texts and lists
LENT = b"select a.id * 1000 + b.id as k, a.name || ' of a text ' || b.name as t, [a.id, null] as l from things a, things b where a.id <= 200 %s"


def leaving(s):
    """Clients that go in the midst of Arrow replies, whose buffers are lent."""
    for bytes_read in (1, 1000, 100000, 3000000) * 3:
        connection = s.connect()
        connection.request('POST', '/query?format=arrow', LENT % b'')
        connection.getresponse().read(bytes_read)
        connection.close()
    check('after clients that went', s.query('select 1')[0], 200)


def parquet(s):
    """Files are read back by the program."""
    def read(body, sql):
        with open(s.folder + '/got.parquet', 'wb') as file:
            file.write(body)
        return subprocess.run([PROGRAM, '--format', 'csv', '-c', sql.replace('FILE', "'%s/got.parquet'" % s.folder)], capture_output=True,
                              text=True, check=True).stdout.splitlines()[1:]

    status, headers, body = s.ask('POST', '/query', b'select id, name, x from things order by id', Accept='application/vnd.apache.parquet')
    check('a Parquet file', (status, headers['Content-Type'], body[:4], body[-4:]), (200, 'application/vnd.apache.parquet', b'PAR1', b'PAR1'))
    check('its rows', read(body, 'select count(*), count(x), sum(x), min(name), max(id) from FILE'), ['1000,667,500500.5,n1,1000'])
    body = s.ask('POST', '/query?format=parquet', b'select a.id, [a.id, null] as l, {s: a.name, t: b.id} as r from things a, things b '
                                                  b'where b.id <= 300')[2]
    check('nested types', read(body, 'select count(*), sum(id), sum(l[1]), sum(len(l)), count(distinct r.s), sum(r.t) from FILE'),
          ['300000,150150000,150150000,600000,1000,45150000'])
    check('row groups', read(body, 'select count(distinct row_group_id) > 1 from parquet_metadata(FILE)'), ['true'])
    body = s.ask('POST', '/query?format=parquet', b'select id from things where id < 0')[2]
    check('no rows', read(body, 'select count(id) from FILE'), ['0'])
    found, text = s.query('show tables', '?format=parquet')
    check('rows that are not a query\'s', (found, json.loads(text)['error']['sqlstate']), (400, '0A000'))
    check('a failure', s.query('select 1 / (id - id) from things', '?format=parquet')[0], 400)


def cancelling(s):
    found = []
    asking = threading.Thread(target=lambda: found.append(s.query(ENDLESS, '?id=endless')))
    asking.start()
    check('it is shown', until(lambda: s.statements().get('endless', {}).get('state') == 'running'))
    check('an id is taken', s.query('select 1', '?id=endless')[0], 400)
    check('cancelled', s.ask('DELETE', '/query/endless')[0], 202)
    asking.join(20)
    check('its reply', (found[0][0], json.loads(found[0][1])['error']['sqlstate']), (409, '57014'))
    check('its state', s.statements()['endless']['state'], 'cancelled')
    # Clients that leave: before a row, and in the middle of rows that they do not read.
    for sql, name in ((ENDLESS, 'gone'), ('select a.id, b.name from things a, things b, things c', 'slow')):
        c = s.connect()
        c.request('POST', '/query?format=csv&id=' + name, sql)
        check(name + ' runs', until(lambda n=name: s.statements().get(n, {}).get('state') == 'running'))
        time.sleep(0.5)
        c.sock.close()
        check(name + ' is cancelled', until(lambda n=name: s.statements()[n]['state'] == 'cancelled'))


def timeline(s):
    sql = 'select count(*) from range(3000000) a(i) where i % 7 = 1'
    check('a statement whose time is noted', s.ask('POST', '/query?id=timed&timeline=1', sql)[0], 200)
    code, _, body = s.ask('GET', '/timeline/timed')
    noted = json.loads(body)
    busy = [sum(one['busy']) for one in noted['operators']]
    check('its time', (code, noted['seconds'] > 0, len(noted['operators']) > 1, 0 < sum(busy) <= noted['threads'] * noted['seconds'] * 1.1),
          (200, True, True, True))
    check('bins', {len(noted['bytes'])} | {len(one['busy']) for one in noted['operators']}, {int(noted['seconds'] / noted['bin']) + 1})
    check('names', any('aggregate' in one['name'] for one in noted['operators']))
    check('others have none', s.ask('POST', '/query?id=untimed', sql)[0], 200)
    check('none', [s.ask('GET', '/timeline/' + one)[0] for one in ('untimed', 'absent', '', 'a/b')], [404, 404, 400, 400])
    check('who has one', [s.statements()[one]['timeline'] for one in ('timed', 'untimed')], [True, False])
    s.ask('POST', '/query?timeline=1&id=table', 'select * from things')
    noted = json.loads(s.ask('GET', '/timeline/table')[2])
    check('bytes of a file', sum(noted['bytes']) > 0)
    s.ask('POST', '/query?timeline=1&id=wrong', 'selec 1')
    check('nothing ran', json.loads(s.ask('GET', '/timeline/wrong')[2])['operators'], [])
    asking = threading.Thread(target=s.ask, args=('POST', '/query?timeline=1&id=endless', ENDLESS))
    asking.start()
    until(lambda: s.ask('GET', '/timeline/endless')[0] == 200 and json.loads(s.ask('GET', '/timeline/endless')[2])['seconds'] > 0.2)
    s.ask('DELETE', '/query/endless')
    asking.join()


def metrics(s):
    text = s.ask('GET', '/metrics')[2].decode()
    figures = dict(line.rsplit(' ', 1) for line in text.splitlines() if not line.startswith('#'))
    check('statements are counted', int(figures['pistachio_statements_total']) > 10)
    check('and cancelled ones', figures['pistachio_statements_cancelled_total'], '3')
    check('health', [s.ask('GET', path)[0] for path in ('/healthz', '/readyz')], [200, 200])


def page(s):
    status, headers, body = s.ask('GET', '/')
    check('the page', (status, headers['Content-Type'], b'<title>Pistachio' in body), (200, 'text/html; charset=utf-8', True))
    check('its policy', "default-src 'none'" in headers['Content-Security-Policy'])
    check('it names nothing elsewhere', b'//' not in body.replace(b'<!doctype', b''))
    check('its script', s.ask('GET', '/page.js')[1]['Content-Type'], 'text/javascript; charset=utf-8')
    check('its head alone', s.ask('HEAD', '/')[2], b'')
    check('hostile names', [c[0] for c in json.loads(s.ask('POST', '/query', b'select 1 as "<script>\xc3\xa4\xf0\x9f\x8c\xb0\r\nX: y"')[1]['X-Pistachio-Columns'])],
          ['<script>ä🌰\r\nX: y'])


# ---- who may ask ----

def origins(s):
    host = '127.0.0.1:%d' % s.port
    own = 'http://' + host
    for name, expected, headers in (
            ('no browser', 200, {}),
            ('the page', 200, {'Origin': own, 'Sec-Fetch-Site': 'same-origin', 'X-Pistachio': '1'}),
            ('without the header', 403, {'Origin': own, 'Sec-Fetch-Site': 'same-origin'}),
            ('another site', 403, {'Origin': 'http://evil.example', 'X-Pistachio': '1'}),
            ('no origin', 403, {'Origin': 'null', 'X-Pistachio': '1'}),
            ('another port', 403, {'Origin': 'http://127.0.0.1:1', 'X-Pistachio': '1'}),
            ('another site of the same host', 403, {'Sec-Fetch-Site': 'same-site', 'X-Pistachio': '1'}),
            ('a link', 403, {'Sec-Fetch-Site': 'none', 'X-Pistachio': '1'}),
            ('a name that leads here', 403, {'Host': 'evil.example', 'Origin': 'http://evil.example', 'X-Pistachio': '1'}),
            ('its own name', 200, {'Host': 'db.example:99'}), ('localhost', 200, {'Host': 'localhost'}),
            ('IPv6', 200, {'Host': '[::1]:5'})):
        c = s.connect()
        c.request('POST', '/query', b'select 1', headers)
        reply = c.getresponse()
        check(name, reply.status, expected)
        check(name + ': no CORS', [h for h in reply.headers if h.lower().startswith('access-control')], [])
        c.close()
    check('a page of another site', s.ask('GET', '/', Host='evil.example')[0], 403)


def passwords():
    s = Server('--users', 'FOLDER/users')
    try:
        basic = lambda user, password: 'Basic ' + base64.b64encode(('%s:%s' % (user, password)).encode()).decode()
        status, headers, _ = s.ask('POST', '/query', b'select 1')
        check('nobody', (status, headers['WWW-Authenticate'][:5]), (401, 'Basic'))
        check('nor for the page', s.ask('POST', '/query', b'select 1', X_Pistachio='1')[1]['WWW-Authenticate'], 'Bearer')
        check('the password', s.query('select 1 as a', Authorization=basic('anna', 'geheim')), (200, '[{"a": 1}]\n'))
        wrong = ['Basic', 'Basic ', 'Basic !!!', basic('anna', 'x'), basic('nobody', 'geheim'), basic('', ''), basic('anna', ''), 'Bearer',
                 'Bearer ' + '0' * 64, 'Bearer x', 'Digest anna', basic('a' * 300, 'geheim'), 'Basic ' + 'A' * 4000]
        for text in wrong:
            check('not ' + text[:30], s.query('select 1', Authorization=text)[0], 401)
        for path in ('/queries', '/metrics'):
            check('nobody sees ' + path, s.ask('GET', path)[0], 401)
        check('nobody cancels', s.ask('DELETE', '/query/x')[0], 401)
        token = json.loads(s.ask('POST', '/login', b'', Authorization=basic('anna', 'geheim'))[2])['token']
        check('a token', s.query('select 1', Authorization='Bearer ' + token)[0], 200)
        check('another one', s.query('select 1', Authorization='Bearer ' + token[:-1] + ('1' if token[-1] == '0' else '0'))[0], 401)
        subprocess.run([PROGRAM, 'serve', '--users', s.folder + '/users', '--add-user', 'anna'], input='neu\n', text=True, check=True)
        check('another password ends it', s.query('select 1', Authorization='Bearer ' + token)[0], 401)
        # Users see and cancel their own statements alone.
        subprocess.run([PROGRAM, 'serve', '--users', s.folder + '/users', '--add-user', 'bob'], input='b\n', text=True, check=True)
        s.query('select 1', '?id=hers', Authorization=basic('anna', 'neu'))
        check("others' statements", json.loads(s.ask('GET', '/queries', Authorization=basic('bob', 'b'))[2]), [])
        check('the page needs none', s.ask('GET', '/')[0], 200)
        s.end()
    finally:
        s.process.kill()


# ---- hostile ----

def ambiguous(s):
    head = b'POST /query HTTP/1.1\r\nHost: localhost\r\n'
    for name, extra in (('two codings', b'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n'),
                        ('a coding and a length', b'Content-Length: 8\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
                        ('two lengths', b'Content-Length: 8\r\nContent-Length: 9\r\n\r\nselect 1 '),
                        ('two hosts', b'Host: evil.example\r\nContent-Length: 8\r\n\r\nselect 1')):
        found = s.raw(head + extra, end=False)
        check(name, found[9:12] if found else b'400', b'400')
    check('no host', s.raw(b'POST /query HTTP/1.1\r\nContent-Length: 8\r\n\r\nselect 1\r\n', end=False)[9:12] in (b'403', b'400'))


def hostile(s):
    whole = b'POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nselect 1'
    for cut in range(0, len(whole), 3):
        s.raw(whole[:cut])
    for part in (b'\0' * 4000, b'\xff' * 70000, b'GET ' + b'a' * 70000 + b' HTTP/1.1\r\n\r\n', b'GET / HTTP/9.9\r\n\r\n', b'Q\0\0\0\x0dselect 1\0',
                 b'GET / HTTP/1.1\r\n' + b'a: b\r\n' * 5000 + b'\r\n', b'GET //[::1 HTTP/1.1\r\nHost: x\r\n\r\n',
                 b'POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
                 b'POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n',
                 b'POST /query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n',
                 b'GET /queries?%00%ff=&&=&set.x HTTP/1.1\r\nHost: localhost\r\n\r\n'):
        s.raw(part)
    before = s.memory()
    found = b''
    try:
        with socket.create_connection(('127.0.0.1', s.port), 60) as c:
            c.sendall(b'POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n')
            for _ in range(256):
                c.sendall(b' ' * (1 << 20))
            found = c.recv(100)
    except (ConnectionResetError, BrokenPipeError):
        pass
    check('a body of 1 GB', b' 200 ' not in found)
    check('takes no memory', s.memory() - before < 100)
    # A client that asks again and again without reading, and ones that do not read their rows.
    with socket.create_connection(('127.0.0.1', s.port), 60) as c:
        c.settimeout(1)
        try:
            for _ in range(2000):
                c.sendall(whole * 100)
        except (socket.timeout, ConnectionResetError, BrokenPipeError):
            pass
        check('requests one after the other take no memory', s.memory() - before < 150)
    slow = []
    for _ in range(6):
        c = s.connect()
        c.request('POST', '/query?format=csv', 'select a.id, b.name from things a, things b, things c')
        slow.append(c)
    time.sleep(1)
    check('rows that are not read take no memory', s.memory() - before < 300)
    check('another client is undisturbed', s.rows('select 1 as a'), [{'a': 1}])
    for c in slow:
        c.sock.close()
    idle = [socket.create_connection(('127.0.0.1', s.port), 60) for _ in range(140)]
    for c in idle:
        c.setblocking(False)
    check('connections are limited', until(lambda: sum(is_closed(c) for c in idle) >= 10))
    for c in idle:
        c.close()
    check('room again', until(lambda: answers(s)))


def is_closed(c):
    try:
        return not c.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def answers(s):
    try:
        return s.query('select 1')[0] == 200
    except (ConnectionResetError, BrokenPipeError, http.client.HTTPException):
        return False


def encrypted():
    s = Server('--tls', 'FOLDER/crt', 'FOLDER/key', '--trust-loopback', tls=True)
    try:
        check('HTTPS', s.rows('select 1 as a'), [{'a': 1}])
        check('many rows', len(s.rows('select a.id from things a, things b where b.id <= 100')), 100000)
        check('garbage', s.raw(b'GET / HTTP/1.1\r\n\r\n')[:5] != b'HTTP/')
        check('its origin', s.query('select 1', Origin='https://localhost:%d' % s.port, X_Pistachio='1')[0], 200)
        c = s.connect()
        c.request('POST', '/query?format=csv&id=slow', 'select a.id, b.name from things a, things b, things c')
        check('rows come', c.getresponse().read(1000)[:2], b'id')
        c.close()
        check('a client leaves', until(lambda: s.statements()['slow']['state'] == 'cancelled'))
        s.end()
    finally:
        s.process.kill()


def ending():
    s = Server('--trust-loopback', '--grace', '1')
    try:
        found = []
        asking = threading.Thread(target=lambda: found.append(s.query(ENDLESS, '?id=endless')))
        asking.start()
        until(lambda: s.statements().get('endless', {}).get('state') == 'running')
        s.end()
        asking.join(20)
        check('what runs longer than the grace', found and found[0][0], 409)
    finally:
        s.process.kill()


def main():
    s = Server('--trust-loopback', '--http-name', 'db.example', '--max-connections', '20')
    try:
        for part in (formats, errors, arrow, parquet, cancelling, metrics, leaving, timeline, page, origins, ambiguous, hostile):
            part(s)
        s.end()
    finally:
        s.process.kill()
    passwords()
    ending()
    if shutil.which('openssl'):
        encrypted()
    print('%d passed, %d failed, 0 skipped' % (passed, failed))
    return failed > 0


sys.exit(main())
