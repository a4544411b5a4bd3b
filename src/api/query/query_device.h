/* query_device.h - device = auto: which device a statement's query runs on, and again on the CPU what failed on a GPU. */
#ifndef PISTACHIO_API_QUERY_QUERY_DEVICE_H
#define PISTACHIO_API_QUERY_QUERY_DEVICE_H

#include "api/handles/handles.h"

/* Sets the device of the result's statement, which has been planned, or both, and why it is that one; bounds what they may hold. */
CHECKED status api_device_choose(pistachio_result *result);
/* Has the CPU of the result's statement hold no more than its connection's statements may. */
CHECKED status api_device_bound(pistachio_result *result);
/* Returns whether the query of the result may run again on the CPU after this failure: a GPU's, before a row was given out. */
bool api_device_may_change(const pistachio_result *result, status failure);
/* Makes the CPU the result's device, with a notice that says why. Takes the failure. The result has no query. */
void api_device_change(pistachio_result *result, status failure);

#endif
