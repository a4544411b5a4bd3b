#!/usr/bin/env python3
"""device = auto in a server: what fails on the GPU and runs again on the CPU holds no more than its user may.
auto_users.py PROGRAM LIBRARY KERNELS, of the emulation"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../server'))
os.environ.update(PISTACHIO_CUDA_LIBRARY=sys.argv[2], PISTACHIO_CUDA_KERNELS=sys.argv[3], PISTACHIO_CUDA_FAIL='cuLaunchKernel:1')
from server import Server, check, finish  # noqa: E402  pylint: disable=wrong-import-position
from wire import Client, failures, rows  # noqa: E402  pylint: disable=wrong-import-position

LARGE = "select length(string_agg(repeat('x', 1000) || i, '')) from things, range(10000) r(i)"


def user(client, figures):
    """Figures of a GPU that is worth all of a statement, or some stages."""
    found = failures(client.query(LARGE))
    check('beyond the limit, ' + figures, [(f['C'], "the user's memory" in f['M']) for f in found], [('53400', True)])
    check('within it, ' + figures, rows(client.query('select sum(id) from things')), [[b'6']])


def main():
    for figures in 'all', 'both':
        os.environ['XDG_CACHE_HOME'] = os.path.join(HERE, 'figures', figures)
        server = Server('--set', 'device=auto', '--set', 'memory_limit=512MB', '--users', 'FOLDER/users')
        try:
            with open(server.folder + '/users', 'w', encoding='ascii') as file:
                file.write('bob SCRAM-SHA-256$x memory=16MiB\n')
            os.chmod(server.folder + '/users', 0o600)
            with Client(server.path, user='bob') as bob:
                user(bob, figures)
            with Client(server.path) as other:
                check('others, ' + figures, rows(other.query(LARGE)), [[b'30116670']])
            server.end()
        finally:
            server.process.kill()
    finish()


main()
