/* failure.c - see failure.h. */
#include "server/protocol/failure.h"

#include "server/engine.h"

#include <stdio.h>

/* By kind, where the message does not say it more exactly. */
static const char kind_states[][6] = {
    [STATUS_KIND_OK] = "00000",          [STATUS_KIND_INVALID] = "42000",
    [STATUS_KIND_UNSUPPORTED] = "0A000", [STATUS_KIND_NOT_FOUND] = "42704",
    [STATUS_KIND_CORRUPT] = "XX001",     [STATUS_KIND_IO] = "58030",
    [STATUS_KIND_DATA] = "22000",        [STATUS_KIND_NO_MEMORY] = "53200",
    [STATUS_KIND_LIMIT] = "53400",       [STATUS_KIND_CANCELLED] = "57014",
    [STATUS_KIND_INTERNAL] = "XX000",
};

/* By kind and what the message begins with or, after %, has in it: the first that fits. */
static const struct {
    status_kind kind;
    const char *pattern;
    char state[6];
} message_states[] = {
    {STATUS_KIND_INVALID, "syntax error", "42601"},
    {STATUS_KIND_INVALID, "unterminated ", "42601"},
    {STATUS_KIND_INVALID, "a prepared statement is one ", "42601"},
    {STATUS_KIND_INVALID, "% query must have the same number of columns", "42601"},
    {STATUS_KIND_INVALID, "subquery must return one column", "42601"},
    {STATUS_KIND_INVALID, "% names", "42601"},
    {STATUS_KIND_INVALID, "prepared statement ", "42P05"},
    {STATUS_KIND_INVALID, "portal ", "42P03"},
    {STATUS_KIND_INVALID, "parameter \"", "55P02"},
    {STATUS_KIND_INVALID, "parameter $", "42P02"},
    {STATUS_KIND_INVALID, "the transaction has failed", "25P02"},
    {STATUS_KIND_INVALID, "the password's exchange ", "08P01"},
    {STATUS_KIND_INVALID, "DECLARE CURSOR can only", "25P01"},
    {STATUS_KIND_INVALID, "SAVEPOINT ", "25P01"},
    {STATUS_KIND_INVALID, "RELEASE ", "25P01"},
    {STATUS_KIND_INVALID, "ROLLBACK ", "25P01"},
    {STATUS_KIND_INVALID, "% is ambiguous", "42702"},
    {STATUS_KIND_INVALID, "operator does not exist", "42883"},
    {STATUS_KIND_INVALID, "function \"", "42883"},
    {STATUS_KIND_INVALID, "% must appear in the GROUP BY", "42803"},
    {STATUS_KIND_INVALID, "aggregate function", "42803"},
    {STATUS_KIND_INVALID, "% has an aggregate, which is not allowed", "42803"},
    {STATUS_KIND_INVALID, "%indow function", "42P20"},
    {STATUS_KIND_INVALID, "OVER specified", "42P20"},
    {STATUS_KIND_INVALID, "window \"", "42P20"},
    {STATUS_KIND_INVALID, "permission denied", "42501"},
    {STATUS_KIND_INVALID, "could not serialize access", "40001"},
    {STATUS_KIND_INVALID, "% is not empty: ", "2BP01"},
    {STATUS_KIND_INVALID, "% is used by view ", "2BP01"},
    {STATUS_KIND_INVALID, "there is a schema named", "42P06"},
    {STATUS_KIND_INVALID, "there is a catalog named", "42P04"},
    {STATUS_KIND_INVALID, "there is a macro named", "42723"},
    {STATUS_KIND_INVALID, "there is a ", "42P07"},
    {STATUS_KIND_INVALID, "two columns are named", "42701"},
    {STATUS_KIND_INVALID, "% is named twice", "42701"},
    {STATUS_KIND_INVALID, "COPY has no option", "42601"},
    {STATUS_KIND_INVALID, "WHERE clause not allowed", "42601"},
    {STATUS_KIND_INVALID, "COPY TO STDOUT in the", "0A000"},
    {STATUS_KIND_INVALID, "COPY FROM STDIN in the", "0A000"},
    {STATUS_KIND_INVALID, "COPY option ", "22023"},
    {STATUS_KIND_INVALID, "COPY's ", "22023"},
    {STATUS_KIND_INVALID, "% specified more than once", "42712"},
    {STATUS_KIND_INVALID, "recursive query", "42P19"},
    {STATUS_KIND_INVALID, "% is a view, not", "42809"},
    {STATUS_KIND_INVALID, "% is not a view", "42809"},
    {STATUS_KIND_INVALID, "LIMIT must not be negative", "2201W"},
    {STATUS_KIND_INVALID, "OFFSET must not be negative", "2201X"},
    {STATUS_KIND_INVALID, "% is not in select list", "42P10"},
    {STATUS_KIND_INVALID, "argument ", "42804"},
    {STATUS_KIND_INVALID, "% cannot be compared", "42804"},
    {STATUS_KIND_INVALID, "% cannot be cast", "42846"},
    {STATUS_KIND_NOT_FOUND, "table ", "42P01"},
    {STATUS_KIND_NOT_FOUND, "there is no table", "42P01"},
    {STATUS_KIND_NOT_FOUND, "there is no view", "42P01"},
    {STATUS_KIND_NOT_FOUND, "there is no schema", "3F000"},
    {STATUS_KIND_NOT_FOUND, "schema ", "3F000"},
    {STATUS_KIND_NOT_FOUND, "there is no catalog", "3D000"},
    {STATUS_KIND_NOT_FOUND, "column ", "42703"},
    {STATUS_KIND_NOT_FOUND, "function ", "42883"},
    {STATUS_KIND_NOT_FOUND, "there is no macro", "42883"},
    {STATUS_KIND_NOT_FOUND, "prepared statement ", "26000"},
    {STATUS_KIND_NOT_FOUND, "portal ", "34000"},
    {STATUS_KIND_NOT_FOUND, "cursor ", "34000"},
    {STATUS_KIND_NOT_FOUND, "savepoint ", "3B001"},
    {STATUS_KIND_NOT_FOUND, "file ", "58P01"},
    {STATUS_KIND_DATA, "division by zero", "22012"},
    {STATUS_KIND_DATA, "parameter ", "22P02"},
    {STATUS_KIND_DATA, "% is not a value of type", "22P02"},
    {STATUS_KIND_DATA, "a text is not a value of", "22P02"},
    {STATUS_KIND_DATA, "malformed JSON", "22P02"},
    {STATUS_KIND_DATA, "% is not a number", "22P02"},
    {STATUS_KIND_DATA, "% is not of the format", "22007"},
    {STATUS_KIND_DATA, "timestamp out of range", "22008"},
    {STATUS_KIND_DATA, "% does not fit ", "22003"},
    {STATUS_KIND_DATA, "% out of range", "22003"},
    {STATUS_KIND_DATA, "a subquery used as a value gave more", "21000"},
    {STATUS_KIND_DATA, "substring has a negative length", "22011"},
    {STATUS_KIND_DATA, "a function is not defined for", "22023"},
    {STATUS_KIND_DATA, "the step of a series is zero", "22023"},
    {STATUS_KIND_DATA, "% UTF-8", "22021"},
    {STATUS_KIND_DATA, "a text would have", "54000"},
    {STATUS_KIND_DATA, "the line ", "22P04"},
    {STATUS_KIND_DATA, "the row ", "22P04"},
    {STATUS_KIND_DATA, "what is copied ", "22P04"},
    {STATUS_KIND_DATA, "% has a negative length", "22P04"},
    {STATUS_KIND_DATA, "% column \"", "22P02"},
    {STATUS_KIND_CORRUPT, "a message ", "08P01"},
    {STATUS_KIND_CORRUPT, "parameter ", "22P03"},
    {STATUS_KIND_CORRUPT, "row ", "22P03"},
};

static bool fits(const char *message, const char *pattern)
{
    if (*pattern == '%')
        return strstr(message, pattern + 1) != NULL;
    return !strncmp(message, pattern, strlen(pattern));
}

/* Passes over views in which the failure lies: view "v": ... */
static const char *after_views(const char *message)
{
    const char *end;
    while (!strncmp(message, "view \"", 6) && (end = strstr(message + 6, "\": ")))
        message = end + 3;
    return message;
}

const char *failure_state(status st)
{
    status_kind kind = status_get_kind(st);
    const char *message = after_views(status_message(st));
    if (strstr(message, "enable_external_access is off"))
        return SQLSTATE_PRIVILEGE;
    for (size_t i = 0; i < sizeof message_states / sizeof *message_states; i++)
        if (kind == message_states[i].kind && fits(message, message_states[i].pattern))
            return message_states[i].state;
    return kind_states[kind];
}

static void write_field(wire_writer *out, char type, const char *text)
{
    wire_byte(out, type);
    wire_text(out, text);
}

/* Begins a message whose fields for places and hints are still to come. */
static void begin(wire_writer *out, char type, const char *severity, const char *state,
                  const char *message)
{
    wire_begin(out, type);
    write_field(out, 'S', severity);
    write_field(out, 'V', severity);
    write_field(out, 'C', state);
    write_field(out, 'M', message);
}

static void finish(wire_writer *out)
{
    wire_byte(out, 0);
    wire_finish(out);
}

/* A byte 10xxxxxx begins no character. */
size_t failure_characters(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes && text[i]; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

void failure_write(wire_writer *out, status st, const char *sql, size_t start)
{
    char place[24];
    begin(out, 'E', "ERROR", failure_state(st), status_message(st));
    if (status_get_hint(st))
        write_field(out, 'H', status_get_hint(st));
    if (sql && status_position(st) >= 0) { /* in characters, from 1 */
        snprintf(place, sizeof place, "%zu",
                 failure_characters(sql, start + (size_t)status_position(st)) + 1);
        write_field(out, 'P', place);
    }
    finish(out);
    status_free(st);
}

void failure_write_own(wire_writer *out, const char *severity, const char *state,
                       const char *message, const char *hint)
{
    begin(out, 'E', severity, state, message);
    if (hint)
        write_field(out, 'H', hint);
    finish(out);
}

void failure_write_notice(wire_writer *out, const char *message)
{
    begin(out, 'N', "NOTICE", "00000", message);
    finish(out);
}
