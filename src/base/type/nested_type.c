/* nested_type.c - entries by number, found by their structure in buckets; one lock for all but reading. */
#include "base/type/nested_type.h"

#include "base/system/mutex.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>

#define NUMBERS 65536 /* number 0 is nobody's */
#define BUCKETS 1024

typedef struct entry {
    struct entry *next; /* in its bucket */
    uint64_t holds;
    uint64_t hash;
    uint32_t number;
    uint8_t id;
    nested_type type; /* its fields' names lie behind it */
} entry;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Read without the lock by those who hold the type. */
static entry *_Atomic numbers[NUMBERS];
/* Under the lock. */
static entry *buckets[BUCKETS];
static uint32_t last_number; /* given */

uint32_t nested_type_number(data_type type)
{
    return type_is_nested(type) ? (uint32_t)type.precision | (uint32_t)type.scale << 8 : 0;
}

static entry *entry_of(data_type type)
{
    return atomic_load_explicit(&numbers[nested_type_number(type)], memory_order_acquire);
}

bool nested_type_is_known(data_type type)
{
    mutex_lock(&lock);
    const entry *e = type_is_nested(type) ? entry_of(type) : NULL;
    bool is_known = e && e->id == type.id && type.width == sizeof(nested_value);
    mutex_unlock(&lock);
    return is_known;
}

const nested_type *nested_type_of(data_type type)
{
    const entry *e = entry_of(type);
    assert(type_is_nested(type) && e && e->id == type.id);
    return &e->type;
}

/* ---- structures ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

/* The parts of a type. */
typedef struct structure {
    type_id id;
    uint32_t size, count;
    const nested_field *fields;
} structure;

static uint64_t hash_of(const structure *s)
{
    const nested_field *fields = s->fields;
    uint64_t hash = mix((uint64_t)s->size << 32 | s->count, s->id);
    for (uint32_t i = 0; i < s->count; i++) {
        const data_type type = fields[i].type;
        hash = mix(hash,
                   (uint64_t)type.id | (uint64_t)type.precision << 8 | (uint64_t)type.scale << 16);
        for (const char *c = fields[i].name; *c; c++)
            hash = mix(hash, (unsigned char)*c);
    }
    return hash;
}

static bool is_structure(const entry *e, const structure *s)
{
    if (e->id != s->id || e->type.field_count != s->count || e->type.size != s->size)
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (!type_equal(e->type.fields[i].type, s->fields[i].type) ||
            e->type.fields[i].type.precision != s->fields[i].type.precision || /* json, oid */
            strcmp(e->type.fields[i].name, s->fields[i].name) != 0)
            return false;
    return true;
}

static data_type type_of(const entry *e)
{
    return (data_type){.id = e->id,
                       .precision = (uint8_t)e->number,
                       .scale = (uint8_t)(e->number >> 8),
                       .width = sizeof(nested_value)};
}

/* ---- holding, with the lock held ---- */

static void hold(entry *e)
{
    e->holds++;
}

static void let_go(entry *e)
{
    assert(e->holds);
    if (--e->holds)
        return;
    entry **at = &buckets[e->hash % BUCKETS];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    atomic_store_explicit(&numbers[e->number], NULL, memory_order_release);
    for (uint32_t i = 0; i < e->type.field_count; i++)
        if (type_is_nested(e->type.fields[i].type))
            let_go(entry_of(e->type.fields[i].type));
    mem_free(e);
}

/* ---- entries ---- */

static status new_entry(const structure *s, entry **out)
{
    const nested_field *fields = s->fields;
    uint32_t count = s->count;
    size_t bytes = sizeof(entry) + count * sizeof *fields, at = bytes;
    for (uint32_t i = 0; i < count; i++)
        bytes += strlen(fields[i].name) + 1;
    entry *e = mem_new(bytes);
    if (!e)
        return status_no_memory("nested type", bytes);
    e->id = (uint8_t)s->id;
    e->type.field_count = count;
    e->type.size = s->size;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(fields[i].name) + 1;
        memcpy((char *)e + at, fields[i].name, length);
        e->type.fields[i] = (nested_field){(char *)e + at, fields[i].type};
        /* Types that differ in the width of a decimal alone are one type, whose children have the usual width. */
        if (fields[i].type.id == TYPE_DECIMAL)
            e->type.fields[i].type = type_decimal(fields[i].type.precision, fields[i].type.scale);
        at += length;
    }
    *out = e;
    return STATUS_OK;
}

/* 0: all are taken. */
static uint32_t free_number(void)
{
    for (uint32_t tried = 1; tried < NUMBERS; tried++) {
        last_number = last_number % (NUMBERS - 1) + 1;
        if (!atomic_load_explicit(&numbers[last_number], memory_order_relaxed))
            return last_number;
    }
    return 0;
}

static status add(entry *e)
{
    e->number = free_number();
    if (!e->number)
        return status_hint(status_new(STATUS_KIND_LIMIT,
                                      "there are %d different nested types in use", NUMBERS - 1),
                           "close results, statements or tables that have others");
    for (uint32_t i = 0; i < e->type.field_count; i++)
        if (type_is_nested(e->type.fields[i].type))
            hold(entry_of(e->type.fields[i].type));
    e->next = buckets[e->hash % BUCKETS];
    buckets[e->hash % BUCKETS] = e;
    e->holds = 1;
    atomic_store_explicit(&numbers[e->number], e, memory_order_release);
    return STATUS_OK;
}

static entry *find(uint64_t hash, const structure *s)
{
    entry *e = buckets[hash % BUCKETS];
    while (e && (e->hash != hash || !is_structure(e, s)))
        e = e->next;
    return e;
}

static status make(const structure *s, data_type *out)
{
    uint64_t hash = hash_of(s);
    entry *made = NULL;
    status st = STATUS_OK;
    mutex_lock(&lock);
    entry *e = find(hash, s);
    if (e) {
        hold(e);
    } else {
        st = new_entry(s, &made);
        if (!st) {
            made->hash = hash;
            st = add(made);
        }
        if (st)
            mem_free(made);
        else
            e = made;
    }
    mutex_unlock(&lock);
    if (!st)
        *out = type_of(e);
    return st;
}

status nested_type_make(type_id id, const nested_field *fields, uint32_t count, data_type *out)
{
    return make(&(structure){id, 0, count, fields}, out);
}

status nested_type_make_list(data_type element, data_type *out)
{
    return nested_type_make_sized(element, 0, out);
}

status nested_type_make_sized(data_type element, uint32_t size, data_type *out)
{
    return make(&(structure){TYPE_LIST, size, 1, &(nested_field){"", element}}, out);
}

uint32_t nested_type_size(data_type type)
{
    return type.id == TYPE_LIST ? nested_type_of(type)->size : 0;
}

void nested_type_hold(data_type type)
{
    if (!type_is_nested(type))
        return;
    mutex_lock(&lock);
    hold(entry_of(type));
    mutex_unlock(&lock);
}

void nested_type_release(data_type type)
{
    if (!type_is_nested(type))
        return;
    mutex_lock(&lock);
    let_go(entry_of(type));
    mutex_unlock(&lock);
}

static void release_entry(void *object)
{
    mutex_lock(&lock);
    let_go(object);
    mutex_unlock(&lock);
}

status nested_type_keep(arena *a, data_type type)
{
    if (!type_is_nested(type))
        return STATUS_OK;
    status st = arena_on_free(a, release_entry, entry_of(type));
    if (st)
        nested_type_release(type);
    return st;
}

/* ---- names ---- */

typedef struct name_out {
    char *text;
    size_t room, bytes;
} name_out;

static void name_add(name_out *out, const char *text)
{
    for (; *text; text++, out->bytes++)
        if (out->bytes + 1 < out->room)
            out->text[out->bytes] = *text;
}

static bool is_plain_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static void name_add_field(name_out *out, const char *name)
{
    if (is_plain_name(name)) {
        name_add(out, name);
        return;
    }
    name_add(out, "\"");
    for (; *name; name++)
        name_add(out, *name == '"' ? "\"\"" : (const char[]){*name, 0});
    name_add(out, "\"");
}

static void name_add_type(name_out *out, data_type type)
{
    char text[TYPE_NAME_BYTES];
    if (!type_is_nested(type)) {
        name_add(out, type_name(type, text));
        return;
    }
    const nested_type *nested = nested_type_of(type);
    if (type.id == TYPE_LIST) {
        name_add_type(out, nested->fields[0].type);
        if (nested->size)
            snprintf(text, sizeof text, "[%u]", nested->size);
        name_add(out, nested->size ? text : "[]");
        return;
    }
    name_add(out, type.id == TYPE_MAP ? "map(" : "struct(");
    for (uint32_t i = 0; i < nested->field_count; i++) {
        name_add(out, i ? ", " : "");
        if (type.id == TYPE_STRUCT) {
            name_add_field(out, nested->fields[i].name);
            name_add(out, " ");
        }
        name_add_type(out, nested->fields[i].type);
    }
    name_add(out, ")");
}

size_t nested_type_text(data_type type, char *text, size_t room)
{
    name_out out = {.text = text, .room = room};
    name_add_type(&out, type);
    if (room)
        text[out.bytes < room ? out.bytes : room - 1] = 0;
    return out.bytes;
}

bool nested_type_is_equal(data_type a, data_type b)
{
    const nested_type *left = nested_type_of(a), *right = nested_type_of(b);
    if (a.id != b.id || left->field_count != right->field_count || left->size != right->size)
        return false;
    for (uint32_t i = 0; i < left->field_count; i++)
        if (!type_equal(left->fields[i].type, right->fields[i].type) ||
            strcmp(left->fields[i].name, right->fields[i].name) != 0)
            return false;
    return true;
}
