/* users.c - see users.h. */
#include "server/access/users.h"

#include "server/engine.h"
#include "server/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)16 << 20)
#define PASSWORD_BYTES_MAX 1024

/* ---- reading ---- */

typedef ARRAY(char) text_buffer;

static status read_descriptor(int descriptor, const char *path, text_buffer *out)
{
    ssize_t bytes;
    do {
        TRY(array_reserve(NULL, out, 65536));
        bytes = read(descriptor, out->items + out->count, 65535);
        if (bytes < 0 && errno != EINTR)
            return status_new_errno(errno, "could not read \"%s\"", path);
        out->count += bytes > 0 ? (size_t)bytes : 0;
        if (out->count > FILE_BYTES_MAX)
            return status_new(STATUS_KIND_LIMIT, "\"%s\" has more than %zu bytes", path,
                              FILE_BYTES_MAX);
    } while (bytes);
    out->items[out->count] = 0;
    return STATUS_OK;
}

/* Refuses a file into which others could write themselves. */
static status check_mode(int descriptor, const char *path)
{
    struct stat info;
    if (fstat(descriptor, &info))
        return status_new_errno(errno, "could not read \"%s\"", path);
    if (!(info.st_mode & (S_IWGRP | S_IWOTH)))
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_INVALID, "\"%s\" can be written by others than its owner", path),
        "chmod 600 \"%s\"", path);
}

/* *out: the text, released by array_release; also on failure. */
static status read_file(const char *path, text_buffer *out)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return status_new_errno(errno, "could not read \"%s\"", path);
    status st = check_mode(descriptor, path);
    if (!st)
        st = read_descriptor(descriptor, path, out);
    close(descriptor);
    return st;
}

typedef struct user_line {
    const char *name, *verifier; /* NULL: there is none, but a comment */
    const char *words;           /* after the verifier */
    size_t name_bytes, verifier_bytes, words_bytes;
    const char *begin, *end; /* with its line end */
} user_line;

/* Reads the line at `at`; false: it is not one. */
static bool read_line(const char *at, user_line *out)
{
    size_t bytes = strcspn(at, "\n"), name = strcspn(at, " \t\r\n"),
           blanks = strspn(at + name, " \t");
    *out = (user_line){.begin = at, .end = at + bytes + (at[bytes] == '\n')};
    if (*at == '#' || !bytes || strspn(at, " \t\r") >= bytes)
        return true;
    out->name = at;
    out->name_bytes = name;
    out->verifier = at + name + blanks;
    out->verifier_bytes = strcspn(out->verifier, " \t\r\n");
    out->words = out->verifier + out->verifier_bytes;
    out->words_bytes = strcspn(out->words, "\r\n");
    return blanks && out->verifier_bytes;
}

static bool users_is_named(const user_line *line, const char *name)
{
    return line->name && line->name_bytes == strlen(name) &&
           !memcmp(line->name, name, line->name_bytes);
}

static status is_wrong(const char *path, size_t number)
{
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "line %zu of \"%s\" is not a user and a verifier", number, path),
                       "pistachio serve --users \"%s\" --add-user NAME writes such lines", path);
}

/* Finds the user's line; out->name is NULL where there is none. */
static status find_line(const char *path, const char *text, const char *name, user_line *out,
                        size_t *out_number)
{
    *out_number = 1;
    for (const char *at = text; *at; at = out->end, ++*out_number) {
        if (!read_line(at, out))
            return is_wrong(path, *out_number);
        if (users_is_named(out, name))
            return STATUS_OK;
    }
    *out = (user_line){.name = NULL};
    return STATUS_OK;
}

status users_find(const char *path, const char *name, bool *out_is_there, scram_verifier *out)
{
    text_buffer text = {0};
    user_line line = {.name = NULL};
    size_t number;
    *out_is_there = false;
    status st = read_file(path, &text);
    if (!st)
        st = find_line(path, text.items, name, &line, &number);
    if (!st && line.name) {
        *out_is_there = true;
        if (!scram_read(line.verifier, line.verifier_bytes, out))
            st = is_wrong(path, number);
    }
    array_release(&text);
    return st;
}

status users_limits(const char *path, const char *name, role_limits *out)
{
    text_buffer text = {0};
    user_line line = {.name = NULL};
    size_t number;
    role_limits_init(out);
    status st = read_file(path, &text);
    if (!st)
        st = find_line(path, text.items, name, &line, &number);
    if (!st && line.name && !role_limits_read(out, line.words, line.words_bytes))
        st = status_hint(
            status_new(
                STATUS_KIND_INVALID,
                "line %zu of \"%s\" has a limit that is not known, or a value that its limit "
                "does not have",
                number, path),
            "after the verifier may stand group=NAME, priority=low, normal or high, "
            "timeout=SECONDS, rows=NUMBER, memory=16MiB or more and catalog=read or write");
    array_release(&text);
    return st;
}

/* ---- writing ---- */

/* Appends the lines of all users but this one, of which the last one is *out_own. */
static status keep_others(const char *path, const char *text, const char *name, user_line *out_own,
                          text_buffer *out)
{
    user_line line;
    size_t number = 1;
    for (const char *at = text; *at; at = line.end, number++) {
        if (!read_line(at, &line))
            return is_wrong(path, number);
        size_t bytes = (size_t)(line.end - line.begin);
        if (users_is_named(&line, name)) {
            *out_own = line;
            continue;
        }
        TRY(array_reserve(NULL, out, bytes + 1));
        memcpy(out->items + out->count, line.begin, bytes);
        out->count += bytes;
        if (out->items[out->count - 1] != '\n')
            out->items[out->count++] = '\n';
    }
    return STATUS_OK;
}

static status check_name(const char *name)
{
    size_t bytes = strlen(name);
    if (bytes && bytes < USERS_NAME_BYTES && *name != '#' && !name[strcspn(name, " \t\r\n")])
        return STATUS_OK;
    return status_new(STATUS_KIND_INVALID,
                      "a user's name has 1 to %d bytes, no blanks, and no # before it: \"%s\"",
                      USERS_NAME_BYTES - 1, name);
}

/* Appends a user's line, with the words that limit it. */
static status make_line(const char *name, const char *password, size_t bytes, const user_line *own,
                        text_buffer *out)
{
    uint8_t salt[SCRAM_SALT_BYTES];
    char verifier_text[SCRAM_VERIFIER_BYTES];
    scram_verifier verifier;
    if (getrandom(salt, sizeof salt, 0) != sizeof salt)
        return status_new(STATUS_KIND_IO, "the system gives no random numbers");
    scram_make(password, bytes, salt, sizeof salt, SCRAM_ITERATIONS, &verifier);
    scram_write(&verifier, verifier_text);
    size_t room = strlen(name) + strlen(verifier_text) + own->words_bytes + 3;
    TRY(array_reserve(NULL, out, room));
    out->count +=
        (size_t)snprintf(out->items + out->count, room, "%s %s%.*s\n", name, verifier_text,
                         (int)own->words_bytes, own->words ? own->words : "");
    return STATUS_OK;
}

status users_add(const char *path, const char *name, const char *password, size_t bytes)
{
    text_buffer before = {0}, after = {0};
    user_line own = {.name = NULL};
    TRY(check_name(name));
    if (!bytes)
        return status_new(STATUS_KIND_INVALID, "the password is empty");
    status st = access(path, F_OK) ? STATUS_OK : read_file(path, &before);
    if (!st && before.count)
        st = keep_others(path, before.items, name, &own, &after);
    if (!st)
        st = make_line(name, password, bytes, &own, &after);
    if (!st)
        st = replace_file(path, after.items, after.count);
    array_release(&before);
    array_release(&after);
    return st;
}

/* ---- asking ---- */

/* Reads a line of standard input, without its end. */
static status read_password(char out[PASSWORD_BYTES_MAX])
{
    if (!fgets(out, PASSWORD_BYTES_MAX, stdin))
        return status_new(STATUS_KIND_INVALID, "there is no password on standard input");
    size_t bytes = strcspn(out, "\r\n");
    if (!out[bytes] && !feof(stdin))
        return status_new(STATUS_KIND_INVALID, "a password has fewer than %d bytes",
                          PASSWORD_BYTES_MAX - 1);
    out[bytes] = 0;
    return STATUS_OK;
}

static status ask(const char *name, char out[PASSWORD_BYTES_MAX])
{
    struct termios before, silent;
    bool is_terminal = !tcgetattr(STDIN_FILENO, &before);
    if (!is_terminal)
        return read_password(out);
    silent = before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    fprintf(stderr, "password of %s: ", name);
    (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    status st = read_password(out);
    (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    fputc('\n', stderr);
    return st;
}

status users_ask_and_add(const char *path, const char *name)
{
    char password[PASSWORD_BYTES_MAX];
    TRY(check_name(name));
    status st = ask(name, password);
    if (!st)
        st = users_add(path, name, password, strlen(password));
    explicit_bzero(password, sizeof password);
    return st;
}
