/* status.h - how a function says that it failed: a message, where, and how to mend it.
 *
 * NULL is success. A failure is owned by whoever holds it, who hands it on or calls status_free.
 * The leaf says what happened, callers put the place in front with status_context, and only the
 * program prints. A message is one factual line: lower case, no full stop, no function names,
 * with the offending value. The hint says what to do about it. */
#ifndef PISTACHIO_BASE_STATUS_H
#define PISTACHIO_BASE_STATUS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef enum status_kind {
    STATUS_KIND_OK,
    STATUS_KIND_INVALID,     /* the user's SQL, argument or setting is wrong */
    STATUS_KIND_UNSUPPORTED, /* valid, but not implemented; the message names it */
    STATUS_KIND_NOT_FOUND,   /* a table, column, function, setting or file that is not there */
    STATUS_KIND_CORRUPT,     /* a file's bytes break its format */
    STATUS_KIND_IO,          /* a system call on a file failed */
    STATUS_KIND_DATA,        /* a value: overflow, division by zero, an impossible cast */
    STATUS_KIND_NO_MEMORY,   /* the system gave no memory */
    STATUS_KIND_LIMIT,       /* memory_limit or another bound that the user set */
    STATUS_KIND_CANCELLED,   /* by the user */
    STATUS_KIND_INTERNAL     /* a programmer's error that could be caught cleanly: its message says
                                "internal error", its hint to report it */
} status_kind;

typedef struct status_info *status;
#define STATUS_OK ((status)NULL)
#define CHECKED __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/* Returns from the caller with the failure of `call`, if it failed. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        status try_status_ = (call);                                                               \
        if (__builtin_expect(try_status_ != NULL, 0))                                              \
            return try_status_;                                                                    \
    } while (0)

/* A new failure. Never NULL: without memory for it, a preallocated one stands in. */
CHECKED status status_new(status_kind kind, const char *format, ...) PRINTF_LIKE(2, 3);

/* Makes a status of kind IO, or NOT_FOUND (no such path): the message, then ": " and the text of `number`. */
CHECKED status status_new_errno(int number, const char *format, ...) PRINTF_LIKE(2, 3);

/* No memory for `bytes` bytes of `what`. Allocates nothing. */
CHECKED status status_no_memory(const char *what, size_t bytes);

/* Puts "<format>: " in front of the message. Takes and returns st; NULL stays NULL. */
CHECKED status status_context(status st, const char *format, ...) PRINTF_LIKE(2, 3);

/* Sets the hint (how to mend it), replacing an earlier one. Takes and returns st. */
CHECKED status status_hint(status st, const char *format, ...) PRINTF_LIKE(2, 3);

/* Sets the byte offset in the SQL text, unless one is set already. Takes and returns st. */
CHECKED status status_at(status st, int64_t sql_offset);

/* Copies a failure, for another who takes one. */
CHECKED status status_copy(status st);

status_kind status_get_kind(status st);
const char *status_message(status st);  /* "" for success; valid until status_free */
const char *status_get_hint(status st); /* NULL: none */
int64_t status_position(status st);     /* byte offset in the SQL text; -1: none */
void status_free(status st);            /* takes NULL */

#endif
