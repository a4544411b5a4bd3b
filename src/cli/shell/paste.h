/* paste.h - what is pasted into the shell is text: tabs are kept, and complete nothing.
 *
 * A terminal that was asked for it puts ESC [ 2 0 0 ~ before pasted text and ESC [ 2 0 1 ~ after it ("bracketed
 * paste"). Each line of the text is taken as if it had been typed. */
#ifndef PISTACHIO_CLI_SHELL_PASTE_H
#define PISTACHIO_CLI_SHELL_PASTE_H

#include <histedit.h>
#include <stdbool.h>

typedef struct paste {
    bool has_terminal; /* one that can be asked */
    bool is_amid;      /* a line of the text has ended, and more of it follows */
} paste;

/* The editor's client data is asked for by `of`. */
void paste_open(paste *p, EditLine *editor, paste *(*of)(EditLine *editor));
/* Before and after a line is read. */
void paste_begin(const paste *p, EditLine *editor);
void paste_end(const paste *p);

#endif
