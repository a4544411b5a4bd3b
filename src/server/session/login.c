/* login.c - see login.h. */
#include "server/session/login.h"

#include "server/access/users.h"
#include "server/activity/activity_list.h"
#include "server/engine.h"
#include "server/protocol/failure.h"
#include "server/session/copy_in.h"
#include "server/session/password.h"

#include <stdio.h>
#include <strings.h>

#define AUTHENTICATION_OK 0
/* Names of the first message: so many at most, or it is refused. */
#define NAMES_MAX 100

typedef struct login_names {
    const char *user, *encoding, *application;
    const char *unknown[NAMES_MAX]; /* _pq_.…: extensions that the server does not have */
    unsigned unknown_count;
} login_names;

/* ---- refusals ---- */

static status refuse(session *s, const char *state, const char *message, const char *hint)
{
    failure_write_own(&s->stream.out, "FATAL", state, message, hint);
    return stream_flush(&s->stream);
}

/* ---- the first message ---- */

static status read_names(wire_reader *reader, login_names *out)
{
    *out = (login_names){.user = "", .encoding = "UTF8", .application = ""};
    for (unsigned i = 0; i < NAMES_MAX; i++) {
        const char *name = wire_read_text(reader);
        if (!*name)
            return wire_end(reader, "that starts a session");
        const char *text = wire_read_text(reader);
        if (!strcmp(name, "user"))
            out->user = text;
        else if (!strcmp(name, "client_encoding"))
            out->encoding = text;
        else if (!strcmp(name, "application_name"))
            out->application = text;
        else if (!strncmp(name, "_pq_.", 5))
            out->unknown[out->unknown_count++] = name;
    }
    return status_new(STATUS_KIND_CORRUPT, "a session is started with more than %d names",
                      NAMES_MAX);
}

/* Says which version of the protocol the server speaks, and what it leaves out. */
static void negotiate(session *s, const login_names *names)
{
    wire_writer *out = &s->stream.out;
    wire_begin(out, 'v');
    wire_32(out, WIRE_VERSION_3);
    wire_32(out, names->unknown_count);
    for (unsigned i = 0; i < names->unknown_count; i++)
        wire_text(out, names->unknown[i]);
    wire_finish(out);
}

/* Some clients write it in quotes. */
static bool is_known_encoding(const char *name)
{
    static const char *const names[] = {"UTF8", "UTF-8", "UNICODE", "SQL_ASCII"};
    size_t quote = *name == '\'', bytes = strlen(name + quote);
    bytes -= quote && bytes && name[bytes] == '\'';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == bytes && !strncasecmp(name + quote, names[i], bytes))
            return true;
    return false;
}

/* ---- what a session begins with ---- */

static void take_names(session *s, const login_names *names)
{
    pg_settings_init(&s->settings);
    pg_setting_put(&s->settings, "application_name", names->application);
    pg_setting_put(&s->settings, "session_authorization", names->user);
}

static const char *session_user(const session *s)
{
    return pg_setting_get(&s->settings, pg_setting_find("session_authorization", 21));
}

static void tell_all(session *s)
{
    settings now;
    wire_writer *out = &s->stream.out;
    wire_begin(out, 'R');
    wire_32(out, AUTHENTICATION_OK);
    wire_finish(out);
    pg_settings_tell(&s->settings, out);
    api_settings(s->connection, &now);
    pg_setting_tell("TimeZone", now.timezone.text, out);
    wire_begin(out, 'K');
    wire_32(out, s->client->number);
    wire_32(out, s->client->secret);
    wire_finish(out);
}

/* Reads what the user's statements may take. What is wrong with the file is said where the server's own words go. */
static status read_limits(session *s, role_limits *out)
{
    role_limits_init(out);
    status st = s->shared->users ? users_limits(s->shared->users, session_user(s), out) : STATUS_OK;
    if (!st)
        return STATUS_OK;
    fprintf(stderr, "pistachio serve: %s\n", status_message(st));
    status_free(st);
    return status_new(STATUS_KIND_IO, "the server cannot read what users may do");
}

/* Lets others see the client's statements. */
static status show_client(session *s)
{
    activity_entry *a = &s->client->activity;
    TRY(read_limits(s, &a->limits));
    a->connection = s->connection;
    a->settings = &s->settings;
    a->told = &s->stream.out;
    a->protocol = "postgresql";
    a->sees_all = s->client->is_trusted;
    snprintf(a->user, sizeof a->user, "%s", session_user(s));
    activity_name(a, pg_setting_get(&s->settings, pg_setting_find("application_name", 16)));
    TRY(clients_show(&s->shared->clients, s->client, &s->shared->activity));
    activity_show(a);
    return STATUS_OK;
}

static status open_session(session *s, bool *out_is_open)
{
    bool is_known = s->client->is_trusted;
    if (!is_known)
        TRY(password_check(s, session_user(s), &is_known));
    if (!is_known)
        return STATUS_OK;
    if (!clients_admit(&s->shared->clients, s->client))
        return refuse(s, SQLSTATE_TOO_MANY, "too many clients are connected",
                      "wait, or start the server with a larger --max-connections");
    status st = api_error_status(pistachio_connect_session(s->shared->database, &s->connection));
    if (!st)
        st = show_client(s);
    if (st) {
        failure_write(&s->stream.out, st, NULL, 0);
        return stream_flush(&s->stream);
    }
    s->connection->copies_to_client = true;
    definitions_join(&s->definitions, &s->shared->definitions, s->connection,
                     s->client->is_owner || s->client->activity.limits.writes_catalog);
    copy_in_open(s);
    tell_all(s);
    *out_is_open = true;
    return STATUS_OK;
}

/* Fields of the message are valid until the next one is read: names are copied where they are needed longer. */
static status start(session *s, uint32_t version, wire_reader *reader, bool *out_is_open)
{
    login_names names;
    if (s->client->needs_tls && !s->stream.tls)
        return refuse(s, SQLSTATE_AUTHORIZATION, "this address takes encrypted connections alone",
                      "connect with sslmode=require");
    if (version >> 16 != 3)
        return refuse(s, SQLSTATE_FEATURE, "the server speaks version 3 of the protocol alone",
                      NULL);
    TRY(read_names(reader, &names));
    if (!*names.user || strlen(names.user) >= USERS_NAME_BYTES)
        return refuse(s, SQLSTATE_AUTHORIZATION, "no user name is given, or one that is too long",
                      NULL);
    if (!is_known_encoding(names.encoding))
        return refuse(s, SQLSTATE_FEATURE, "client_encoding can be UTF8 alone",
                      "set PGCLIENTENCODING to UTF8");
    if (version != WIRE_VERSION_3 || names.unknown_count)
        negotiate(s, &names);
    take_names(s, &names);
    return open_session(s, out_is_open);
}

static status cancel(session *s, wire_reader *reader)
{
    uint32_t number = wire_read_32(reader), secret = wire_read_32(reader);
    TRY(wire_end(reader, "that cancels"));
    clients_cancel(&s->shared->clients, number, secret);
    return STATUS_OK;
}

/* Answers a request for TLS or GSS: by TLS, if it is that one and there is TLS, else by no. */
static status encrypt(session *s, uint32_t code, stream_end *out_end)
{
    *out_end = STREAM_GOING_ON;
    if (code == WIRE_TLS_REQUEST && s->shared->tls && !s->stream.tls)
        return stream_start_tls(&s->stream, s->shared->tls, out_end);
    return stream_send_byte(&s->stream, 'N');
}

status login_run(session *s, bool *out_is_open)
{
    *out_is_open = false;
    for (int offers = 0; offers < 3; offers++) { /* TLS, GSS, then the message itself */
        stream_end end;
        uint32_t code;
        wire_reader reader;
        TRY(stream_read_first(&s->stream, &end, &code, &reader));
        if (end)
            return STATUS_OK;
        if (code == WIRE_CANCEL_REQUEST)
            return cancel(s, &reader);
        if (code != WIRE_TLS_REQUEST && code != WIRE_GSS_REQUEST)
            return start(s, code, &reader, out_is_open);
        TRY(wire_end(&reader, "that asks for encryption"));
        TRY(encrypt(s, code, &end));
        if (end)
            return STATUS_OK;
    }
    return status_new(STATUS_KIND_CORRUPT, "encryption is asked for again and again");
}
