"""The REST catalog of Iceberg's specification over pyiceberg's SQL catalog, so far as pyiceberg and pistachio ask for it."""
import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pyiceberg.catalog.rest import CreateTableRequest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchNamespaceError, NoSuchTableError
from pyiceberg.table import CommitTableRequest


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def table(self, table):
        metadata = table.metadata.model_dump_json()
        self.answer(200, f'{{"metadata-location": {json.dumps(table.metadata_location)}, "config": {{}}, "metadata": {metadata}}}'.encode())

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = [urllib.parse.unquote(p) for p in self.path.partition("?")[0].split("/")[1:]]
        with self.server.lock:
            try:
                self.route(parts, body)
            except (NoSuchTableError, NoSuchNamespaceError) as why:
                self.answer(404, {"error": {"message": str(why), "type": type(why).__name__, "code": 404}})
            except CommitFailedException as why:
                self.answer(409, {"error": {"message": str(why), "type": "CommitFailedException", "code": 409}})

    do_GET = do_POST = do_HEAD = handle_any

    def route(self, parts, body):
        c = self.server.catalog
        if parts == ["v1", "config"]:
            return self.answer(200, {"defaults": {}, "overrides": {}})
        if parts == ["v1", "namespaces"]:
            if self.command == "POST":
                c.create_namespace(tuple(json.loads(body)["namespace"]))
            return self.answer(200, json.loads(body) if body else {"namespaces": c.list_namespaces()})
        space = parts[2]
        if len(parts) == 3:
            return self.answer(200, {"namespace": [space], "properties": c.load_namespace_properties(space)})
        if len(parts) == 4 and self.command == "POST":
            r = CreateTableRequest.model_validate({"location": None, **json.loads(body)})
            return self.table(c.create_table((space, r.name), r.table_schema, r.location, r.partition_spec, r.write_order, r.properties))
        if len(parts) == 4:
            return self.answer(200, {"identifiers": [{"namespace": list(t[:-1]), "name": t[-1]} for t in c.list_tables(space)]})
        table = c.load_table((space, parts[4]))
        if self.command == "POST":
            r = CommitTableRequest.model_validate_json(body)
            return self.answer(200, c.commit_table(table, r.requirements, r.updates).model_dump_json(by_alias=True).encode())
        return self.table(table)


class Catalog(ThreadingHTTPServer):
    """Serves a warehouse's folder until it is closed."""
    daemon_threads = True

    def __init__(self, warehouse):
        super().__init__(("127.0.0.1", 0), Handler)
        self.catalog = SqlCatalog("c", uri=f"sqlite:///{warehouse}/c.db", warehouse=f"file://{warehouse}")
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()
        self.catalog.engine.dispose()
