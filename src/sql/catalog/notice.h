/* notice.h - what users should know of a statement that has not failed. */
#ifndef PISTACHIO_SQL_CATALOG_NOTICE_H
#define PISTACHIO_SQL_CATALOG_NOTICE_H

#include "base/mem.h"

/* One text each, without a line end, each once; in the statement's memory. */
typedef ARRAY(const char *) sql_notice_list;

#endif
