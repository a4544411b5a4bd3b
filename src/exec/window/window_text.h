/* window_text.h - string_agg. */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_TEXT_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_TEXT_H

#include "exec/window/window.h"

CHECKED status window_text_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                                    tensor **out);
/* Values on the host, of `count` rows, as a column on the stream's device. */
CHECKED status window_send(dev_stream *stream, uint64_t count, tensor *texts, tensor **out);

#endif
