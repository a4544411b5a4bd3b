#!/usr/bin/env python3
"""TLS of the server: psql and Python over an encrypted socket, and clients that are hostile before they agree on it.
tls.py PROGRAM"""
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wire import Client, message, rows, start  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = sys.argv[1]
REQUEST = struct.pack('!ii', 8, 80877103)
passed = failed = 0


def check(name, found, expected):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print('failed: %s: %r instead of %r' % (name, found, expected))


def skip(why):
    print('0 passed, 0 failed, 1 skipped: ' + why)
    sys.exit(77)


def certificate(folder, name):
    """Makes NAME.crt, which signs itself, and NAME.key."""
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                    '-keyout', name + '.key', '-out', name + '.crt', '-days', '2', '-subj', '/CN=localhost',
                    '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'], cwd=folder, check=True, capture_output=True)


def said(folder, *options):
    """Returns what a server says that does not begin."""
    ended = subprocess.run([PROGRAM, 'serve', *options, folder + '/tables'], text=True, capture_output=True,
                           timeout=60, check=False)
    return ended.stdout + ended.stderr


class Encrypted(Client):
    """wire.py's client over TCP and TLS."""

    def __init__(self, port, context):  # pylint: disable=super-init-not-called
        plain = socket.create_connection(('127.0.0.1', port), 60)
        plain.sendall(REQUEST)
        assert plain.recv(1) == b'S'
        self.socket = context.wrap_socket(plain, server_hostname='localhost')
        self.buffer = b''
        self.send(start(user='tester'))
        self.until_ready()


def raw(port, *parts):
    """Sends bytes and returns what comes until the end."""
    with socket.create_connection(('127.0.0.1', port), 60) as s:
        found = b''
        try:
            for part in parts:
                s.sendall(part)
            s.shutdown(socket.SHUT_WR)
            while some := s.recv(65536):
                found += some
        except (ConnectionResetError, BrokenPipeError):
            pass
        return found


def psql(port, folder, *words, **names):
    text = ' '.join('%s=%s' % pair for pair in {'host': '127.0.0.1', 'port': port, 'user': 'anna', **names}.items())
    ended = subprocess.run(['psql', '-XAt', *words, text], text=True, capture_output=True, timeout=60, check=False,
                           env={**os.environ, 'PGPASSWORD': 'geheim', 'HOME': folder, 'PGCONNECT_TIMEOUT': '30'})
    return ended.stdout + ended.stderr


def with_psql(port, other, folder):
    info = psql(port, folder, '-c', r'\conninfo', sslmode='require')
    check('psql is told of TLS', 'protocol: TLSv1.3' in info, True)
    check('a password over TLS', psql(port, folder, '-c', 'select 1', sslmode='require'), '1\n')
    check('no TLS on loopback', psql(port, folder, '-c', 'select 2', sslmode='disable'), '2\n')
    verified = {'host': 'localhost', 'hostaddr': '127.0.0.1', 'sslmode': 'verify-full'}
    check('the right certificate', psql(port, folder, '-c', 'select 3', sslrootcert=folder + '/own.crt', **verified), '3\n')
    check('another one', 'certificate verify failed' in
          psql(port, folder, '-c', 'select 3', sslrootcert=folder + '/other.crt', **verified), True)
    check('where TLS is a must', psql(other, folder, '-c', 'select 4', sslmode='prefer'), '4\n')
    check('and is not taken', 'encrypted connections alone' in
          psql(other, folder, '-c', 'select 4', sslmode='disable'), True)
    check('an old version', 'ERROR' not in psql(port, folder, '-c', 'select 5', sslmode='require',
                                                ssl_max_protocol_version='TLSv1.2'), True)


def sessions(port, folder):
    context = ssl.create_default_context(cafile=folder + '/own.crt')
    with Encrypted(port, context) as c:
        check('a row', rows(c.query('select 1')), [[b'1']])
        check('many rows', len(rows(c.query('select i, i::varchar || i from range(100000) as r(i)'))), 100000)
        text = 'ä' * 300000
        check('a long statement', rows(c.query("select length('%s')" % text)), [[b'300000']])
        many = [Encrypted(port, context) for _ in range(8)]
        for one in many:
            one.send(message('Q', 'select * from range(1000000000)'))
        check('beside those who do not read', rows(c.query('select 2')), [[b'2']])
        for one in many:
            one.socket.close()
        check('and those who leave', rows(c.query('select 3')), [[b'3']])


def hostile(port, folder):
    context = ssl.create_default_context(cafile=folder + '/own.crt')
    hello = b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(500)
    with Encrypted(port, context) as witness:
        found = raw(port, REQUEST + start(user='tester'))
        check('bytes before TLS begins', b'unencrypted' in found and b'S' != found[:1], True)
        for part in (b'', hello, hello[:7], b'\0' * 3000, b'\xff' * 100, start(user='tester')):
            with socket.create_connection(('127.0.0.1', port), 60) as s:
                s.sendall(REQUEST)
                check('an answer', s.recv(1), b'S')
                s.sendall(part)
        check('another client is undisturbed', rows(witness.query('select 1')), [[b'1']])
        # A client that does not go on, and one that ends without TLS's end.
        with socket.create_connection(('127.0.0.1', port), 60) as s:
            s.sendall(REQUEST)
            s.recv(1)
            check('nor by one that waits', rows(witness.query('select 2')), [[b'2']])
        with Encrypted(port, context) as c:
            c.send(b'Q\0\0\0\x20select')
            c.socket.close()
        check('nor by one that leaves', rows(witness.query('select 3')), [[b'3']])


def refusals(folder):
    tls = ('--tls', folder + '/own.crt', folder + '/own.key')
    place = ('--listen', '127.0.0.1:0', '--trust-loopback')
    os.chmod(folder + '/other.key', 0o644)
    found = said(folder, *place, '--tls', folder + '/other.crt', folder + '/other.key')
    check('a key that others read', 'other users can read or write the key' in found, True)
    found = said(folder, *place, '--tls', folder + '/other.crt', folder + '/own.key')
    check("another certificate's key", 'for TLS: ' in found and 'own.key' in found, True)
    found = said(folder, *place, '--tls', folder + '/own.key', folder + '/own.key')
    check('no certificate', 'could not take "%s/own.key" for TLS: ' % folder in found, True)
    found = said(folder, *place, '--tls', folder + '/absent', folder + '/absent')
    check('no files', 'could not read' in found, True)
    check('a word is missing', 'two files are needed after --tls' in said('.', '--tls'), True)
    found = said(folder, '--listen', '0.0.0.0:0', *tls)
    check('TLS alone proves nobody', 'need passwords' in found, True)


def main():
    if not shutil.which('openssl'):
        skip('openssl is not installed')
    folder = tempfile.mkdtemp()
    os.mkdir(folder + '/tables')
    subprocess.run([PROGRAM, '-c', "copy (select 1 as id) to '%s/tables/t.parquet'" % folder], check=True,
                   capture_output=True)
    certificate(folder, 'own')
    certificate(folder, 'other')
    found = said(folder, '--listen', '127.0.0.1:0', '--trust-loopback', '--tls', folder + '/absent', folder + '/own.key')
    if 'this build of the server has no TLS' in found:
        skip('this build has no TLS')
    subprocess.run([PROGRAM, 'serve', '--users', folder + '/users', '--add-user', 'anna'], input='geheim\n', text=True,
                   check=True)
    refusals(folder)
    server = subprocess.Popen([PROGRAM, 'serve', '--listen', '127.0.0.1:0', '--listen', '0.0.0.0:0', '--users',
                               folder + '/users', '--listen', 'unix:' + folder + '/s', '--tls', folder + '/own.crt',
                               folder + '/own.key', folder + '/tables'], stdout=subprocess.PIPE, text=True)
    trusting = subprocess.Popen([PROGRAM, 'serve', '--listen', '127.0.0.1:0', '--trust-loopback', '--tls',
                                 folder + '/own.crt', folder + '/own.key', folder + '/tables'], stdout=subprocess.PIPE,
                                text=True)
    try:
        ports = [int(server.stdout.readline().rpartition(':')[2]) for _ in range(2)]
        server.stdout.readline()
        port = int(trusting.stdout.readline().rpartition(':')[2])
        if shutil.which('psql'):
            with_psql(*ports, folder)
        sessions(port, folder)
        hostile(port, folder)
        for process in (server, trusting):
            process.send_signal(signal.SIGTERM)
            check('the server ends', process.wait(60), 0)
    finally:
        server.kill()
        trusting.kill()
        shutil.rmtree(folder)
    print('%d passed, %d failed, 0 skipped' % (passed, failed))
    return failed > 0


sys.exit(main())
