/* page.h - the files of the page at /, which are in the module itself. */
#ifndef PISTACHIO_SERVER_WEB_PAGE_H
#define PISTACHIO_SERVER_WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#define WEB_POLICY_BYTES 512

typedef struct web_page {
    char policy[WEB_POLICY_BYTES]; /* Content-Security-Policy, with the hash of the page's style */
} web_page;

typedef struct web_file {
    const char *text, *type;
    size_t bytes;
} web_file;

void web_page_open(web_page *page);
/* Finds the file of a path; false: there is none. */
bool web_page_find(const char *path, web_file *out);

#endif
