#!/usr/bin/env python3
"""A small object store of S3's kind that checks signatures and fails on purpose. Python alone; for tests.

store.py ROOT PORT-FILE [KEY-ID SECRET]     serves ROOT/<bucket>/<key>; writes its port to the file

GET with Range, HEAD, ListObjectsV2, PUT, multipart uploads, and plain files below /web/. With keys every request of a
bucket must be signed (Signature v4). The bucket "data" also answers under other names, each of which misbehaves:

    busy        503 to the first two requests of each kind     hang       no answer
    reset       the first six bodies end in the middle         slow       2 KiB each 50 ms
    whole       200 and all of the object for a range          longer     more bytes than asked for
    shifted     another part than asked for                    nameless   no Content-Range
    page        HTML for a listing                             repeat     a listing's token comes again and again
    header      a header of 4 MB                               packed     Content-Encoding: gzip
    changing    another ETag for each request                  denied     403 to each request
    stranger    lists keys that were not asked for             broken     500 to each request
    lastpart    refuses the second part of an upload           badend     200 and an error where parts are to be joined
    shaky       one request of four fails in passing, in a way of its own, by the store's seed
    late        each answer comes after 0.2 seconds; `most` says how many were waited for at once
    tardy       the first answer to one request of 50 for a part comes after 40 seconds
    wild        as shaky; and one request of 200 has one of the faults above that are an error, which `wilds` lists

/web/loop redirects to itself for ever, /web/to/<path> to /web/<path>, /web/down to another scheme,
/web/plain/<port>/<path> to a server without TLS. /count/<path> says how
many requests there were of the path, /log what each was.
"""
import hashlib
import hmac
import os
import random
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

FAULTS = ("busy reset whole shifted page header changing stranger hang slow longer nameless repeat packed denied "
          "broken lastpart badend shaky wild tardy late").split()
WILD = "whole shifted nameless header packed denied changing longer".split()
PAGE = 7  # keys in a page of a listing


class Store(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, root, keys, certificate=None):
        """certificate: a file with one and its key; then it talks TLS."""
        super().__init__(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.root, self.keys = root, keys
        self.lock = threading.Lock()
        self.counts, self.log, self.uploads = {}, [], {}
        self.lent_for = 3600  # seconds
        self.random = random.Random(1)
        self.parts, self.late = {}, set()  # of "tardy"
        self.waiting = self.most = 0  # of "late"
        self.wilds = []  # what requests to "wild" had in the end

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1
            return self.counts[what]

    def handle_error(self, request, client_address):
        pass  # clients close connections when they have had enough


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    # ---- answers ----

    def answer(self, code, body=b"", headers=(), length=None):
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def error(self, code, word, message="told so", headers=()):
        text = f'<?xml version="1.0"?>\n<Error><Code>{word}</Code><Message>{message}</Message></Error>'
        self.answer(code, text.encode(), headers)

    # ---- who asks ----

    def signature(self, authorization, path, query):
        """What the request's signature should be."""
        fields = dict(part.strip().split("=", 1) for part in authorization.split(" ", 1)[1].split(","))
        key, day, region, service, _ = fields["Credential"].split("/")
        names = fields["SignedHeaders"].split(";")
        assert key == self.server.keys[0] and "host" in names
        for name in self.headers:
            assert not name.lower().startswith("x-amz-") or name.lower() in names, name
        parameters = sorted(tuple(p.split("=", 1)) if "=" in p else (p, "") for p in query.split("&") if p)
        canonical = "\n".join([
            self.command, path, "&".join(f"{n}={v}" for n, v in parameters),
            "".join(f"{n}:{' '.join(self.headers[n].split())}\n" for n in names), ";".join(names),
            self.headers["x-amz-content-sha256"]])
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], f"{day}/{region}/{service}/aws4_request",
                          hashlib.sha256(canonical.encode()).hexdigest()])
        secret = ("AWS4" + self.server.keys[1]).encode()
        for part in (day, region, service, "aws4_request"):
            secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
        return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest(), fields["Signature"]

    def is_signed(self, path, query, body):
        authorization = self.headers.get("Authorization")
        if not authorization:
            return False
        try:
            expected, given = self.signature(authorization, path, query)
        except (AssertionError, KeyError, ValueError, IndexError, AttributeError):
            return False
        age = datetime.now(timezone.utc) - datetime.strptime(
            self.headers["x-amz-date"] + "+0000", "%Y%m%dT%H%M%SZ%z")
        return (expected == given and abs(age.total_seconds()) < 900 and
                self.headers["x-amz-content-sha256"] in (hashlib.sha256(body).hexdigest(), "UNSIGNED-PAYLOAD"))

    # ---- requests ----

    def handle_any(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = path.split("/", 2)
        name, key = parts[1], urllib.parse.unquote(parts[2]) if len(parts) > 2 else ""
        if name == "count":
            return self.answer(200, str(self.server.counts.get(f"/{key}", 0)).encode())
        if name == "log":
            return self.answer(200, "\n".join(self.server.log).encode())
        self.server.count(urllib.parse.unquote(path))
        with self.server.lock:
            self.server.log.append(f"{self.command} {self.path} {self.headers.get('Range') or ''} "
                                   f"{'signed' if self.headers.get('Authorization') else 'plain'}")
        if name in ("latest", "sts") or path == "/web/lent":
            return self.lend(path[1:], query)
        if name == "web":
            return self.web(key, query)
        if self.server.keys and not self.is_signed(path, query, body):
            return self.error(403, "SignatureDoesNotMatch", f"not signed by {self.server.keys[0]}")
        fault = name if name in FAULTS else ""
        bucket = os.path.join(self.server.root, "data" if fault else name)
        if not os.path.isdir(bucket):
            return self.error(404, "NoSuchBucket")
        if fault == "wild":
            fault = self.choose()
        if fault and self.fails_at_once(fault, path):
            return None
        arguments = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        if self.command in ("PUT", "POST", "DELETE"):
            return self.write(bucket, key, arguments, body, fault)
        if not key:
            return self.list(bucket, arguments, fault)
        return self.give(os.path.join(bucket, key), fault)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_any

    def choose(self):
        with self.server.lock:
            fault = self.server.random.choice(WILD) if self.server.random.random() < 0.005 else "shaky"
            self.server.wilds += [fault] if fault != "shaky" else []
        return fault

    def fails_at_once(self, fault, path):
        if fault == "busy" and self.server.count(f"{fault} {self.command} {path} {self.headers.get('Range')}") <= 2:
            self.error(503, "SlowDown")
        elif fault == "shaky" and (chance := self.server.random.random()) < 0.15:
            if chance < 0.02:  # no answer, and the connection is reset
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
            elif chance < 0.05:
                self.close_connection = True  # and no answer
            elif chance < 0.06:
                time.sleep(1)
                return False
            else:
                self.error(random.choice([429, 500, 502, 503, 504]), "SlowDown")
        elif fault == "tardy" and (span := self.headers.get("Range")) and "-" != span[6]:
            with self.server.lock:
                self.server.parts.setdefault((path, span), len(self.server.parts))
                is_late = self.server.parts[path, span] % 50 == 24 and (path, span) not in self.server.late
                self.server.late |= {(path, span)} if is_late else set()
            if is_late:
                time.sleep(40)
            return False
        elif fault == "late":
            with self.server.lock:
                self.server.waiting += 1
                self.server.most = max(self.server.most, self.server.waiting)
            time.sleep(0.2)
            with self.server.lock:
                self.server.waiting -= 1
            return False
        elif fault == "denied":
            self.error(403, "AccessDenied")
        elif fault == "broken":
            self.error(500, "InternalError", "a &lt;secret&gt; thing happened")
        elif fault == "hang":
            time.sleep(60)
        elif fault == "header":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 4000000 + b"\r\n\r\n")
        else:
            return False
        return True

    def lend(self, key, query):
        """Keys of a container (/web/lent), of an instance (/latest/...), for a web identity (/sts/)."""
        key_id, secret = self.server.keys
        ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.server.lent_for))
        json = f'{{"Code": "Success", "AccessKeyId": "{key_id}",\n "SecretAccessKey":"{secret}", "Token": "a\\/b+c==", "Expiration": "{ends}"}}'
        if key == "web/lent":
            is_right = self.headers.get("Authorization") == "for the container"
        elif key == "sts/":
            is_right = "WebIdentityToken=a%2Bb" in query and "RoleArn=arn%3Aaws" in query
            json = (f"<R><Credentials><AccessKeyId>{key_id}</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey>"
                    f"<SessionToken>t</SessionToken><Expiration>{ends}</Expiration></Credentials></R>")
        elif self.command == "PUT":
            return self.answer(200, b"instance-token")
        else:
            is_right = self.headers.get("X-aws-ec2-metadata-token") == "instance-token"
            json = json if key.endswith("/some-role") else "some-role"
        return self.answer(200, json.encode()) if is_right else self.error(403, "AccessDenied")

    def web(self, key, query):
        if key == "loop":
            return self.answer(302, headers=[("Location", "/web/loop")])
        if key.startswith("plain/"):
            return self.answer(302, headers=[("Location", f"http://127.0.0.1:{key[6:]}")])
        if key == "down":
            return self.answer(302, headers=[("Location", "file:///etc/passwd")])
        if key.startswith("to/"):
            return self.answer(302, headers=[("Location", "/web/" + urllib.parse.quote(key[3:]) + "?" + query)])
        return self.give(os.path.join(self.server.root, "data", key), "")

    def list(self, bucket, arguments, fault):
        if fault == "page":
            return self.answer(200, b"<!DOCTYPE html><html><body>Welcome</body></html>")
        keys = sorted((os.path.relpath(os.path.join(folder, name), bucket)
                       for folder, _, names in os.walk(bucket) for name in names), key=os.fsencode)
        keys = [key for key in keys if key.startswith(arguments.get("prefix", "")) or fault == "stranger"]
        start = int(arguments.get("continuation-token", "0+").rstrip("+"))
        page = keys[start:start + PAGE]
        is_cut = start + PAGE < len(keys) or fault == "repeat"
        token = "0+" if fault == "repeat" else f"{start + PAGE}+"
        text = "".join(f"<Contents><Key>{escape(key)}</Key><ETag>&quot;{etag(os.path.join(bucket, key))}&quot;</ETag>"
                       f"<Size>{os.path.getsize(os.path.join(bucket, key))}</Size></Contents>" for key in page)
        self.answer(200, ('<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/">'
                          f"<Name>x</Name><Prefix/><IsTruncated>{'true' if is_cut else 'false'}</IsTruncated>{text}"
                          + (f"<NextContinuationToken>{token}</NextContinuationToken>" if is_cut else "")
                          + "</ListBucketResult>").encode())

    def give(self, file, fault):
        if not os.path.isfile(file):
            return self.error(404, "NoSuchKey")
        with open(file, "rb") as f:
            data = f.read()
        tag = etag(file) + (str(self.server.count("changing")) if fault == "changing" else "")
        headers = [("ETag", f'"{tag}"'), ("Accept-Ranges", "bytes")]
        if self.headers.get("If-Match") not in (None, f'"{tag}"'):
            return self.error(412, "PreconditionFailed")
        if fault == "packed":
            headers.append(("Content-Encoding", "gzip"))
        span = self.headers.get("Range")
        if not span or fault == "whole":
            return self.answer(200, data, headers)
        first, last = span.split("=")[1].split("-")
        if not data:
            return self.error(416, "InvalidRange", headers=[("Content-Range", "bytes */0")])
        start, end = (int(first), min(int(last) + 1, len(data))) if first else (max(0, len(data) - int(last)), len(data))
        if fault == "shifted":
            start, end = start - 1, end - 1
        if fault != "nameless":
            headers.append(("Content-Range", f"bytes {start}-{end - 1}/{len(data)}"))
        return self.give_part(data[start:end], headers, fault)

    def give_part(self, part, headers, fault):
        if fault == "longer":
            return self.answer(206, part + b"more", headers)
        if fault == "reset" and self.server.count(f"reset {self.path}") <= 6:
            self.answer(206, part[:len(part) // 2], headers, len(part))
            self.close_connection = True
            return None
        if fault == "shaky" and self.server.random.random() < 0.1:
            self.answer(206, part[:self.server.random.randrange(len(part))], headers, len(part))
            self.close_connection = True
            return None
        if fault == "slow":
            self.answer(206, b"", headers, len(part))
            for at in range(0, len(part), 2048):
                self.wfile.write(part[at:at + 2048])
                time.sleep(0.05)
            return None
        return self.answer(206, part, headers)

    # ---- writing ----

    def write(self, bucket, key, arguments, body, fault):
        uploads = self.server.uploads
        if self.command == "POST" and "uploads" in arguments:
            number = f"upload {len(uploads)}+/="
            uploads[number] = {}
            return self.answer(200, f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId>"
                                    "</InitiateMultipartUploadResult>".encode())
        if "uploadId" in arguments and arguments["uploadId"] not in uploads:
            return self.error(404, "NoSuchUpload")
        if self.command == "DELETE":
            del uploads[arguments["uploadId"]]
            return self.answer(204)
        if fault == "lastpart" and arguments.get("partNumber") == "2":
            return self.error(400, "EntityTooLarge")
        if fault == "badend" and self.command == "POST":
            return self.error(200, "InternalError")
        if self.command == "PUT" and "partNumber" in arguments:
            uploads[arguments["uploadId"]][int(arguments["partNumber"])] = body
            return self.answer(200, headers=[("ETag", f'"{hashlib.md5(body).hexdigest()}"')])
        if self.command == "POST":
            parts = uploads.pop(arguments["uploadId"])
            body = b"".join(parts[number] for number in sorted(parts))
        file = os.path.join(bucket, key)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as f:
            f.write(body)
        return self.answer(200, b"<CompleteMultipartUploadResult/>" if self.command == "POST" else b"")


etags = {}


def etag(file):
    info = os.stat(file)
    version = (file, info.st_ino, info.st_size, info.st_mtime_ns)
    if version not in etags:
        with open(file, "rb") as f:
            etags[version] = hashlib.md5(f.read()).hexdigest()
    return etags[version]


if __name__ == "__main__":
    store = Store(sys.argv[1], sys.argv[3:5])
    with open(sys.argv[2] + ".new", "w") as port:
        port.write(str(store.server_port))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    store.serve_forever()
