/* paste.c - see paste.h. libedit knows nothing of pasting: a function of ours is bound to the mark at the beginning, and
 * reads characters itself up to the end of the line or the mark at the end. */
#include "cli/shell/paste.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define MARK_BEGIN "\033[200~"
#define MARK_END L"\033[201~"

static paste *(*paste_of)(EditLine *editor);

/* Control characters but tabs are dropped. */
static void paste_insert(EditLine *editor, wchar_t c)
{
    const wchar_t text[] = {c, 0};
    if (c == L'\t' || (c >= L' ' && c != 0x7f))
        el_winsertstr(editor, text);
}

/* Inserts text up to what ends it. Returns a line's end, or 0 for the mark or the end of the input. */
static wchar_t paste_read_text(EditLine *editor)
{
    size_t matched = 0; /* of the mark */
    wchar_t c;
    while (MARK_END[matched] && el_wgetc(editor, &c) == 1) {
        if (c == MARK_END[matched]) {
            matched++;
            continue;
        }
        for (size_t i = 0; i < matched; i++)
            paste_insert(editor, MARK_END[i]);
        matched = c == MARK_END[0];
        if (c == L'\r' || c == L'\n')
            return L'\n';
        if (!matched)
            paste_insert(editor, c);
    }
    return 0;
}

static unsigned char take_paste(EditLine *editor, int key)
{
    (void)key;
    paste *p = paste_of(editor);
    p->is_amid = paste_read_text(editor) == L'\n';
    if (p->is_amid)
        el_push(editor, "\n"); /* which ends the line as a key does */
    return CC_REFRESH;
}

void paste_open(paste *p, EditLine *editor, paste *(*of)(EditLine *editor))
{
    const char *terminal = getenv("TERM");
    paste_of = of;
    p->has_terminal = isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    el_set(editor, EL_ADDFN, "pistachio-paste", "takes pasted text", take_paste);
    el_set(editor, EL_BIND, MARK_BEGIN, "pistachio-paste", NULL);
}

void paste_begin(const paste *p, EditLine *editor)
{
    if (p->has_terminal)
        fputs("\033[?2004h", stdout);
    fflush(stdout);
    if (p->is_amid)
        el_push(editor, MARK_BEGIN);
}

void paste_end(const paste *p)
{
    if (p->has_terminal)
        fputs("\033[?2004l", stdout);
    fflush(stdout);
}
