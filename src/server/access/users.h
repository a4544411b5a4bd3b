/* users.h - the file of those who may log in: a line each, a name and its verifier (scram.h), with # before comments.
 *
 *     anna SCRAM-SHA-256$4096:c2FsdA==$...:...
 *
 * Words after the verifier limit what the user's statements may take (activity/role.h). It is read at each login, so that
 * whom --add-user adds can log in at once. */
#ifndef PISTACHIO_SERVER_ACCESS_USERS_H
#define PISTACHIO_SERVER_ACCESS_USERS_H

#include "server/access/role.h"
#include "server/access/scram.h"

#define USERS_NAME_BYTES 128

/* *out_is_there: false, there is no such user. Fails where the file cannot be read, a line is wrong, or others than its owner
 * may write it. */
CHECKED status users_find(const char *path, const char *name, bool *out_is_there,
                          scram_verifier *out);
/* Reads the user's limits; those of a user who is not there are the usual ones. */
CHECKED status users_limits(const char *path, const char *name, role_limits *out);
/* Adds the user, or gives it another password; the file is replaced whole, or made, for its owner alone. */
CHECKED status users_add(const char *path, const char *name, const char *password, size_t bytes);
/* Reads the password from the terminal, where it is not shown, or a line of standard input, then adds the user. */
CHECKED status users_ask_and_add(const char *path, const char *name);

#endif
