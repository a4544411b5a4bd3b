"""A PostgreSQL server of its own, which never listens on a network, and psql as a conversation."""
import os
import shutil
import subprocess
import tempfile
import threading

PORT = "55436"
SECONDS = 20
MARK = "-- end of answer"


def binaries():
    """The folder of PostgreSQL 15's programs, or None."""
    for folder in (os.environ.get("POSTGRES_BIN"), "/usr/lib/postgresql/15/bin"):
        if folder and os.path.exists(os.path.join(folder, "initdb")):
            return folder
    return None


class Server:
    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="pistachio-postgres-")
        # PostgreSQL does not run as root.
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = os.path.join(self.folder, "data")
        self.call("initdb", "--no-sync", "--no-locale", "-E", "UTF8", "-A", "trust", "-U", "postgres")
        options = f"-k {self.folder} -p {PORT} -c listen_addresses= -c fsync=off -c max_prepared_transactions=2"
        self.call("pg_ctl", "-w", "-o", options, "-l", os.path.join(self.folder, "log"), "start")

    def call(self, name, *arguments):
        subprocess.run([*self.user, os.path.join(self.programs, name), "-D", self.data, *arguments], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL)

    def stop(self):
        self.call("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Session:
    """psql, told one thing after the other. What it cannot do is passed over."""

    def __init__(self, server, database, variables):
        environment = dict(os.environ, PGTZ="UTC", PGOPTIONS="-c statement_timeout=10s", **variables)
        self.process = subprocess.Popen(
            [os.path.join(server.programs, "psql"), "-X", "-q", "-h", server.folder, "-p", PORT, "-U", "postgres", database],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, encoding="utf-8",
            errors="replace")
        self.tell("\\set ON_ERROR_ROLLBACK on\n\\pset format csv\n\\pset null '\\\\N'\n\\pset tuples_only on\n")

    def write(self, text):
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def tell(self, text):
        """(what psql printed, whether the last statement failed)."""
        self.write(f"{text}\n\\echo '{MARK}' :ERROR\n")
        lines = []
        guard = threading.Timer(SECONDS, self.process.kill)
        guard.start()
        try:
            return self.answer(lines)
        finally:
            guard.cancel()

    def answer(self, lines):
        for line in self.process.stdout:
            if line.startswith(MARK):
                return "".join(lines), line.split()[-1] == "true"
            lines.append(line)
        return "".join(lines), True

    def close(self):
        self.write("\\q\n")
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
