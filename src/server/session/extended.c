/* extended.c - see extended.h. */
#include "server/session/extended.h"

#include "base/type/pg_type.h"
#include "server/engine.h"
#include "server/protocol/decode.h"
#include "server/protocol/decode_array.h"
#include "server/protocol/failure.h"
#include "server/session/command_run.h"
#include "server/session/copy_in.h"
#include "server/session/copy_out.h"
#include "server/session/cursor.h"

static void write_empty(session *s, char type)
{
    wire_begin(&s->stream.out, type);
    wire_finish(&s->stream.out);
}

/* ---- Parse ---- */

/* Fails where the text goes on after its first statement. */
static status check_rest(const char *rest)
{
    while (rest && *rest) {
        if (!strchr(" \t\r\n\f\v;", *rest) && !sql_is_comment(rest))
            return status_new(STATUS_KIND_INVALID, "a prepared statement is one statement");
        rest = sql_skip_token(rest);
    }
    return STATUS_OK;
}

/* Returns in *out the type of the engine for one of PostgreSQL's; NULL: its place says it. A list's is held. */
static status declared_type(uint32_t oid, data_type *out)
{
    bool is_array;
    TRY(decode_array_type(oid, out, &is_array));
    if (!is_array)
        *out = oid == PG_NUMERIC ? type_decimal(18, 3) : decode_type(oid);
    return STATUS_OK;
}

static void free_declared(data_type *types, const prepared *p)
{
    for (uint32_t i = 0; types && i < p->oid_count; i++)
        nested_type_release(types[i]);
    mem_free(types);
}

/* Reads the declared types, as PostgreSQL's and as the engine's. *out_types: free_declared. */
static status read_declared(wire_reader *reader, prepared *p, data_type **out_types)
{
    uint32_t count = wire_read_16(reader);
    *out_types = NULL;
    if (count > (size_t)(reader->end - reader->at) / 4)
        return wire_end(&(wire_reader){.is_broken = true}, "Parse");
    p->oids = mem_new_array(count + 1, sizeof *p->oids);
    *out_types = mem_new_array(count + 1, sizeof **out_types);
    if (!p->oids || !*out_types)
        return status_no_memory("types of parameters", count * sizeof *p->oids);
    p->oid_count = count;
    for (uint32_t i = 0; i < count; i++) {
        p->oids[i] = wire_read_32(reader);
        TRY(declared_type(p->oids[i], &(*out_types)[i]));
    }
    return wire_end(reader, "Parse");
}

static status prepare(session *s, const char *sql, const data_type *declared, prepared *p)
{
    const char *rest = NULL;
    TRY(command_read(sql, &p->command, &rest));
    TRY(command_check(s, p->command.kind));
    if (p->command.kind == COMMAND_DECLARE) {
        size_t start = (size_t)(p->command.query - sql);
        p->sql = mem_copy_text(sql, strlen(sql));
        if (!p->sql)
            return status_no_memory("statement", strlen(sql));
        p->command.query = p->sql + start;
    }
    if (!p->command.kind)
        TRY(api_prepare(s->connection, sql, declared, p->oid_count, &rest, &p->statement));
    return check_rest(rest);
}

static status parse(session *s, wire_reader *reader)
{
    const char *name = wire_read_text(reader);
    s->sql = wire_read_text(reader);
    prepared *p;
    data_type *declared;
    TRY(prepared_add(&s->lists, name, &p));
    status st = read_declared(reader, p, &declared);
    if (!st)
        st = prepare(s, s->sql, declared, p);
    free_declared(declared, p);
    if (st)
        prepared_remove(&s->lists, name);
    else
        write_empty(s, '1');
    return st;
}

/* ---- what is known of a statement ---- */

static status find_statement(session *s, const char *name, prepared **out)
{
    *out = prepared_find(&s->lists, name);
    if (!*out)
        return status_new(STATUS_KIND_NOT_FOUND, "prepared statement \"%s\" does not exist", name);
    s->sql = (*out)->statement ? (*out)->statement->sql : NULL;
    return STATUS_OK;
}

static status find_portal(session *s, const char *name, portal **out)
{
    *out = portal_find(&s->lists, name);
    if (!*out)
        return status_new(STATUS_KIND_NOT_FOUND, "portal \"%s\" does not exist", name);
    const pistachio_result *result = (*out)->rows.result;
    s->sql = result && result->prepared ? result->prepared->sql : NULL;
    return STATUS_OK;
}

/* Returns the type that a parameter is declared to have, or else the one that its place asks for. */
static uint32_t parameter_oid(const prepared *p, uint32_t parameter)
{
    if (parameter < p->oid_count && p->oids[parameter])
        return p->oids[parameter];
    return pg_type_of(p->statement->described->parameter_types[parameter]).oid;
}

static void describe_parameters(session *s, const prepared *p)
{
    uint32_t count = pistachio_parameter_count(p->statement);
    wire_begin(&s->stream.out, 't');
    wire_16(&s->stream.out, (uint16_t)count);
    for (uint32_t i = 0; i < count; i++)
        wire_32(&s->stream.out, parameter_oid(p, i));
    wire_finish(&s->stream.out);
}

static status describe_rows(session *s, const api_columns *columns, rows_formats formats)
{
    if (columns && columns->count)
        return rows_describe(&s->stream.out, columns, formats);
    write_empty(s, 'n');
    return STATUS_OK;
}

static status describe_statement(session *s, const prepared *p)
{
    data_type text = type_make(TYPE_VARCHAR);
    const char *name = p->command.kind == COMMAND_SHOW ? pg_setting_name(p->command.setting) : NULL;
    api_columns shown = {.count = 1, .names = &name, .types = &text};
    describe_parameters(s, p);
    if (name)
        return describe_rows(s, &shown, (rows_formats){0});
    if (p->command.kind == COMMAND_FETCH)
        return cursor_describe(s, &p->command, (rows_formats){0});
    bool has_rows = p->statement && !p->statement->described->copy.is_to_client;
    return describe_rows(s, has_rows ? &p->statement->columns : NULL, (rows_formats){0});
}

static status describe(session *s, wire_reader *reader)
{
    char kind = (char)wire_read_byte(reader);
    const char *name = wire_read_text(reader);
    prepared *statement;
    portal *p;
    TRY(wire_end(reader, "Describe"));
    if (kind == 'S') {
        TRY(find_statement(s, name, &statement));
        return describe_statement(s, statement);
    }
    TRY(find_portal(s, name, &p));
    if (p->command.kind == COMMAND_FETCH)
        return cursor_describe(s, &p->command, (rows_formats){p->formats, p->format_count});
    bool has_rows = p->rows.result && !copy_out_is(p->rows.result);
    return describe_rows(s, has_rows ? &p->rows.result->columns : NULL,
                         (rows_formats){p->formats, p->format_count});
}

/* ---- Bind ---- */

typedef struct bind_formats {
    wire_reader codes; /* of 16 bits */
    size_t count;
} bind_formats;

/* Reads how many codes there are, and skips them; `wanted` of them, one, or none. */
static status read_formats(wire_reader *reader, bind_formats *out)
{
    out->count = wire_read_16(reader);
    const char *codes = wire_read_bytes(reader, 2 * out->count);
    out->codes = (wire_reader){.at = codes, .end = codes ? codes + 2 * out->count : NULL};
    return codes ? STATUS_OK : wire_end(reader, "Bind");
}

static status check_formats(const bind_formats *formats, size_t wanted, const char *what)
{
    if (formats->count <= 1 || formats->count == wanted)
        return STATUS_OK;
    return status_new(STATUS_KIND_CORRUPT, "a message Bind has %zu formats for %zu %s",
                      formats->count, wanted, what);
}

static status next_format(bind_formats *formats, encode_format *out)
{
    uint16_t code = wire_read_16(&formats->codes);
    *out = code;
    return code <= ENCODE_BINARY ? STATUS_OK
                                 : status_new(STATUS_KIND_CORRUPT,
                                              "a message Bind has the format %u", (unsigned)code);
}

/* Gives the parameter an array. */
static status bind_array(const prepared *p, uint32_t parameter, encode_format format,
                         const char *bytes, size_t count)
{
    wire_writer room = {0};
    value v;
    status st =
        status_context(decode_array(parameter_oid(p, parameter), format, bytes, count, &room, &v),
                       "parameter %u", (unsigned)parameter + 1);
    if (!st) {
        st = api_bind(p->statement, parameter, &v);
        nested_type_release(v.type);
    }
    wire_release(&room);
    return st;
}

static status bind_parameter(const prepared *p, uint32_t parameter, encode_format format,
                             wire_reader *reader)
{
    const pg_type_entry *entry = pg_type_find(parameter_oid(p, parameter));
    uint32_t bytes = wire_read_32(reader);
    value v = value_null(type_make(TYPE_NULL));
    if (bytes == UINT32_MAX)
        return api_bind(p->statement, parameter, &v);
    const char *text = wire_read_bytes(reader, bytes);
    if (!text)
        return wire_end(reader, "Bind");
    if (entry && entry->element)
        return bind_array(p, parameter, format, text, bytes);
    TRY(status_context(decode_value(parameter_oid(p, parameter), format, text, bytes, &v),
                       "parameter %u", (unsigned)parameter + 1));
    return api_bind(p->statement, parameter, &v);
}

static status bind_parameters(const prepared *p, wire_reader *reader)
{
    bind_formats formats;
    TRY(read_formats(reader, &formats));
    uint32_t count = wire_read_16(reader), wanted = pistachio_parameter_count(p->statement);
    encode_format format = ENCODE_TEXT;
    TRY(check_formats(&formats, count, "parameters"));
    if (count != wanted)
        return status_new(STATUS_KIND_CORRUPT,
                          "a message Bind has %u parameters; the statement has %u", (unsigned)count,
                          (unsigned)wanted);
    for (uint32_t i = 0; i < count; i++) {
        if (i < formats.count)
            TRY(next_format(&formats, &format));
        TRY(bind_parameter(p, i, format, reader));
    }
    return STATUS_OK;
}

/* Executes the statement, with the values that were bound. */
static status run_statement(session *s, const prepared *p, portal *made)
{
    char sql[COMMAND_SHOW_BYTES];
    made->command = p->command;
    TRY(command_check(s, p->command.kind));
    if (p->command.kind == COMMAND_SHOW) {
        command_show(s, &p->command, sql);
        made->command.kind = COMMAND_NONE;
        return api_error_status(pistachio_query(s->connection, sql, NULL, &made->rows.result));
    }
    if (p->command.kind ==
        COMMAND_DECLARE) { /* now, as its text goes with the prepared statement */
        made->command.kind = COMMAND_NOTHING;
        session_statement_begin(s, p->sql, strlen(p->sql));
        return cursor_declare(s, &p->command);
    }
    made->rows.limit = s->client->activity.limits.rows;
    if (!p->statement)
        return STATUS_OK;
    if (p->statement->described->copy.is_from_client) { /* its messages come after Execute */
        made->copies = mem_copy_text(p->name, strlen(p->name));
        return made->copies ? STATUS_OK : status_no_memory("portal", strlen(p->name));
    }
    session_statement_begin(s, p->statement->sql, strlen(p->statement->sql));
    TRY(api_error_status(pistachio_execute(p->statement, &made->rows.result)));
    made->rows.needs_turn = activity_has_turn(&s->client->activity);
    return STATUS_OK;
}

/* Reads the formats of the portal's columns, of which there may be more than columns of a statement without rows. */
static status take_formats(portal *made, wire_reader *reader)
{
    bind_formats formats;
    TRY(read_formats(reader, &formats));
    TRY(wire_end(reader, "Bind"));
    size_t columns = made->rows.result ? made->rows.result->columns.count : 0;
    if (columns)
        TRY(check_formats(&formats, columns, "columns"));
    made->formats = mem_new(formats.count + 1);
    if (!made->formats)
        return status_no_memory("formats", formats.count);
    made->format_count = formats.count;
    for (size_t i = 0; i < formats.count; i++) {
        encode_format format;
        TRY(next_format(&formats, &format));
        made->formats[i] = (uint8_t)format;
    }
    return STATUS_OK;
}

static status fill_portal(session *s, const prepared *p, portal *made, wire_reader *reader)
{
    TRY(bind_parameters(p, reader));
    TRY(run_statement(s, p, made));
    TRY(take_formats(made, reader));
    made->rows.is_done = !made->rows.result || !made->rows.result->columns.count;
    return STATUS_OK;
}

static status extended_bind(session *s, wire_reader *reader)
{
    const char *name = wire_read_text(reader), *statement = wire_read_text(reader);
    prepared *p;
    portal *made;
    if (reader->is_broken)
        return wire_end(reader, "Bind");
    TRY(find_statement(s, statement, &p));
    TRY(portal_add(&s->lists, name, &made));
    status st = fill_portal(s, p, made, reader);
    if (st)
        portal_remove(&s->lists, name);
    else
        write_empty(s, '2');
    return st;
}

/* ---- Execute, Close ---- */

/* Sends at most so many rows of the portal's; 0: all. */
static status execute_portal(session *s, portal *p, uint32_t most)
{
    rows_formats formats = {p->formats, p->format_count};
    uint64_t before = p->rows.sent;
    if (p->rows.needs_turn)
        TRY(activity_await_turn(&s->client->activity));
    bool is_copy = copy_out_is(p->rows.result) && !p->rows.is_done;
    status st = is_copy ? copy_out_send(&s->stream, &p->rows)
                        : rows_send(&s->stream, &p->rows, formats, most);
    s->rows = p->rows.sent - before;
    TRY(st);
    if (is_copy) /* which ends with its own tag */
        return STATUS_OK;
    if (p->rows.is_done)
        rows_write_tag(&s->stream.out, &p->rows);
    else
        write_empty(s, 's');
    return STATUS_OK;
}

/* Begins what the portal runs, unless Bind has begun it. */
static void begin_portal(session *s, const command *c)
{
    const char *text = s->sql ? s->sql : c->kind ? c->tag : "";
    session_statement_begin(s, text, strlen(text));
}

/* Runs COPY ... FROM STDIN, once. */
static status execute_copy(session *s, portal *p)
{
    prepared *from;
    TRY(find_statement(s, p->copies, &from));
    if (!from->statement || !from->statement->described->copy.is_from_client)
        return status_new(STATUS_KIND_INVALID, "portal \"%s\" has lost its statement", p->name);
    session_statement_begin(s, from->statement->sql, strlen(from->statement->sql));
    mem_free(p->copies);
    p->copies = NULL;
    status st = api_error_status(pistachio_execute(from->statement, &p->rows.result));
    copy_in_end(s);
    TRY(st);
    p->rows.is_done = true;
    rows_write_tag(&s->stream.out, &p->rows);
    return STATUS_OK;
}

static status execute(session *s, wire_reader *reader)
{
    const char *name = wire_read_text(reader);
    uint32_t most = wire_read_32(reader);
    portal *p;
    TRY(wire_end(reader, "Execute"));
    TRY(find_portal(s, name, &p));
    if (p->copies)
        return execute_copy(s, p);
    command c = p->command; /* which may remove the portal */
    begin_portal(s, &c);
    if (c.kind && c.kind != COMMAND_FETCH)
        return command_run(s, &c);
    TRY(command_check(s, COMMAND_NONE));
    if (c.kind)
        return cursor_fetch(s, &c, (rows_formats){p->formats, p->format_count});
    if (!p->rows.result) {
        write_empty(s, 'I');
        return STATUS_OK;
    }
    return execute_portal(s, p, most > INT32_MAX ? 0 : most);
}

static status close_one(session *s, wire_reader *reader)
{
    char kind = (char)wire_read_byte(reader);
    const char *name = wire_read_text(reader);
    TRY(wire_end(reader, "Close"));
    if (kind == 'S')
        prepared_remove(&s->lists, name);
    else
        portal_remove(&s->lists, name);
    write_empty(s, '3');
    return STATUS_OK;
}

/* ---- all of them ---- */

static status answer(session *s, char type, wire_reader *reader)
{
    switch (type) {
    case 'P':
        return parse(s, reader);
    case 'B':
        return extended_bind(s, reader);
    case 'D':
        return describe(s, reader);
    case 'E':
        return execute(s, reader);
    default:
        return close_one(s, reader);
    }
}

status extended_answer(session *s, char type, wire_reader *reader)
{
    if (s->is_skipping)
        return STATUS_OK;
    s->sql = NULL;
    status st = answer(s, type, reader);
    if (type == 'E' || st)
        st = session_statement_end(s, st);
    if (st) {
        session_fail(s, st, 0);
        s->is_skipping = true;
    }
    return s->stream.is_gone ? STATUS_OK : stream_flush_some(&s->stream);
}

void extended_sync(session *s)
{
    s->is_skipping = false;
    session_statement_drop(s);
    if (s->transaction == TRANSACTION_NONE)
        portal_remove_all(&s->lists);
}
