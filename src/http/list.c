/* list.c - see list.h. */
#include "http/list.h"

#include "http/listed.h"
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

static char *list_text_of(arena *a, const xml_text *text)
{
    char *decoded = arena_alloc(a, text->bytes + 1);
    return decoded && xml_decode(text, decoded) ? decoded : NULL;
}

/* A tag, in quotation marks: some stores leave them out in listings. */
static char *tag_of(arena *a, const xml_text *text)
{
    char *tag = list_text_of(a, text);
    return !tag || *tag == '"' || !strncmp(tag, "W/", 2) ? tag : arena_format(a, "\"%s\"", tag);
}

static bool read_bytes(const xml_text *text, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < text->bytes; i++) {
        char c = text->start[i];
        if (c < '0' || c > '9' || *out > UINT64_MAX / 20)
            return false;
        *out = *out * 10 + (uint64_t)(c - '0');
    }
    return text->bytes;
}

/* An element within <Contents>. */
static status take_object_leaf(arena *a, const xml_item *leaf, list_item *out)
{
    if (xml_is(&leaf->name, "Key"))
        out->key = list_text_of(a, &leaf->text);
    else if (xml_is(&leaf->name, "ETag"))
        out->tag = tag_of(a, &leaf->text);
    else if (xml_is(&leaf->name, "Size"))
        out->has_bytes = read_bytes(&leaf->text, &out->bytes);
    return out->key && out->tag ? STATUS_OK : bad_page();
}

/* An element of the root. */
static status take_leaf(arena *a, const xml_item *leaf, list_page *out)
{
    if (xml_is(&leaf->name, "IsTruncated"))
        out->is_cut = xml_is(&leaf->text, "true");
    if (xml_is(&leaf->name, "NextContinuationToken"))
        out->token = list_text_of(a, &leaf->text);
    return out->token ? STATUS_OK : bad_page();
}

/* A page that is being read. */
typedef struct page_reader {
    arena *memory;
    xml_reader xml;
    bool is_list, is_object;
    list_item item; /* while is_object */
    list_taker take;
    void *context;
    list_page *out;
} page_reader;

static status take_item(page_reader *r, const xml_item *item)
{
    bool is_root = !r->is_list && item->kind != XML_CLOSE;
    if (is_root) {
        r->is_list = xml_is(&item->name, "ListBucketResult");
        return r->is_list ? STATUS_OK : bad_page();
    }
    if (item->kind == XML_LEAF && r->xml.depth == 1)
        return take_leaf(r->memory, item, r->out);
    if (item->kind == XML_LEAF && r->xml.depth == 2 && r->is_object)
        return take_object_leaf(r->memory, item, &r->item);
    if (item->kind == XML_OPEN && r->xml.depth == 2) {
        r->is_object = xml_is(&item->name, "Contents");
        r->item = (list_item){.key = "", .tag = ""};
    }
    bool is_end = item->kind == XML_CLOSE && r->xml.depth == 1 && r->is_object;
    if (is_end)
        r->is_object = false;
    return is_end && *r->item.key ? r->take(r->context, &r->item) : STATUS_OK;
}

status list_read_page(arena *a, const char *text, size_t bytes, list_taker take, void *context,
                      list_page *out)
{
    page_reader r = {.memory = a, .take = take, .context = context, .out = out};
    xml_item item;
    *out = (list_page){.token = ""};
    xml_begin(&r.xml, text, bytes);
    for (;;) {
        if (!xml_next(&r.xml, &item))
            return bad_page();
        if (item.kind == XML_END)
            return r.is_list ? STATUS_OK : bad_page();
        TRY(take_item(&r, &item));
    }
}

/* ---- all pages ---- */

typedef struct listing {
    const object_settings *settings;
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

/* Opening it a moment later needs no request. */
static void list_remember(const listing *l, const char *url, const list_item *item)
{
    listed_version version = {.bytes = item->bytes};
    if (!item->has_bytes || !*item->tag || strlen(item->tag) >= sizeof version.tag)
        return;
    memcpy(version.tag, item->tag, strlen(item->tag));
    listed_add(l->settings, url, &version);
}

static status list_take_key(void *context, const list_item *item)
{
    listing *l = context;
    const char *key = item->key;
    if (strncmp(key, l->prefix, strlen(l->prefix)) != 0)
        return status_new(STATUS_KIND_CORRUPT,
                          "the server lists objects that were not asked for below \"%s\"",
                          l->shown);
    char *url = arena_format(l->page, "%s%s", l->start, key);
    if (!url)
        return status_no_memory("path", strlen(key));
    list_remember(l, url, item);
    return l->take(l->context, url);
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
        st = status_context(
            list_read_page(l->page, t.text.items, t.text.count, list_take_key, l, out), "\"%s\"",
            l->shown);
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
    listing l = {.settings = s, .take = take, .context = context};
    TRY(arena_new(&l.memory));
    status st = begin(&l, s, prefix);
    if (!st) {
        listed_begin();
        st = read_pages(&l);
        listed_end();
    }
    config_unref(l.config);
    arena_free(l.memory);
    return st;
}
