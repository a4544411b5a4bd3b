#!/usr/bin/env python3
"""Definitions that clients share and a file keeps (--catalog): transactions, rights, two clients at once, a server that is
killed, a file that is damaged. catalog.py PROGRAM"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import PATIENCE, PROGRAM, Server, check, finish  # noqa: E402  pylint: disable=wrong-import-position
from wire import Client, failures, kinds, message, rows  # noqa: E402  pylint: disable=wrong-import-position


def code(client, sql):
    """Returns the SQLSTATE of the statement's failure, or None."""
    found = failures(client.query(sql))
    return found[0]['C'] if found else None


def value(client, sql):
    found = client.query(sql)
    return [tuple(v and v.decode() for v in row) for row in rows(found)] or [f['C'] for f in failures(found)]


def run(client, *statements):
    for sql in statements:
        check(sql, code(client, sql), None)


def shared(server):
    """Names of one client are others', too, but those that are called temporary."""
    with Client(server.path) as a, Client(server.path) as b:
        run(a, 'create view doubled as select id * 2 as x from things', 'create schema reports',
            'create view reports.sums as select sum(x) as s from doubled', 'create macro twice(x) as x * 2')
        check('a view', value(b, 'select sum(x) from doubled'), [('12',)])
        check('a view of a view in a schema', value(b, 'select s from reports.sums'), [('12',)])
        check('a macro', value(b, 'select twice(21)'), [('42',)])
        check('it is listed', value(b, "select relname from pg_class where relkind = 'v' order by 1"), [('doubled',), ('sums',)])
        check('its text', value(b, "select pg_get_viewdef('doubled'::regclass), definition from pg_views where viewname = 'doubled'"),
              [('select id * 2 as x from things',) * 2])
        check('pg_tables is without views', value(b, "select tablename from pg_tables where schemaname = 'public'"), [('things',)])
        check('there already', code(b, 'create view doubled as select 1'), '42P07')
        check('a table of files', code(b, 'create view things as select 1'), '42P07')
        run(b, 'create temp view own as select 7 as y', 'create temp macro thrice(x) as x * 3', 'create table held as select 1 as z')
        check('temporary', value(a, 'select * from own'), ['42P01'])
        check('a temporary macro', value(a, 'select thrice(1)'), ['42883'])
        check('rows are the session\'s', value(a, 'select * from held'), ['42P01'])
        run(b, 'create or replace view doubled as select 1 as x', 'alter view doubled rename to ones')
        check('replaced', value(a, 'select x from ones'), [('1',)])
        check('a view whose table has gone', value(a, 'select s from reports.sums'), ['42P01'])
        check('a table of files keeps its name', code(b, 'alter table things rename to x'), '42P01')
        check('a name that is there', code(a, 'alter table ones rename to things'), '42P07')
        run(b, 'alter view ones rename to doubled', 'drop view doubled cascade')
        check('CASCADE', value(a, 'select s from reports.sums'), ['42P01'])
        check('no such view', code(b, 'drop view doubled'), '42P01')
        run(b, 'drop view if exists doubled cascade', 'alter view if exists doubled rename to x', 'create view reports.r as select 1',
            'create view outside as select * from reports.r')
        check('not empty', code(b, 'drop schema reports'), '2BP01')
        run(b, 'drop schema reports cascade', 'drop macro twice')
        check('what used the schema went with it', value(a, 'select * from outside'), ['42P01'])
        needed(a, b)


def needed(a, b):
    """What a view uses is not dropped without CASCADE; schemas have new names."""
    run(a, 'create macro twice(x) as 2 * x', 'create view low as select id from things', 'create view high as select twice(id) as y from low')
    check('a view that is used', code(b, 'drop view low'), '2BP01')
    check('a macro that is used', code(b, 'drop macro twice'), '2BP01')
    check('both are there', value(b, 'select sum(y) from high'), [('12',)])
    run(b, 'begin', 'drop view high', 'drop view low', 'drop macro twice', 'rollback', 'drop macro twice cascade')
    check('CASCADE of a macro', (value(a, 'select * from high'), value(a, 'select count(*) from low')), (['42P01'], [('3',)]))
    run(b, 'drop view low', 'create schema old', 'create view old.v as select 1 as x', 'create view reads as select x from old.v')
    check('a schema of the name', code(b, 'alter schema old rename to old'), '42P06')
    check('no such schema', code(b, 'alter schema absent rename to x'), '3F000')
    run(b, 'alter schema old rename to new')
    check('a schema that is renamed', (value(a, 'select x from new.v'), value(a, 'select x from old.v')), ([('1',)], ['3F000']))
    check('it is listed', value(a, "select table_schema, table_name from information_schema.views order by 2"), [('public', 'reads'), ('new', 'v')])
    run(b, 'drop schema new cascade', 'drop view reads')


def transactions(server):
    with Client(server.path) as a, Client(server.path) as b:
        run(a, 'begin', 'create view v as select 1 as x', 'create schema s', 'create view s.w as select x from v')
        check('its own changes', value(a, 'select x from s.w'), [('1',)])
        check('not others\'', value(b, 'select x from v'), ['42P01'])
        run(a, 'rollback')
        check('rolled back', value(a, 'select x from v'), ['42P01'])
        run(a, 'begin', 'create view v as select 1 as x', 'savepoint p', 'alter view v rename to u', 'rollback to p')
        check('back to the savepoint', value(a, 'select x from v'), [('1',)])
        run(a, 'savepoint q', 'create view gone as select 1', 'rollback to savepoint p', 'release p')
        check('a savepoint that is not there', code(a, 'rollback to q'), '3B001')
        check('after a failure', code(a, 'select 1'), '25P02')
        check('COMMIT of what has failed', kinds(a.query('commit')), 'CZ')
        check('undoes it', value(b, 'select x from v'), ['42P01'])
        run(a, 'begin', 'create view v as select 1 as x')
        run(b, 'begin', 'create view v as select 2 as x', 'commit')
        check('two of one name: the later one fails', code(a, 'commit'), '40001')
        check('and the earlier one stays', value(a, 'select x from v'), [('2',)])
        run(a, 'begin', 'create view other as select 3 as x')
        run(b, 'begin', 'create view another as select 4 as x', 'commit')
        run(a, 'commit')
        check('of different names: both', value(b, 'select o.x, a.x from other o, another a'), [('3', '4')])
        run(a, 'begin', 'drop view other', 'drop view another')
        check('others still see it', value(b, 'select x from other'), [('3',)])
        a.socket.close()
        check('who leaves rolls back', value(b, 'select x from other'), [('3',)])


def swaps(server):
    """Renames as dbt does them, while another client reads."""
    with Client(server.path) as a, Client(server.path) as b:
        run(a, 'create view m as select 0 as x')
        for i in range(1, 6):
            a.send(message('Q', 'begin'), message('Q', 'create view m__tmp as select %d as x' % i),
                   message('Q', 'alter table m rename to m__backup'), message('Q', 'alter table m__tmp rename to m'),
                   message('Q', 'commit'), message('Q', 'drop view if exists m__backup cascade'))
            found = value(b, 'select x from m')
            check('the old one or the new one', found in ([(str(i - 1),)], [(str(i),)]), True)
            check('all were taken', [failures(a.until_ready()) for _ in range(6)], [[]] * 6)
        check('the last one', value(b, 'select x from m'), [('5',)])
        run(a, 'drop view m')


def refused(server):
    """Whoever may not write is told so."""
    os.environ['PGPASSWORD'] = 'geheim'
    with open(server.folder + '/users', encoding='ascii') as file:
        line = file.read().strip()
    for word, expected in (('', 'permission denied'), (' catalog=read', 'permission denied'), (' catalog=write', 'CREATE VIEW')):
        with open(server.folder + '/users', 'w', encoding='ascii') as file:
            file.write(line + word + '\n')
        found = subprocess.run(['psql', '-h', '127.0.0.1', '-p', str(server.port), '-U', 'anna', '-d', 'x', '-v', 'VERBOSITY=verbose',
                                '-c', 'create temp view mine as select 1', '-c', 'create view hers as select 1'],
                               capture_output=True, text=True, check=False)
        check('a user with "%s"' % word, expected in found.stdout + found.stderr, True)
        check('its SQLSTATE', '42501' in found.stderr, expected != 'CREATE VIEW')


class Kept(Server):
    """A server with a file of definitions and a user who logs in by TCP."""

    def __init__(self):
        self.port = 20000 + os.getpid() % 20000
        self.users = tempfile.mkdtemp()
        subprocess.run([PROGRAM, 'serve', '--users', self.users + '/users', '--add-user', 'anna'], input='geheim\n', text=True,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        super().__init__('--catalog', 'FOLDER/catalog', '--users', self.users + '/users', '--listen', '127.0.0.1:%d' % self.port)
        self.folder_of_users, self.command = self.users, self.process.args

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        assert 'listening' in self.process.stdout.readline()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def end(self):
        super().end()
        shutil.rmtree(self.users)


def killed(server):
    """What was committed outlives a server that is killed, and nothing else does."""
    with Client(server.path) as a:
        run(a, 'create view "odd\t\\name" as select \'tab\t, line\n, \\n\' as t, id from things', 'create schema kept',
            'create view kept.c as select count(*) as n from "odd\t\\name"', 'create or replace macro plus(x, y := 1) as x + y',
            'begin', 'create view half as select 1')
    with open(server.folder + '/catalog.new', 'w', encoding='ascii') as file:
        file.write('of a server that was killed while it wrote')
    server.kill()
    server.start()
    with Client(server.path) as a:
        check('a view with bytes that are written otherwise', value(a, 'select t, id from "odd\t\\name" where id = 1'),
              [('tab\t, line\n, \\n', '1')])
        check('a schema', value(a, 'select n from kept.c'), [('3',)])
        check('a macro', value(a, 'select plus(2)'), [('3',)])
        check('what was not committed', value(a, 'select * from half'), ['42P01'])
        run(a, 'create view later as select 1', 'drop view "odd\t\\name" cascade')
        check('CASCADE knows what used it', value(a, 'select n from kept.c'), ['42P01'])


def damaged(server):
    """A damaged file is refused, by its place."""
    path = server.folder + '/catalog'
    with open(path, 'rb') as file:
        good = file.read()
    server.kill()
    lines = good.split(b'\n')
    cases = (('cut off', b'\n'.join(lines[:-2]) + b'\n', 'line %d of' % (len(lines) - 1)),
             ('another text', good.replace(b'select 1', b'select 2', 1), 'has a sum'), ('a zero', good.replace(b'select', b'sel\0ct', 1), 'zero'),
             ('an escape', good.replace(b'\tlater\t', b'\tla\\xer\t'), 'is not a name'))
    for name, bytes_, expected in cases:
        with open(path, 'wb') as file:
            file.write(bytes_)
        found = subprocess.run(server.command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        check('a file that is damaged: ' + name, (found.returncode, expected in found.stderr and path in found.stderr), (1, True))
        if expected not in found.stderr:
            print(found.stderr)
    with open(path, 'wb') as file:
        file.write(good)
    server.start()
    found = subprocess.run([PROGRAM, 'serve', '--listen', 'unix:' + server.folder + '/t', '--catalog', path, server.folder + '/tables'],
                           capture_output=True, text=True, check=False, timeout=PATIENCE)
    check('two servers', (found.returncode, 'another server' in found.stderr), (1, True))


def main():
    server = Kept()
    shared(server)
    transactions(server)
    swaps(server)
    shutil.copy(server.users + '/users', server.folder + '/users')
    server.folder, folder = server.users, server.folder
    if shutil.which('psql'):
        refused(server)
    server.folder = folder
    killed(server)
    damaged(server)
    server.end()
    return finish()


if __name__ == '__main__':
    sys.exit(main())
