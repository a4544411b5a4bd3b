/* bind_registry.h - names that stand for identifiers of PostgreSQL's catalog: 'things'::regclass. */
#ifndef PISTACHIO_SQL_FUNCTION_BIND_REGISTRY_H
#define PISTACHIO_SQL_FUNCTION_BIND_REGISTRY_H

#include "sql/types/bind_type.h"

/* Whether the cast makes an identifier of a literal that is a name, not a number. */
bool bind_is_registered(const TypeName *type, const expr *arg);
/* Returns whether the type is one of identifiers of PostgreSQL's catalog: regclass, regtype. */
bool bind_is_registry(const TypeName *type);
/* Makes the identifier of a constant text that is the name of a table (kind "regclass"), a type, a schema, a role or a
 * function; NULL: there is none. */
CHECKED status bind_registered_name(binder *b, const char *kind, const expr *arg, int32_t location,
                                    expr **out);
/* Makes pg_class.oid, or pg_type.oid, of the name. A relation's depends on its name alone, so one that is not there has one, too;
 * a type has to be there. */
CHECKED status bind_registered(binder *b, const TypeName *type, const expr *arg, int32_t location,
                               expr **out);
/* Returns whether the value is the identifier of a type, of which the text is the type's name. */
bool bind_is_regtype(const Node *node);
CHECKED status bind_type_text(binder *b, expr *oid, int32_t location, expr **out);

/* Gives the expression, which was cast to what `type` is another name of, that name. */
CHECKED status bind_rename_type(binder *b, expr *e, data_type type, expr **out);
/* Makes the name of the function of an identifier: regproc as text. */
CHECKED status bind_function_text(binder *b, expr *oid, int32_t location, expr **out);

#endif
