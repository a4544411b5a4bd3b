/* adbc_test.h - the ADBC driver, a database, a connection and a statement, for the tests of it. */
#ifndef PISTACHIO_ADBC_TEST_H
#define PISTACHIO_ADBC_TEST_H

#include "pistachio/adbc.h"

AdbcStatusCode AdbcDriverInit(int version, void *raw_driver, struct AdbcError *error);

extern struct AdbcDriver driver;
extern struct AdbcDatabase database;
extern struct AdbcConnection connection;
extern struct AdbcStatement statement;

/* Checks that a call failed so, and that its message has `part`; releases the error. */
void adbc_fails(AdbcStatusCode code, AdbcStatusCode expected, struct AdbcError *error,
                const char *part);

/* The driver, and a database that has not been initialized. */
void adbc_open(void);
/* Releases what there is of all. */
void adbc_close(void);

#endif
