"""A process of the program that takes checks' statements from a pipe, one check after the other, as long as nothing fails."""
import os
import select
import subprocess
import tempfile
import time

from .process import MARK, Ran, command_of, table_of

END = f"{MARK}\n1\n".encode()
LATEST = 8  # checks of a session that a report names


class Session:
    """Begins with a check; takes those with the same words and settings in the same folder."""

    def __init__(self, program, folder, check):
        self.key, self.latest = key_of(check), []
        words, variables = command_of(program, check)
        self.errors = tempfile.TemporaryFile()  # pylint: disable=consider-using-with  # of its own: single checks write one in the folder
        self.process = subprocess.Popen(words, cwd=folder, env=dict(os.environ, PISTACHIO_PROGRESS="off", LC_ALL="C.UTF-8", **variables),  # pylint: disable=consider-using-with
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        os.set_blocking(self.process.stdin.fileno(), False)
        os.set_blocking(self.process.stdout.fileno(), False)

    def run(self, check, seconds):
        """What became of its statements; the process is left for the next check if they gave rows."""
        script = "".join(f'{sql};\nSELECT 1 AS "{MARK}";\n' for sql in check.statements).encode(errors="surrogateescape")
        started, ran = time.monotonic(), Ran(None)
        self.latest = (self.latest + [check.text()])[-LATEST:]
        text, is_whole = self.talk(script, len(check.statements), started + seconds)
        ran.seconds = time.monotonic() - started
        if is_whole:
            ran.status, ran.mebibytes = 0, self.peak()
        elif is_whole is None:  # it has ended
            ran.status = self.process.wait()
        self.errors.seek(0)
        ran.said = self.errors.read().decode(errors="replace")
        if ran.status != 0:
            self.close()
        found = [part for part in text.decode(errors="surrogateescape").split(END.decode())[:-1] if part]
        if found:
            ran.names, ran.rows = table_of(found[-1])
        return ran

    def talk(self, script, marks, end):
        """(text, True after all marks, None where the process has ended, False where the time is over)"""
        text, sent, given, out = bytearray(), 0, self.process.stdin.fileno(), self.process.stdout.fileno()
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return bytes(text), False
            readable, writable, _ = select.select([out], [given] if sent < len(script) else [], [], left)
            if writable:
                try:
                    sent += os.write(given, script[sent:sent + 65536])
                except BrokenPipeError:
                    sent = len(script)
            if readable:
                part = os.read(out, 1 << 20)
                text += part
                if not part:
                    return bytes(text), None
                if text.endswith(END) and text.count(END) >= marks:
                    return bytes(text), True

    def peak(self):
        """MiB that the process has held at most."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
                return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
        except (OSError, StopIteration):
            return 0

    def close(self):
        self.process.kill()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.errors):
            try:
                file.close()
            except OSError:
                pass


def key_of(check):
    return tuple(check.words), tuple(sorted(check.settings.items()))


def can_share(check):
    """A check that leaves nothing in its session and looks at nothing but rows."""
    plain = not check.before and check.interrupt is None and not check.limits and "PISTACHIO_FAULT" not in check.settings and "network_fault" not in check.settings
    return plain and not any(sql.lstrip().upper().startswith(("CREATE", "INSERT", "DROP", "SET", "PREPARE", "BEGIN", "USE", "ATTACH")) for sql in check.statements)
