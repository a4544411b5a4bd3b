#!/usr/bin/env python3
"""The server's protocol, message by message: prepared statements, portals, both forms of each type, transactions; then
messages that are hostile. protocol.py PROGRAM"""
import decimal
import os
import random
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import Server, check, finish  # noqa: E402  pylint: disable=wrong-import-position
from wire import *  # noqa: E402,F403  pylint: disable=wildcard-import,unused-wildcard-import

# ---- values ----

def numeric(text):
    """Returns PostgreSQL's binary form of a decimal."""
    sign, digits, exponent = decimal.Decimal(text).as_tuple()
    scale = max(-exponent, 0)
    whole = ''.join(map(str, digits)).rjust(scale + 1, '0')
    whole, part = whole[:len(whole) - scale], whole[len(whole) - scale:]
    whole = whole.rjust((len(whole) + 3) // 4 * 4, '0')
    part = part.ljust((len(part) + 3) // 4 * 4, '0')
    groups = [int((whole + part)[i:i + 4]) for i in range(0, len(whole + part), 4)]
    weight = len(whole) // 4 - 1
    while groups and not groups[0]:
        groups, weight = groups[1:], weight - 1
    while groups and not groups[-1]:
        groups = groups[:-1]
    weight = weight if groups else 0
    return struct.pack('!HhHH', len(groups), weight, 0x4000 if sign else 0, scale) + int16(*groups)


def array(oid, *elements):
    """Returns PostgreSQL's binary form of an array; None: NULL."""
    head = struct.pack('!iii', bool(elements), None in elements, oid)
    lengths = [struct.pack('!i', -1) if e is None else struct.pack('!i', len(e)) + e for e in elements]
    return head + (struct.pack('!ii', len(elements), 1) if elements else b'') + b''.join(lengths)


DAY = 86400 * 10**6
UUID = '6ecd8c99-4036-403d-bf84-cf8400f67836'
# Type, SQL, type and size of PostgreSQL's, text, binary.
VALUES = [
    ('boolean', 'true', 16, 1, 't', b'\1'),
    ('boolean', 'false', 16, 1, 'f', b'\0'),
    ('tinyint', '-128', 21, 2, '-128', struct.pack('!h', -128)),
    ('utinyint', '255', 21, 2, '255', struct.pack('!h', 255)),
    ('smallint', '-32768', 21, 2, '-32768', struct.pack('!h', -32768)),
    ('usmallint', '65535', 23, 4, '65535', struct.pack('!i', 65535)),
    ('integer', '-2147483648', 23, 4, '-2147483648', struct.pack('!i', -2**31)),
    ('uinteger', '4294967295', 20, 8, '4294967295', struct.pack('!q', 2**32 - 1)),
    ('bigint', '-9223372036854775808', 20, 8, '-9223372036854775808', struct.pack('!q', -2**63)),
    ('ubigint', '18446744073709551615', 1700, -1, '18446744073709551615', numeric('18446744073709551615')),
    ('real', '1.1', 700, 4, '1.1', struct.pack('!f', 1.1)),
    ('double', '-1e300', 701, 8, '-1e+300', struct.pack('!d', -1e300)),
    ('double', "'NaN'", 701, 8, 'NaN', struct.pack('!d', float('nan'))),
    ('double', "'-Infinity'", 701, 8, '-Infinity', struct.pack('!d', float('-inf'))),
    ('decimal(10,4)', '-123.4500', 1700, -1, '-123.4500', numeric('-123.4500')),
    ('decimal(10,0)', '100000000', 1700, -1, '100000000', numeric('100000000')),
    ('decimal(9,5)', '0', 1700, -1, '0.00000', numeric('0.00000')),
    ('decimal(9,5)', '0.00012', 1700, -1, '0.00012', numeric('0.00012')),
    ('decimal(38,38)', "'0." + '9' * 38 + "'", 1700, -1, '0.' + '9' * 38, numeric('0.' + '9' * 38)),
    ('decimal(38,1)', "'-" + '9' * 37 + ".9'", 1700, -1, '-' + '9' * 37 + '.9', numeric('-' + '9' * 37 + '.9')),
    ('date', "'1970-01-01'", 1082, 4, '1970-01-01', struct.pack('!i', -10957)),
    ('date', "'2024-02-29'", 1082, 4, '2024-02-29', struct.pack('!i', 8825)),
    ('date', "'infinity'", 1082, 4, 'infinity', struct.pack('!i', 2**31 - 1)),
    ('date', "'-infinity'", 1082, 4, '-infinity', struct.pack('!i', -2**31)),
    ('timestamp', "'infinity'", 1114, 8, 'infinity', struct.pack('!q', 2**63 - 1)),
    ('timestamptz', "'-infinity'", 1184, 8, '-infinity', struct.pack('!q', -2**63)),
    ('timestamp_ns', "'-infinity'", 1114, 8, '-infinity', struct.pack('!q', -2**63)),
    ('time', "'23:59:59.999999'", 1083, 8, '23:59:59.999999', struct.pack('!q', DAY - 1)),
    ('timestamp', "'1999-12-31 23:59:59.999999'", 1114, 8, '1999-12-31 23:59:59.999999', struct.pack('!q', -1)),
    ('timestamp_ns', "'1999-12-31 23:59:59.999999999'", 1114, 8, '1999-12-31 23:59:59.999999', struct.pack('!q', -1)),
    ('timestamptz', "'2000-01-01 02:00:00+02'", 1184, 8, '2000-01-01 00:00:00+00', struct.pack('!q', 0)),
    ('interval', "'14 months 3 days 4.5 seconds'", 1186, 16, '1 year 2 mons 3 days 00:00:04.5',
     struct.pack('!qii', 4500000, 3, 14)),
    ('varchar', "'ä'", 25, -1, 'ä', 'ä'.encode()),
    ('varchar', "''", 25, -1, '', b''),
    ('blob', r"'\x00ff'", 17, -1, r'\x00ff', b'\0\xff'),
    ('uuid', "'%s'" % UUID, 2950, 16, UUID, bytes.fromhex(UUID.replace('-', ''))),
    ('integer[]', "'[1, NULL, -3]'", 1007, -1, '{1,NULL,-3}', array(23, int32(1), None, int32(-3))),
    ('bigint[]', "'[]'", 1016, -1, '{}', array(20)),
    ('boolean[]', "'[true, false]'", 1000, -1, '{t,f}', array(16, b'\1', b'\0')),
    ('varchar[]', r'''{"a b",c,"",null,"NULL","x,\"y\\z","{}",ä}''', 1009, -1,
     r'{"a b",c,"",NULL,"NULL","x,\"y\\z","{}",ä}',
     array(25, b'a b', b'c', b'', None, b'NULL', b'x,"y\\z', b'{}', 'ä'.encode())),
    ('decimal(5,2)[]', "'[1.50, -22.25]'", 1231, -1, '{1.50,-22.25}',
     array(1700, numeric('1.50'), numeric('-22.25'))),
    ('date[]', "'{1970-01-01}'", 1182, -1, '{1970-01-01}', array(1082, struct.pack('!i', -10957))),
    ('timestamp[]', "'{2000-01-01 00:00:00}'", 1115, -1, '{"2000-01-01 00:00:00"}',
     array(1114, struct.pack('!q', 0))),
    ('double[]', "'{1.5,NaN}'", 1022, -1, '{1.5,NaN}', array(701, struct.pack('!d', 1.5), struct.pack('!d', float('nan')))),
    ('uuid[]', "'{%s}'" % UUID, 2951, -1, '{%s}' % UUID, array(2950, bytes.fromhex(UUID.replace('-', '')))),
]


def results(c):
    """Each value of each type comes in text and in binary, and as a parameter goes."""
    sql = 'select ' + ', '.join("'%s'::%s" % (value.strip("'"), kind) for kind, value, *_ in VALUES) + ', null'
    for form, index in ((0, 4), (1, 5)):
        found = c.ask(parse(sql), bind(results=[form]), describe('P'), execute(), SYNC)
        check('messages of a statement', kinds(found), '12TDCZ')
        for (kind, value, oid, size, *_), column in zip(VALUES, columns(found)):
            check('type of %s' % kind, (column[1], column[2], column[4]), (oid, size, form))
        for expected, got in zip(VALUES, rows(found)[0]):
            wanted = expected[index] if form else expected[index].encode()
            check('%s::%s in form %d' % (expected[1], expected[0], form), got, wanted)
        check('NULL', rows(found)[0][-1], None)
    check('modifier of decimal(10,4)', columns(c.query('select 1::decimal(10,4)'))[0][3], (10 << 16 | 4) + 4)
    found = c.ask(parse('select 1::int, 2::int'), bind(results=[1, 0]), execute(), SYNC)
    check('a form for each column', rows(found), [[b'\0\0\0\1', b'2']])


def parameters(c):
    for kind, value, oid, size, text, binary in VALUES:
        if kind in ('utinyint', 'usmallint', 'uinteger', 'timestamp_ns', 'real') or oid == 17:
            continue  # a parameter of their type of PostgreSQL's has another text
        for form, given in ((0, text.encode()), (1, binary)):
            found = c.ask(parse('select $1', types=[oid]), describe('S'), bind([given], [form]), execute(), SYNC)
            name = '%s %s as a parameter in form %d' % (kind, value, form)
            check(name, rows(found), [[text.encode()]])
            check(name + ': its type', columns(found)[0][1], oid if oid != 1043 else 25)
    sql = 'select id from things where id > $1 and name <> $2 order by id limit $3'
    found = c.ask(parse(sql), describe('S'), bind([b'1', b'n2', b'5']), execute(), SYNC)
    check('types that places ask for', struct.unpack('!Hiii', dict(found)['t']), (3, 23, 25, 20))
    check('rows by parameters', rows(found), [[b'3']])
    found = c.ask(parse('select id from things where id = any($1) and name <> all ($2) order by id'), describe('S'),
                  bind([array(23, int32(1), int32(3)), b'{n1,n2}'], [1, 0]), execute(), SYNC)
    check('types of arrays that places ask for', struct.unpack('!Hii', dict(found)['t']), (2, 1007, 1009))
    check('rows by arrays', rows(found), [[b'3']])
    found = c.ask(parse('select $1', types=[1001]), bind([array(17, b'\0"', b'')], [1], [1]), execute(), SYNC)
    check('blobs in an array', rows(found), [[array(17, b'\0"', b'')]])
    found = c.query("select {'a': 1, 'b': ['x\"']}, map {'k': [1.5]}, [[1], null]")
    check('other nested values are json', [column[1] for column in columns(found)], [114] * 3)
    check('their text', rows(found), [[b'{"a": 1, "b": ["x\\""]}', b'{"k": [1.5]}', b'[[1], null]']])
    found = c.ask(parse('select $1::bytea'), bind([b'\0\xff'], [1], [1]), execute(), SYNC)
    check('a blob', rows(found), [[b'\0\xff']])
    found = c.ask(parse('select $1::int + 1, $2'), bind([None, None]), execute(), SYNC)
    check('NULL as a parameter', rows(found), [[None, None]])
    for oid, form, given in ((23, 0, b'x'), (23, 1, b'\0\0\1'), (23, 1, b'\0\0\0\0\1'), (1082, 1, int32(2**31 - 2)),
                             (1700, 1, b'\0\1\0\0\xc0\0\0\0'), (1700, 1, struct.pack('!HhHHH', 1, 30, 0, 0, 1)),
                             (1700, 1, struct.pack('!HhHHH', 1, 0, 0, 0, 10000)), (1700, 1, b'\0\5\0\0\0\0\0\0'),
                             (1114, 1, struct.pack('!q', 2**63 - 2)), (1083, 1, struct.pack('!q', -1)),
                             (1184, 1, b''), (3802, 1, b'{}'), (1007, 0, b'{1'), (1007, 0, b'{1,x}'),
                             (1007, 0, b'1'), (1007, 1, b'\0\0\0\1'), (1007, 1, array(20, bytes(8))),
                             (1007, 1, array(23, b'\0')), (1007, 1, array(23, int32(1))[:-1]),
                             (1007, 1, struct.pack('!iii', 2, 0, 23) + bytes(16)),
                             (1231, 0, b'{1e400}'), (1007, 1, struct.pack('!iiiii', 1, 0, 23, 2**31 - 1, 1)),
                             (25, 0, b'\xff')):
        found = c.ask(parse('select $1', types=[oid]), bind([given], [form]), execute(), SYNC)
        check('a wrong parameter %d %d %r' % (oid, form, given), kinds(found), '1EZ')


# ---- statements and portals ----

def portals(c):
    found = c.ask(parse('select i from range(10) as r(i)', 'ten'), bind(name='ten', portal='p'), execute(4, 'p'),
                  execute(4, 'p'), execute(4, 'p'), execute(4, 'p'), SYNC)
    check('rows bit by bit', kinds(found), '12DDDDsDDDDsDDCCZ')
    check('all of them', [int(r[0]) for r in rows(found)], list(range(10)))
    found = c.ask(execute(0, 'p'), SYNC)
    check('a portal ends with Sync', failures(found)[0]['C'], '34000')
    found = c.ask(message('Q', 'begin'))
    check('in a transaction', found[-1][1], b'T')
    c.ask(bind(name='ten', portal='q'), execute(3, 'q'), SYNC)
    found = c.ask(execute(0, 'q'), SYNC)
    check('a portal outlives Sync there', len(rows(found)), 7)
    found = c.ask(bind(name='ten', portal='q'), SYNC)
    check('a portal of the same name', (failures(found)[0]['C'], found[-1][1]), ('42P03', b'E'))
    check('nothing after that', failures(c.query('select 1'))[0]['C'], '25P02')
    check('COMMIT undoes it', [b for k, b in c.query('commit') if k == 'C'], [b'ROLLBACK\0'])
    found = c.ask(parse('select 2', 'ten'), SYNC)
    check('a statement of the same name', failures(found)[0]['C'], '42P05')
    found = c.ask(close('S', 'ten'), describe('S', 'ten'), SYNC)
    check('a closed statement', (kinds(found), failures(found)[0]['C']), ('3EZ', '26000'))
    found = c.ask(parse(''), bind(), describe('P'), execute(), SYNC)
    check('an empty statement', kinds(found), '12nIZ')
    found = c.ask(parse("set timezone = 'Europe/Berlin'"), describe('S'), bind(), execute(), SYNC)
    check('a statement without rows', kinds(found).replace('S', ''), '1tn2CZ')
    found = c.ask(parse('select 1; select 2'), SYNC)
    check('two statements', failures(found)[0]['C'], '42601')
    found = c.ask(parse('select 1;  -- end\n ;'), bind(), execute(), SYNC)
    check('one and its end', kinds(found), '12DCZ')
    found = c.ask(parse('select x'), bind(), execute(), SYNC, parse('select 1'), bind(), execute(), SYNC)
    check('what follows a failure is skipped', kinds(found), 'EZ')
    check('until Sync', kinds(c.until_ready()), '12DCZ')
    for sql, tag in (('commit', b'COMMIT'), ('rollback', b'ROLLBACK'), ('close all', b'CLOSE CURSOR ALL'),
                     ('close itself', b'CLOSE CURSOR'), ('discard all', b'DISCARD ALL'), ('deallocate all', b'DEALLOCATE ALL')):
        found = c.ask(parse(sql), bind(portal='itself'), execute(0, 'itself'), SYNC)
        check(sql + ' of a portal that it ends', [b[:-1] for k, b in found if k == 'C'], [tag])
    tags = [[b[:-1] for k, b in c.query(sql) if k == 'C'] for sql in
            ('prepare by_sql as select 41 + $1::int', 'execute by_sql(1)', 'deallocate by_sql')]
    check('PREPARE in SQL', tags, [[b'PREPARE'], [b'SELECT 1'], [b'DEALLOCATE']])
    check('which is gone', [f['M'] for f in failures(c.query('deallocate by_sql'))],
          ['prepared statement "by_sql" does not exist'])
    c.send(parse('select 7'), bind(), execute(), FLUSH)
    check('Flush', [c.receive()[0] for _ in range(4)], ['1', '2', 'D', 'C'])
    check('Sync after it', kinds(c.ask(SYNC)), 'Z')


def copy(c):
    sql = "copy (select i::int as i, nullif(i, 2) > 1 as \"b,\", case i when 1 then E'a\\tb\\n\\\\' when 2 then '' " \
        "else 'x,\"y' end as s from range(1, 4) as r(i)) to stdout "

    def data(options):
        found = c.query(sql + options)
        check('messages of COPY %s' % options, kinds(found).replace('d', ''), 'HcCZ')
        return b''.join(b for k, b in found if k == 'd')
    check('COPY as text', data(''), b'1\tf\ta\\tb\\n\\\\\n2\t\\N\t\n3\tt\tx,"y\n')
    check('COPY as csv', data('with csv header'), b'i,"b,",s\n1,f,"a\tb\n\\"\n2,,""\n3,t,"x,""y"\n')
    check('COPY as csv with options', data("(format csv, delimiter '|', null 'nil')"),
          b'1|f|"a\tb\n\\"\n2|nil|\n3|t|"x,""y"\n')
    check('text with options', data("delimiter '|' null 'nil'"), b'1|f|a\\tb\\n\\\\\n2|nil|\n3|t|x,"y\n')
    check('csv in other quotes', data("(format csv, header, quote '''', escape '\\', delimiter ';', force_quote (i, s))"),
          b"i;b,;s\n'1';f;'a\tb\n\\\\'\n'2';;''\n'3';t;'x,\"y'\n")
    check('csv all in quotes', data('csv force quote *'), b'"1","f","a\tb\n\\"\n"2",,""\n"3","t","x,""y"\n')
    ended = c.query("copy (select '\\.') to stdout csv")
    check('what would end the rows', [b for k, b in ended if k == 'd'], [b'"\\."\n'])
    some = c.query('copy things (name, id) to stdout')
    check('some columns of a table', b''.join(b for k, b in some if k == 'd'), b'n1\t1\nn2\t2\nn3\t3\n')
    for options, code in (("(delimiter 'a')", '22023'), ("(delimiter 'ab')", '22023'), ("(quote '|')", '0A000'), ('(format csv, force_null (i))', '0A000'),
                          ('(format csv, force_quote (absent))', '42703'), ("(encoding 'latin1')", '22023'), ("(null 'a', null 'b')", '22023'),
                          ("(format csv, quote ',')", '22023'), ('(header match)', '22023'), ('(nonsense)', '42601'), ('(freeze)', '0A000')):
        check('COPY %s' % options, [f['C'] for f in failures(c.query(sql + options))], [code])
    rest = data('(format binary)')
    check('COPY in binary', rest, b'PGCOPY\n\xff\r\n\0' + bytes(8)
          + int16(3) + int32(4, 1) + int32(1) + b'\0' + int32(5) + b'a\tb\n\\'
          + int16(3) + int32(4, 2) + int32(-1) + int32(0)
          + int16(3) + int32(4, 3) + int32(1) + b'\1' + int32(4) + b'x,"y' + b'\xff\xff')
    found = c.ask(parse(sql), describe('S'), bind(), describe('P'), execute(), SYNC)
    check('COPY prepared', kinds(found), '1tn2nHdddcCZ')
    found = c.query('copy (select 1 / (i - 2) from range(3) as r(i)) to stdout')
    check('COPY that fails', (failures(found)[0]['C'], kinds(found)[-2:]), ('22012', 'EZ'))
    for options in ('(format parquet)', '(format binary, header)', '(append)', '(format csv, codec zstd)'):
        check('COPY %s' % options, kinds(c.query(sql + options)), 'EZ')
    check('no COPY to files', failures(c.query("copy (select 1) to '/tmp/x.csv'"))[0]['C'], '42501')
    check('nor programs', failures(c.query("copy (select 1) to program 'cat'"))[0]['C'], '42501')


def copy_from(c):
    """Rows that the client sends, cut anywhere; what is wrong with them; a client that gives up."""
    c.query('create table copied (i integer, s varchar)')

    def send(options, data, pieces=1, end=message('c')):
        c.send(message('Q', 'copy copied from stdin ' + options + '; select 7'))
        first = c.receive()
        if first[0] == 'G':
            step = max(len(data) // pieces, 1)
            c.send(*[message('d', data[i:i + step]) for i in range(0, len(data), step)], end)
        found = c.until_ready()
        return first[1], found

    def table():
        return rows(c.query('select * from copied order by i')), c.query('drop table copied'), \
            c.query('create table copied (i integer, s varchar)')
    text = b'1\t\\N\n2\ta\\tb\\\\\\x41\\101\\q\n3\t\r\n4\t"x,\xc3\xa4\\\n\n'
    for pieces in (1, 5, len(text)):
        first, found = send('', text, pieces)
        check('messages of COPY FROM', (first, kinds(found)), (b'\0' + int16(2, 0, 0), 'CTDCZ'))
        check('its tag', found[0][1], b'COPY 4\0')
        check('rows of text', table()[0], [[b'1', None], [b'2', b'a\tb\\AAq'], [b'3', b''], [b'4', '"x,ä\n'.encode()]])
    csv = b'i,s\n1,\n2,""\n3,"a ""b""\nc"\n4,\\N\n5,x\\'
    for pieces in (1, 3, len(csv)):
        check('csv', kinds(send('with csv header', csv, pieces)[1]), 'CTDCZ')
        check('rows of csv', table()[0], [[b'1', None], [b'2', b''], [b'3', b'a "b"\nc'], [b'4', b'\\N'], [b'5', b'x\\']])
    send("(format csv, delimiter '|', null 'nil')", b'1|nil\n2|"nil"\n')
    check('options', table()[0], [[b'1', None], [b'2', b'nil']])
    send("(delimiter '|', null 'nix', header)", b'any|names\n1|nix\n2|a\\|b\\N\\\\\n')
    check('options of text', table()[0], [[b'1', None], [b'2', b'a|bN\\']])
    quoted = b"1,'a\\'b\\\\c\\d'\n2,''\n3,\n4,'x''y'\r\n5,'z\r'\r\n6,'z\r'\n"
    for pieces in (1, 7, len(quoted)):
        send("(format csv, quote '''', escape '\\', force_null (s), force_not_null (s), encoding 'utf-8', freeze)", quoted, pieces)
        check('a quote and an escape', table()[0],
              [[b'1', b"a'b\\c\\d"], [b'2', None], [b'3', b''], [b'4', b'xy'], [b'5', b'z\r'], [b'6', b'z\r']])
    send('(format csv, header match)', b'i,"s"\n1,a\n')
    check('names of a head', table()[0], [[b'1', b'a']])
    for head in (b's,i\n', b'i\n', b'i,s,t\n', b'i,S\n'):
        check('other names %r' % head, [f['C'] for f in failures(send('(format csv, header match)', head)[1])], ['22P04'])
    for options in ('', 'csv header', '(header match)'):
        check('no rows %s' % options, send(options, b'')[1][0][1], b'COPY 0\0')
    send('', b'1\ta\n\\.\n2\tb\n')
    check('an end in the rows', table()[0], [[b'1', b'a']])
    for data, code in ((b'1\n', '22P04'), (b'1\t2\t3\n', '22P04'), (b'1\tx\0\n', '22P04'), (b'x\ta\n', '22P02')):
        check('wrong rows %r' % data, [f['C'] for f in failures(send('', data)[1])], [code])
    check('quotes without an end', [f['C'] for f in failures(send('csv', b'1,"')[1])], ['22P04'])
    check('a client gives up', [f['C'] for f in failures(send('', b'1\t2\n', end=message('f', 'no'))[1])], ['57014'])
    c.send(message('Q', 'copy copied from stdin'), message('d', b'1\ta\n'), SYNC, FLUSH, message('c'))
    check('Sync within COPY', kinds(c.until_ready()), 'GCZ')
    check('after all of it', table()[0], [[b'1', b'a']])
    c.send(parse('copy copied from stdin'), describe('S'), bind(), execute(), SYNC, message('d', b'2\tb\n'), message('c'), SYNC)
    check('COPY FROM prepared', kinds(c.until_ready()), '1tn2GCZ')
    check('its rows', table()[0], [[b'2', b'b']])
    for sql, code in (('copy absent from stdin', '42P01'), ('copy things from stdin', '0A000'),
                      ('copy copied (absent) from stdin', '42703'), ('copy copied (i, i) from stdin', '42701'), ('copy copied (i, i) to stdout', '42701'),
                      ("copy copied from '/etc/passwd'", '42501'), ("copy copied from program 'true'", '42501')):
        check(sql, [f['C'] for f in failures(c.query(sql))], [code])
    c.query("create table shapes (b blob, j json, l integer[], s struct(a integer, b varchar))")
    c.send(message('Q', 'copy shapes from stdin'), message('d', b'\\\\x00fF\t{"a": [1]}\t{1,NULL,3}\t{"a": 1, "b": "x"}\n\\N\t\\N\t\\N\t\\N\n'), message('c'))
    check('texts of types that csv files do not have', kinds(c.until_ready()), 'GCZ')
    check('their values', rows(c.query('select * from shapes')), [[b'\\x00ff', b'{"a": [1]}', b'{1,NULL,3}', b'{"a": 1, "b": "x"}'], [None] * 4])
    for column, text in ((0, b'\\\\x0'), (1, b'{"a"'), (2, b'{1'), (2, b'{x}'), (3, b'{"c": 1}')):
        fields = [b'\\N'] * 4
        fields[column] = text
        c.send(message('Q', 'copy shapes from stdin'), message('d', b'\t'.join(fields) + b'\n'), message('c'))
        check('wrong %r' % text, kinds(c.until_ready()), 'GEZ')


def copy_where(c):
    """COPY ... FROM with a condition, which is looked at before the client is asked for rows."""
    c.query('create table chosen (i integer, s varchar, d decimal(5,2))')
    for columns, where, expected in (('', 'i > 1', [2, 3]), ('', "s like 'a%' and chosen.i < 3", [1]), ('', 's is null', [3]), ('', 'd = 1.5', [2]),
                                     ('(i, s)', 'd is null', None), ('', "i in (1, 3) or s = 'b'", [1, 2, 3]), ('', 'false', []), ('', 'null', [])):
        data = b'1\tax\n2\tb\n3\t\\N\n' if columns else b'1\tax\t1\n2\tb\t1.50\n3\t\\N\t\\N\n'
        expected = [1, 2, 3] if expected is None else expected
        c.send(message('Q', 'copy chosen %s from stdin where %s' % (columns, where)), message('d', data), message('c'))
        found = c.until_ready()
        check('COPY WHERE ' + where, (kinds(found), found[1][1]), ('GCZ', b'COPY %d\0' % len(expected)))
        check('its rows', [int(r[0]) for r in rows(c.query('select i from chosen order by i'))], expected)
        c.query('drop table chosen; create table chosen (i integer, s varchar, d decimal(5,2))')
    for where, code in (('x > 1', '42703'), ('i + 1', '42804'), ('exists (select 1)', '0A000'), ('i in (select 1)', '0A000'),
                        ('i > (select 1)', '0A000'), ('count(*) > 1', '42803'), ('row_number() over () = 1', '42P20'), ('things.id = 1', '42P01')):
        found = c.query('copy chosen from stdin where ' + where)
        check('COPY WHERE ' + where, (kinds(found), failures(found)[0]['C']), ('EZ', code))
    c.send(message('Q', 'copy chosen (i) from stdin (format csv) where 1 / i > 0'), message('d', b'0\n'), message('c'))
    check('a condition that fails', [f['C'] for f in failures(c.until_ready())], ['22012'])
    c.send(message('Q', 'copy chosen (i) from stdin (format binary) where i = 2'),
           message('d', BINARY_HEAD + b''.join(int16(1) + int32(4, i) for i in range(5)) + b'\xff\xff'), message('c'))
    check('in binary', (c.until_ready()[1][1], rows(c.query('select i from chosen'))), (b'COPY 1\0', [[b'2']]))
    check('not TO', failures(c.query('copy chosen to stdout where i = 1'))[0]['C'], '42601')


# ---- COPY FROM in binary ----

BINARY_HEAD = b'PGCOPY\n\xff\r\n\0' + bytes(8)


def send_binary(c, sql, data, pieces=1):
    """Returns what comes back on rows of the binary format, cut into about so many messages."""
    step = max(-(-len(data) // pieces), 1)
    c.send(message('Q', sql), *[message('d', data[i:i + step]) for i in range(0, len(data), step)], message('c'))
    return c.until_ready()


def fields(*values):
    """Returns a row; None: NULL."""
    return int16(len(values)) + b''.join(int32(-1) if v is None else int32(len(v)) + v for v in values)


# More values in binary, and their text.
MORE = [
    ('real', struct.pack('!f', 1e-45), b'1e-45'), ('real', struct.pack('!f', 3.4028235e38), b'3.4028235e+38'), ('real', struct.pack('!f', float('-inf')), b'-Infinity'),
    ('real', struct.pack('!f', float('nan')), b'NaN'), ('double', struct.pack('!d', 5e-324), b'5e-324'), ('double', struct.pack('!d', 0.1 + 0.2), b'0.30000000000000004'),
    ('double', struct.pack('!d', 1.7976931348623157e308), b'1.7976931348623157e+308'), ('double', struct.pack('!d', -0.0), b'-0'),
    ('decimal(5,2)', numeric('1.005'), b'1.01'), ('decimal(5,2)', numeric('-999.99'), b'-999.99'), ('decimal(38,0)', numeric('9' * 38), b'9' * 38),
    ('time', struct.pack('!q', DAY), b'24:00:00'), ('time', struct.pack('!q', 0), b'00:00:00'),
    ('date', struct.pack('!i', -2451545), b'4714-11-24 BC'), ('date', struct.pack('!i', 2145031948), b'5874897-12-31'),
    ('timestamp', struct.pack('!q', -211813488000000000), b'4714-11-24 00:00:00 BC'), ('timestamp', struct.pack('!q', 1), b'2000-01-01 00:00:00.000001'),
    ('timestamptz', struct.pack('!q', 2**63 - 2 - 10957 * DAY), b'294247-01-10 04:00:54.775806+00'),
    ('blob', bytes(range(256)) * 3, None), ('blob', b'\\N', None), ('blob', b'', b'\\x'), ('varchar', b'\\N', b'\\N'), ('varchar', b'\\.', b'\\.'),
    ('varchar', b' "a",\\"\r\n\t\xc3\xa4\\', b' "a",\\"\r\n\t\xc3\xa4\\'), ('json', b'{"a": [1, "x\\n"]}', b'{"a": [1, "x\\n"]}'),
    ('struct(a integer, b varchar)', b'{"a": 1, "b": "x\\"y"}', b'{"a": 1, "b": "x\\"y"}'), ('map(varchar, integer)', b'{"k": 1}', b'{"k": 1}'),
    ('integer[][]', b'[[1, null], null, []]', b'[[1, null], null, []]'), ('blob[]', array(17, b'\0"\\', None, b''), b'{"\\\\x00225c",NULL,"\\\\x"}'),
    ('real[]', array(700, struct.pack('!f', 1.1)), b'{1.1}'), ('timestamptz[]', array(1184, struct.pack('!q', 0)), b'{"2000-01-01 00:00:00+00"}'),
    ('decimal(4,1)[]', array(1700, numeric('1.25'), numeric('-7')), b'{1.3,-7.0}'),
]


def binary_values(c):
    """Each type's values and NULL come as they were sent, in pieces of any length."""
    values = [value for value in VALUES if value[0] != 'interval']  # a table cannot hold it
    c.query('create table every (%s)' % ', '.join('c%d %s' % (i, value[0]) for i, value in enumerate(values)))
    row = [value[5] for value in values]
    data = BINARY_HEAD + fields(*row) + fields(*[None] * len(row)) + fields(*row) + b'\xff\xff'
    for pieces in (1, 2, 9, len(data)):
        found = send_binary(c, 'copy every from stdin binary', data, pieces)
        check('messages of COPY FROM in binary', (kinds(found), found[0][1]), ('GCZ', b'\1' + int16(len(row), *[1] * len(row))))
        check('its tag', found[1][1], b'COPY 3\0')
    found = rows(c.ask(parse('select * from every'), bind(results=[1]), execute(), SYNC))
    check('rows of all types', len(found), 12)
    for value, *sent in zip(values, *found):
        expected = [None if i % 3 == 1 else value[5] for i in range(12)]
        check('%s %s in binary' % value[:2], sent, expected)
    for number, (kind, binary, text) in enumerate(MORE):
        c.query('create table more%d (v %s)' % (number, kind))
        found = send_binary(c, 'copy more%d from stdin (format binary)' % number, BINARY_HEAD + fields(binary) + fields(None))
        check('%s %r' % (kind, binary), ([f.get('M') for f in failures(found)], kinds(found)), ([], 'GCZ'))
        query = 'select v from more%d' % number
        if text is not None:
            check('its text', rows(c.query(query)), [[text], [None]])
        if kind.split('(')[0] not in ('decimal', 'time') or kind.endswith(']') and kind != 'decimal(4,1)[]':
            check('%s %r again' % (kind, binary), rows(c.ask(parse(query), bind(results=[1]), execute(), SYNC)), [[binary], [None]])
    choose = random.Random(7)
    doubles = [struct.pack('!Q', choose.getrandbits(64)) for _ in range(2000)]
    doubles = [d for d in doubles if struct.unpack('!d', d)[0] == struct.unpack('!d', d)[0]]
    reals = [struct.pack('!I', choose.getrandbits(32)) for _ in doubles]
    reals = [r if struct.unpack('!f', r)[0] == struct.unpack('!f', r)[0] else bytes(4) for r in reals]
    c.query('create table numbers (d double, r real)')
    send_binary(c, 'copy numbers (r, d) from stdin binary', BINARY_HEAD + b''.join(map(fields, reals, doubles)))
    found = rows(c.ask(parse('select d, r from numbers'), bind(results=[1]), execute(), SYNC))
    check('floats of any bits', sorted(found) == sorted(map(list, zip(doubles, reals))), True)


def binary_heads(c):
    c.query('create table headed (i integer, s varchar)')
    row = fields(int32(1), b'a')
    for flags, extension, rest, code in ((0, 0, row, None), (1, 0, row, None), (0xffff, 5, b'12345' + row, None), (0, 200000, bytes(200000) + row, None),
                                         (1 << 16, 0, row, '22P04'), (1 << 17, 0, row, '22P04'), (1 << 31, 0, row, '22P04'), (0, -1, row, '22P04'),
                                         (0, 5, b'1234', '22P04'), (0, 2**31 - 1, row, '22P04')):
        head = BINARY_HEAD[:11] + struct.pack('!Ii', flags, extension)
        for pieces in (1, 3, 40):
            found = send_binary(c, 'copy headed from stdin binary', head + rest, pieces)
            check('a head %x %d' % (flags, extension), [f['C'] for f in failures(found)], [code] if code else [])
    for head in (b'', b'PGCOPY\n', BINARY_HEAD[:-1], b'1\ta\n', b'PGCOPY\n\xff\r\n\1' + bytes(8), b'x' * 100):
        check('no head %r' % head, [f['C'] for f in failures(send_binary(c, 'copy headed from stdin binary', head))], ['22P04'])
    check('rows of heads', rows(c.query('select count(*), count(distinct s) from headed')), [[b'12', b'1']])
    for end in (b'', b'\xff\xff'):
        check('no rows', send_binary(c, 'copy headed from stdin binary', BINARY_HEAD + end)[1][1], b'COPY 0\0')


def binary_wrong(c):
    """What is wrong is said with its row and column, and nothing is kept of such rows."""
    c.query('create table strict (i integer, s varchar, n decimal(5,2), u utinyint, l integer[], t tinyint[], d decimal(4,2)[])')
    good = [int32(1), b'a', numeric('1.5'), int16(7), array(23, int32(1)), array(21, int16(127), None, int16(65408)), array(1700, numeric('99.99'), None)]

    def answer(data):
        found = send_binary(c, 'copy strict from stdin binary', BINARY_HEAD + fields(*good) + data)
        check('the connection after %r' % data[:60], rows(c.query('select count(*) from strict')), [[b'0']])
        return [(f['C'], f['M']) for f in failures(found)]
    for column, value, code, what in (
            (0, b'\0\0\1', '22P03', 'fewer bytes than one of type integer'), (0, bytes(5), '22P03', 'more bytes than one of type integer'), (0, b'', '22P03', 'fewer'),
            (1, b'a\0b', '22021', 'a byte 0'), (1, b'\xc3', '22021', 'not UTF-8'), (2, numeric('1000'), '22003', '1000 does not fit decimal(5,2)'),
            (2, b'\0\0\0\0\xc0\0\0\0', '22P02', 'a finite number'), (2, b'\0\1', '22P03', 'fewer'), (3, int16(256), '22003', 'does not fit utinyint'),
            (3, struct.pack('!h', -1), '22003', '-1 does not fit'), (4, array(20, bytes(8)), '22P02', 'an array of type 20'), (4, array(23, b'\0'), '22P03', 'fewer'),
            (4, struct.pack('!iiiiiii', 2, 0, 23, 1, 1, 1, 1), '0A000', 'dimensions'), (4, array(23, int32(1)) + b'\0', '22P03', 'more bytes than one of type integer[]'),
            (4, struct.pack('!iiiii', 1, 0, 23, 2**31 - 1, 1), '22P03', 'fewer'), (5, array(21, None, int16(1), int16(128)), '22003', '128 does not fit tinyint'),
            (6, array(1700, numeric('1'), numeric('100')), '22003', '100 does not fit decimal(4,2)'), (6, array(1700, b'\0\0\0\0\xc0\0\0\0'), '22P02', 'a finite number')):
        row = list(good)
        row[column] = value
        (state, text), = answer(fields(*row))
        check('column %d: %r: %s' % (column, value, text), (state, text.startswith('row 2, column "%s": ' % 'isnultd'[column]), what in text), (code, True, True))
    for data, code, what in (
            (fields(*good[:4]), '22P04', 'the row 2 of what is copied has 4 fields, not 7'), (fields(*good, b''), '22P04', 'has 8 fields'),
            (int16(0), '22P04', 'has 0 fields'), (struct.pack('!h', -2), '22P04', 'has -2 fields'),
            (int16(7) + int32(-2), '22P04', 'a negative length'), (int16(7) + int32(-2**31), '22P04', 'a negative length'),
            (int16(7) + int32(2**31 - 1), '53400', '256 MiB'), (int16(7) + int32((256 << 20) + 1), '53400', '256 MiB'), (int16(7) + int32(256 << 20), '22P04', 'not whole'),
            (b'\xff\xff\0', '22P04', 'goes on after its end'), (b'\xff\xff' + fields(*good), '22P04', 'goes on after its end'), (b'\0', '22P04', 'not whole')):
        (state, text), = answer(data)
        check('%r: %s' % (data[:20], text), (state, what in text), (code, True))
    row = fields(*good)
    for cut in range(1, len(row)):
        check('a row cut at %d' % cut, answer(row[:cut])[0], ('22P04', 'the row 2 of what is copied is not whole'))
    c.send(message('Q', 'copy strict from stdin binary'), message('d', BINARY_HEAD + row), message('f', 'no'))
    check('a client gives up', [f['C'] for f in failures(c.until_ready())], ['57014'])
    c.send(message('Q', 'copy strict from stdin binary; select 7'), message('d', b'nothing'), message('d', b'more'), message('c'), message('Q', 'select 8'))
    check('what comes after a failure', (kinds(c.until_ready()), rows(c.until_ready())), ('GEZ', [[b'8']]))
    c.send(parse('copy strict from stdin (format binary)'), describe('S'), bind(), execute(), SYNC, message('d', BINARY_HEAD + row), message('c'), SYNC)
    check('prepared', kinds(c.until_ready()), '1tn2GCZ')
    for options in ('(format binary, delimiter \'|\')', '(format binary, header)', '(format binary, null \'\')', '(format binary, force_null (s))'):
        check(options, kinds(c.query('copy strict from stdin ' + options)), 'EZ')


def binary_random(c):
    """Rows that are changed anywhere end in a result or a failure."""
    choose = random.Random(41)
    c.query('create table changed (i integer, s varchar, n decimal(20,4), t timestamptz, b blob, l varchar[], f real, v uuid, j json)')
    row = fields(int32(5), b'text', numeric('-12.5'), struct.pack('!q', 77), b'\0\1\2', array(25, b'a"', None), struct.pack('!f', 1.5), bytes(16), b'[1]')
    whole = BINARY_HEAD + row * 3 + fields(*[None] * 9) + b'\xff\xff'
    outcomes = set()
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(choose.randrange(1, 4)):
            at = choose.randrange(len(data)) if choose.random() < 0.2 else choose.randrange(min(19, len(data) - 1), len(data))
            kind = choose.randrange(5)
            if kind == 0:
                data[at] = choose.randrange(256)
            elif kind == 1:
                data[at] ^= 1 << choose.randrange(8)
            elif kind == 2:
                del data[at:]
            elif kind == 3:
                del data[at:at + choose.randrange(1, 9)]
            else:
                data[at:at] = choose.choice([bytes(choose.randrange(1, 9)), b'\xff' * choose.randrange(1, 9), bytes(data[:at][-30:])])
            if len(data) < 2:
                break
        found = send_binary(c, 'copy changed from stdin binary', bytes(data), choose.randrange(1, 6))
        outcomes.add(kinds(found))
        states = [f['C'] for f in failures(found)]
        check('changed rows %r' % bytes(data), (kinds(found) in ('GCZ', 'GEZ'), any(s.startswith('XX') for s in states)), (True, False))
    check('both came', outcomes, {'GCZ', 'GEZ'})
    check('what was kept can be read', kinds(c.query('select count(*), max(s), max(j::varchar) from changed')), 'TDCZ')


def copy_binary(c):
    for part in (binary_values, binary_heads, binary_wrong, binary_random):
        part(c)


def cursors(c):
    sql = 'declare C no scroll cursor for select i::int, (2 * i)::varchar from range(10) as r(i)'
    check('a cursor outside of a transaction', failures(c.query(sql))[0]['C'], '25P01')
    found = c.query('begin; ' + sql + '; fetch forward 2 from c; fetch c; fetch 0 in c')
    check('a cursor', (kinds(found), [int(r[0]) for r in rows(found)]), ('CCTDDCTDCTCZ', [0, 1, 2]))
    found = c.ask(parse('fetch 2 from c'), describe('S'), bind(results=[1, 0]), describe('P'), execute(), SYNC)
    check('FETCH prepared', (kinds(found), rows(found)), ('1tT2TDDCZ', [[int32(3), b'6'], [int32(4), b'8']]))
    check('the rest', len(rows(c.query('fetch all from c'))), 5)
    c.query('declare m cursor for select i from range(10000) r(i)')
    found = c.query('move 3 in m; fetch m; move forward 5000 from m; fetch next from m; move 0 m; move all in m; fetch m; close m')
    check('MOVE', ([b.rstrip(b'\0') for k, b in found if k == 'C'], rows(found)),
          ([b'MOVE 3', b'FETCH 1', b'MOVE 5000', b'FETCH 1', b'MOVE 0', b'MOVE 4995', b'FETCH 0', b'CLOSE CURSOR'], [[b'3'], [b'5004']]))
    found = c.query('declare d cursor for select 1 / (i - 5) from range(10) as r(i); fetch d')
    check('a failure of its query', (failures(found)[0]['C'], found[-1][1]), ('22012', b'E'))
    c.query('rollback')
    check('cursors end with their transaction', failures(c.query('fetch c'))[0]['C'], '34000')
    found = c.ask(message('Q', 'begin'))
    found = c.ask(parse('declare "a b" cursor without hold for select 1'), bind(), execute(), SYNC)
    check('DECLARE prepared', kinds(found), '12CZ')
    check('its row', rows(c.query('fetch all "a b"; close "a b"')), [[b'1']])
    check('closed', failures(c.query('fetch "a b"'))[0]['C'], '34000')
    c.query('rollback')
    c.query('begin')
    found = c.query('declare x cursor for select nothing')
    check('a cursor of nothing', (failures(found)[0]['C'], failures(found)[0].get('P')), ('42703', None))
    c.query('rollback')


def session(c):
    names = dict(b.split(b'\0')[:2] for k, b in c.login if k == 'S')
    check('what is told at the start', [names.get(n) for n in (b'server_version', b'server_encoding', b'TimeZone')],
          [b'15.0', b'UTF8', b'UTC'])
    found = c.query("set application_name to 'it''s'; show application_name; show transaction isolation level")
    check('a setting', ([b for k, b in found if k == 'S'], rows(found)),
          ([b"application_name\0it's\0"], [[b"it's"], [b'read committed']]))
    check('a setting of another value', failures(c.query('set client_encoding = latin1'))[0]['C'], '0A000')
    check('a setting that is the server\'s', failures(c.query('set server_version = 9'))[0]['C'], '55P02')
    for sql, tag, state in (('begin', 'BEGIN', 'T'), ('savepoint a', 'SAVEPOINT', 'T'), ('select x', None, 'E'),
                            ('rollback to savepoint a', 'ROLLBACK', 'T'), ('release a', 'RELEASE', 'T'),
                            ('end', 'COMMIT', 'I'), ('start transaction read only', 'START TRANSACTION', 'T'),
                            ('abort work', 'ROLLBACK', 'I'), ('savepoint a', None, 'I'), ('discard all', 'DISCARD ALL', 'I'),
                            ('set session characteristics as transaction read only', 'SET', 'I')):
        found = c.query(sql)
        check(sql, ([b[:-1].decode() for k, b in found if k == 'C'], found[-1][1]), ([tag] if tag else [], state.encode()))
    check('empty statements between', len(rows(c.query(';;select 1;; ;select 2;'))), 2)


# ---- hostile ----

def raw(server, *parts):
    """Sends bytes in the place of a login, and returns what comes until the end."""
    with Client(server.path, login=False) as c:
        c.send(*parts)
        c.socket.shutdown(1)
        found = b''
        while True:
            try:
                some = c.socket.recv(65536)
            except ConnectionResetError:
                some = b''
            if not some:
                return found
            found += some


def starts(server):
    for length in (0, 3, 4, 7, -1, 2**31 - 1, 10001):
        raw(server, int32(length), b'x' * 8)
    whole = start(user='tester', database='any')
    for cut in range(len(whole)):
        raw(server, whole[:cut])
    check('TLS, then GSS, then TLS', raw(server, *[int32(8, 80877103), int32(8, 80877104)] * 2)[:3], b'NNN')
    check('another protocol', b'0A000' in raw(server, int32(8, 2 << 16)), True)
    check('a newer one', raw(server, int32(17, (3 << 16) + 2), b'user\0me\0\0')[:1], b'v')
    check('no user', b'28000' in raw(server, start(database='any')), True)
    check('names without end', b'08P01' in raw(server, start(**{'n%d' % i: 'x' for i in range(200)})), True)
    check('another encoding', b'0A000' in raw(server, start(user='x', client_encoding='LATIN1')), True)
    raw(server, int32(16, 80877102, 1, 1))
    raw(server, b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(500))


def cut_messages(server):
    """Messages cut at each byte, with the length that they then have: refused, and the session goes on, or it ends."""
    whole = [parse('select $1::int', types=[23]), bind([b'1', None], [0, 1], [0]), describe('S'), execute(3),
             close('P', 'abc'), message('Q', 'select 1')]
    with Client(server.path) as c:
        for m in whole:
            for cut in range(5, len(m)):
                part = m[:1] + int32(cut - 1) + m[5:cut]
                found = c.ask(part, SYNC)
                if found[-1][0] == '':
                    c.__init__(server.path)
                elif m[:1] == b'Q':
                    c.until_ready()
                elif 'E' not in kinds(found) and cut < len(m) - 1 and m[:1] not in b'C':
                    check('%r cut at %d' % (m, cut), kinds(found), 'an error')
    for length in (0, 3, -1, 2**31 - 1, -2**31):
        with Client(server.path) as c:
            check('length %d' % length, failures(c.ask(b'Q', int32(length), b'select 1\0'))[0]['C'], '08P01')
    with Client(server.path) as c:
        check('an unknown type', failures(c.ask(message('?')))[0]['C'], '08P01')


def bombs(server):
    with Client(server.path) as c:
        found = c.ask(parse('select 1'), message('B', '', '', int16(65535), int16(1) * 65535, int16(0), int16(0)), SYNC)
        check('65,535 formats', failures(found)[0]['C'], '08P01')
        found = c.ask(parse('select 1'), message('B', '', '', int16(0, 65535)), SYNC)
        check('65,535 parameters', failures(found)[0]['C'], '08P01')
        found = c.ask(message('P', '', 'select 1', int16(65535)), SYNC)
        check('65,535 types', failures(found)[0]['C'], '08P01')
        c.ask(parse('select 1', 'one'), SYNC)
        count = 0
        c.query('begin')
        for first in range(0, 1000, 100):
            found = c.ask(*[bind(name='one', portal='p%d' % (first + i)) for i in range(100)], SYNC)
            count += kinds(found).count('2')
        check('portals', (count, found[-1][1]), (100, b'E'))
        c.query('rollback')
        count = 0
        for first in range(0, 2000, 100):
            found = c.ask(*[parse('select %d' % i, 's%d' % i) for i in range(first, first + 100)], SYNC)
            count += kinds(found).count('1')
        check('prepared statements', count, 999)
        check('more can be done after that', rows(c.query('select 5')), [[b'5']])
    before = server.memory()
    idle = [Client(server.path, login=False) for _ in range(20)]
    for c in idle:
        c.send(b'Q' + int32(2**28))  # as a first message: refused at once
    with Client(server.path) as c:
        c.send(b'Q', int32(200 << 20))
        with Client(server.path) as other:
            check('a length takes no memory', (rows(other.query('select 1')), server.memory() - before < 40 << 10),
                  ([[b'1']], True))
    for c in idle:
        c.socket.close()


def garbage(server):
    choose = random.Random(33)
    letters = b'QPBDECSHXdcfF?'
    for _ in range(200):
        with Client(server.path) as c:
            parts = []
            for _ in range(choose.randrange(1, 6)):
                body = choose.choice([bytes(choose.randrange(256) for _ in range(choose.randrange(40))),
                                      b'\0' * choose.randrange(30), b'a\0select 1\0\0\0', b'\0\0\0\1\0\1\0\1'])
                parts.append(bytes([choose.choice(letters)]) + int32(len(body) + 4) + body)
            try:
                c.send(*parts)
            except (BrokenPipeError, ConnectionResetError):
                pass


def run(server):
    for part in (session, results, parameters, portals, copy, copy_from, copy_where, copy_binary, cursors):
        with Client(server.path) as c:
            part(c)
    with Client(server.path) as witness:
        for part in (starts, cut_messages, bombs, garbage):
            part(server)
            check('another client is undisturbed by ' + part.__name__, rows(witness.query('select 1')), [[b'1']])
        waiting = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        check('an idle client is told of the end', [f['C'] for f in failures(witness.until_ready())], ['57P01'])
        check('soon', time.monotonic() - waiting < 10, True)
    server.end()


def main():
    server = Server('--max-connections', '50')
    try:
        run(server)
    finally:
        server.process.kill()
    return finish()


sys.exit(main())
