/* prepared.c - see prepared.h. */
#include "server/session/prepared.h"

#include "server/engine.h"

/* ---- statements ---- */

static prepared **prepared_find_statement(prepared_lists *lists, const char *name)
{
    prepared **link = &lists->statements;
    while (*link && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

prepared *prepared_find(const prepared_lists *lists, const char *name)
{
    return *prepared_find_statement((prepared_lists *)lists, name);
}

static void free_statement(prepared *p)
{
    pistachio_statement_free(p->statement);
    mem_free(p->oids);
    mem_free(p->name);
    mem_free(p->sql);
    mem_free(p);
}

static void unlink_statement(prepared_lists *lists, prepared **link)
{
    prepared *p = *link;
    if (!p)
        return;
    *link = p->next;
    lists->statement_count--;
    free_statement(p);
}

void prepared_remove(prepared_lists *lists, const char *name)
{
    unlink_statement(lists, prepared_find_statement(lists, name));
}

void prepared_remove_all(prepared_lists *lists)
{
    while (lists->statements)
        unlink_statement(lists, &lists->statements);
}

status prepared_add(prepared_lists *lists, const char *name, prepared **out)
{
    *out = NULL;
    if (!*name)
        prepared_remove(lists, name);
    if (prepared_find(lists, name))
        return status_new(STATUS_KIND_INVALID, "prepared statement \"%s\" is there already", name);
    if (lists->statement_count == PREPARED_MAX)
        return status_hint(status_new(STATUS_KIND_LIMIT,
                                      "a session has at most %d prepared statements", PREPARED_MAX),
                           "close those that are not needed any more");
    prepared *p = mem_new(sizeof *p);
    if (!p)
        return status_no_memory("prepared statement", sizeof *p);
    p->name = mem_copy_text(name, strlen(name));
    if (!p->name) {
        mem_free(p);
        return status_no_memory("prepared statement", strlen(name));
    }
    p->next = lists->statements;
    lists->statements = *out = p;
    lists->statement_count++;
    return STATUS_OK;
}

/* ---- portals ---- */

static portal **prepared_find_portal(prepared_lists *lists, const char *name)
{
    portal **link = &lists->portals;
    while (*link && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

portal *portal_find(const prepared_lists *lists, const char *name)
{
    return *prepared_find_portal((prepared_lists *)lists, name);
}

static void free_portal(portal *p)
{
    pistachio_result_free(p->rows.result);
    mem_free(p->formats);
    mem_free(p->copies);
    mem_free(p->name);
    mem_free(p);
}

static void unlink_portal(prepared_lists *lists, portal **link)
{
    portal *p = *link;
    if (!p)
        return;
    *link = p->next;
    lists->portal_count--;
    free_portal(p);
}

void portal_remove(prepared_lists *lists, const char *name)
{
    unlink_portal(lists, prepared_find_portal(lists, name));
}

void portal_remove_all(prepared_lists *lists)
{
    while (lists->portals)
        unlink_portal(lists, &lists->portals);
}

status portal_add(prepared_lists *lists, const char *name, portal **out)
{
    *out = NULL;
    if (!*name)
        portal_remove(lists, name);
    if (portal_find(lists, name))
        return status_new(STATUS_KIND_INVALID, "portal \"%s\" is there already", name);
    if (lists->portal_count == PORTALS_MAX)
        return status_hint(
            status_new(STATUS_KIND_LIMIT, "a session has at most %d portals", PORTALS_MAX),
            "close those that are not needed any more");
    portal *p = mem_new(sizeof *p);
    if (!p)
        return status_no_memory("portal", sizeof *p);
    p->name = mem_copy_text(name, strlen(name));
    if (!p->name) {
        mem_free(p);
        return status_no_memory("portal", strlen(name));
    }
    p->next = lists->portals;
    lists->portals = *out = p;
    lists->portal_count++;
    return STATUS_OK;
}
