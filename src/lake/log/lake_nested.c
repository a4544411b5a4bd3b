/* lake_nested.c - see lake_nested.h. */
#include "lake/log/lake_nested.h"

#include "base/system/guard.h"
#include "base/type/nested_type.h"

#define PARTS_MAX 10000

static status nested_no_memory(void)
{
    return status_no_memory("lake", sizeof(pq_given_node));
}

/* Makes the node's type of those of its children. */
static status lake_nested_make_type(arena *a, type_id id, pq_given_node *node)
{
    static const char *const names[] = {"key", "value"};
    nested_field *fields = arena_alloc_array(a, (size_t)node->child_count + 1, sizeof *fields);
    if (!fields)
        return nested_no_memory();
    for (uint32_t i = 0; i < node->child_count; i++) {
        const char *name = id == TYPE_STRUCT ? node->children[i].name : names[i];
        fields[i] = (nested_field){id == TYPE_LIST ? "" : name, node->children[i].type};
        node->leaf_count += node->children[i].leaf_count;
    }
    TRY(nested_type_make(id, fields, node->child_count, &node->type));
    return nested_type_keep(a, node->type);
}

static status new_children(arena *a, uint32_t count, pq_given_node *out)
{
    out->child_count = count;
    out->children = arena_alloc_array(a, (size_t)count + 1, sizeof *out->children);
    return out->children ? STATUS_OK : nested_no_memory();
}

static status read_struct(arena *a, const lake_schema_form *form, yyjson_val *type,
                          pq_given_node *out, bool *out_is_known)
{
    yyjson_val *fields = yyjson_obj_get(type, "fields"), *field;
    yyjson_arr_iter iter;
    size_t count = yyjson_arr_size(fields), i = 0;
    *out_is_known = count && count <= PARTS_MAX;
    if (!*out_is_known)
        return STATUS_OK;
    TRY(new_children(a, (uint32_t)count, out));
    yyjson_arr_iter_init(fields, &iter);
    while (*out_is_known && (field = yyjson_arr_iter_next(&iter))) {
        pq_given_node *child = &out->children[i++];
        TRY(form->read_field(form->context, field, child));
        TRY(lake_nested_read(a, form, yyjson_obj_get(field, "type"), child, out_is_known));
    }
    return *out_is_known ? lake_nested_make_type(a, TYPE_STRUCT, out) : STATUS_OK;
}

/* Reads a list's or a map's parts. */
static status read_parts(arena *a, const lake_schema_form *form, yyjson_val *type, type_id id,
                         const char *const parts[2], pq_given_node *out, bool *out_is_known)
{
    uint32_t count = id == TYPE_MAP ? 2 : 1;
    TRY(new_children(a, count, out));
    for (uint32_t i = 0; i < count && *out_is_known; i++) {
        out->children[i].name = id == TYPE_MAP ? i ? "value" : "key" : "element";
        TRY(lake_nested_read(a, form, yyjson_obj_get(type, parts[i]), &out->children[i],
                             out_is_known));
    }
    return *out_is_known ? lake_nested_make_type(a, id, out) : STATUS_OK;
}

status lake_nested_read(arena *a, const lake_schema_form *form, yyjson_val *type,
                        pq_given_node *out, bool *out_is_known)
{
    const char *plain = yyjson_get_str(type), *kind = lake_json_text(type, "type");
    TRY(guard_check());
    *out_is_known = true;
    out->leaf_count = 0;
    if (plain) {
        out->leaf_count = 1;
        *out_is_known = form->find_type(plain, &out->type);
        return STATUS_OK;
    }
    if (kind && !strcmp(kind, "struct"))
        return read_struct(a, form, type, out, out_is_known);
    if (kind && !strcmp(kind, form->list))
        return read_parts(a, form, type, TYPE_LIST, (const char *const[]){form->element, NULL}, out,
                          out_is_known);
    if (kind && !strcmp(kind, "map"))
        return read_parts(a, form, type, TYPE_MAP, (const char *const[]){form->key, form->value},
                          out, out_is_known);
    *out_is_known = false;
    return STATUS_OK;
}

status lake_nested_column(arena *a, const lake_schema_form *form, yyjson_val *field,
                          pq_given_column *out, const pq_given_node **out_node)
{
    pq_given_node *node = arena_alloc(a, sizeof *node);
    bool is_known;
    if (!node)
        return status_no_memory("lake", sizeof *node);
    TRY(form->read_field(form->context, field, node));
    TRY(lake_nested_read(a, form, yyjson_obj_get(field, "type"), node, &is_known));
    *out = (pq_given_column){.name = node->name,
                             .type = is_known ? node->type : type_make(TYPE_NULL),
                             .node = is_known && node->child_count ? node : NULL,
                             .is_nullable = true,
                             .is_nested = !is_known,
                             .field_id = node->field_id};
    out->missing = value_null(out->type);
    out->stored.items = node->stored.items;
    out->stored.count = out->stored.capacity = node->stored.count;
    *out_node = node;
    return STATUS_OK;
}
