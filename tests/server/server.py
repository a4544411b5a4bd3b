"""server.py - a server of a small table for tests, and the count of their checks. The program is the script's first argument."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
PATIENCE = 60
counts = {'passed': 0, 'failed': 0}


def check(name, found, expected):
    if found == expected:
        counts['passed'] += 1
    else:
        counts['failed'] += 1
        print('failed: %s: %r instead of %r' % (name, found, expected))


def wait_until(name, condition):
    """Asks again and again, until the condition is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            check(name, True, True)
            return
        time.sleep(0.02)
    check(name, False, True)


def finish():
    """Says how many checks there were; returns the exit status."""
    print('%(passed)d passed, %(failed)d failed, 0 skipped' % counts)
    return counts['failed'] > 0


class Server:
    def __init__(self, *options):
        self.folder = tempfile.mkdtemp()
        os.mkdir(self.folder + '/tables')
        sql = "copy (select i::integer as id, 'n' || i as name from range(1, 4) as r(i)) to '%s/tables/things.parquet'"
        subprocess.run([PROGRAM, '--set', 'distribute=never', '-c', sql % self.folder], check=True, stderr=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)
        self.path = self.folder + '/s'
        options = [o.replace('FOLDER', self.folder) for o in options]
        self.process = subprocess.Popen([PROGRAM, 'serve', '--listen', 'unix:' + self.path, *options,
                                         self.folder + '/tables'], stdout=subprocess.PIPE, text=True)
        assert 'listening' in self.process.stdout.readline()

    def ranks(self):
        """Returns the processes of the other ranks, which the server has started."""
        found, tasks = [], '/proc/%d/task' % self.process.pid
        for task in os.listdir(tasks):
            with open('%s/%s/children' % (tasks, task), encoding='ascii') as children:
                found += [int(pid) for pid in children.read().split()]
        return found

    def memory(self):
        with open('/proc/%d/status' % self.process.pid, encoding='ascii') as status:
            return next(int(line.split()[1]) for line in status if line.startswith('VmRSS'))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        check('the server ends by itself', self.process.wait(PATIENCE), 0)
        shutil.rmtree(self.folder)
