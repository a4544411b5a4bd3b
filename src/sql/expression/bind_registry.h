/* bind_registry.h - names that stand for identifiers of PostgreSQL's catalog: 'things'::regclass. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_REGISTRY_H
#define PISTACHIO_SQL_EXPRESSION_BIND_REGISTRY_H

#include "sql/types/bind_type.h"

/* Whether the cast makes an identifier of a literal that is a name, not a number. */
bool bind_is_registered(const TypeName *type, const expr *arg);
/* Makes pg_class.oid, or pg_type.oid, of the name. A relation's depends on its name alone, so one that is not there has one, too;
 * a type has to be there. */
CHECKED status bind_registered(binder *b, const TypeName *type, const expr *arg, int32_t location,
                               expr **out);

#endif
