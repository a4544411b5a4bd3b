#!/usr/bin/env python3
"""The server under crowds and bombs: 10,000 connections, 100,000 portals, bodies of 1 GB, bytes that come one by one. Each ends in
an error or is answered, memory stays bounded, and another client is answered meanwhile. crowd.py PROGRAM"""
import os
import resource
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import Server, check, finish, wait_until  # noqa: E402  pylint: disable=wrong-import-position
from wire import *  # noqa: E402,F403  pylint: disable=wildcard-import,unused-wildcard-import

CONNECTIONS = 10000
MEGABYTES = 600  # by which the server may grow; a sanitizer keeps 256 of what is freed


def undisturbed(server, before, name, witness):
    check('another client is undisturbed by ' + name, rows(witness.query('select count(*) from things')), [[b'3']])
    check('memory is bounded under ' + name, server.memory() - before < MEGABYTES << 10, True)


def connections(server, witness):
    """Connections that say nothing, as many as this process may open."""
    before, open_ones, refused = server.memory(), [], 0
    for _ in range(min(CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)):
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(20)
        try:
            one.connect(server.path + '/.s.PGSQL.5432' if os.path.isdir(server.path) else server.path)
            open_ones.append(one)
        except OSError:
            refused += 1
            one.close()
    undisturbed(server, before, '%d connections' % len(open_ones), witness)
    check('connections are taken or refused', len(open_ones) + refused > 0, True)
    for one in open_ones:
        one.close()

    def is_admitted():
        try:
            with Client(server.path) as c:
                return rows(c.query('select 1')) == [[b'1']]
        except (AssertionError, OSError):
            return False
    wait_until('a new client is let in after they have gone', is_admitted)


def portals(server, witness):
    before = server.memory()
    with Client(server.path) as c:
        c.socket.settimeout(500)  # sanitized, on a machine with much else to do: the test's own time is the bound
        c.ask(parse('select $1::int', 'one'), SYNC)
        c.query('begin')
        refused = 0
        for first in range(0, 100000, 1000):
            found = c.ask(*[bind([b'1'], name='one', portal='p%d' % (first + i)) for i in range(1000)], SYNC)
            refused += found[-1][1] == b'E'
        check('portals beyond the limit are refused', refused, 100)
        c.query('rollback')
        found = c.ask(*[bind([b'1'], name='one') for _ in range(20000)], execute(), SYNC)
        check('portals that replace each other', kinds(found), '2' * 20000 + 'DCZ')
    undisturbed(server, before, '100,000 portals', witness)


def long_message(server, witness):
    """A message of 1 GB is refused by its length; a query of 100 MB is read whole."""
    before = server.memory()
    with Client(server.path) as c:
        check('a message of 1 GB', failures(c.ask(b'Q', int32(1 << 30), bytes(1000)))[0]['C'], '08P01')
    undisturbed(server, before, 'a message of 1 GB', witness)


def bodies(server, witness):
    """Bodies of 1 GB over HTTP, with their length and in chunks."""
    before, port = server.memory(), server.http
    for head in (b'Content-Length: 1073741824\r\n\r\n', b'Transfer-Encoding: chunked\r\n\r\n40000000\r\n'):
        with socket.create_connection(('127.0.0.1', port), timeout=60) as one:
            sent = 0
            one.sendall(b'POST /query HTTP/1.1\r\nHost: localhost\r\n' + head)
            try:
                while sent < 1 << 30:
                    one.sendall(bytes(1 << 20))
                    sent += 1 << 20
            except OSError:
                pass
            check('a body of 1 GB is refused before its end: %r' % head[:20], sent < 256 << 20, True)
    undisturbed(server, before, 'bodies of 1 GB', witness)


def byte_by_byte(server, witness):
    """A login and a query of which each byte comes by itself."""
    before = server.memory()
    with Client(server.path, login=False) as c:
        for byte in start(user='slow', database='any') + message('Q', 'select 7'):
            c.send(bytes([byte]))
        found = c.until_ready()
        found += c.until_ready()
        check('a query that comes byte by byte', rows(found), [[b'7']])
    undisturbed(server, before, 'single bytes', witness)


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 25000), hard))
    server = Server('--max-connections', '50', '--trust-loopback', '--http', '127.0.0.1:0')
    try:
        server.http = int(server.process.stdout.readline().rsplit(':', 1)[1].split()[0].strip('/'))
        with Client(server.path) as witness:
            for part in (byte_by_byte, portals, long_message, bodies, connections):
                part(server, witness)
        server.end()
    finally:
        server.process.kill()
    return finish()


sys.exit(main())
