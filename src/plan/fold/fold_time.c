/* fold_time.c - fields of constant dates and times, and cutting them, by the same code as the kernels. */

#include "device/host/host.h"
#include "device/host/host_fold.h"
#include "device/value/date_part.h"
#include "device/value/time_value.h"
#include "plan/fold/fold_parts.h"
#include "plan/tree/expr.h"

static bool fold_field(dev_date_part part, const host_operand *v, data_type type, value *out)
{
    date_part_arguments a = {.part = (uint8_t)part, .type = v->type, .values = v->values};
    if (dev_part_is_real(part)) {
        *out =
            value_double(part == DEV_PART_EPOCH ? date_part_epoch(&a, 0) : date_part_julian(&a, 0));
        return type.id == TYPE_DOUBLE;
    }
    int64_t number = v->type.id == TYPE_DATE ? part_of_date(part, *(const int32_t *)v->values)
                                             : date_part_row(&a, 0);
    *out = value_int(TYPE_INT64, number);
    return type.id == TYPE_INT64;
}

static bool fold_cut(dev_date_part part, const host_operand *v, data_type type, value *out)
{
    date_trunc_arguments a = {
        .part = (uint8_t)part, .type = v->type, .out_type = type, .values = v->values};
    bool is_moment = type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
    *out = (value){.type = type};
    return is_moment && date_trunc_row(&a, 0, &out->i64);
}

bool fold_time(const expr *e, value *out)
{
    dev_date_part part;
    host_place place;
    if ((e->op != EXPR_DATE_PART && e->op != EXPR_DATE_TRUNC) || e->arg_count != 2 ||
        e->args[0]->type.id != TYPE_VARCHAR || !dev_part_find(&e->args[0]->constant, &part))
        return false;
    const value *v = &e->args[1]->constant;
    bool is_time = type_is_time(v->type) || v->type.id == TYPE_INTERVAL;
    if (!is_time || !dev_part_is_of(part, v->type))
        return false;
    host_operand operand = host_operand_of(v, &place);
    int64_t infinite;
    if (e->op == EXPR_DATE_PART && type_is_time(v->type) && v->type.id != TYPE_TIME &&
        time_is_infinite(v->type, operand.values, 0, &infinite)) {
        *out = value_null(e->type);
        return true;
    }
    return e->op == EXPR_DATE_PART ? fold_field(part, &operand, e->type, out)
                                   : fold_cut(part, &operand, e->type, out);
}
