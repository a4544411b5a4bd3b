/* definitions_file.c - see definitions_file.h. */
#include "server/catalog/definitions_file.h"

#include "server/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "pistachio catalog 1"
#define FILE_BYTES_MAX ((off_t)256 << 20)
#define SUM_BYTES (2 * SHA256_BYTES)

/* Bytes that are written as a backslash and the letter in the same place. */
static const char escaped[] = "\t\n\r\\\001\002\003\004", letters[] = "tnr\\1234";

static void write_sum(const char *bytes, size_t count, char out[SUM_BYTES + 1])
{
    sha256 hash;
    uint8_t sum[SHA256_BYTES];
    sha256_begin(&hash);
    sha256_add(&hash, bytes, count);
    sha256_end(&hash, sum);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(out + 2 * i, 3, "%02x", sum[i]);
}

/* ---- writing ---- */

typedef struct draft {
    ARRAY(char) bytes;
    size_t count; /* of definitions */
} draft;

static status add_field(draft *d, const char *text, char end)
{
    TRY(array_reserve(NULL, &d->bytes, 2 * strlen(text) + 1));
    for (; *text; text++) {
        const char *found = strchr(escaped, *text);
        if (found)
            d->bytes.items[d->bytes.count++] = '\\';
        d->bytes.items[d->bytes.count++] = found ? letters[found - escaped] : *text;
    }
    d->bytes.items[d->bytes.count++] = end;
    return STATUS_OK;
}

static status definitions_file_add_entry(void *context, const sql_catalog_entry *entry)
{
    draft *d = context;
    d->count++;
    TRY(add_field(d, "define", '\t'));
    TRY(add_field(d, entry->name, '\t'));
    TRY(add_field(d, entry->view_sql ? entry->view_sql : "", '\t'));
    return add_field(d, entry->uses ? entry->uses : "", '\n');
}

static status definitions_file_make_draft(draft *d, sql_catalog *catalog)
{
    char count[24], sum[SUM_BYTES + 1];
    TRY(add_field(d, HEAD, '\n'));
    TRY(sql_catalog_each_own(catalog, definitions_file_add_entry, d));
    write_sum(d->bytes.items, d->bytes.count, sum);
    snprintf(count, sizeof count, "%zu", d->count);
    TRY(add_field(d, "end", '\t'));
    TRY(add_field(d, count, '\t'));
    return add_field(d, sum, '\n');
}

status definitions_file_write(const char *path, sql_catalog *catalog)
{
    draft d = {.count = 0};
    status st = definitions_file_make_draft(&d, catalog);
    if (!st)
        st = replace_file(path, d.bytes.items, d.bytes.count);
    array_release(&d.bytes);
    return st;
}

/* ---- reading ---- */

typedef struct source {
    const char *path;
    char *text; /* all of it, with a NUL */
    char *at;
    size_t line;
} source;

static status damaged(const source *s, const char *what)
{
    return status_hint(status_new(STATUS_KIND_CORRUPT, "line %zu of \"%s\" (byte %td) %s", s->line,
                                  s->path, s->at - s->text, what),
                       "put a copy of the file in its place, or move it away to begin without "
                       "definitions");
}

/* Takes the next field off its line; false: it is damaged. *out_ends: it was the line's last one. */
static bool take_field(source *s, char **out, bool *out_ends)
{
    char *to = *out = s->at, *at = s->at;
    for (; *at && *at != '\t' && *at != '\n'; at++) {
        const char *letter = *at == '\\' && at[1] ? strchr(letters, at[1]) : NULL;
        if (*at == '\\' && !letter)
            return false;
        *to++ = letter ? escaped[letter - letters] : *at;
        at += letter != NULL;
    }
    if (!*at)
        return false;
    *out_ends = *at == '\n';
    *to = 0;
    s->at = at + 1;
    return true;
}

/* Takes so many fields, which are all of a line; false: the line is damaged, and s->at stays. */
static bool definitions_file_take_line(source *s, char **fields, size_t count)
{
    bool ends = false;
    char *start = s->at;
    for (size_t i = 0; i < count; i++)
        if (ends || !take_field(s, &fields[i], &ends)) {
            s->at = start;
            return false;
        }
    if (!ends)
        s->at = start;
    return ends;
}

static bool definitions_file_begins(const source *s, const char *word)
{
    return !strncmp(s->at, word, strlen(word));
}

/* Reads the last line; sum: of what is before it. */
static status definitions_file_read_end(source *s, size_t count, const char *sum, const char *end)
{
    char *fields[3], number[24];
    char *start = s->at;
    snprintf(number, sizeof number, "%zu", count);
    if (!definitions_file_take_line(s, fields, 3))
        return damaged(s, "is not an end, a number and a sum");
    bool is_right = !strcmp(fields[1], number) && !strcmp(fields[2], sum);
    if (is_right && s->at == end)
        return STATUS_OK;
    if (is_right) {
        s->line++;
        return damaged(s, "stands after the end");
    }
    s->at = start;
    return damaged(s, strcmp(fields[1], number) ? "counts other definitions than there are"
                                                : "has a sum that the bytes before it do not have");
}

/* Finds the last line, of which the sum is, before fields are cut. */
static void sum_of(const source *s, size_t bytes, char out[SUM_BYTES + 1])
{
    size_t at = bytes;
    while (at > 1 && !(s->text[at - 1] == '\n' && !strncmp(s->text + at, "end\t", 4)))
        at--;
    write_sum(s->text, at, out);
}

static status read_lines(source *s, size_t bytes, sql_catalog *catalog)
{
    char sum[SUM_BYTES + 1], *fields[4];
    size_t count = 0;
    sum_of(s, bytes, sum);
    if (strlen(s->text) != bytes) {
        s->at = s->text + strlen(s->text);
        return damaged(s, "has a byte of zero after it");
    }
    if (!definitions_file_begins(s, HEAD "\n"))
        return damaged(s, "is not \"" HEAD "\"");
    for (s->at += sizeof HEAD, s->line++; definitions_file_begins(s, "define\t");
         s->line++, count++) {
        if (!definitions_file_take_line(s, fields, 4) || !*fields[1])
            return damaged(s, "is not a name, a text and names that it uses");
        TRY(sql_catalog_put(catalog, &(sql_catalog_entry){.name = fields[1],
                                                          .view_sql = fields[2],
                                                          .uses = *fields[3] ? fields[3] : NULL}));
    }
    if (!*s->at)
        return damaged(s, "is missing: the file is cut off");
    return definitions_file_read_end(s, count, sum, s->text + bytes);
}

static status definitions_file_read_all(int descriptor, const char *path, size_t bytes, char *text)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t count = read(descriptor, text + at, bytes - at);
        if (count < 0 && errno != EINTR)
            return status_new_errno(errno, "could not read \"%s\"", path);
        if (!count)
            return status_new(STATUS_KIND_IO, "\"%s\" was cut while it was read", path);
        at += count > 0 ? (size_t)count : 0;
    }
    return STATUS_OK;
}

static status definitions_file_read_open(int descriptor, const char *path, sql_catalog *catalog)
{
    struct stat info;
    if (fstat(descriptor, &info))
        return status_new_errno(errno, "could not read \"%s\"", path);
    if (!S_ISREG(info.st_mode) || info.st_size > FILE_BYTES_MAX)
        return status_new(STATUS_KIND_INVALID, "\"%s\" is not a file of at most %lld bytes", path,
                          (long long)FILE_BYTES_MAX);
    size_t bytes = (size_t)info.st_size;
    char *text = mem_new(bytes + 1);
    if (!text)
        return status_no_memory("catalog", bytes);
    source s = {.path = path, .text = text, .at = text, .line = 1};
    status st = definitions_file_read_all(descriptor, path, bytes, text);
    if (!st)
        st = read_lines(&s, bytes, catalog);
    mem_free(text);
    return st;
}

status definitions_file_read(const char *path, sql_catalog *catalog)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT)
        return STATUS_OK;
    if (descriptor < 0)
        return status_new_errno(errno, "could not read \"%s\"", path);
    status st = definitions_file_read_open(descriptor, path, catalog);
    close(descriptor);
    return st;
}
