/* pg_type.h - the engine's types as PostgreSQL's: object identifiers, sizes, modifiers. */
#ifndef PISTACHIO_BASE_TYPE_PG_TYPE_H
#define PISTACHIO_BASE_TYPE_PG_TYPE_H

#include "base/type/type.h"

/* Object identifiers of PostgreSQL's types (its pg_type.dat). */
typedef enum pg_oid {
    PG_BOOL = 16,
    PG_BYTEA = 17,
    PG_CHAR = 18,
    PG_NAME = 19,
    PG_INT8 = 20,
    PG_INT2 = 21,
    PG_INT2VECTOR = 22,
    PG_INT4 = 23,
    PG_REGPROC = 24,
    PG_TEXT = 25,
    PG_OID = 26,
    PG_OIDVECTOR = 30,
    PG_JSON = 114,
    PG_FLOAT4 = 700,
    PG_FLOAT8 = 701,
    PG_UNKNOWN = 705,
    PG_BPCHAR = 1042,
    PG_VARCHAR = 1043,
    PG_DATE = 1082,
    PG_TIME = 1083,
    PG_TIMESTAMP = 1114,
    PG_TIMESTAMPTZ = 1184,
    PG_INTERVAL = 1186,
    PG_NUMERIC = 1700,
    PG_REGCLASS = 2205,
    PG_REGTYPE = 2206,
    PG_ANYELEMENT = 2283,
    PG_UUID = 2950,
    PG_JSONB = 3802
} pg_oid;

/* Column's type as RowDescription has it. */
typedef struct pg_type {
    uint32_t oid;
    int16_t size;     /* bytes of a value; -1: it varies */
    int32_t modifier; /* of a numeric its digits; else -1 */
} pg_type;

/* Unsigned integers have no type of PostgreSQL's: each becomes the smallest that holds all of its values. A list of flat
 * values is an array; other nested values are json. */
pg_type pg_type_of(data_type type);
/* Returns whether clients get values of the type as arrays. */
bool pg_is_array(data_type type);

/* Type as PostgreSQL's catalog has it. */
typedef struct pg_type_entry {
    uint16_t oid;
    uint16_t array;   /* the type of arrays of it; 0: there is none */
    uint16_t element; /* of an array; else 0 */
    int16_t size;
    const char *name;     /* "int4" */
    const char *sql_name; /* "integer" */
    char category;        /* of pg_type.typcategory */
    const char
        *io; /* beginning of the names of functions that read and write it: "int4" of int4recv */
} pg_type_entry;

/* Identifiers of relations are not below it, as in PostgreSQL. */
#define PG_FIRST_OID 16384

/* Returns the identifier that a relation of this name always has. */
int64_t pg_oid_of_name(const char *name, size_t bytes);
/* Types in the order of their identifiers. */
const pg_type_entry *pg_type_list(size_t *out_count);
/* NULL: there is no such type. */
const pg_type_entry *pg_type_find(uint32_t oid);

/* Writes the name of the function that reads or writes values of a type (pg_type.typinput and so on), or the number; returns
 * its bytes. */
#define PG_FUNCTION_BYTES 64
size_t pg_function_name(int64_t oid, char out[PG_FUNCTION_BYTES]);
/* Ends of the names of such functions. */
#define PG_FUNCTION_ENDS 4
extern const char *const pg_function_ends[PG_FUNCTION_ENDS];

#endif
