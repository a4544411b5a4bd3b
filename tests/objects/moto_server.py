#!/usr/bin/env python3
"""Object stores, read from moto, which checks signatures by AWS's rules; and requests whose signatures botocore makes again.

moto_server.py PROGRAM [--requests N] [--objects N]

Exit status 77: moto is not installed for this Python.
"""
import argparse
import hashlib
import json
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "inf"
try:
    import boto3
    import botocore.auth
    import botocore.awsrequest
    import botocore.credentials
    import moto.core.responses
    import moto.s3.models
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
except ImportError:
    sys.exit(77)

parser = argparse.ArgumentParser()
parser.add_argument("program", type=os.path.abspath)
parser.add_argument("--requests", type=int, default=10000)
parser.add_argument("--objects", type=int, default=3000)
options = parser.parse_args()
passed, failures = 0, []
work = tempfile.TemporaryDirectory()
NAMES = ["a b", "a+b", "a%2Bb", "a=b", "größe", "x&y", "it's", "~!(z)*", "日本", "a  b", "%", "ü/ö ä", "q?r", "h#i"]
POLICY = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})


def check(what, right, said=""):
    global passed
    passed += bool(right)
    if not right:
        failures.append(what)
        print(f"failed: {what}: {said}")


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**kept, "HOME": work.name, "AWS_REGION": "eu-central-1", "AWS_EC2_METADATA_DISABLED": "true", **more}


def run(sql, *arguments, **more):
    file = os.path.join(work.name, "statements.sql")
    with open(file, "w", encoding="utf-8") as f:
        f.write(sql)
    with open(file, encoding="utf-8") as f:
        done = subprocess.run([options.program, "--format", "csv", *arguments], env=environment(**more), stdin=f, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
    return done.returncode, done.stdout


def gives(sql, rows, **more):
    status, said = run(sql, **more)
    check(sql[:200], status == 0 and said.split("\n", 1)[1].strip() == rows, said[-1000:])


def parquet(sql):
    path = os.path.join(work.name, "made.parquet")
    subprocess.run([options.program, "-c", f"copy ({sql}) to '{path}' (format parquet)"], check=True, stdout=subprocess.DEVNULL)
    with open(path, "rb") as f:
        return f.read()


# ---- moto ----

class Moto:
    """moto's server; it may delay answers of objects, and counts the keys that sign requests."""

    def __init__(self):
        self.delay, self.signers = 0, []
        app = DomainDispatcherApplication(create_backend_app)

        def slow(environ, start):
            found = re.search("Credential=([^/]*)/", environ.get("HTTP_AUTHORIZATION", ""))
            self.signers.append((found[1] if found else None, time.monotonic()))
            if self.delay and environ["REQUEST_METHOD"] == "GET" and ".parquet" in environ.get("PATH_INFO", ""):
                time.sleep(self.delay)
            return app(environ, start)
        self.server = make_server("127.0.0.1", 0, slow, threaded=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def client(self, name, key="setup", secret="setup"):
        return boto3.client(name, endpoint_url=self.url, region_name="eu-central-1", aws_access_key_id=key, aws_secret_access_key=secret)

    def check_signatures(self, wanted):
        moto.core.responses.settings.INITIAL_NO_AUTH_ACTION_COUNT = 0 if wanted else float("inf")


def test_moto():
    m = Moto()
    iam, s3, sts = m.client("iam"), m.client("s3"), m.client("sts")
    iam.create_user(UserName="reader")
    iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=POLICY)
    made = iam.create_access_key(UserName="reader")["AccessKey"]
    s3.create_bucket(Bucket="data", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    backend = moto.s3.models.s3_backends["123456789012"]["aws"]
    for i, name in enumerate(NAMES):
        s3.put_object(Bucket="data", Key=f"names/{name}.parquet", Body=parquet(f"select {i} as i"))
    one = parquet("select 7 as v")
    for i in range(options.objects):
        backend.put_object("data", f"many/year={2000 + i % 30}/month={i // 30 % 12 + 1}/{i}.parquet", one)
    role = iam.create_role(RoleName="lent", AssumeRolePolicyDocument=POLICY)["Role"]
    iam.put_role_policy(RoleName="lent", PolicyName="all", PolicyDocument=POLICY)
    lent = sts.assume_role(RoleArn=role["Arn"], RoleSessionName="reader")["Credentials"]
    m.check_signatures(True)
    here = {"AWS_ENDPOINT_URL": m.url, "AWS_ACCESS_KEY_ID": made["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": made["SecretAccessKey"]}
    test_signatures(m, here, lent)
    test_keys(m, here)
    for where, rows in (("", options.objects), (" where year = 2007 and month = 3", sum(i % 30 == 7 and i // 30 % 12 == 2 for i in range(options.objects)))):
        gives(f"select count(*), sum(v) from 's3://data/many/'{where}", f"{rows},{7 * rows}", **here)
    test_expiry(m, made)


def test_signatures(m, here, lent):
    sql = "select i from 's3://data/names/a b.parquet'"
    gives(sql, "0", **here)
    status, said = run(sql, **{**here, "AWS_SECRET_ACCESS_KEY": here["AWS_SECRET_ACCESS_KEY"][:-1] + "!"})
    check("a wrong secret is refused", status == 1 and "403 SignatureDoesNotMatch" in said, said)
    status, said = run(sql, **{**here, "AWS_ACCESS_KEY_ID": "AKIDUNKNOWN000000000"})
    check("a wrong key is refused", status == 1 and "403" in said, said)
    keys = {**here, "AWS_ACCESS_KEY_ID": lent["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": lent["SecretAccessKey"]}
    gives(sql, "0", **keys, AWS_SESSION_TOKEN=lent["SessionToken"])
    status, said = run(sql, **keys)
    check("without its session token a lent key is refused", status == 1 and "403" in said, said)
    status, said = run(sql, **keys, AWS_SESSION_TOKEN="wrong")
    check("with another session token a lent key is refused", status == 1 and "InvalidToken" in said, said)


def test_keys(m, here):
    """Keys with signs that mean something in URLs: read, listed, written."""
    s3 = m.client("s3", here["AWS_ACCESS_KEY_ID"], here["AWS_SECRET_ACCESS_KEY"])
    for i, name in enumerate(NAMES):
        if not set(name) & set("*?"):
            gives(f"select i from 's3://data/names/{name.replace(chr(39), chr(39) * 2)}.parquet'", str(i), **here)
        if not set(name) & set("*?"):
            key = f"new/{name}.parquet"
            status, said = run(f"copy (select {i} as i) to 's3://data/{key.replace(chr(39), chr(39) * 2)}'", **here)
            found = [o["Key"] for o in s3.list_objects_v2(Bucket="data", Prefix=key).get("Contents", [])]
            check(f"{key} is written", status == 0 and found == [key], f"{found} {said}")
    gives("select count(*), sum(i) from 's3://data/names/**/*.parquet'", f"{len(NAMES)},{sum(range(len(NAMES)))}", **here)


def test_expiry(m, made):
    """Keys that end while a query reads: they are renewed after 3 seconds (5 minutes before their end), and refused after 8."""
    given = []

    class Lender(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            iam, name = m.client("iam", made["AccessKeyId"], made["SecretAccessKey"]), f"reader{time.monotonic_ns()}"
            iam.create_user(UserName=name)
            iam.put_user_policy(UserName=name, PolicyName="all", PolicyDocument=POLICY)
            new = iam.create_access_key(UserName=name)["AccessKey"]
            given.append(new["AccessKeyId"])
            until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 303))
            threading.Timer(8, lambda: iam.delete_access_key(UserName=name, AccessKeyId=new["AccessKeyId"])).start()
            body = json.dumps({"AccessKeyId": new["AccessKeyId"], "SecretAccessKey": new["SecretAccessKey"], "Token": "", "Expiration": until}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    lender = ThreadingHTTPServer(("127.0.0.1", 0), Lender)
    threading.Thread(target=lender.serve_forever, daemon=True).start()
    m.delay, m.signers = 12 * 64 / options.objects, []
    began = time.monotonic()
    gives("select count(*), sum(v) from 's3://data/many/'", f"{options.objects},{7 * options.objects}", AWS_ENDPOINT_URL=m.url,
          AWS_CONTAINER_CREDENTIALS_FULL_URI=f"http://127.0.0.1:{lender.server_port}/")
    took = time.monotonic() - began
    signers = {key for key, _ in m.signers if key in given}
    check("keys ended in mid-query", took > 9 and len(signers) > 1, f"{took:.1f} s, {len(given)} keys, {len(signers)} used")
    print(f"expiry: {took:.1f} s, {len(signers)} keys, one after the other")
    m.delay = 0


# ---- signatures, as botocore makes them ----

class Recorder(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, body):
        super().__init__(("127.0.0.1", 0), Signed)
        self.body, self.counts, self.wrong, self.lock = body, {}, [], threading.Lock()
        self.secrets = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Signed(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def botocores(self):
        """The signature that botocore makes of this request."""
        fields = dict(part.strip().split("=", 1) for part in self.headers["Authorization"].split(" ", 1)[1].split(","))
        key, _, region, _, _ = fields["Credential"].split("/")
        signed = fields["SignedHeaders"].split(";")
        wanted = {n.lower() for n in self.headers if n.lower().startswith("x-amz-")} | {"host"}
        assert wanted <= set(signed), f"{wanted} are not all signed"
        path, _, query = self.path.partition("?")
        request = botocore.awsrequest.AWSRequest(self.command, f"http://{self.headers['Host']}{path}" + (f"?{query}" if query else ""))
        for name in signed:
            request.headers[name] = self.headers[name]
        request.context["timestamp"] = self.headers["x-amz-date"]
        request.context.setdefault("signing", {})
        auth = botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(key, self.server.secrets[key]), "s3", region)
        text = auth.string_to_sign(request, auth.canonical_request(request))
        return auth.signature(text, request), fields["Signature"]

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        c = self.server
        try:
            wanted, got = self.botocores()
            is_right = wanted == got and self.headers["x-amz-content-sha256"] in (hashlib.sha256(body).hexdigest(), "UNSIGNED-PAYLOAD")
        except (AssertionError, KeyError, ValueError, TypeError) as why:
            is_right, wanted, got = False, repr(why), ""
        with c.lock:
            kind = f"{self.command} {'list' if 'list-type' in self.path else 'part' if 'partNumber' in self.path else 'object'}"
            c.counts[kind] = c.counts.get(kind, 0) + 1
            if not is_right:
                c.wrong.append(f"{self.command} {self.path}: {wanted} {got}")
        self.reply()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_any

    def reply(self):
        arguments = dict(urllib.parse.parse_qsl(self.path.partition("?")[2], keep_blank_values=True))
        data, code, headers = b"", 200, [("ETag", '"e"')]
        if "list-type" in arguments:
            key = arguments.get("prefix", "") + "x.parquet"
            text = (f"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>{escape(key)}</Key><ETag>&quot;e&quot;</ETag>"
                    f"<Size>{len(self.server.body)}</Size></Contents></ListBucketResult>")
            data = text.encode()
        elif "uploads" in arguments:
            data = b"<InitiateMultipartUploadResult><UploadId>up+/= %</UploadId></InitiateMultipartUploadResult>"
        elif self.command == "POST":
            data = b"<CompleteMultipartUploadResult/>"
        elif self.command in ("GET", "HEAD"):
            data = self.server.body
            if span := self.headers.get("Range"):
                first, last = span.removeprefix("bytes=").split("-")
                start, end = (int(first), min(int(last) + 1, len(data))) if first else (max(0, len(data) - int(last)), len(data))
                headers.append(("Content-Range", f"bytes {start}-{end - 1}/{len(data)}"))
                data, code = data[start:end], 206
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def test_as_botocore():
    """Random keys, regions, secrets and session tokens: each request's signature is botocore's."""
    rng = random.Random(34)
    recorder = Recorder(parquet("select 1 as x"))
    signs = "abcXYZ019-._~ +%&=/:;,@!$()[]{}^`|\"<>\\#äß日é\u00a0'"
    sql = []
    for i in range(options.requests * 14 // 10):
        if i % 50 == 0:
            key, secret = f"AKID{i}", "".join(rng.choice("abcdefXYZ0123/+=") for _ in range(40))
            recorder.secrets[key] = secret
            token = "".join(rng.choice("abcXYZ0/+=") for _ in range(rng.choice([0, 50, 400])))
            sql.append(f"set s3_access_key_id = '{key}'; set s3_secret_access_key = '{secret}'; set s3_session_token = '{token}'; "
                       f"set s3_region = '{rng.choice(['us-east-1', 'eu-central-1', 'auto'])}';\n")
        name = "".join(rng.choice(signs) for _ in range(rng.randrange(1, 40))).strip("/ ").replace("//", "/").replace("'", "''")
        kind = rng.random()
        if kind < 0.1:
            sql.append(f"copy (select 1 as x) to 's3://bucket/{name}.parquet' (format parquet);\n")
        elif kind < 0.2 and not set(name) & set("*?["):
            sql.append(f"select count(*) from 's3://bucket/p{name}/*.parquet';\n")
        elif not set(name) & set("*?["):
            sql.append(f"select count(*) from 's3://bucket/{name}.parquet';\n")
    sql.append("copy (select g, repeat('x', 70) as m from generate_series(1, 240000) s(g)) to 's3://bucket/big file.csv';\n")
    began = time.monotonic()
    status, said = run("".join(sql), AWS_ENDPOINT_URL=f"http://127.0.0.1:{recorder.server_port}")
    total = sum(recorder.counts.values())
    check("statements of random keys", status == 0, said[-800:])
    check("signatures are botocore's", not recorder.wrong, "\n".join(recorder.wrong[:5]))
    check(f"{options.requests} requests were signed", total >= options.requests, total)
    print(f"signatures: {total} requests in {time.monotonic() - began:.0f} s, {len(recorder.wrong)} differ: {recorder.counts}")


def main():
    test_as_botocore()
    test_moto()
    print(f"objects_moto: {passed} passed, {len(failures)} failed")
    sys.stdout.flush()
    os._exit(bool(failures))


main()
