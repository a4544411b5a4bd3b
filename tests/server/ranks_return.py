#!/usr/bin/env python3
"""Ranks of a server, each started again by a loop when it leaves with another status than 0. One of them, rank 0 too, is
killed at any time: the server answers again, nobody leaves with 0, nothing is left behind. ranks_return.py PROGRAM
TRIES=20 kills, SEED=1."""
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import PROGRAM, check, finish  # noqa: E402  pylint: disable=wrong-import-position
from wire import Client, rows  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 4
PATIENCE = 60
SQL = 'select count(*), sum(a.x + b.x) from t a join t b on a.x = b.x'
RIGHT = [[b'100000', b'9999900000']]


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Loop(threading.Thread):
    """Starts a rank until it leaves with 0."""
    def __init__(self, rank, folder, environment):
        super().__init__(daemon=True)
        self.command = [PROGRAM, 'serve', '--listen', 'unix:%s/s' % folder, '--set', 'temp_directory=%s/temp' % folder,
                        folder + '/t.parquet']
        self.environment = {**environment, 'PISTACHIO_RANK': str(rank)}
        self.folder, self.starts, self.process = folder, 0, None
        self.start()

    def run(self):
        while True:
            with open('%s/said.%s' % (self.folder, self.environment['PISTACHIO_RANK']), 'ab') as said:
                self.process = subprocess.Popen(self.command, env=self.environment, stdout=said, stderr=said)
            self.starts += 1
            if self.process.wait() == 0:
                return
            time.sleep(0.05)


def answers(path):
    """Returns whether all ranks give the right rows."""
    try:
        with Client(path) as client:
            return rows(client.query(SQL)) == RIGHT
    except (OSError, AssertionError):
        return False


def await_answer(path):
    """Returns the seconds until the server answers; infinity: it does not."""
    begun = time.monotonic()
    while time.monotonic() < begun + PATIENCE:
        if answers(path):
            return time.monotonic() - begun
        time.sleep(0.02)
    return float('inf')


def kill_some(folder, loops):
    chance = random.Random(int(os.environ.get('SEED', '1')))
    worst = 0
    for number in range(int(os.environ.get('TRIES', '20'))):
        busy = threading.Thread(target=answers, args=(folder + '/s',))
        busy.start()
        time.sleep(chance.random() * 0.3)
        victim = chance.randrange(RANKS)
        loops[victim].process.kill()
        busy.join()
        seconds = await_answer(folder + '/s')
        check('%d: rank %d is back' % (number, victim), seconds < PATIENCE, True)
        check('%d: nobody has left with 0' % number, [loop.is_alive() for loop in loops], [True] * RANKS)
        worst = max(worst, seconds)
    print('the longest return took %.1f s; starts of each rank: %s' % (worst, [loop.starts for loop in loops]))


def run(folder):
    os.mkdir(folder + '/temp')
    subprocess.run([PROGRAM, '-c', "copy (select i as x from range(100000) r(i)) to '%s/t.parquet' (row_group_size 10000)" % folder],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    environment = {**os.environ, 'UCX_MEM_EVENTS': 'no', 'UCX_LOG_LEVEL': 'fatal', 'ASAN_OPTIONS': 'detect_leaks=0',
                   'PISTACHIO_DISTRIBUTE': 'always', 'PISTACHIO_RANKS': str(RANKS), 'PISTACHIO_TOKEN': os.urandom(16).hex(),
                   'PISTACHIO_ROOT': '127.0.0.1:%d' % free_port(), 'PISTACHIO_PEER_TIMEOUT': '60000'}
    loops = [Loop(rank, folder, environment) for rank in range(RANKS)]
    check('the server answers', await_answer(folder + '/s') < PATIENCE, True)
    kill_some(folder, loops)
    loops[0].process.send_signal(signal.SIGTERM)
    for loop in loops:
        loop.join(PATIENCE)
    check('all leave with 0 when rank 0 is told to', [loop.is_alive() for loop in loops], [False] * RANKS)
    check('nothing is left behind', os.listdir(folder + '/temp'), [])
    for loop in loops:
        if loop.is_alive():
            loop.process.kill()


def main():
    there = subprocess.run([PROGRAM, '--processes', '2', '-c', 'select 1'], capture_output=True, check=False)
    if there.returncode and b'libucx' in there.stderr:
        print('0 passed, 0 failed, 1 skipped: ranks that are processes: no libucp here')
        return 77
    folder = tempfile.mkdtemp()
    run(folder)
    failed = finish()
    if failed:
        subprocess.run('tail -n 5 %s/said.*' % folder, shell=True, check=False)
    else:
        shutil.rmtree(folder)
    return failed


sys.exit(main())
