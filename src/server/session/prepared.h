/* prepared.h - a session's prepared statements and portals, by name; "" is a name, too. */
#ifndef PISTACHIO_SERVER_SESSION_PREPARED_H
#define PISTACHIO_SERVER_SESSION_PREPARED_H

#include "pistachio/pistachio.h"
#include "server/session/command.h"
#include "server/session/rows.h"

#define PREPARED_MAX 1000
/* Each may hold a query that runs. */
#define PORTALS_MAX 100

typedef struct prepared {
    struct prepared *next;
    char *name;
    command command;
    char *sql;                      /* of DECLARE, else NULL */
    pistachio_statement *statement; /* NULL: it is a command, or empty */
    uint32_t *oids;                 /* types that the client has declared, by parameter; 0: none */
    uint32_t oid_count;
} prepared;

/* A statement that was executed with values, and whose rows are taken bit by bit. */
typedef struct portal {
    struct portal *next;
    char *name;
    command command; /* which is executed with the portal */
    char *copies;    /* the name of the statement that takes rows when it is executed; or NULL */
    rows rows;       /* of no result: it is a command, or empty */
    uint8_t *formats;
    size_t format_count;
} portal;

typedef struct prepared_lists {
    prepared *statements;
    portal *portals;
    size_t statement_count, portal_count;
} prepared_lists;

prepared *prepared_find(const prepared_lists *lists, const char *name);
portal *portal_find(const prepared_lists *lists, const char *name);
/* Makes one of this name, which is copied; replaces the one of the name "", and fails where there is one of another. */
CHECKED status prepared_add(prepared_lists *lists, const char *name, prepared **out);
CHECKED status portal_add(prepared_lists *lists, const char *name, portal **out);
/* Nothing happens where there is none of the name. */
void prepared_remove(prepared_lists *lists, const char *name);
void portal_remove(prepared_lists *lists, const char *name);
void prepared_remove_all(prepared_lists *lists);
void portal_remove_all(prepared_lists *lists);

#endif
