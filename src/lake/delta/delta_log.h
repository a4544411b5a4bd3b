/* delta_log.h - which files of a log make a version. */
#ifndef PISTACHIO_LAKE_DELTA_DELTA_LOG_H
#define PISTACHIO_LAKE_DELTA_DELTA_LOG_H

#include "lake/delta/delta_state.h"
#include "lake/log/lake_request.h"

/* Finds the files for what is asked, and applies them to the state, whose root and name are set. */
CHECKED status delta_log_read(delta_state *s, const lake_request *request);

#endif
