#!/usr/bin/env python3
"""TPC-H's 22 queries over HTTP: a server of our own in a network namespace, its link shaped, each answer delayed in the server.

stores.py PROGRAM DATA [--rate BITS] [--delay SECONDS] [--tls] [--queries 1,3] [--runs N] [--duckdb] [--json FILE]

DATA has lineitem.parquet and so on, as `PROGRAM tpch generate` makes them. For each query: the seconds of a new process over the
link; what its bytes take at the link's rate (T_min: bytes that came, divided by what iperf3 gets); the seconds over local files
that are in memory (hot); and the seconds that DuckDB takes over the same server, in turns. At the end: the greatest quotient of the first by
max(T_min, hot), the geometric mean of it against DuckDB, and which share of the link's rate each query of which half the time is T_min had.
"""
import argparse
import json
import math
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

TABLES = "customer lineitem nation orders part partsupp region supplier".split()


# ---- the server: `stores.py --serve ROOT ADDRESS PORT DELAY [CERTIFICATE]` ----

def answer(connection, root, delay):
    """Answers the requests of a connection, one after another: GET and HEAD, with or without a range."""
    stream = connection.makefile("rb")
    while line := stream.readline():
        method, path, _ = line.decode().split(" ", 2)
        span, close = None, False
        while (header := stream.readline()) not in (b"\r\n", b""):
            name, _, value = header.decode().partition(":")
            if name.lower() == "range":
                span = value.strip().removeprefix("bytes=")
        time.sleep(delay)
        file = os.path.join(root, os.path.basename(path.partition("?")[0]))
        if not os.path.isfile(file):
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            continue
        size = os.path.getsize(file)
        start, end = 0, size
        if span:
            first, last = span.split("-")
            start, end = (int(first), min(int(last or size) + 1, size)) if first else (max(0, size - int(last)), size)
        head = (f"HTTP/1.1 {'206 Partial Content' if span else '200 OK'}\r\nETag: \"{size}\"\r\nAccept-Ranges: bytes\r\n"
                f"Content-Length: {end - start}\r\n" + (f"Content-Range: bytes {start}-{end - 1}/{size}\r\n" if span else "") + "\r\n")
        connection.sendall(head.encode())
        with open(file, "rb") as f:
            f.seek(start)
            if method == "HEAD":
                continue
            if isinstance(connection, ssl.SSLSocket):
                for at in range(start, end, 1 << 18):
                    connection.sendall(f.read(min(1 << 18, end - at)))
            else:
                connection.sendfile(f, start, end - start)


def serve_one(connection, root, delay, context):
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answer(context.wrap_socket(connection, server_side=True) if context else connection, root, delay)
    except (OSError, ValueError):
        pass  # the client has closed
    finally:
        connection.close()


def serve(root, address, port, delay, certificate=None):
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    listener = socket.create_server((address, int(port)), backlog=256)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve_one, args=(connection, root, float(delay), context), daemon=True).start()


# ---- what DuckDB takes: `stores.py --ask URL SQL-FILE`, in the client's namespace ----

def ask(url, sql_file):
    import duckdb
    import duckdb_extension_httpfs
    c = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    folder = os.path.dirname(duckdb_extension_httpfs.__file__)
    (extension,) = [os.path.join(f, name) for f, _, names in os.walk(folder) for name in names if name.endswith(".duckdb_extension")]
    c.execute(f"load '{extension}'")
    for name in TABLES:
        c.execute(f"create view {name} as from '{url}/{name}.parquet'")
    with open(sql_file, encoding="utf-8") as f:
        sql = f.read()
    began = time.monotonic()
    c.execute(sql).fetchall()
    print(time.monotonic() - began)


# ---- the measurement ----

def certificate_of(folder, address):
    path = f"{folder}/certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=store", "-addext", f"subjectAltName=IP:{address}", "-keyout", path + ".key", "-out", path],
                   check=True, capture_output=True)
    with open(path + ".both", "w") as both:
        for name in (path, path + ".key"):
            with open(name) as f:
                both.write(f.read())
    return path


def seconds_of(file):
    """The least time of the one query that `tpch run --json` has written."""
    with open(file, encoding="utf-8") as f:
        return min(json.load(f)["queries"][0]["runs_s"])


def query(m, options, work, url, number, local, environment):
    """Seconds, and bytes that came over the link."""
    tables = [t for name in TABLES for t in ("--table", f"{name}={url}/{name}.parquet")]
    where = ["--data", options.data] if local else tables
    before = m.bytes(1)[1]
    process = m.start(1, [options.program, "tpch", "run", *where, "--queries", str(number), "--runs", "3" if local else "1", "--json",
                          f"{work}/times.json"], environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = process.popen.communicate()[0]
    if process.popen.returncode:
        raise SystemExit(f"query {number}: {said}")
    return seconds_of(f"{work}/times.json"), m.bytes(1)[1] - before


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def measure(m, options, work):
    address, port = m.address(0), 8080
    certificate = certificate_of(work, address) if options.tls else None
    m.start(0, [sys.executable, os.path.abspath(__file__), "--serve", options.data, address, str(port), str(options.delay),
                *([certificate + ".both"] if certificate else [])])
    time.sleep(1)
    m.shape(options.rate)
    link = m.rate() if not options.fixed else options.rate / 8
    print(f"link: {link * 8 / 1e6:.0f} Mbit/s, answers {options.delay * 1000:.0f} ms late")
    url = f"{'https' if certificate else 'http'}://{address}:{port}"
    environment = {"AWS_CA_BUNDLE": certificate} if certificate else {}
    rows = []
    print("query  seconds    T_min      hot  quotient   duckdb  share of the link")
    for number in options.queries:
        hot = query(m, options, work, url, number, True, environment)[0]
        ours, ducks, came = [], [], 0
        for _ in range(options.runs):
            took, came = query(m, options, work, url, number, False, environment)
            ours.append(took)
            if options.duckdb:
                sql = f"{os.path.dirname(os.path.abspath(__file__))}/../src/tpch/queries/q{number:02}.sql"
                p = m.start(1, [sys.executable, os.path.abspath(__file__), "--ask", url, sql], environment, stdout=subprocess.PIPE, text=True)
                text = p.popen.communicate()[0]
                ducks.append(float(text) if not p.popen.returncode else math.nan)
        ours.sort(), ducks.sort()
        took, least = ours[len(ours) // 2], came / link
        row = {"query": number, "seconds": took, "t_min": least, "hot": hot, "quotient": took / max(least, hot),
               "duckdb": ducks[len(ducks) // 2] if ducks else None, "link": least / took}
        rows.append(row)
        print(f"{number:5} {took:8.3f} {least:8.3f} {hot:8.3f} {row['quotient']:9.2f} {row['duckdb'] or math.nan:8.3f} {row['link']:8.2f}", flush=True)
    print(f"greatest quotient {max(r['quotient'] for r in rows):.2f}, geometric mean of it {geometric([r['quotient'] for r in rows]):.2f}")
    if options.duckdb:
        print(f"against DuckDB: {geometric([r['seconds'] / r['duckdb'] for r in rows if r['duckdb'] == r['duckdb']]):.2f}")
    busy = [r["link"] for r in rows if r["t_min"] > r["hot"]]
    if busy:
        print(f"share of the link in {len(busy)} queries that wait for it: least {min(busy):.2f}, median {sorted(busy)[len(busy) // 2]:.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            json.dump({"link": link, "delay": options.delay, "queries": rows}, f, indent=1)


def numbers(text):
    return [n for part in text.split(",") for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve(*sys.argv[2:])
    if sys.argv[1:2] == ["--ask"]:
        return ask(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("data", type=os.path.abspath)
    parser.add_argument("--rate", type=float, default=2e9)
    parser.add_argument("--delay", type=float, default=0.02)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--queries", type=numbers, default=list(range(1, 23)))
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--duckdb", action="store_true")
    parser.add_argument("--fixed", action="store_true", help="take the rate as it was given, without iperf3")
    parser.add_argument("--json")
    options = parser.parse_args()
    from namespaces import Machines, NotPossible
    with tempfile.TemporaryDirectory() as work:
        try:
            m = Machines(2)
        except NotPossible as why:
            raise SystemExit(f"not possible here: {why}") from why
        try:
            measure(m, options, work)
        finally:
            m.close()


main()
