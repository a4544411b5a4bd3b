/* adbc_database.h - databases of the ADBC driver. */
#ifndef PISTACHIO_API_ADBC_ADBC_DATABASE_H
#define PISTACHIO_API_ADBC_ADBC_DATABASE_H

#include "pistachio/adbc.h"

#include <stdbool.h>

/* "pistachio.threads" is threads; NULL: no setting. */
const char *adbc_setting_name(const char *key);
/* Fills in a database's functions of the driver's table. */
void adbc_database_functions(struct AdbcDriver *driver, bool has_1_1);

#endif
