#!/usr/bin/env python3
"""Several statements at a time: the queue before them, who sees it, limits of time and rows, clients that do not read, the
log. many.py PROGRAM"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import Server, check, finish, wait_until  # noqa: E402  pylint: disable=wrong-import-position
from wire import (Client, SYNC, begin, bind, cancel, codes, execute, failures,  # noqa: E402  pylint: disable=wrong-import-position
                  key, message, parse, rows, seen)

ENDLESS = 'select sum(i % 7) from range(1000000000000000) r(i)'
SHORT = 'select sum(id) from things'
PAIRS = 'select count(*) from range(2000000) a(x) join range(200000) b(y) on x * y = -1'
MUCH = "select i, 'some text that takes room' from range(100000000) r(i)"


def queue(server, witness):
    """One statement runs, the next one waits, and whoever reads no table needs no turn."""
    with Client(server.path) as first, Client(server.path) as second, Client(server.path) as third:
        begin(first, ENDLESS)
        wait_until('the first one runs', lambda: seen(witness, first) == ('active', None))
        begin(second, SHORT)
        wait_until('the second one waits', lambda: seen(witness, second) == ('active', 'StatementQueue'))
        check('what reads no table needs no turn', rows(third.query('select 1')), [[b'1']])
        cancel(server, second)
        check('cancelled in the queue', codes(second), ['57014'])
        third.send(parse(SHORT), bind(), execute(), SYNC)
        wait_until('a prepared one waits', lambda: seen(witness, third) == ('active', 'StatementQueue'))
        first.socket.close()
        check('a client has gone: the next one runs', rows(third.until_ready()), [[b'6']])
        check('and is idle after it', seen(witness, third), ('idle', 'ClientRead'))


def gone_in_queue(server, witness):
    with Client(server.path) as first, Client(server.path) as second:
        begin(first, ENDLESS)
        wait_until('one runs', lambda: seen(witness, first) == ('active', None))
        begin(second, SHORT)
        wait_until('one waits', lambda: seen(witness, second) == ('active', 'StatementQueue'))
        second.socket.close()
        wait_until('who has gone waits no more', lambda: seen(witness, second) is None)
        cancel(server, first)
        check('cancelled while it runs', codes(first), ['57014'])


def times(server, witness):
    with Client(server.path) as first, Client(server.path) as second:
        first.query("set statement_timeout = '100ms'")
        begin(first, ENDLESS)
        found = failures(first.until_ready())
        check('too long', [(f['C'], 'took longer than the 100 ms' in f['M']) for f in found], [('57014', True)])
        check('others have time', rows(second.query(SHORT)), [[b'6']])
        begin(second, ENDLESS)
        wait_until('it runs', lambda: seen(witness, second) == ('active', None))
        check('too long in the queue', [f['C'] for f in failures(first.query(SHORT))], ['57014'])
        cancel(server, second)
        check('cancelled', codes(second), ['57014'])


def slow_readers(server, witness):
    """A client that does not read keeps no other from its turn, and its rows are not collected."""
    with Client(server.path) as silent, Client(server.path) as other:
        begin(silent, MUCH)
        wait_until('one is waited for', lambda: seen(witness, silent) == ('active', 'ClientWrite'))
        check('another one runs meanwhile', rows(other.query(SHORT)), [[b'6']])


def users(server, witness):
    with Client(server.path, user='anna') as anna, Client(server.path, user='bob') as bob:
        check('as many rows as one may get', len(rows(anna.query('select * from things limit 2'))), 2)
        found = failures(anna.query('select * from things'))
        check('more rows', [(f['C'], 'more than the 2 rows' in f['M']) for f in found], [('53400', True)])
        found = anna.ask(parse('select * from things'), bind(), execute(), SYNC)
        check('more rows of a portal', [f['C'] for f in failures(found)], ['53400'])
        begin(anna, ENDLESS)
        check("the user's time", codes(anna), ['57014'])
        check('others have no limit', len(rows(bob.query('select * from things'))), 3)
        check('groups', rows(witness.query('select distinct usename, resource_group from pg_stat_activity order by 1')),
              [[b'anna', b'reports'], [b'bob', b'default'], [b'tester', b'default']])
        found = rows(witness.query("select state, sqlstate, rows_sent, query from pistachio_statements() "
                                   "where user_name = 'anna' order by ended_at limit 2"))
        check('statements that ran', found, [[b'done', None, b'2', b'select * from things limit 2'],
                                             [b'failed', b'53400', b'2', b'select * from things']])


def log(path):
    with open(path, encoding='utf-8') as lines:
        found = [json.loads(line) for line in lines]
    check('a line each', [(f['state'], f['rows']) for f in found if f['query'] == 'select * from things limit 2'],
          [('done', 2)])
    check('a failure has its code', {f['sqlstate'] for f in found if f['state'] == 'cancelled'}, {'57014'})
    check('nobody waits for nothing', all(f['queued_ms'] >= 0 and f['ms'] >= 0 for f in found), True)


def turns():
    """A join whose pairs give no row leaves the only thread to others at times."""
    server = Server('--set', 'threads=1')
    try:
        with Client(server.path) as witness, Client(server.path) as first:
            begin(first, PAIRS)
            wait_until('the join runs', lambda: seen(witness, first) == ('active', None))
            # The first ones may have their turns while the build side comes, the last ones among the pairs.
            for _ in range(20):
                check('another one has its turn', rows(witness.query(SHORT)), [[b'6']])
            check('before the join ends', seen(witness, first), ('active', None))
            cancel(server, first)
            check('cancelled among its pairs', codes(first), ['57014'])
        server.end()
    finally:
        server.process.kill()


def memory(server, witness):
    """A user's statements spill, or fail, within the user's memory; those of others have theirs."""
    large = "select length(string_agg(repeat('x', 1000) || i, '')) from range(30000) r(i)"
    with Client(server.path, user='bob') as c:
        check('what fits by spilling', rows(c.query('select count(*) from (select i % 400000 from range(500000) r(i) group by 1) t')), [[b'400000']])
        found = failures(c.query(large))
        check('what does not', [(f['C'], "the user's memory" in f['M']) for f in found], [('53400', True)])
        check('and after it', rows(c.query(SHORT)), [[b'6']])
    check('others', rows(witness.query(large)), [[b'30138890']])


def main():
    server = Server('--max-running', '1', '--set', 'memory_limit=512MB', '--log', 'FOLDER/log', '--log-format', 'json', '--users', 'FOLDER/users')
    try:
        with open(server.folder + '/users', 'w', encoding='ascii') as file:
            file.write('anna SCRAM-SHA-256$x group=reports priority=low timeout=1 rows=2\nbob SCRAM-SHA-256$x memory=16MiB\n')
        os.chmod(server.folder + '/users', 0o600)
        with Client(server.path) as witness:
            for part in (queue, gone_in_queue, times, slow_readers, users, memory):
                part(server, witness)
        log(server.folder + '/log')
        server.end()
    finally:
        server.process.kill()
    turns()
    return finish()


sys.exit(main())
