/* ask.c - see ask.h. */
#include "http/ask.h"

#include "http/transfer.h"

#include <string.h>

#include "http/engine.h"

/* Hands over the text of an answer; an answer that is a failure by its code is one that came. */
static status take_answer(transfer *t, status st, object_answer *out)
{
    bool came = !st || (t->answer.code >= 400 && status_get_kind(st) != STATUS_KIND_CANCELLED);
    if (!came)
        return st;
    status_free(st);
    TRY(array_reserve(NULL, &t->text, 1));
    t->text.items[t->text.count] = '\0';
    *out = (object_answer){t->answer.code, t->text.items, t->text.count};
    t->text.items = NULL;
    t->text.count = 0;
    return STATUS_OK;
}

static status ask(const http_config *config, arena *a, const object_question *q, object_answer *out)
{
    url_place place;
    sign_header headers[3] = {{"Accept", "application/json"}};
    size_t count = 1;
    TRY(url_parse(a, &config->store, q->url, &place));
    if (q->authorization)
        headers[count++] = (sign_header){"Authorization", q->authorization};
    if (q->name)
        headers[count++] = (sign_header){q->name, q->value};
    transfer t = {.question = {.method = q->form ? "POST" : "GET",
                               .config = config,
                               .place = &place,
                               .query = "",
                               .shown = url_shown(a, q->url),
                               .headers = headers,
                               .header_count = count,
                               .type = q->form ? "application/x-www-form-urlencoded" : NULL,
                               .body = q->form,
                               .body_bytes = q->form ? strlen(q->form) : 0},
                  .room = q->room};
    if (!t.question.shown)
        return status_no_memory("request", strlen(q->url));
    status st = take_answer(&t, transfer_run(&t), out);
    transfer_release(&t);
    return st;
}

status ask_server(const object_settings *s, const object_question *q, object_answer *out)
{
    arena *scratch;
    const http_config *config;
    *out = (object_answer){0};
    TRY(arena_new(&scratch));
    status st = config_get(s, &config);
    if (!st) {
        st = ask(config, scratch, q, out);
        config_unref(config);
    }
    arena_free(scratch);
    return st;
}
