/* page_files.h - the files of the folder page, as cmake/Embed.cmake makes them. */
#ifndef PISTACHIO_SERVER_WEB_PAGE_FILES_H
#define PISTACHIO_SERVER_WEB_PAGE_FILES_H

typedef struct page_text {
    const char *name, *text;
} page_text;

/* Ends with a name of NULL. */
extern const page_text page_files[];

#endif
