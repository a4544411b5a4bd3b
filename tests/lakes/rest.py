#!/usr/bin/env python3
"""Catalogs of Iceberg tables behind a server (ATTACH 'http://...' (TYPE iceberg)): a REST catalog of our own that lends keys for a
store of our own, and that says wrong things.

rest.py PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import write as w

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../objects"))
from store import Store  # pylint: disable=wrong-import-position

KEYS = ("AKIDLENT", "lentlentlentSECRETlentlentlent")
TOKEN, CLIENT = "tok-3141592653", ("reader", "client/secret+27182818")
program = os.path.abspath(sys.argv[1])
passed, failures = 0, []
work = tempfile.TemporaryDirectory()


def check(what, right, said=""):
    global passed
    passed += bool(right)
    if not right:
        failures.append(what)
        print(f"failed: {what}: {said}")


class Catalog(ThreadingHTTPServer):
    """Tables by (namespace, name): what loadTable answers, or a function that makes it."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.tables, self.spaces, self.log, self.tokens = {}, [], [], {TOKEN}
        self.config = {"defaults": {"prefix": "none"}, "overrides": {"prefix": "a/pre fix/".replace(" ", "%20")}}
        self.page, self.faults, self.given, self.lifetime = 2, {}, 0, 3600
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path=""):
        return f"http://127.0.0.1:{self.server_port}{path}"

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def log_message(self, *_):
        pass

    def answer(self, code, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def error(self, code, message, kind="NoSuchThing"):
        self.answer(code, {"error": {"message": message, "type": kind, "code": code}})

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.log.append("POST " + self.path)
        if self.path != "/cat/v1/oauth/tokens" or form.get("grant_type") != ["client_credentials"]:
            return self.error(404, "no such path")
        if (form["client_id"][0], form["client_secret"][0]) != CLIENT:
            return self.answer(401, {"error": "invalid_client", "error_description": "not a client of ours"})
        self.server.given += 1
        token = f"given-{self.server.given}"
        self.server.tokens.add(token)
        return self.answer(200, {"access_token": token, "token_type": "bearer", "expires_in": self.server.lifetime})

    def do_GET(self):
        c = self.server
        path, _, query = self.path.partition("?")
        c.log.append("GET " + self.path)
        for beginning, fault in c.faults.items():
            if path.startswith(beginning):
                return self.answer(*fault)
        if self.headers.get("Authorization", "").removeprefix("Bearer ") not in c.tokens:
            return self.error(401, "not\nauthorized")
        if path == "/cat/v1/config":
            return self.answer(200, c.config)
        base = "/cat/v1/a/pre%20fix/namespaces"
        if not path.startswith(base):
            return self.error(404, "no such path")
        parts = [urllib.parse.unquote(p) for p in path[len(base):].split("/")[1:]]
        if not parts:
            return self.listed("namespaces", [s.split("\x1f") for s in c.spaces], query)
        if len(parts) == 1:
            return self.answer(200, {"namespace": parts}) if parts[0] in c.spaces else self.error(404, "no namespace")
        if len(parts) == 2:
            names = [name for space, name in c.tables if space == parts[0]]
            return self.listed("identifiers", [{"namespace": parts[:1], "name": n} for n in names], query)
        if (parts[0], parts[2]) not in c.tables:
            return self.error(404, "no such table")
        found = c.tables[parts[0], parts[2]]
        return self.answer(200, found(self.headers) if callable(found) else found)

    def listed(self, name, items, query):
        at = int(urllib.parse.parse_qs(query).get("pageToken", ["0"])[0])
        more = {"next-page-token": str(at + self.server.page)} if at + self.server.page < len(items) else {}
        self.answer(200, {name: items[at:at + self.server.page], **more})


catalog, store = Catalog(), None


def attach(options=f"token '{TOKEN}'", name="lake"):
    return f"attach '{catalog.url('/cat/')}' as {name} (type iceberg, {options});\n"


def run(sql, *arguments, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = {**kept, "HOME": work.name, "LSAN_OPTIONS": f"suppressions={os.path.dirname(os.path.abspath(__file__))}"
                   "/../lsan.supp:print_suppressions=0", **more}
    done = subprocess.run([program, "--format", "csv", *arguments, "-c", sql], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60, check=False, cwd=work.name)
    for secret in (TOKEN, CLIENT[1], KEYS[1], "given-"):
        check(f"{sql[-60:]} tells no secret", secret not in done.stdout, done.stdout)
    return done.returncode, done.stdout


def gives(sql, *rows, before=None, arguments=(), **more):
    status, said = run((before or attach()) + sql, *arguments, **more)
    check(sql, status == 0 and said.strip().split("\n")[1:] == list(rows), said)


def says(sql, *texts, before=None, arguments=(), **more):
    status, said = run((attach() if before is None else before) + sql, *arguments, **more)
    for text in texts:
        check(f"{sql} says {text!r}", status == 1 and text in said, said)


def table(name, where, location, rows, lends=None):
    """A table by hand of two snapshots; what loadTable answers."""
    t = w.Iceberg(where, [(1, "id", "long"), (2, "name", "string")], location=location, **{
        "schema.name-mapping.default": json.dumps([{"field-id": i, "names": [n]} for i, n in ((1, "id"), (2, "name"))])})
    os.makedirs(f"{where}/data", exist_ok=True)
    status, said = run("; ".join(f"copy (select i::bigint as id, 'n' || i as name from range({i * rows}, {(i + 1) * rows}) t(i)) "
                                 f"to '{where}/data/{i}.parquet' (format parquet, row_group_size 10000)" for i in range(2)))
    check(f"files of {name}", status == 0, said)
    answers = []
    for i in range(2):
        t.commit(t.file(f"data/{i}.parquet", rows))
        with open(f"{where}/metadata/v{i + 1}.metadata.json", encoding="utf-8") as f:
            answers.append({"metadata-location": f"{location}/metadata/v{i + 1}.metadata.json", "metadata": json.load(f), **(lends or {})})
    return answers


def lent(**more):
    return {"config": {"s3.access-key-id": KEYS[0], "s3.secret-access-key": KEYS[1], "s3.region": "eu-central-1",
                       "s3.path-style-access": "true", "s3.endpoint": f"http://127.0.0.1:{store.server_port}", **more}}


def test_names():
    states = table("sales.orders", os.path.join(work.name, "orders"), os.path.join(work.name, "orders"), 10)
    for i in range(5):
        catalog.tables["sales", f"orders{i or ''}"] = states[1]
    catalog.tables["odd/na%me", "a/b c%2f"] = states[0]
    catalog.tables["deep\x1fer", "t"] = states[0]
    catalog.spaces += ["sales", "odd/na%me", "empty", "deep\x1fer"]
    gives("select count(*), sum(id) from lake.sales.orders", "20,190")
    gives("select count(*) from lake.sales.orders version as of 1", "10")
    gives("select count(*) from lake.\"odd/na%me\".\"a/b c%2f\"", "10")
    gives("select count(*) from lake.\"deep.er\".t", "10")
    gives("use lake.sales; select count(*) from orders3", "20")
    gives("use lake.sales; show tables", "orders,table,20,2", *[f"orders{i},table,20,2" for i in range(1, 5)])
    gives("select table_schema, count(*) from information_schema.tables where table_catalog = 'lake' group by 1 order by 1",
          "deep.er,1", "odd/na%me,1", "sales,5")
    gives("select column_name, data_type from information_schema.columns where table_catalog = 'lake' and table_name = 'orders' "
          "order by ordinal_position", "id,bigint", "name,text")
    gives("select count(*) from information_schema.schemata where catalog_name = 'lake'", "5")
    gives("detach lake; show databases", "pistachio")
    gives("select count(*) from l2.sales.orders", "20",
          before=f"attach 'some warehouse' as l2 (type iceberg, endpoint '{catalog.url('/cat')}', token '{TOKEN}');\n")
    check("the warehouse is told", any("config?warehouse=some%20warehouse" in line for line in catalog.log))
    says("from lake.sales.order", "table \"lake.sales.order\" does not exist", "orders")
    says("from lake.nospace.t", "schema \"lake.nospace\" does not exist")
    says("detach lake; from lake.sales.orders", "does not exist")
    says(f"attach '{catalog.url()}' as lake (type iceberg)", "there is a catalog named \"lake\" already")
    status, said = run(attach() + "explain select * from lake.sales.orders")
    check("plans name the table", status == 0 and "scan orders" in said, said)


def test_growth():
    """What the server says counts in each statement."""
    states, asked = [catalog.tables["sales", "orders"]], []
    old = catalog.tables["odd/na%me", "a/b c%2f"]

    def grow(_):
        asked.append(1)
        return old if len(asked) < 2 else states[0]
    catalog.tables["sales", "growing"] = grow
    gives("select count(*) from lake.sales.growing; select count(*) from lake.sales.growing", "10", "count", "20")
    del catalog.tables["sales", "growing"]
    says("from lake.sales.growing", "does not exist")


def test_keys():
    """Keys that the catalog lends open the files, and nothing else."""
    os.makedirs(os.path.join(store.root, "lake"))
    states = table("kept", os.path.join(store.root, "lake/kept"), "s3://lake/kept", 1000, lent())
    wanted = []

    def lends(headers):
        wanted.append(headers.get("X-Iceberg-Access-Delegation"))
        return states[1]
    catalog.spaces.append("s3")
    catalog.tables["s3", "kept"] = lends
    gives("select count(*), sum(id) from lake.s3.kept", "2000,1999000")
    gives("select count(*) from lake.s3.kept version as of 1", "1000")
    gives("select count(*) from lake.s3.kept a join lake.sales.orders b using (id)", "20")
    check("keys are asked for", set(wanted) == {"vended-credentials"}, wanted)
    says("from iceberg_scan('s3://lake/kept/metadata/v2.metadata.json')", "refused", AWS_ENDPOINT_URL=f"http://127.0.0.1:{store.server_port}",
         AWS_EC2_METADATA_DISABLED="true")
    catalog.tables["s3", "other"] = {**states[1], "config": {}, "storage-credentials": [
        {"prefix": "s3://elsewhere", "config": lent(**{"s3.access-key-id": "wrong"})["config"]},
        {"prefix": "s3://lake/kept", "config": lent()["config"]},
        {"prefix": "s3://lake", "config": lent(**{"s3.access-key-id": "wrong"})["config"]}]}
    gives("select count(*) from lake.s3.other", "2000")
    catalog.tables["s3", "wrong"] = {**states[1], **lent(**{"s3.secret-access-key": "not" + KEYS[1]})}
    says("from lake.s3.wrong", "access is refused")
    ended = str(int(time.time() * 1000) + 1000)
    catalog.tables["s3", "ending"] = lambda _: {**states[1], **lent(**{"s3.session-token-expires-at-ms": ended})}
    gives("select count(*) from lake.s3.ending; select count(*) from lake.s3.ending", "2000", "count", "2000")
    catalog.tables["s3", "long"] = {**states[1], **lent(**{"s3.region": "r" * 300})}
    says("from lake.s3.long", "lends a region of more than")


def test_ranks():
    """Ranks that are processes: rank 0 asks the catalog, the others get the state and the keys; each byte before the footers is read once."""
    states = table("dealt", os.path.join(store.root, "lake/dealt"), "s3://lake/dealt", 60000, lent())
    catalog.tables["s3", "dealt"] = states[1]
    for ranks in (2, 3):
        processes = ("--processes", str(ranks), "--set", "distribute=always", "--set", "threads=1")
        before, asked = len(store.log), len(catalog.log)
        gives("select count(*), sum(id), min(name) < max(name) from lake.s3.dealt", "120000,7199940000,true", arguments=processes)
        log = store.log[before:]
        check("one rank asks for the table once", sum("/tables/dealt" in line for line in catalog.log[asked:]) == 1, "\n".join(catalog.log[asked:]))
        for name in "01":
            found = [re.search(r"bytes=(\d+)-(\d+) ", line) for line in log if f"data/{name}.parquet" in line]
            ranges = sorted((int(m[1]), int(m[2])) for m in found if m)
            check(f"{ranks} ranks read each part of {name} once", ranges and not any(b[0] <= a[1] for a, b in zip(ranges, ranges[1:])), ranges)
        gives("select count(*) from lake.s3.dealt; select count(*), min(id) from lake.s3.dealt version as of 1; "
              "select count(*) from lake.s3.kept a join lake.sales.orders b using (id)", "120000", "count,min", "60000,0", "count", "20", arguments=processes)
        says("from lake.s3.wrong", "access is refused", arguments=processes)
        says("from lake.s3.nothing", "does not exist", arguments=processes)
    catalog.tables["s3", "renewed"] = lambda _: {**states[1], **lent(**{"s3.session-token-expires-at-ms": str(int(time.time() * 1000) + 1000)})}
    gives("; ".join(["select count(*) from lake.s3.renewed"] * 5), "120000", *["count", "120000"] * 4, arguments=processes)


def test_tokens():
    says("", "wants a token (401: not authorized)", before=attach("token 'x'").replace("token 'x'", "access_delegation_mode none"))
    says("", "refuses the token: it is wrong, or has expired (401: not authorized)", before=attach("token 'expired'"))
    client = f"client_id '{CLIENT[0]}', client_secret '{CLIENT[1]}'"
    gives("select count(*) from lake.sales.orders", "20", before=attach(client))
    says("", "gives the client no token (401: not a client of ours)", before=attach("client_id 'reader', client_secret 'no'"))
    says("", "token of catalog", "could not ask", before=attach(client + ", oauth2_server_uri 'http://127.0.0.1:1/'"), AWS_MAX="1")

    def forgets(_):
        catalog.tokens.intersection_update({TOKEN})
        return catalog.tables["sales", "orders"]
    catalog.tables["sales", "forgets"] = forgets
    given = catalog.given
    gives("select count(*) from lake.sales.forgets; select count(*) from lake.sales.orders", "20", "count", "20", before=attach(client))
    check("a token that was refused is asked for again", catalog.given == given + 2, catalog.given - given)
    del catalog.tables["sales", "forgets"]
    catalog.lifetime = 1
    gives("select count(*) from lake.sales.orders", "20", before=attach(client))
    catalog.lifetime = 3600


def test_options():
    says("attach 'http://127.0.0.1/'", "needs a type", before="")
    says("attach 'http://127.0.0.1/' as x (type nothing)", "cannot have the type \"nothing\"", before="")
    says("attach 'some' as x (type iceberg)", "is not the URL of a catalog", before="")
    says("attach 'http://127.0.0.1/' as x (type iceberg, tokken 'a')", "has no option \"tokken\"", "token", before="")
    says("attach 'http://127.0.0.1/' as x (type iceberg, token 'a', token 'b')", "twice", before="")
    says("attach 'http://127.0.0.1/' as x (type iceberg, client_id 'a')", "go together", before="")
    says("attach 'http://127.0.0.1/' as x (type iceberg, token 7)", "must be a text", before="")
    says("attach 'http://127.0.0.1/' as x (type iceberg, token 'a b')", "characters that tokens do not have", before="")
    says("attach 'http://a@127.0.0.1/' as x (type iceberg, token 'a')", "has a name or a password in it", before="")


def test_hostile():
    """Answers that make no sense: an error each, that names the catalog."""
    good = catalog.tables["sales", "orders"]
    config = "/cat/v1/config"
    for answer, text in (((200, b"<html>"), "makes no sense"), ((200, b"[]"), "makes no sense"), ((200, b""), "makes no sense"),
                         ((200, b"[" * 100000), "makes no sense"), ((200, b'{"overrides": {"uri": "file:///etc"}}'), "sends requests to"),
                         ((403, b"\x00\xff" * 200), "does not allow"), ((418, b'{"error": {"message": 7}}'), "answers 418"),
                         ((302, b""), "(302)")):
        catalog.faults = {config: answer}
        says("", text, "lake", before=attach())
    base = "/cat/v1/a/pre%20fix/namespaces"
    for path, answer, text in ((base, b'{"namespaces": {}}', "makes no sense"), (base, b'{"namespaces": [], "next-page-token": "x"}', "repeats a page"),
                               (base + "/sales/tables", b'{}', "makes no sense")):
        catalog.faults = {path: (200, answer)}
        says("", text, "lake", before=attach())
    catalog.faults = {base: (200, b'{"namespaces": [["sales"], [7], [], "x", ["a\\u0002b"], ["sales"], [["sales"]]]}'),
                      base + "/sales": (200, json.dumps({"identifiers": [{"name": "orders"}, {}, 7, {"name": ""}, {"name": "a\x02b"}]}).encode())}
    catalog.faults = dict(reversed(catalog.faults.items()))
    gives("select table_name from information_schema.tables where table_catalog = 'lake'", "orders")
    catalog.faults = {}
    changes = {"no metadata": ({"metadata": None}, "makes no sense"), "no place": ({"metadata-location": None}, "have no location"),
               "nothing": ({"metadata": {}}, "has no location"), "version": ({"metadata": {**good["metadata"], "format-version": 9}}, "format version 9"),
               "list": ({"metadata": {**good["metadata"], "snapshots": [{"snapshot-id": 2, "manifest-list": "/none.avro"}]}}, "No such file"),
               "keys": ({"config": {"s3.access-key-id": 7, "s3.secret-access-key": []}}, None)}
    for name, (change, text) in changes.items():
        catalog.tables["sales", "bad"] = {**good, **change}
        if text:
            says("from lake.sales.bad", text)
        else:
            gives("select count(*) from lake.sales.bad", "20")
    del catalog.tables["sales", "bad"]
    catalog.faults = {base + "/sales/tables/orders": (403, b'{"error": {"message": "not yours"}}')}
    says("from lake.sales.orders", "does not allow to read table \"sales.orders\" (403: not yours)")
    catalog.faults = {}


def main():
    global store
    store = Store(os.path.join(work.name, "root"), KEYS)
    threading.Thread(target=store.serve_forever, daemon=True).start()
    for test in (test_names, test_growth, test_keys, test_ranks, test_tokens, test_options, test_hostile):
        test()
    print(f"lakes_rest: {passed} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
