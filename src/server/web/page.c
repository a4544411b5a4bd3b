/* page.c - see page.h. */
#include "server/web/page.h"

#include "server/access/base64.h"
#include "server/engine.h"
#include "server/web/page_files.h"

#include <stdio.h>

static const char *find_text(const char *name)
{
    for (const page_text *one = page_files; one->name; one++)
        if (!strcmp(one->name, name))
            return one->text;
    return "";
}

/* Writes the hash of what stands between <style> and </style>, as a policy names it. */
static void hash_style(char out[BASE64_ROOM(SHA256_BYTES)])
{
    uint8_t hash[SHA256_BYTES];
    sha256 state;
    const char *html = find_text("index.html"), *begin = strstr(html, "<style>"),
               *end = strstr(html, "</style>");
    sha256_begin(&state);
    if (begin && end)
        sha256_add(&state, begin + 7, (size_t)(end - begin) - 7);
    sha256_end(&state, hash);
    base64_write(hash, sizeof hash, out);
}

void web_page_open(web_page *page)
{
    char hash[BASE64_ROOM(SHA256_BYTES)];
    hash_style(hash);
    snprintf(page->policy, sizeof page->policy,
             "default-src 'none'; script-src 'self'; style-src 'sha256-%s'; connect-src 'self'; "
             "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             hash);
}

bool web_page_find(const char *path, web_file *out)
{
    bool is_script = !strcmp(path, "/page.js");
    if (!is_script && strcmp(path, "/") != 0)
        return false;
    out->text = find_text(is_script ? "page.js" : "index.html");
    out->type = is_script ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8";
    out->bytes = strlen(out->text);
    return true;
}
