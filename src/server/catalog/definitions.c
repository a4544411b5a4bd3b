/* definitions.c - see definitions.h. */
#include "server/catalog/definitions.h"

#include "server/catalog/definitions_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* Bounds what a transaction holds until its end. */
#define DEFINITIONS_MAX 100000
#define SAVEPOINTS_MAX 10000

/* ---- the server's ---- */

/* Locks a file beside the one that is replaced, for as long as the process lives. */
static status lock_file(definitions *all)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s.lock", all->path) >= (int)sizeof path)
        return status_new(STATUS_KIND_INVALID, "the path \"%s\" is too long", all->path);
    all->locked = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (all->locked < 0)
        return status_new_errno(errno, "could not make \"%s\"", path);
    if (!flock(all->locked, LOCK_EX | LOCK_NB))
        return STATUS_OK;
    if (errno != EWOULDBLOCK)
        return status_new_errno(errno, "could not lock \"%s\"", path);
    return status_hint(
        status_new(STATUS_KIND_INVALID, "another server has the catalog \"%s\"", all->path),
        "give each server a --catalog FILE of its own");
}

status definitions_open(definitions *all, pistachio_database *database, const char *path)
{
    *all = (definitions){.path = path, .locked = -1};
    mutex_init(&all->lock);
    if (!path)
        return STATUS_OK;
    TRY(lock_file(all));
    TRY(sql_catalog_new_shared(database->catalog, &all->shared));
    return definitions_file_read(path, all->shared);
}

void definitions_close(definitions *all)
{
    sql_catalog_free(all->shared);
    if (all->locked >= 0)
        close(all->locked);
    mutex_destroy(&all->lock);
}

/* ---- a session's ---- */

static status check_right(const session_definitions *own)
{
    if (own->may_write)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_INVALID, "permission denied: the user may not change the catalog"),
        "CREATE TEMP VIEW makes a view for the session; the word catalog=write in "
        "the file of --users lets its user change the catalog");
}

/* Gives the session a copy of the shared definitions, with so many of its own done to it. */
static status make_work(session_definitions *own, size_t count)
{
    sql_catalog *work;
    TRY(sql_catalog_clone(own->all->shared, &work));
    for (size_t i = 0; i < count; i++) {
        status st = sql_catalog_define(work, own->done.items[i]);
        if (st) {
            sql_catalog_free(work);
            return st;
        }
    }
    sql_catalog_set_below(own->connection->catalog, work);
    sql_catalog_free(own->work);
    own->work = work;
    return STATUS_OK;
}

static void forget_from(session_definitions *own, size_t first)
{
    while (own->done.count > first)
        mem_free(own->done.items[--own->done.count]);
}

/* Keeps the definition, to be done again at the end of the transaction. */
static status keep_definition(session_definitions *own, const sql_definition *definition)
{
    sql_definition *copy;
    if (own->done.count >= DEFINITIONS_MAX)
        return status_new(STATUS_KIND_LIMIT, "a transaction has more than %d definitions",
                          DEFINITIONS_MAX);
    TRY(sql_definition_copy(definition, &copy));
    status st = array_push(NULL, &own->done, copy);
    if (st)
        mem_free(copy);
    return st;
}

/* Does the definition in the session's copy. */
static status define(session_definitions *own, const sql_definition *definition)
{
    if (!own->work)
        TRY(make_work(own, 0));
    TRY(sql_catalog_define(own->work, definition));
    status st = keep_definition(own, definition);
    if (st) /* it is done, but would be forgotten */
        status_free(make_work(own, own->done.count));
    return st;
}

/* A connection's `define`. */
static status define_of(void *context, const sql_definition *definition)
{
    session_definitions *own = context;
    TRY(check_right(own));
    status st = define(own, definition);
    if (own->is_open)
        return st;
    if (!st)
        return definitions_commit(own);
    definitions_roll_back(own);
    return st;
}

void definitions_join(session_definitions *own, definitions *all, pistachio_connection *connection,
                      bool may_write)
{
    *own = (session_definitions){.all = all, .connection = connection, .may_write = may_write};
    if (!all->shared)
        return;
    sql_catalog_set_below(connection->catalog, all->shared);
    connection->define = define_of;
    connection->define_context = own;
}

/* ---- transactions ---- */

void definitions_begin(session_definitions *own)
{
    own->is_open = true;
}

void definitions_roll_back(session_definitions *own)
{
    own->is_open = false;
    forget_from(own, 0);
    own->savepoints.count = 0;
    if (!own->work)
        return;
    sql_catalog_set_below(own->connection->catalog, own->all->shared);
    sql_catalog_free(own->work);
    own->work = NULL;
}

/* Says that the transaction is one that can be tried again. */
static status conflict(status st)
{
    status moved = status_new(STATUS_KIND_INVALID,
                              "could not serialize access: another transaction has changed the "
                              "catalog meanwhile: %s",
                              status_message(st));
    status_free(st);
    return status_hint(moved, "run the transaction again");
}

/* Caller holds the lock. */
static status definitions_publish(session_definitions *own)
{
    status st = make_work(own, own->done.count);
    if (st)
        return status_get_kind(st) == STATUS_KIND_NO_MEMORY ? st : conflict(st);
    TRY(definitions_file_write(own->all->path, own->work));
    sql_catalog_set_below(own->connection->catalog, own->all->shared);
    sql_catalog_take(own->all->shared, own->work);
    own->work = NULL;
    return STATUS_OK;
}

status definitions_commit(session_definitions *own)
{
    status st = STATUS_OK;
    if (own->done.count) {
        mutex_lock(&own->all->lock);
        st = definitions_publish(own);
        mutex_unlock(&own->all->lock);
    }
    definitions_roll_back(own); /* what is left of it */
    return st;
}

status definitions_save(session_definitions *own, const char *name)
{
    savepoint made = {.done = own->done.count};
    if (own->savepoints.count >= SAVEPOINTS_MAX || strlen(name) >= SAVEPOINT_BYTES)
        return status_new(STATUS_KIND_LIMIT,
                          "a transaction has at most %d savepoints, with names of fewer than %d "
                          "bytes",
                          SAVEPOINTS_MAX, SAVEPOINT_BYTES);
    snprintf(made.name, sizeof made.name, "%s", name);
    return array_push(NULL, &own->savepoints, made);
}

status definitions_release(session_definitions *own, const char *name, bool undoes)
{
    size_t at = own->savepoints.count;
    while (at && strcmp(own->savepoints.items[at - 1].name, name) != 0)
        at--;
    if (!at)
        return status_new(STATUS_KIND_NOT_FOUND, "savepoint \"%s\" does not exist", name);
    size_t done = own->savepoints.items[at - 1].done;
    own->savepoints.count = undoes ? at : at - 1; /* it can be gone back to once more */
    if (!undoes || done == own->done.count)
        return STATUS_OK;
    forget_from(own, done);
    return make_work(own, done);
}

void definitions_leave(session_definitions *own)
{
    if (own->all)
        definitions_roll_back(own);
    array_release(&own->done);
    array_release(&own->savepoints);
}
