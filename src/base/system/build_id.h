/* build_id.h - which build this is: "0.1.0, build 0123456789abcdef", the version and a hash of all sources
 * (cmake/BuildId.cmake). Ranks and modules work together only if theirs are equal. */
#ifndef PISTACHIO_BASE_SYSTEM_BUILD_ID_H
#define PISTACHIO_BASE_SYSTEM_BUILD_ID_H

extern const char build_id[];

#endif
