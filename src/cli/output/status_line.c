/* status_line.c - carriage returns and blanks, which any terminal knows. */
#include "cli/output/status_line.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int drawn; /* characters that stand there */

/* Returns the room for drawing: a character in the last column would wrap on some terminals. */
static int room(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
        return 79;
    return size.ws_col - 1;
}

void status_line_draw(const char *text)
{
    int length = (int)strlen(text), most = room();
    int shown = length < most ? length : most;
    int left_over = (drawn < most ? drawn : most) - shown;
    fprintf(stderr, "\r%.*s%*s", shown, text, left_over > 0 ? left_over : 0, "");
    drawn = shown;
}

void status_line_clear(void)
{
    int most = room();
    if (drawn)
        fprintf(stderr, "\r%*s\r", drawn < most ? drawn : most, "");
    drawn = 0;
}

bool status_line_is_possible(void)
{
    return isatty(STDERR_FILENO);
}
