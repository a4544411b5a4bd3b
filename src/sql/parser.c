/* parser.c - calls libpg_query, whose results come as protobuf, and unpacks them into an arena. */
#include "sql/parser.h"

#include <pg_query.h>

static void *unpack_alloc(void *context, size_t bytes)
{
    return arena_alloc(context, bytes);
}

static void unpack_free(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

/* Byte offset of the character with a number from 1; 0: nowhere. */
static int64_t byte_offset(const char *sql, int character)
{
    const char *at = sql;
    if (character < 1)
        return -1;
    for (int i = 1; i < character && *at; i++)
        do
            at++;
        while (((unsigned char)*at & 0xc0) == 0x80);
    return at - sql;
}

static status parser_error(const PgQueryError *error, const char *sql)
{
    return status_at(status_new(STATUS_KIND_INVALID, "%s", error->message),
                     byte_offset(sql, error->cursorpos));
}

status sql_scan(arena *a, const char *sql, pg_token ***out, size_t *out_count)
{
    ProtobufCAllocator allocator = {unpack_alloc, unpack_free, a};
    PgQueryScanResult scanned = pg_query_scan(sql);
    status st = STATUS_OK;
    if (scanned.error) {
        st = parser_error(scanned.error, sql);
    } else {
        PgQuery__ScanResult *result = pg_query__scan_result__unpack(
            &allocator, scanned.pbuf.len, (const uint8_t *)scanned.pbuf.data);
        if (result) {
            *out = result->tokens;
            *out_count = result->n_tokens;
        } else {
            st = status_no_memory("tokens", scanned.pbuf.len);
        }
    }
    pg_query_free_scan_result(scanned);
    return st;
}

status sql_parse(arena *a, const char *sql, pg_node **out)
{
    ProtobufCAllocator allocator = {unpack_alloc, unpack_free, a};
    PgQueryProtobufParseResult parsed = pg_query_parse_protobuf(sql);
    status st = STATUS_OK;
    *out = NULL;
    if (parsed.error) {
        st = parser_error(parsed.error, sql);
    } else {
        PgQuery__ParseResult *result = pg_query__parse_result__unpack(
            &allocator, parsed.parse_tree.len, (const uint8_t *)parsed.parse_tree.data);
        if (!result)
            st = status_no_memory("parse tree", parsed.parse_tree.len);
        else if (result->n_stmts > 0)
            *out = result->stmts[0]->stmt;
    }
    pg_query_free_protobuf_parse_result(parsed);
    return st;
}

/* ---- places ---- */

typedef struct mover {
    sql_place *place;
    const void *context;
} mover;

static bool ends_with(const char *name, const char *end)
{
    size_t bytes = strlen(name), end_bytes = strlen(end);
    return bytes >= end_bytes && !strcmp(name + bytes - end_bytes, end);
}

/* Of a oneof another member may be there. */
static bool is_present(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *field)
{
    const void *which = (const char *)m + field->quantifier_offset;
    return !(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) || *(const uint32_t *)which == field->id;
}

static void move_message(const mover *v, ProtobufCMessage *m);

static void move_field(const mover *v, ProtobufCMessage *m, const ProtobufCFieldDescriptor *field)
{
    void *at = (char *)m + field->offset;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        if (field->type != PROTOBUF_C_TYPE_MESSAGE)
            return;
        const void *counted = (const char *)m + field->quantifier_offset;
        size_t count = *(const size_t *)counted;
        for (size_t i = 0; i < count; i++)
            move_message(v, (*(ProtobufCMessage ***)at)[i]);
    } else if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        if (is_present(m, field) && *(ProtobufCMessage **)at)
            move_message(v, *(ProtobufCMessage **)at);
    } else if (field->type == PROTOBUF_C_TYPE_INT32 && ends_with(field->name, "location")) {
        *(int32_t *)at = v->place(v->context, *(int32_t *)at);
    }
}

static void move_message(const mover *v, ProtobufCMessage *m)
{
    for (unsigned i = 0; i < m->descriptor->n_fields; i++)
        move_field(v, m, &m->descriptor->fields[i]);
}

void sql_tree_move(pg_node *tree, sql_place *place, const void *context)
{
    mover v = {place, context};
    move_message(&v, &tree->base);
}
