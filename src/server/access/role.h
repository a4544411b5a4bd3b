/* role.h - what a user's statements may take: words after the verifier in the file of users.
 *
 *     anna SCRAM-SHA-256$... group=reports priority=low timeout=60 rows=1000000 memory=512MB catalog=write */
#ifndef PISTACHIO_SERVER_ACCESS_ROLE_H
#define PISTACHIO_SERVER_ACCESS_ROLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROLE_GROUP_BYTES 64
#define ROLE_GROUP_DEFAULT "default"
/* Fewer bytes do not run a statement (the least memory_limit). */
#define ROLE_MEMORY_LEAST ((uint64_t)16 << 20)

typedef struct role_limits {
    char group[ROLE_GROUP_BYTES]; /* whose statements take turns with other groups' */
    unsigned weight;              /* EXEC_WEIGHT_LOW, _NORMAL, _HIGH */
    int64_t milliseconds;         /* that a statement may take; 0: any time */
    uint64_t rows;                /* that it may send; 0: any number */
    uint64_t memory;              /* bytes that it may hold; 0: as many as all together */
    bool writes_catalog;          /* its user may change the catalog of --catalog */
} role_limits;

void role_limits_init(role_limits *out);
/* Reads the words of so many bytes over what is set; false: one of them is not known or has a wrong value. */
bool role_limits_read(role_limits *limits, const char *text, size_t bytes);

#endif
