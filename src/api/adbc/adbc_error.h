/* adbc_error.h - failures of the ADBC driver. */
#ifndef PISTACHIO_API_ADBC_ADBC_ERROR_H
#define PISTACHIO_API_ADBC_ADBC_ERROR_H

#include "base/status.h"
#include "pistachio/adbc.h"
#include "pistachio/pistachio.h"

/* Takes the failure over and gives its code; error may be NULL. */
AdbcStatusCode adbc_fail(struct AdbcError *error, status st);
/* Puts the failure of a statement with the text sql into `error`: its line and a mark below the place come with the message. */
AdbcStatusCode adbc_fail_in(struct AdbcError *error, status st, const char *sql);
/* As adbc_fail, of a failure that a function of pistachio.h gave. */
AdbcStatusCode adbc_fail_public(struct AdbcError *error, pistachio_error *failure);
/* A failure of its own: a call in the wrong order, say. */
AdbcStatusCode adbc_refuse(struct AdbcError *error, AdbcStatusCode code, const char *format, ...)
    PRINTF_LIKE(3, 4);
int adbc_error_detail_count(const struct AdbcError *error);
struct AdbcErrorDetail adbc_error_detail(const struct AdbcError *error, int index);

#endif
