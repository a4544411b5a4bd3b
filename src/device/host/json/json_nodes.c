/* json_nodes.c - json_nodes: all values of a JSON text, each before those in it, as an array of objects, for json_tree:
 *
 *   k  the key, or the number in an array; null of the value at the top      i  the value's number
 *   v  the value, as a text                                                  p  that of the value around it, or null
 *   t  its type                                                              f  its path
 *   a  the value once more, if it is not an array or object                  o  the path of the value around it
 *
 * Values are numbered with keys, as they lie in yyjson's document. */
#include "device/host/json/json_document.h"

#include <ctype.h>

/* Values in one another, at most: they are visited by recursion. */
#define NODES_DEPTH_MAX 1000

typedef struct node_list {
    json_state *state;
    yyjson_mut_doc *to;
    yyjson_mut_val *nodes;
    const yyjson_val *origin; /* number 0 */
    ARRAY(char) path;         /* of the value at work; not terminated */
} node_list;

/* A value among those around it. */
typedef struct node_place {
    yyjson_val *value, *around; /* around NULL: it is the top */
    yyjson_mut_val *key;
    size_t around_bytes; /* of the path, that is the path of `around` */
} node_place;

static status nodes_failed(const node_list *l)
{
    return l->state->memory.failure ? json_memory_failed(&l->state->memory)
                                    : status_no_memory("JSON", 0);
}

static status path_add(node_list *l, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        TRY(array_push(NULL, &l->path, text[i]));
    return STATUS_OK;
}

static bool is_plain_key(const char *key, size_t bytes)
{
    bool is_plain = bytes > 0 && *key != '_' && !isdigit((unsigned char)*key);
    for (size_t i = 0; i < bytes; i++)
        is_plain &=
            key[i] == '_' || (!((unsigned char)key[i] & 0x80) && isalnum((unsigned char)key[i]));
    return is_plain;
}

/* Adds .key, or ."a key" in quotes. */
static status path_add_key(node_list *l, const yyjson_val *key)
{
    const char *text = unsafe_yyjson_get_str((void *)(uintptr_t)key);
    size_t bytes = unsafe_yyjson_get_len((void *)(uintptr_t)key);
    TRY(path_add(l, ".", 1));
    if (is_plain_key(text, bytes))
        return path_add(l, text, bytes);
    char *quoted = yyjson_val_write_opts(key, 0, &l->state->memory.alc, &bytes, NULL);
    return quoted ? path_add(l, quoted, bytes) : nodes_failed(l);
}

static status path_add_number(node_list *l, size_t number)
{
    char text[32];
    int bytes = snprintf(text, sizeof text, "[%zu]", number);
    return path_add(l, text, (size_t)bytes);
}

/* The value as JSON, in a text. */
static yyjson_mut_val *node_text(const node_list *l, const yyjson_val *value)
{
    size_t bytes;
    char *text = yyjson_val_write_opts(value, 0, &l->state->memory.alc, &bytes, NULL);
    return text ? yyjson_mut_strn(l->to, text, bytes) : NULL;
}

static status node_add(node_list *l, const node_place *place)
{
    yyjson_mut_doc *to = l->to;
    yyjson_mut_val *node = yyjson_mut_obj(to), *text = node_text(l, place->value);
    bool is_atom = !yyjson_is_ctn(place->value) && !yyjson_is_null(place->value);
    const char *path = l->path.items;
    size_t around = place->around ? place->around_bytes : l->path.count;
    if (!node || !text || !yyjson_mut_obj_add_val(to, node, "k", place->key) ||
        !yyjson_mut_obj_add_val(to, node, "v", text) ||
        !yyjson_mut_obj_add_str(to, node, "t", json_type_name(place->value)) ||
        !yyjson_mut_obj_add_val(
            to, node, "a",
            is_atom ? yyjson_mut_strn(to, unsafe_yyjson_get_str(text), unsafe_yyjson_get_len(text))
                    : yyjson_mut_null(to)) ||
        !yyjson_mut_obj_add_int(to, node, "i", place->value - l->origin) ||
        !yyjson_mut_obj_add_val(to, node, "p",
                                place->around ? yyjson_mut_sint(to, place->around - l->origin)
                                              : yyjson_mut_null(to)) ||
        !yyjson_mut_obj_add_strncpy(to, node, "f", path, l->path.count) ||
        !yyjson_mut_obj_add_strncpy(to, node, "o", path, around) ||
        !yyjson_mut_arr_append(l->nodes, node))
        return nodes_failed(l);
    return STATUS_OK;
}

static status nodes_visit(node_list *l, const node_place *place, unsigned depth);

static status nodes_visit_elements(node_list *l, yyjson_val *array, unsigned depth)
{
    size_t bytes = l->path.count, number = 0;
    yyjson_arr_iter elements = yyjson_arr_iter_with(array);
    for (yyjson_val *element; (element = yyjson_arr_iter_next(&elements)); number++) {
        char text[32];
        int key_bytes = snprintf(text, sizeof text, "%zu", number);
        node_place place = {element, array, yyjson_mut_strncpy(l->to, text, (size_t)key_bytes),
                            bytes};
        TRY(path_add_number(l, number));
        TRY(nodes_visit(l, &place, depth));
        l->path.count = bytes;
    }
    return STATUS_OK;
}

static status nodes_visit_members(node_list *l, yyjson_val *object, unsigned depth)
{
    size_t bytes = l->path.count;
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&members));) {
        node_place place = {yyjson_obj_iter_get_val(key), object, yyjson_val_mut_copy(l->to, key),
                            bytes};
        TRY(path_add_key(l, key));
        TRY(nodes_visit(l, &place, depth));
        l->path.count = bytes;
    }
    return STATUS_OK;
}

static status nodes_visit(node_list *l, const node_place *place, unsigned depth)
{
    if (depth > NODES_DEPTH_MAX)
        return status_new(STATUS_KIND_DATA, "JSON has more than %d values in one another",
                          NODES_DEPTH_MAX);
    TRY(node_add(l, place));
    if (yyjson_is_obj(place->value))
        return nodes_visit_members(l, place->value, depth + 1);
    return yyjson_is_arr(place->value) ? nodes_visit_elements(l, place->value, depth + 1)
                                       : STATUS_OK;
}

/* Visits the values below the path of argument 1, or all, and writes them. */
static status nodes_write(host_call *c, uint64_t row, node_list *l, yyjson_val *top)
{
    size_t bytes;
    node_place place = {.value = top, .key = yyjson_mut_null(l->to)};
    const string_view *path = c->arg_count > 1 ? host_text(c, 1, row) : NULL;
    TRY(path ? path_add(l, string_data(path), path->bytes) : path_add(l, "$", 1));
    TRY(nodes_visit(l, &place, 0));
    char *text = yyjson_mut_val_write_opts(l->nodes, 0, &l->state->memory.alc, &bytes, NULL);
    return text ? host_put_text(c, row, text, bytes) : nodes_failed(l);
}

status host_json_nodes(host_call *c, uint64_t row)
{
    json_state *s = c->state;
    node_list l = {.state = s};
    yyjson_val *root, *top;
    TRY(json_root(c, row, &root));
    TRY(json_find_parsed(c, row, &top));
    l.origin = root;
    l.to = yyjson_mut_doc_new(&s->memory.alc);
    l.nodes = l.to ? yyjson_mut_arr(l.to) : NULL;
    if (!l.nodes)
        return nodes_failed(&l);
    if (!top)
        return host_put_text(c, row, "[]", 2);
    status st = nodes_write(c, row, &l, top);
    array_release(&l.path);
    return st;
}
