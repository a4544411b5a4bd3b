#!/usr/bin/env python3
"""Ranks of a server, started again by a loop when they leave with another status than 0: each by a loop of its own, or all by
--processes 4 in one loop. One of them, rank 0 too, is killed at any time: the server answers again, nobody leaves with 0,
nothing is left behind. ranks_return.py PROGRAM
TRIES=20 kills in each way, SEED=1, WAYS="each processes"."""
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
from server import PROGRAM, check, finish, wait_until  # noqa: E402  pylint: disable=wrong-import-position
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
    """Starts a rank, or the first one of --processes, until it leaves with 0."""
    def __init__(self, rank, folder, environment, options=()):
        super().__init__(daemon=True)
        self.command = [PROGRAM, 'serve', *options, '--listen', 'unix:%s/s' % folder, '--set', 'temp_directory=%s/temp' % folder,
                        folder + '/t.parquet']
        self.environment = environment
        self.said, self.starts, self.process = '%s/said.%d' % (folder, rank), 0, None
        self.start()

    def run(self):
        while True:
            with open(self.said, 'ab') as said:
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


def started_by(process):
    """Returns the numbers of the processes that a process has started."""
    found = []
    try:
        for task in os.listdir('/proc/%d/task' % process):
            with open('/proc/%d/task/%s/children' % (process, task), encoding='ascii') as children:
                found += [int(child) for child in children.read().split()]
    except OSError:
        pass  # it has ended
    return found


def ranks_left(folder):
    """Returns the processes that serve the folder's table."""
    found = []
    for process in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % process, 'rb') as words:
                if (folder + '/t.parquet').encode() in words.read().split(b'\0'):
                    found.append(int(process))
        except OSError:
            pass  # it has ended
    return found


def find_ranks(loops):
    """Returns the numbers of the ranks' processes, rank 0's first; some may be missing because they are being started."""
    if len(loops) == RANKS:
        return [loop.process.pid for loop in loops]
    return [loops[0].process.pid, *started_by(loops[0].process.pid)]


def kill_some(folder, way, loops):
    chance = random.Random(int(os.environ.get('SEED', '1')))
    returns = []
    for number in range(int(os.environ.get('TRIES', '20'))):
        busy = threading.Thread(target=answers, args=(folder + '/s',))
        busy.start()
        time.sleep(chance.random() * 0.3)
        ranks = find_ranks(loops)
        victim = chance.randrange(len(ranks))
        os.kill(ranks[victim], signal.SIGKILL)
        busy.join()
        seconds = await_answer(folder + '/s')
        check('%s, %d: rank %d is back' % (way, number, victim), seconds < PATIENCE, True)
        check('%s, %d: nobody has left with 0' % (way, number), [loop.is_alive() for loop in loops], [True] * len(loops))
        returns.append(seconds)
    returns.sort()
    print('%s: half of %d returns took at most %.1f s, the longest %.1f s, %d more than 10 s; starts %s' %
          (way, len(returns), returns[len(returns) // 2], returns[-1], sum(r > 10 for r in returns), [loop.starts for loop in loops]))


def start_loops(folder, way, environment):
    if way == 'processes':
        return [Loop(0, folder, environment, ('--processes', str(RANKS)))]
    place = {'PISTACHIO_RANKS': str(RANKS), 'PISTACHIO_TOKEN': os.urandom(16).hex(), 'PISTACHIO_ROOT': '127.0.0.1:%d' % free_port()}
    return [Loop(rank, folder, {**environment, **place, 'PISTACHIO_RANK': str(rank)}) for rank in range(RANKS)]


def run(folder, way):
    os.mkdir(folder + '/temp')
    subprocess.run([PROGRAM, '-c', "copy (select i as x from range(100000) r(i)) to '%s/t.parquet' (row_group_size 10000)" % folder],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    environment = {**os.environ, 'UCX_MEM_EVENTS': 'no', 'UCX_LOG_LEVEL': 'fatal', 'ASAN_OPTIONS': 'detect_leaks=0',
                   'PISTACHIO_DISTRIBUTE': 'always', 'PISTACHIO_PEER_TIMEOUT': '60000'}
    loops = start_loops(folder, way, environment)
    check('%s: the server answers' % way, await_answer(folder + '/s') < PATIENCE, True)
    kill_some(folder, way, loops)
    loops[0].process.send_signal(signal.SIGTERM)
    for loop in loops:
        loop.join(PATIENCE)
    check('%s: all leave with 0 when rank 0 is told to' % way, [loop.is_alive() for loop in loops], [False] * len(loops))
    check('%s: no file is left' % way, os.listdir(folder + '/temp'), [])
    wait_until('%s: no process is left' % way, lambda: not ranks_left(folder))
    for rank in ranks_left(folder):
        os.kill(rank, signal.SIGKILL)


def main():
    there = subprocess.run([PROGRAM, '--processes', '2', '-c', 'select 1'], capture_output=True, check=False)
    if there.returncode and b'libucx' in there.stderr:
        print('0 passed, 0 failed, 1 skipped: ranks that are processes: no libucp here')
        return 77
    folder = tempfile.mkdtemp()
    for way in os.environ.get('WAYS', 'each processes').split():
        os.mkdir('%s/%s' % (folder, way))
        run('%s/%s' % (folder, way), way)
    failed = finish()
    if failed:
        print('what ranks said is in %s' % folder)
    else:
        shutil.rmtree(folder)
    return failed


sys.exit(main())
