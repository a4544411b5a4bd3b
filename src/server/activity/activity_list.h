/* activity_list.h - what a client sees of the statements. */
#ifndef PISTACHIO_SERVER_ACTIVITY_ACTIVITY_LIST_H
#define PISTACHIO_SERVER_ACTIVITY_ACTIVITY_LIST_H

#include "server/activity/activity.h"

/* Lets the client, whose session has a catalog of its own, see them in pg_stat_activity and pistachio_statements(). */
void activity_show(activity_entry *asking);

#endif
