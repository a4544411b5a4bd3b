/* bind_arrow_files.c - calls of read_arrow: paths and options. */
#include "sql/relation/bind_arrow_files.h"

#include "arrowfile/arrowfile_table.h"
#include "base/text/type_parse.h"
#include "sql/relation/bind_paths.h"
#include "sql/relation/bind_text_files.h"

#include <strings.h>

typedef struct arrow_call {
    binder *b;
    const char *name;
    arrowfile_options options;
    ARRAY(const char *) paths;
} arrow_call;

bool bind_is_arrow_function(const char *name)
{
    static const char *const names[] = {"read_arrow", "read_feather", "read_ipc"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

static status arrow_take_option(arrow_call *c, const char *name, const pg_node *value,
                                int32_t location)
{
    static const char *const names[] = {"filename", "union_by_name"};
    bool *const members[] = {&c->options.has_filename, &c->options.union_by_name};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) != 0)
            continue;
        const char *text = bind_option_text(c->b, value);
        if (text && bool_parse(text, strlen(text), members[i]))
            return STATUS_OK;
        return status_hint(bind_error(c->b, STATUS_KIND_INVALID, location,
                                      "option %s of %s has a wrong value", names[i], c->name),
                           "true or false");
    }
    return bind_suggest(
        bind_error(c->b, STATUS_KIND_INVALID, location, "%s has no option \"%s\"", c->name, name),
        name, names, sizeof names / sizeof *names);
}

static status arrow_add_path(arrow_call *c, const pg_node *node, int32_t location)
{
    bound_path_list paths = {0};
    TRY(bind_paths(c->b, node, c->name, location, &paths));
    for (size_t i = 0; i < paths.count; i++)
        TRY(array_push(c->b->memory, &c->paths, paths.items[i].text));
    return STATUS_OK;
}

static status arrow_scan_of(arrow_call *c, int32_t location, plan_node **out)
{
    arrowfile_table *table;
    binder *b = c->b;
    TRY(bind_check_access(b, location, "a path"));
    status st =
        arrowfile_table_open(b->memory, c->paths.items, c->paths.count, &c->options, &table);
    int32_t position = bind_position(b, location);
    TRY(st && position >= 0 ? status_at(st, position) : st);
    plan_node *node = plan_node_new(b->memory, PLAN_ARROW_SCAN, 0);
    if (!node)
        return bind_no_memory();
    node->arrow_scan.table = table;
    node->position = position;
    for (size_t i = 0; i < table->columns.count; i++) {
        plan_column column = {.id = bind_new_id(b),
                              .name = table->columns.items[i].name,
                              .type = table->columns.items[i].type,
                              .is_nullable = true};
        b->statement->has_nested |= type_is_nested(column.type);
        TRY(array_push(b->memory, &node->columns, column));
        TRY(array_push(b->memory, &node->arrow_scan.sources, (uint32_t)i));
    }
    *out = node;
    return STATUS_OK;
}

status bind_arrow_call(binder *b, const FuncCall *call, plan_node **out, const char **out_path)
{
    arrow_call c = {.b = b,
                    .name = strVal(list_nth(call->funcname, list_length(call->funcname) - 1))};
    for (size_t i = 0; i < list_length(call->args); i++) {
        const pg_node *argument = list_nth(call->args, i), *value;
        const char *name;
        int32_t location = bind_location(argument);
        TRY(bind_find_option(argument, &name, &value) ? arrow_take_option(&c, name, value, location)
                                                      : arrow_add_path(&c, argument, location));
    }
    if (!c.paths.count)
        return bind_error(b, STATUS_KIND_INVALID, call->location, "%s takes one or more paths",
                          c.name);
    *out_path = c.paths.items[0];
    return arrow_scan_of(&c, call->location, out);
}

status bind_arrow_path(binder *b, const char *path, int32_t location, plan_node **out)
{
    arrow_call c = {.b = b, .name = "FROM"};
    TRY(array_push(b->memory, &c.paths, path));
    return arrow_scan_of(&c, location, out);
}
