/* tardy.h - which requests are slower than most: these are asked a second time, on another connection.
 *
 * An answer's wait is the time from the request to the first line of its header. Of the last TARDY_WAITS waits the one that all but one in
 * twenty do not exceed, TARDY_TIMES over, is the limit. At most one request of TARDY_SHARE is asked a second time: a server that is slow as a whole
 * is not helped by more requests. For the module's thread alone. */
#ifndef PISTACHIO_HTTP_TARDY_H
#define PISTACHIO_HTTP_TARDY_H

#include <stdbool.h>
#include <stdint.h>

#define TARDY_WAITS 64
#define TARDY_TIMES 4
#define TARDY_SHARE 20
#define TARDY_MILLISECONDS_MIN 250

/* A request has been answered after so many milliseconds. */
void tardy_add(int64_t wait);
/* Returns the milliseconds from which a request is tardy; INT64_MAX: nothing is known yet, or enough requests were asked a second time. */
int64_t tardy_limit(void);
/* A request is asked a second time. */
void tardy_count(void);

#endif
