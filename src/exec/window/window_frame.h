/* window_frame.h - frames. */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_FRAME_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_FRAME_H

#include "exec/window/window.h"

CHECKED status window_frame_make(window_rows *rows, const plan_frame *frame, window_frame *out);
void window_frame_release(window_frame *frame); /* takes a zeroed one */
/* The call's first `values` arguments on the host, and behind them where each row's frame begins and ends, two columns
 * for each of its parts. */
CHECKED status window_bring(window_rows *rows, const plan_window_call *call, uint32_t values,
                            uint32_t *out_parts, chunk **out);

#endif
