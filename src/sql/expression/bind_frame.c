/* bind_frame.c - frames: which rows around a row a window function sees. */
#include "sql/expression/bind_expr.h"
#include "sql/expression/expression_parts.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

#include <math.h>

/* WindowDef.frame_options, as in PostgreSQL's parsenodes.h. */
#define OPTION_RANGE 0x2
#define OPTION_ROWS 0x4
#define OPTION_GROUPS 0x8
#define OPTION_START_UNBOUNDED_PRECEDING 0x20
#define OPTION_END_UNBOUNDED_FOLLOWING 0x100
#define OPTION_START_CURRENT_ROW 0x200
#define OPTION_END_CURRENT_ROW 0x400
#define OPTION_START_OFFSET_PRECEDING 0x800
#define OPTION_END_OFFSET_PRECEDING 0x1000
#define OPTION_START_OFFSET_FOLLOWING 0x2000
#define OPTION_END_OFFSET_FOLLOWING 0x4000
#define OPTION_EXCLUDE_CURRENT_ROW 0x8000
#define OPTION_EXCLUDE_GROUP 0x10000
#define OPTION_EXCLUDE_TIES 0x20000

typedef struct frame_binder {
    binder *b;
    const WindowDef *tree;
    bind_scope *scope;
    const plan_sort_key_list *order;
    plan_frame_mode mode;
} frame_binder;

static plan_frame_bound_kind bound_kind(int32_t options, bool is_end)
{
    if (options & (is_end ? OPTION_END_CURRENT_ROW : OPTION_START_CURRENT_ROW))
        return FRAME_CURRENT;
    if (options & (is_end ? OPTION_END_OFFSET_PRECEDING : OPTION_START_OFFSET_PRECEDING))
        return FRAME_PRECEDING;
    if (options & (is_end ? OPTION_END_OFFSET_FOLLOWING : OPTION_START_OFFSET_FOLLOWING))
        return FRAME_FOLLOWING;
    return is_end ? FRAME_UNBOUNDED_FOLLOWING : FRAME_UNBOUNDED_PRECEDING;
}

static const char *mode_name(plan_frame_mode mode)
{
    return mode == FRAME_ROWS ? "ROWS" : mode == FRAME_RANGE ? "RANGE" : "GROUPS";
}

static status bad_offset(const frame_binder *f, const pg_node *node, bool is_end, const char *what)
{
    return bind_error(f->b, STATUS_KIND_INVALID, bind_location(node),
                      "frame %s offset must not be %s", is_end ? "ending" : "starting", what);
}

/* An offset does not depend on the row. */
static status bind_offset(const frame_binder *f, const pg_node *node, bool is_end, expr **out)
{
    const char *clause = f->scope->clause;
    f->scope->clause = mode_name(f->mode);
    status st = bind_expr(f->b, node, f->scope, out);
    f->scope->clause = clause;
    TRY(st);
    if (!expr_is_constant(*out))
        return bind_error(f->b, STATUS_KIND_UNSUPPORTED, bind_location(node),
                          "argument of %s that is not a constant is not supported",
                          mode_name(f->mode));
    return (*out)->constant.is_null ? bad_offset(f, node, is_end, "null") : STATUS_OK;
}

/* Binds the distance of ROWS and GROUPS: a number of them. */
static status bind_distance(const frame_binder *f, const pg_node *node, bool is_end, uint64_t *out)
{
    char type[TYPE_NAME_BYTES];
    expr *e;
    TRY(bind_offset(f, node, is_end, &e));
    if (!bind_is_literal(e) && !type_is_integer(e->type))
        return bind_error(f->b, STATUS_KIND_INVALID, bind_location(node),
                          "argument of %s must be an integer, not %s", mode_name(f->mode),
                          type_name(e->type, type));
    TRY(bind_cast(f->b, e, type_make(TYPE_INT64), bind_location(node), &e));
    if (e->constant.i64 < 0)
        return bad_offset(f, node, is_end, "negative");
    *out = (uint64_t)e->constant.i64;
    return STATUS_OK;
}

static bool is_negative(const value *v)
{
    switch (v->type.id) {
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return v->f64 < 0;
    case TYPE_INTERVAL: /* as they are compared */
        return ((int128)v->interval.months * 30 + v->interval.days) * 86400000000 +
                   v->interval.microseconds <
               0;
    default:
        return value_int128(v) < 0;
    }
}

/* Integers get room for the offset, so that no limit overflows. */
static status widen_key(const frame_binder *f, expr **key)
{
    data_type type = (*key)->type;
    if (!type_is_integer(type))
        return STATUS_OK;
    return bind_cast(f->b, *key, type_decimal(type.width < 8 ? 18 : 20, 0), -1, key);
}

static bool has_distances(data_type type)
{
    return type_is_numeric(type) || type.id == TYPE_DATE || type.id == TYPE_TIMESTAMP ||
           type.id == TYPE_TIMESTAMP_TZ || type.id == TYPE_INTERVAL;
}

static status frame_check_key(const frame_binder *f, const pg_node *node)
{
    char type[TYPE_NAME_BYTES];
    if (list_length(f->tree->orderClause) != 1 || f->order->count != 1)
        return bind_error(f->b, STATUS_KIND_INVALID, f->tree->location,
                          "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY "
                          "column");
    if (has_distances(f->order->items[0].key->type))
        return STATUS_OK;
    return bind_error(f->b, STATUS_KIND_INVALID, bind_location(node),
                      "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s",
                      type_name(f->order->items[0].key->type, type));
}

static status cast_offset(const frame_binder *f, const pg_node *node, data_type key, expr **offset)
{
    char type[TYPE_NAME_BYTES], expected[TYPE_NAME_BYTES];
    bool is_number = type_is_numeric(key);
    data_type wanted = is_number ? key : type_make(TYPE_INTERVAL);
    if (bind_is_literal(*offset))
        TRY(bind_cast(f->b, *offset, wanted, bind_location(node), offset));
    if (is_number ? type_is_numeric((*offset)->type) : (*offset)->type.id == TYPE_INTERVAL)
        return STATUS_OK;
    return bind_error(
        f->b, STATUS_KIND_INVALID, bind_location(node), "argument of RANGE must be %s, not %s",
        is_number ? "a number" : type_name(wanted, expected), type_name((*offset)->type, type));
}

/* The key and the distance. Days of a timestamp with time zone have 24 hours of UTC here: by a clock that is set back
 * a later key could have the earlier limit, and limits never fall from one row to the next. */
static status bind_frame_limit(const frame_binder *f, const char *sign, expr *key, expr *offset,
                               int32_t location, expr **out)
{
    const zone *session = f->b->zone;
    f->b->zone = NULL;
    status st = bind_arithmetic(f->b, sign, key, offset, location, out);
    f->b->zone = session;
    return st;
}

/* The key of the first or last row of the frame, as far as it is there. */
static status bind_limit_key(const frame_binder *f, const pg_node *node, bool is_end,
                             plan_frame_bound *bound)
{
    expr *offset, *key, *copy;
    TRY(bind_offset(f, node, is_end, &offset));
    TRY(frame_check_key(f, node));
    key = expr_copy(f->b->memory, f->order->items[0].key);
    copy = expr_copy(f->b->memory, f->order->items[0].key);
    if (!key || !copy)
        return bind_no_memory();
    TRY(cast_offset(f, node, key->type, &offset));
    const value *distance = &offset->constant;
    bool is_double = offset->type.id == TYPE_FLOAT || offset->type.id == TYPE_DOUBLE;
    if (is_negative(distance) || (is_double && isnan(distance->f64)))
        return bind_error(f->b, STATUS_KIND_INVALID, bind_location(node),
                          "invalid preceding or following size in window function");
    if (is_double && isinf(distance->f64))
        return status_hint(bind_unsupported(f->b, bind_location(node), "an infinite distance is"),
                           "write UNBOUNDED");
    TRY(widen_key(f, &key));
    bool is_less = (bound->kind == FRAME_PRECEDING) != f->order->items[0].is_descending;
    TRY(bind_frame_limit(f, is_less ? "-" : "+", key, offset, bind_location(node), &bound->limit));
    bound->key = copy;
    return bind_unify(f->b, &bound->key, &bound->limit, bind_location(node), "RANGE");
}

static status bind_bound(const frame_binder *f, bool is_end, plan_frame_bound *out)
{
    const pg_node *node = is_end ? f->tree->endOffset : f->tree->startOffset;
    out->kind = bound_kind(f->tree->frameOptions, is_end);
    if (out->kind != FRAME_PRECEDING && out->kind != FRAME_FOLLOWING)
        return STATUS_OK;
    return f->mode == FRAME_RANGE ? bind_limit_key(f, node, is_end, out)
                                  : bind_distance(f, node, is_end, &out->offset);
}

status bind_frame(binder *b, const WindowDef *tree, bind_scope *scope,
                  const plan_sort_key_list *order, plan_frame *out)
{
    int32_t options = tree->frameOptions;
    frame_binder f = {.b = b, .tree = tree, .scope = scope, .order = order};
    f.mode = options & OPTION_ROWS     ? FRAME_ROWS
             : options & OPTION_GROUPS ? FRAME_GROUPS
                                       : FRAME_RANGE;
    *out = (plan_frame){.mode = f.mode};
    out->exclusion = options & OPTION_EXCLUDE_CURRENT_ROW ? FRAME_EXCLUDE_CURRENT
                     : options & OPTION_EXCLUDE_GROUP     ? FRAME_EXCLUDE_GROUP
                     : options & OPTION_EXCLUDE_TIES      ? FRAME_EXCLUDE_TIES
                                                          : FRAME_EXCLUDE_NONE;
    if (f.mode == FRAME_GROUPS && !list_length(tree->orderClause))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "GROUPS mode requires an ORDER BY clause");
    TRY(bind_bound(&f, false, &out->start));
    return bind_bound(&f, true, &out->end);
}
