/* object_store.h - files that lie behind a URL, which pistachio-http.so reads.
 *
 * The engine knows what a URL looks like and what a pattern matches; requests are the module's, which is loaded when a
 * path is a URL (base/system/module.h). An object that is open is a `file` (storage/file.h) without a descriptor; who reads it
 * need not know:
 *
 *     file_expand ── keys below a prefix ──────────> list
 *     file_open ──── length and version ───────────> open
 *     file_read, storage_read_submit ── bytes ─────> read ── thread of the module ──> done
 *
 * Every read asks for the version that was opened: an object that was replaced meanwhile is an error. */
#ifndef PISTACHIO_STORAGE_OBJECT_STORE_H
#define PISTACHIO_STORAGE_OBJECT_STORE_H

#include "base/setting/setting.h"
#include "storage/file.h"

/* Settings of stores. Texts may be "". */
typedef struct object_settings {
    char endpoint[SETTING_TEXT_BYTES], region[SETTING_TEXT_BYTES], key[SETTING_TEXT_BYTES];
    const char *secret, *token; /* kept by base/system/secret.h, or lent (object_store_lend) */
    bool is_path_style, is_host_style;
    unsigned timeout; /* seconds */
    uint64_t serial;  /* of these settings alone, even after they were dropped; 0: the defaults */
} object_settings;

/* Statements name their settings by a number, which is the same for the same settings, and holds as long as the process
 * lives. 0: the defaults. At most OBJECT_CHOICES_MAX different ones. Any thread. */
#define OBJECT_CHOICES_MAX 1024
#define OBJECT_LENT_MAX 65536
CHECKED status object_store_choose(const settings *s, uint32_t *out);
/* The calling thread works by these settings from now on. Returns the number before. */
uint32_t object_store_use(uint32_t choice);
uint32_t object_store_used(void);
/* Keeps settings that a catalog lends for a table, secrets too: a number until object_store_drop. No file may be open by them any more
 * then. Any thread. */
CHECKED status object_store_lend(const object_settings *s, uint32_t *out);
/* Keeps a copy of what settings say of stores, as object_store_lend. */
CHECKED status object_store_lend_of(const settings *s, uint32_t *out);
void object_store_drop(uint32_t choice);
/* Returns the settings of the calling thread. */
const object_settings *object_store_settings(void);
/* Tells these by their names and as settings_set takes them, secrets too: for another rank. */
CHECKED status object_store_tell(status (*tell)(void *context, const char *name, const char *text),
                                 void *context);

/* A version of an object; an object that is being written. The module's. */
typedef struct object object;
typedef struct object_upload object_upload;

/* Bytes of an object that are to be read. */
typedef struct object_span {
    uint64_t offset;
    size_t bytes;
    char *target;
    bool
        is_waited_for; /* a thread waits: what lies next to it is read along, as it is asked for next */
    /* Called once, by a thread of the module's: how the read ended. Takes the failure. */
    void (*done)(void *argument, status outcome);
    void *argument; /* distinct for each read under way */
} object_span;

/* A request to a server that answers with text: GET, or POST of a form. */
typedef struct object_question {
    const char *url;
    const char *form;          /* NULL: none */
    const char *authorization; /* the header of that name; NULL: none */
    const char *name, *value;  /* a further header; NULL: none */
    uint64_t room;             /* a longer answer is a failure */
} object_question;

typedef struct object_answer {
    unsigned code; /* HTTP's */
    char *text;    /* the caller's to free, with a zero after it */
    size_t bytes;
} object_answer;

/* Takes the URL of an object, which is valid during the call. */
typedef status (*object_taker)(void *context, const char *url);

/* The module's functions. All but `read` and `stop` wait for answers, and end early once the thread's statement is
 * cancelled (base/cancel.h). */
typedef struct object_store_functions {
    /* Gives the URL of each object whose URL begins with the prefix, in order. */
    status (*list)(const object_settings *s, const char *prefix, object_taker take, void *context);
    /* Opens an object. version->bytes is its length. */
    status (*open)(const object_settings *s, const char *url, object **out, file_version *version);
    void (*close)(object *o);
    /* The version that the URL has now. */
    status (*look)(const object_settings *s, const char *url, file_version *out);
    /* Starts a read. A failure: it was not started, and `done` is not called. */
    status (*read)(object *o, const object_span *span);
    /* Ends a read that is under way early, as far as it can be; `done` is called all the same. */
    void (*stop)(const void *argument);
    /* Begins an object, which appears when it is complete. One thread at a time. */
    status (*create)(const object_settings *s, const char *url, object_upload **out);
    /* Adds to its end; may wait until enough of it is sent. */
    status (*append)(object_upload *u, const void *data, size_t bytes);
    /* Complete and abort free it. complete: the object is there, in place of what had its name, or a failure. */
    status (*complete)(object_upload *u);
    void (*abort)(object_upload *u);
    /* Asks, and gives any answer that came, whatever its code says. */
    status (*ask)(const object_settings *s, const object_question *q, object_answer *out);
} object_store_functions;

/* Returns whether a path is a URL of an object store: s3://, gs://, http://, https:// ... */
bool object_store_has(const char *path);
/* Fails if a folder is to be written there: a path that is a URL. */
CHECKED status object_store_check_folder(const char *path);
/* As file_expand, of a URL: an object, those below a prefix, or those that match a pattern. */
CHECKED status object_store_expand(arena *a, const char *url, path_list *out);
/* Gives the URLs that begin so, in order; a failure of `take` ends it. */
CHECKED status object_store_list(const char *prefix, object_taker take, void *context);
/* Finds out whether there are objects below a folder whose names begin so there. */
CHECKED status object_store_has_below(const char *folder, const char *name, bool *out);
/* As file_version_of_path. */
bool object_store_version(const char *url, file_version *out);
/* Opens an object. version->bytes is its length. */
CHECKED status object_open(const char *url, object **out, file_version *version);
void object_close(object *o); /* takes NULL */
/* Starts a read, as object_store_functions says. */
CHECKED status object_read_start(object *o, const object_span *span);
void object_read_stop(const void *argument);
/* Asks, by the settings of the calling thread. */
CHECKED status object_ask(const object_question *q, object_answer *out);
/* As object_store_functions says. */
CHECKED status object_upload_new(const char *url, object_upload **out);
CHECKED status object_upload_append(object_upload *u, const void *data, size_t bytes);
CHECKED status object_upload_complete(object_upload *u);
void object_upload_abort(object_upload *u); /* takes NULL */
/* Reads and waits. */
CHECKED status object_read(object *o, uint64_t offset, void *target, size_t bytes);

#endif
