/* sort_key.h - what the first word of a packed sort key says besides where NULL goes. */
#ifndef PISTACHIO_DEVICE_SORT_KEY_H
#define PISTACHIO_DEVICE_SORT_KEY_H

#define SORT_KEY_TEXT 2       /* the other words are a string_view */
#define SORT_KEY_DESCENDING 4 /* numbers are turned round already */

#endif
