"""wire.py - a client of PostgreSQL's protocol 3 in as few lines as will do, for tests: bytes out, messages in."""
import socket
import struct


def message(kind, *fields):
    """Returns a message: fields are bytes, or texts that get their NUL."""
    body = b''.join(f.encode() + b'\0' if isinstance(f, str) else f for f in fields)
    return kind.encode() + struct.pack('!i', len(body) + 4) + body


def int16(*numbers):
    return struct.pack('!%dH' % len(numbers), *numbers)


def int32(*numbers):
    return struct.pack('!%di' % len(numbers), *numbers)


def start(**names):
    body = int32(3 << 16) + b''.join(k.encode() + b'\0' + v.encode() + b'\0' for k, v in names.items()) + b'\0'
    return int32(len(body) + 4) + body


def parse(sql, name='', types=()):
    return message('P', name, sql, int16(len(types)), int32(*types))


def bind(values=(), formats=(), results=(), portal='', name=''):
    """values: bytes, or None for NULL."""
    body = b''.join(int32(-1) if v is None else int32(len(v)) + v for v in values)
    return message('B', portal, name, int16(len(formats), *formats), int16(len(values)), body,
                   int16(len(results), *results))


def describe(kind, name=''):
    return message('D', kind.encode(), name)


def execute(most=0, portal=''):
    return message('E', portal, int32(most))


def close(kind, name=''):
    return message('C', kind.encode(), name)


SYNC = message('S')
FLUSH = message('H')


class Client:
    def __init__(self, path, login=True, **names):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.buffer = b''
        if login:
            self.send(start(**{'user': 'tester', **names}))
            self.login = self.until_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, *parts):
        self.socket.sendall(b''.join(parts))

    def receive(self):
        """Returns (type, body); ('', b'') at the end."""
        while len(self.buffer) < 5 or len(self.buffer) < 1 + struct.unpack('!i', self.buffer[1:5])[0]:
            try:
                some = self.socket.recv(65536)
            except ConnectionResetError:
                some = b''
            if not some:
                return '', b''
            self.buffer += some
        length = 1 + struct.unpack('!i', self.buffer[1:5])[0]
        whole, self.buffer = self.buffer[:length], self.buffer[length:]
        return chr(whole[0]), whole[5:]

    def until_ready(self):
        """Returns the messages up to ReadyForQuery, or the end."""
        found = []
        while not found or found[-1][0] not in ('Z', ''):
            found.append(self.receive())
        return found

    def ask(self, *parts):
        self.send(*parts)
        return self.until_ready()

    def query(self, sql):
        return self.ask(message('Q', sql))


def kinds(messages):
    """Returns the types of messages as one text: "1 2 D D C Z" without the blanks."""
    return ''.join(kind or '.' for kind, _ in messages)


def rows(messages):
    """Returns the values of DataRows: bytes or None."""
    found = []
    for kind, body in messages:
        if kind != 'D':
            continue
        count, at, row = struct.unpack('!H', body[:2])[0], 2, []
        for _ in range(count):
            length = struct.unpack('!i', body[at:at + 4])[0]
            at += 4
            row.append(None if length < 0 else body[at:at + length])
            at += max(length, 0)
        assert at == len(body)
        found.append(row)
    return found


def columns(messages):
    """Returns (name, type, size, modifier, format) of each column of the first RowDescription."""
    body = next(b for k, b in messages if k == 'T')
    count, at, found = struct.unpack('!H', body[:2])[0], 2, []
    for _ in range(count):
        end = body.index(b'\0', at)
        name = body[at:end].decode()
        _, _, oid, size, modifier, form = struct.unpack('!iHihiH', body[end + 1:end + 19])
        found.append((name, oid, size, modifier, form))
        at = end + 19
    assert at == len(body)
    return found


def failures(messages):
    """Returns the fields of ErrorResponses, by their letters."""
    found = []
    for kind, body in messages:
        if kind == 'E':
            found.append({chr(f[0]): f[1:].decode() for f in body.split(b'\0') if f})
    return found


def key(client):
    """Returns the number and the secret by which the client's statement is cancelled."""
    return struct.unpack('!iI', next(body for kind, body in client.login if kind == 'K'))


def cancel(server, client):
    number, secret = key(client)
    with Client(server.path, login=False) as c:
        c.send(int32(16, 80877102, number) + struct.pack('!I', secret))
        c.receive()


def seen(witness, client):
    """Returns state and wait of the client, as others see it."""
    found = rows(witness.query('select state, wait_event from pg_stat_activity where pid = %d' % key(client)[0]))
    return tuple(v.decode() if v is not None else None for v in found[0]) if found else None


def begin(client, sql):
    client.send(message('Q', sql))


def codes(client):
    return [f['C'] for f in failures(client.until_ready())]
