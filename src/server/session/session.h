/* session.h - one client's session: it logs in, then its messages are answered one after another, by one thread. */
#ifndef PISTACHIO_SERVER_SESSION_SESSION_H
#define PISTACHIO_SERVER_SESSION_SESSION_H

#include "server/catalog/definitions.h"
#include "server/protocol/pg_setting.h"
#include "server/protocol/stream.h"
#include "server/session/clients.h"
#include "server/session/prepared.h"

/* State that all sessions share; it outlives them. */
typedef struct session_shared {
    pistachio_database *database;
    clients clients;
    activity activity; /* statements of all clients */
    definitions definitions;
    int ending;                 /* an eventfd that can be read once the server ends */
    tls_identity *tls;          /* NULL: the server has no TLS */
    const char *users;          /* the file of those who log in by TCP; NULL: nobody can */
    uint8_t secret[32];         /* random: for what users seem to have who are not there */
    int64_t login_milliseconds; /* in which a client has logged in */
} session_shared;

/* Letters of ReadyForQuery. */
typedef enum transaction_state {
    TRANSACTION_NONE = 'I',
    TRANSACTION_OPEN = 'T',
    TRANSACTION_FAILED = 'E'
} transaction_state;

typedef struct session {
    session_shared *shared;
    client *client;
    stream stream;
    pistachio_connection *connection;
    transaction_state transaction;
    pg_settings settings;
    prepared_lists lists;
    session_definitions definitions;
    bool is_skipping; /* messages up to Sync: one has failed */
    const char *sql;  /* in which the position of a failure lies; NULL: in none */
    bool is_begun;    /* a statement has begun */
    uint64_t rows;    /* that were sent of it */
    int copied;       /* a file of rows that COPY takes; -1: there is none */
    char copied_path[32];
} session;

/* Begins the statement, of so many bytes; nothing happens while one has begun already. */
void session_statement_begin(session *s, const char *sql, size_t bytes);
/* Ends the statement, if one has begun. Returns its failure st, perhaps in other words. */
CHECKED status session_statement_end(session *s, status st);
/* Forgets the statement: there was none. */
void session_statement_drop(session *s);

/* Tells the client of a failure, whose position is so many bytes after the beginning of s->sql, and frees it. */
void session_fail(session *s, status st, size_t start);
/* Tells the client what it is to know of a statement that was run: a setting of the engine's that has changed. */
void session_note(session *s, const pistachio_result *result);

/* Answers the client until it leaves, or the server ends. Any thread. */
void session_run(session_shared *shared, client *one);

#endif
