/* past.h - what is kept of a statement that is over. */
#ifndef PISTACHIO_SERVER_ACTIVITY_PAST_H
#define PISTACHIO_SERVER_ACTIVITY_PAST_H

#include "server/access/role.h"
#include "server/access/users.h"

#define ACTIVITY_SQL_BYTES 1024
#define ACTIVITY_TEXT_BYTES 64
#define ACTIVITY_MESSAGE_BYTES 256

typedef struct activity_past {
    uint32_t number;
    char user[USERS_NAME_BYTES], application[ACTIVITY_TEXT_BYTES], group[ROLE_GROUP_BYTES];
    const char *protocol, *state;
    char sqlstate[6], message[ACTIVITY_MESSAGE_BYTES], sql[ACTIVITY_SQL_BYTES];
    int64_t begun, run, ended;
    uint64_t rows;
} activity_past;

#endif
