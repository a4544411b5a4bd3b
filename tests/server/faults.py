#!/usr/bin/env python3
"""The server where an allocation, a read or a write fails: clients of both protocols ask a script of statements; each answer is right
or an error, others are answered after it, and the server ends by itself, with nothing leaked under a sanitizer.
faults.py PROGRAM [FIRST LAST STEP [alloc|read|write]]

The allocations are counted from the process's start: those of a start that fails are left out."""
import http.client
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import PATIENCE, PROGRAM, check, counts, finish  # noqa: E402  pylint: disable=wrong-import-position
from wire import (Client, SYNC, bind, describe, execute, failures, int32, message, parse, rows)  # noqa: E402  pylint: disable=wrong-import-position

STATEMENTS = ('select id, name from things order by id', "select count(*), max(name) from things group by id % 2 order by 1",
              'create view v as select id + 1 as x from things', 'select sum(x) from v', 'alter view v rename to w', 'drop view w',
              'begin; declare c cursor for select * from things; fetch 2 from c; move 1 in c; commit', 'copy things to stdout',
              "select relname from pg_class where relname = 'things'", 'show timezone', 'select absent', "set application_name = 'x'",
              'create table t (a int); select count(*) from t', 'select [1, 2], {\'a\': 1}, 1.5::decimal(7,2), date \'2020-01-02\'')
# What a client is told of a fault: no memory; a read or a write failed.
CODES = {'53200', '58030'}
PREPARED = 'select id, name from things where id >= $1 order by id'


def script(path, port):
    """Returns what each statement answers; None where it failed of the fault, or the connection was closed."""
    found = []
    try:
        with Client(path) as c:
            for sql in STATEMENTS:
                found.append(tell(c.query(sql)))
            found.append(tell(c.ask(parse(PREPARED), bind([int32(2)], formats=[1], results=[1, 0]), describe('P'), execute(1), execute(), SYNC)))
            found.append(tell(c.query('create table copied (a int, b text)')))
            c.send(message('Q', 'copy copied from stdin'))
            if c.receive()[0] == 'G':
                c.send(b'd' + int32(4 + 8), b'1\tx\n2\ty\n', message('c'))
            found.append(tell(c.until_ready()))
            found.append(tell(c.query('select count(*) from copied')))
    except (OSError, AssertionError, StopIteration):
        found.append(None)
    for form in ('json', 'arrow', 'csv', 'parquet'):
        found.append(by_http(port, form))
    return found


def tell(answer):
    codes = [f['C'] for f in failures(answer)]
    if CODES & set(codes) or not answer or answer[-1][0] == '':
        return None
    return codes, rows(answer)


def by_http(port, form):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=PATIENCE)
    try:
        connection.request('POST', '/query?format=' + form, b'select id, name from things order by id')
        reply = connection.getresponse()
        body = reply.read()
        return (reply.status, body if form in ('json', 'csv') else len(body) > 100) if reply.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def serve(folder, fault):
    """Returns a server's process, its socket and port; the process is None where it did not start."""
    environment = dict(os.environ)
    if fault:
        environment['PISTACHIO_FAULT'] = fault
    for name in ('catalog', 'catalog.lock'):
        if os.path.exists(folder + '/' + name):
            os.remove(folder + '/' + name)
    process = subprocess.Popen([PROGRAM, 'serve', '--listen', 'unix:%s/s' % folder, '--http', '127.0.0.1:0', '--trust-loopback', '--catalog',
                                folder + '/catalog', '--set', 'threads=1', folder + '/tables'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment)
    lines = [process.stdout.readline(), process.stdout.readline()]
    if 'listening' not in lines[1]:
        said = process.communicate(timeout=PATIENCE)[1]
        check('a start that fails says so (%s)' % fault, process.returncode in (1, 2) and ('memory' in said or 'could not' in said), True)
        return None, None
    return process, int(lines[1].rsplit(':', 1)[1].split()[0].strip('/'))


def run(folder, fault, expected):
    """Returns whether all answers are those expected."""
    process, port = serve(folder, fault)
    if not process:
        return False
    path = folder + '/s'
    found = script(path, port)
    if expected:
        wrong = [(f, e) for f, e in zip(found, expected) if f is not None and f != e and e is not None]
        # What follows a statement that failed may miss what that would have made.
        check('answers are right or say that there is no memory (%s)' % fault, wrong if None not in found else [], [])
        after = script(path, port) # the one fault may be in it
        check('another client is answered (%s)' % fault, found == expected or after == expected, True)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=PATIENCE)[1]
    check('the server ends by itself (%s)' % fault, process.returncode, 0)
    if process.returncode:
        print(said[-3000:])
    return found if not expected else found == expected


def main():
    first, last, step = [int(word) for word in sys.argv[2:5]] if len(sys.argv) > 4 else (1, 6000, 0)
    folder = tempfile.mkdtemp()
    os.mkdir(folder + '/tables')
    subprocess.run([PROGRAM, '-c', "copy (select i::integer as id, 'n' || i as name from range(1, 4) as r(i)) to '%s/tables/things.parquet'" % folder],
                   check=True, capture_output=True)
    expected = run(folder, '', None)
    check('without a fault all is answered', None in expected, False)
    numbers = range(first, last, step) if step else sorted(random.Random(1).sample(range(first, last), 60))
    faults = ['%s:%d' % (sys.argv[5] if len(sys.argv) > 5 else 'alloc', n) for n in numbers]
    if not step:
        faults += ['%s:%d' % (kind, n) for kind in ('read', 'write') for n in range(1, 16)]
    told = sum(not run(folder, fault, expected) for fault in faults)
    print('%d of %d faults were seen by a client' % (told, len(faults)))
    shutil.rmtree(folder)
    counts['skipped'] = 0
    return finish()


if __name__ == '__main__':
    sys.exit(main())
