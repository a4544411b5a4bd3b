/* status.c - failures, also when there is no memory for one.
 *
 * A failure owns its texts. Failures about memory must not need any: they live in a few slots with
 * room for short texts, claimed and released by an atomic flag; when all are taken, one constant
 * failure that nothing changes stands in. */
#include "base/status.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#define SLOT_TEXT_BYTES 240

struct status_info {
    status_kind kind;
    int64_t position;
    char *message, *hint; /* hint may be NULL */
};

/* The info comes first, so that a slot's address is its info's. */
typedef struct slot {
    struct status_info info;
    atomic_bool is_taken;
    char message[SLOT_TEXT_BYTES], hint[SLOT_TEXT_BYTES];
} slot;

static slot slots[16];
static char last_resort_message[] = "no memory";
static struct status_info last_resort = {STATUS_KIND_NO_MEMORY, -1, last_resort_message, NULL};

static slot *status_slot_of(status st)
{
    return st >= &slots[0].info && st <= &slots[15].info ? (slot *)st : NULL;
}

static status slot_claim(void)
{
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        slot *s = &slots[i];
        if (atomic_exchange_explicit(&s->is_taken, true, memory_order_acquire))
            continue;
        s->info = (struct status_info){STATUS_KIND_NO_MEMORY, -1, s->message, NULL};
        s->message[0] = '\0';
        return &s->info;
    }
    return &last_resort;
}

/* Formatted text in memory of its own, with `tail` behind it; NULL without memory. */
static char *format_text(const char *tail, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return NULL;
    size_t tail_bytes = strlen(tail);
    char *text = mem_new((size_t)length + tail_bytes + 1);
    if (!text)
        return NULL;
    vsnprintf(text, (size_t)length + 1, format, arguments);
    memcpy(text + length, tail, tail_bytes);
    return text;
}

static status new_from_list(status_kind kind, const char *tail, const char *format,
                            va_list arguments)
{
    assert(kind != STATUS_KIND_OK);
    status st = mem_new(sizeof *st);
    if (!st) {
        st = slot_claim();
        slot *s = status_slot_of(st);
        if (s) {
            /* The failure matters more than that there was no memory to say it at length. */
            st->kind = kind;
            vsnprintf(s->message, sizeof s->message, format, arguments);
            strncat(s->message, tail, sizeof s->message - strlen(s->message) - 1);
        }
        return st;
    }
    st->kind = kind;
    st->position = -1;
    st->message = format_text(tail, format, arguments);
    if (!st->message) {
        mem_free(st);
        return status_no_memory("error message", 0);
    }
    return st;
}

status status_new(status_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    status st = new_from_list(kind, "", format, arguments);
    va_end(arguments);
    if (kind != STATUS_KIND_INTERNAL)
        return st;
    st = status_context(st, "internal error");
    return status_hint(st,
                       "this is a fault of Pistachio: please report it, with the statement, what "
                       "DESCRIBE says of its tables, and the version");
}

status status_new_errno(int number, const char *format, ...)
{
    char reason[128], tail[132];
    const char *text = strerror_r(number, reason, sizeof reason);
    snprintf(tail, sizeof tail, ": %s", text);
    va_list arguments;
    va_start(arguments, format);
    bool is_missing = number == ENOENT || number == ENOTDIR;
    status_kind kind = is_missing ? STATUS_KIND_NOT_FOUND : STATUS_KIND_IO;
    status st = new_from_list(kind, tail, format, arguments);
    va_end(arguments);
    return st;
}

status status_no_memory(const char *what, size_t bytes)
{
    status st = slot_claim();
    if (status_slot_of(st)) {
        if (bytes)
            snprintf(st->message, SLOT_TEXT_BYTES, "no memory for %zu bytes of %s", bytes, what);
        else
            snprintf(st->message, SLOT_TEXT_BYTES, "no memory for %s", what);
    }
    return st;
}

/* The place in front of a message that lives in a slot; what does not fit is cut at the end. */
static void slot_context(slot *s, const char *format, va_list arguments)
{
    char old[SLOT_TEXT_BYTES];
    memcpy(old, s->message, sizeof old);
    int length = vsnprintf(s->message, sizeof s->message, format, arguments);
    if (length < 0) {
        memcpy(s->message, old, sizeof old);
        return;
    }
    size_t at = strlen(s->message);
    snprintf(s->message + at, sizeof s->message - at, ": %s", old);
}

status status_context(status st, const char *format, ...)
{
    if (!st || st == &last_resort)
        return st;
    va_list arguments;
    va_start(arguments, format);
    slot *s = status_slot_of(st);
    if (s) {
        slot_context(s, format, arguments);
    } else {
        char *place = format_text(": ", format, arguments);
        size_t place_bytes = place ? strlen(place) : 0;
        char *both = place ? mem_resize(place, place_bytes + strlen(st->message) + 1) : NULL;
        if (both) {
            memcpy(both + place_bytes, st->message, strlen(st->message) + 1);
            mem_free(st->message);
            st->message = both;
        } else {
            mem_free(place); /* the message is worth more than its place */
        }
    }
    va_end(arguments);
    return st;
}

status status_hint(status st, const char *format, ...)
{
    if (!st || st == &last_resort)
        return st;
    va_list arguments;
    va_start(arguments, format);
    slot *s = status_slot_of(st);
    if (s) {
        vsnprintf(s->hint, sizeof s->hint, format, arguments);
        st->hint = s->hint;
    } else {
        mem_free(st->hint);
        st->hint = format_text("", format, arguments);
    }
    va_end(arguments);
    return st;
}

status status_at(status st, int64_t sql_offset)
{
    if (st && st != &last_resort && st->position < 0)
        st->position = sql_offset;
    return st;
}

status status_copy(status st)
{
    static const char prefix[] = "internal error: "; /* which status_new puts in front itself */
    if (!st)
        return STATUS_OK;
    const char *text = status_message(st);
    if (status_get_kind(st) == STATUS_KIND_INTERNAL && !strncmp(text, prefix, sizeof prefix - 1))
        text += sizeof prefix - 1;
    status copy = status_new(status_get_kind(st), "%s", text);
    if (status_get_hint(st))
        copy = status_hint(copy, "%s", status_get_hint(st));
    return status_at(copy, status_position(st));
}

status_kind status_get_kind(status st)
{
    return st ? st->kind : STATUS_KIND_OK;
}

const char *status_message(status st)
{
    return st ? st->message : "";
}

const char *status_get_hint(status st)
{
    return st ? st->hint : NULL;
}

int64_t status_position(status st)
{
    return st ? st->position : -1;
}

void status_free(status st)
{
    if (!st || st == &last_resort)
        return;
    slot *s = status_slot_of(st);
    if (s) {
        atomic_store_explicit(&s->is_taken, false, memory_order_release);
        return;
    }
    mem_free(st->message);
    mem_free(st->hint);
    mem_free(st);
}
