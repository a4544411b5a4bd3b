/* text_print.h - characters one after the other, for the formatters in this folder, on every device.
 * The room is the caller's concern. */
#ifndef PISTACHIO_BASE_TEXT_TEXT_PRINT_H
#define PISTACHIO_BASE_TEXT_TEXT_PRINT_H

#include "base/type/portable.h"

typedef struct text_print {
    char *text;
    size_t length;
} text_print;

PORTABLE void print_char(text_print *p, char c)
{
    p->text[p->length++] = c;
}

PORTABLE void print_text(text_print *p, const char *text)
{
    while (*text)
        print_char(p, *text++);
}

/* With leading zeros up to `digits` digits. */
PORTABLE void print_number(text_print *p, uint64_t number, int digits)
{
    char reversed[20];
    int count = 0;
    for (; number || count < digits; number /= 10)
        reversed[count++] = (char)('0' + number % 10);
    while (count > 0)
        print_char(p, reversed[--count]);
}

/* ".5": a fraction in units of 10^-places, without closing zeros; nothing for 0. */
PORTABLE void print_fraction(text_print *p, uint64_t fraction, int places)
{
    if (!fraction)
        return;
    for (; fraction % 10 == 0; fraction /= 10)
        places--;
    print_char(p, '.');
    print_number(p, fraction, places);
}

/* The closing NUL, which does not count. */
PORTABLE size_t print_end(text_print *p)
{
    p->text[p->length] = '\0';
    return p->length;
}

#endif
