/* temporary_name.h - names that files and folders have until they are whole: "<name>.<numbers>.tmp". */
#ifndef PISTACHIO_STORAGE_TEMPORARY_NAME_H
#define PISTACHIO_STORAGE_TEMPORARY_NAME_H

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* Bytes of dots, numbers and "tmp" at most, with the NUL. */
#define TEMPORARY_MORE 64

/* Returns how many bytes of a name, which has no slash, a temporary one begins with: all, unless file systems would
 * refuse it as too long; then whole UTF-8 characters. */
static inline int temporary_stem(const char *name)
{
    size_t length = strlen(name);
    if (length + TEMPORARY_MORE <= NAME_MAX)
        return (int)length;
    length = NAME_MAX - TEMPORARY_MORE;
    while (length && ((unsigned char)name[length] & 0xC0) == 0x80)
        length--;
    return (int)length;
}

#endif
