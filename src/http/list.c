/* list.c - see list.h. */
#include "http/list.h"

#include "http/transfer.h"
#include "http/xml.h"

#include <string.h>

#include "http/engine.h"

/* 1,000 keys of at most 1,024 bytes, each byte perhaps written as a reference, and what else is said of each. */
#define PAGE_BYTES_MAX ((uint64_t)16 << 20)

/* ---- a page ---- */

static status bad_page(void)
{
    return status_new(STATUS_KIND_CORRUPT, "the server's answer is not a list of objects");
}

static char *text_of(arena *a, const xml_text *text)
{
    char *decoded = arena_alloc(a, text->bytes + 1);
    return decoded && xml_decode(text, decoded) ? decoded : NULL;
}

/* An element within <Contents>, or of the root. */
static status take_leaf(arena *a, const xml_item *item, bool is_object,
                        status (*take_key)(void *context, const char *key), void *context,
                        list_page *out)
{
    bool is_key = is_object && xml_is(&item->name, "Key");
    bool is_token = !is_object && xml_is(&item->name, "NextContinuationToken");
    if (!is_object && xml_is(&item->name, "IsTruncated"))
        out->is_cut = xml_is(&item->text, "true");
    if (!is_key && !is_token)
        return STATUS_OK;
    const char *text = text_of(a, &item->text);
    if (!text)
        return bad_page();
    if (is_token)
        out->token = text;
    return is_key ? take_key(context, text) : STATUS_OK;
}

status list_read_page(arena *a, const char *text, size_t bytes,
                      status (*take_key)(void *context, const char *key), void *context,
                      list_page *out)
{
    xml_reader reader;
    xml_item item;
    bool is_object = false, is_list = false;
    *out = (list_page){.token = ""};
    xml_begin(&reader, text, bytes);
    for (;;) {
        if (!xml_next(&reader, &item))
            return bad_page();
        if (item.kind == XML_END)
            return is_list ? STATUS_OK : bad_page();
        if (item.kind == XML_LEAF ? !reader.depth : item.kind == XML_OPEN && reader.depth == 1)
            is_list = xml_is(&item.name, "ListBucketResult");
        else if (item.kind == XML_OPEN && reader.depth == 2)
            is_object = xml_is(&item.name, "Contents");
        else if (item.kind == XML_CLOSE && reader.depth == 1)
            is_object = false;
        if (!is_list && item.kind != XML_CLOSE)
            return bad_page();
        if (item.kind == XML_LEAF && reader.depth == 1u + is_object)
            TRY(take_leaf(a, &item, is_object, take_key, context, out));
    }
}

/* ---- all pages ---- */

typedef struct listing {
    arena *memory;
    const http_config *config;
    url_place place;    /* of the bucket itself */
    const char *prefix; /* of keys */
    const char *shown;
    const char *start; /* "s3://bucket/" */
    object_taker take;
    void *context;
    arena *page; /* of the page that is being read */
} listing;

static status take_key(void *context, const char *key)
{
    listing *l = context;
    if (strncmp(key, l->prefix, strlen(l->prefix)) != 0)
        return status_new(STATUS_KIND_CORRUPT,
                          "the server lists objects that were not asked for below \"%s\"",
                          l->shown);
    char *url = arena_format(l->page, "%s%s", l->start, key);
    return url ? l->take(l->context, url) : status_no_memory("path", strlen(key));
}

/* Asks for the page after the token; its keys are given out. */
static status read_page(listing *l, const char *token, list_page *out)
{
    char *prefix = url_encode(l->page, l->prefix, false);
    char *after = url_encode(l->page, token, false);
    char *query = prefix && after ? arena_format(l->page, "%s%s%slist-type=2&prefix=%s",
                                                 *token ? "continuation-token=" : "", after,
                                                 *token ? "&" : "", prefix)
                                  : NULL;
    if (!query)
        return status_no_memory("request", strlen(l->prefix));
    transfer t = {.question = {.method = "GET",
                               .config = l->config,
                               .place = &l->place,
                               .query = query,
                               .shown = l->shown},
                  .room = PAGE_BYTES_MAX};
    status st = transfer_run(&t);
    if (!st)
        st = status_context(list_read_page(l->page, t.text.items, t.text.count, take_key, l, out),
                            "\"%s\"", l->shown);
    transfer_release(&t);
    return st;
}

static status read_pages(listing *l)
{
    char *token = arena_copy_text(l->memory, "", 0);
    list_page page = {.is_cut = true};
    while (page.is_cut) {
        status st = arena_new(&l->page);
        if (!st && !token)
            st = status_no_memory("request", 1);
        if (!st)
            st = read_page(l, token, &page);
        if (!st && page.is_cut && (!*page.token || !strcmp(page.token, token)))
            st = status_new(STATUS_KIND_CORRUPT, "the server does not go on listing \"%s\"",
                            l->shown);
        if (!st)
            token = arena_copy_text(l->memory, page.token, strlen(page.token));
        if (l->page)
            arena_free(l->page);
        l->page = NULL;
        TRY(st);
    }
    return STATUS_OK;
}

static status begin(listing *l, const object_settings *s, const char *prefix)
{
    TRY(config_get(s, &l->config));
    TRY(url_parse(l->memory, &l->config->store, prefix, &l->place));
    size_t start = strlen(prefix) - strlen(l->place.key);
    l->prefix = l->place.key;
    l->shown = url_shown(l->memory, prefix);
    l->start = arena_copy_text(l->memory, prefix, start);
    l->place.path = l->place.folder;
    /* "/bucket/" and "/bucket" are the same to most stores, and "/bucket" to all. */
    size_t bytes = strlen(l->place.folder);
    if (bytes > 1)
        l->place.path = arena_copy_text(l->memory, l->place.folder, bytes - 1);
    return l->shown && l->start && l->place.path ? STATUS_OK
                                                 : status_no_memory("path", strlen(prefix));
}

status list_objects(const object_settings *s, const char *prefix, object_taker take, void *context)
{
    listing l = {.take = take, .context = context};
    TRY(arena_new(&l.memory));
    status st = begin(&l, s, prefix);
    if (!st)
        st = read_pages(&l);
    config_unref(l.config);
    arena_free(l.memory);
    return st;
}
