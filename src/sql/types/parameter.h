/* parameter.h - parameters in the binder: values and types. */
#ifndef PISTACHIO_SQL_TYPES_PARAMETER_H
#define PISTACHIO_SQL_TYPES_PARAMETER_H

#include "sql/types/binder.h"

/* The place where a parameter was bound while types were asked for. */
typedef struct bind_parameter_place {
    const expr *e;
    uint32_t number;
} bind_parameter_place;

/* A statement's parameters. */
struct bind_parameters {
    bool is_described;   /* types are asked for; else: */
    const value *values; /* by number */
    uint32_t count;
    const data_type *declared; /* types that are said, by number; TYPE_NULL: none is */
    uint32_t declared_count;
    data_type *types; /* what is known of them, by number; TYPE_NULL: nothing */
    ARRAY(bind_parameter_place) places;
};

/* The parameter's value, or a NULL that is to be cast. */
CHECKED status bind_parameter(binder *b, const ParamRef *tree, expr **out);
/* The expression was cast to the type: of a parameter it is the type, if it had none. */
void bind_note_type(binder *b, const expr *e, data_type type);
/* All parameters of the text have been bound as values. */
CHECKED status bind_check_parameters(binder *b);

#endif
