/* timeline.c - events into bins of time, bins into SVG. */
#include "base/timeline.h"

#include "base/mem.h"

#include <stdlib.h>

#define BIN_COUNT 250
#define ROWS_MAX 16 /* operators shown; what ran least is left out */

/* Where things are, in pixels. */
enum {
    LEFT = 170,
    WIDTH = 1000,
    TOP = 40,
    PANEL = 110,
    GAP = 46,
    ROW = 18,
    READ_TOP = TOP,
    WORK_TOP = READ_TOP + PANEL + GAP,
    ROWS_TOP = WORK_TOP + PANEL + GAP
};

typedef struct read_event {
    uint64_t bytes;
    int64_t start, end;
} read_event;

/* One operator. */
typedef struct timeline_row {
    const char *name;
    double total;           /* nanoseconds */
    double busy[BIN_COUNT]; /* nanoseconds of all workers */
} timeline_row;

struct timeline {
    int64_t start;
    double bin_width; /* nanoseconds */
    unsigned workers;
    double busy[BIN_COUNT], bytes[BIN_COUNT];
    ARRAY(read_event) reads;
    ARRAY(timeline_row *) rows;
};

status timeline_new(int64_t start, int64_t end, unsigned workers, timeline **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("timeline", sizeof **out);
    (*out)->start = start;
    (*out)->bin_width = (double)(end > start ? end - start : 1) / BIN_COUNT;
    (*out)->workers = workers ? workers : 1;
    return STATUS_OK;
}

void timeline_free(timeline *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->rows.count; i++)
        mem_free(t->rows.items[i]);
    array_release(&t->rows);
    array_release(&t->reads);
    mem_free(t);
}

/* Spreads `amount` evenly over the bins that [start, end] touches. */
static void spread(const timeline *t, double *bins, double amount, int64_t start, int64_t end)
{
    double from = (double)(start - t->start) / t->bin_width;
    double to = (double)(end - t->start) / t->bin_width;
    from = from < 0 ? 0 : from;
    to = to > BIN_COUNT ? BIN_COUNT : to;
    if (to <= from) { /* an instant */
        int bin = from >= BIN_COUNT ? BIN_COUNT - 1 : (int)from;
        bins[bin] += amount;
        return;
    }
    for (int bin = (int)from; bin < BIN_COUNT && bin < to; bin++) {
        double low = from > bin ? from : bin, high = to < bin + 1 ? to : bin + 1;
        bins[bin] += amount * (high - low) / (to - from);
    }
}

static status find_row(timeline *t, const char *name, timeline_row **out)
{
    for (size_t i = 0; i < t->rows.count; i++)
        if (!strcmp(t->rows.items[i]->name, name)) {
            *out = t->rows.items[i];
            return STATUS_OK;
        }
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("timeline", sizeof **out);
    (*out)->name = name;
    status st = array_push(NULL, &t->rows, *out);
    if (st)
        mem_free(*out);
    return st;
}

status timeline_add_span(timeline *t, const char *name, int64_t start, int64_t end)
{
    timeline_row *row;
    TRY(find_row(t, name, &row));
    double nanoseconds = (double)(end - start);
    row->total += nanoseconds;
    spread(t, row->busy, nanoseconds, start, end);
    spread(t, t->busy, nanoseconds, start, end);
    return STATUS_OK;
}

status timeline_add_read(timeline *t, uint64_t bytes, int64_t start, int64_t end)
{
    return array_push(NULL, &t->reads, ((read_event){bytes, start, end}));
}

static int by_end(const void *left, const void *right)
{
    const read_event *a = left, *b = right;
    return a->end < b->end ? -1 : a->end > b->end;
}

/* A device serves what waits for it one after another: a read that was asked for long before got
 * its bytes since the one before it was done. */
static void spread_reads(timeline *t)
{
    int64_t before = t->start;
    if (t->reads.count)
        qsort(t->reads.items, t->reads.count, sizeof *t->reads.items, by_end);
    for (size_t i = 0; i < t->reads.count; i++) {
        const read_event *r = &t->reads.items[i];
        spread(t, t->bytes, (double)r->bytes, r->start > before ? r->start : before, r->end);
        before = r->end;
    }
}

static int by_total(const void *left, const void *right)
{
    const timeline_row *a = *(timeline_row *const *)left, *b = *(timeline_row *const *)right;
    return a->total > b->total ? -1 : a->total < b->total;
}

/* ---- drawing ---- */

static double bin_x(double bin)
{
    return LEFT + bin * (WIDTH / (double)BIN_COUNT);
}

static double round_up(double most)
{
    double step = 1;
    while (step * 10 <= most)
        step *= 10;
    while (step > most && step > 1e-6)
        step /= 10;
    for (double factor = 1; factor <= 10; factor++)
        if (step * factor >= most)
            return step * factor;
    return step * 10;
}

/* Axis of a panel with `ticks` parts, up to `most`. */
static void draw_axis(FILE *f, int top, const char *title, double most, int ticks, int digits)
{
    fprintf(f, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", LEFT, top - 8, title);
    for (int i = 0; i <= ticks; i++) {
        double y = top + PANEL * (1 - (double)i / ticks);
        fprintf(f,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>\n",
                LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, digits, most * i / ticks);
    }
}

static void draw_steps(FILE *f, int top, const double *bins, double scale, double most,
                       const char *colour)
{
    fprintf(f, "<path fill=\"%s\" d=\"M%d %d", colour, LEFT, top + PANEL);
    for (int i = 0; i < BIN_COUNT; i++) {
        double share = bins[i] * scale / most;
        double y = top + PANEL * (1 - (share > 1 ? 1 : share));
        fprintf(f, "L%.1f %.1fL%.1f %.1f", bin_x(i), y, bin_x(i + 1), y);
    }
    fprintf(f, "L%d %dZ\"/>\n", LEFT + WIDTH, top + PANEL);
}

static void draw_mean(FILE *f, int top, double mean, double most, const char *unit)
{
    double y = top + PANEL * (1 - mean / most);
    fprintf(f,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"black\" "
            "stroke-dasharray=\"4 3\"/><text x=\"%d\" y=\"%.1f\">mean %.2f %s</text>\n",
            LEFT, LEFT + WIDTH, y, y, LEFT + WIDTH + 6, y + 4, mean, unit);
}

static void draw_row(FILE *f, const timeline *t, int top, const timeline_row *row)
{
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 6, top + 12);
    for (const char *at = row->name; *at; at++)
        if (*at == '<' || *at == '&')
            fputs(*at == '<' ? "&lt;" : "&amp;", f);
        else
            fputc(*at, f);
    fprintf(f, "</text><text x=\"%d\" y=\"%d\">%.3f s</text>\n", LEFT + WIDTH + 6, top + 12,
            row->total / 1e9);
    for (int i = 0; i < BIN_COUNT;) {
        int tenths = 0, end = i;
        for (int same = -1; end < BIN_COUNT; end++) {
            tenths = (int)(row->busy[end] / (t->bin_width * t->workers) * 10 + 0.5);
            tenths = !tenths && row->busy[end] > 0 ? 1 : tenths > 10 ? 10 : tenths;
            if (same >= 0 && tenths != same) {
                tenths = same;
                break;
            }
            same = tenths;
        }
        if (tenths)
            fprintf(f,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#2f6b4f\" "
                    "fill-opacity=\"%.1f\"/>\n",
                    bin_x(i), top, bin_x(end) - bin_x(i), ROW - 4, tenths / 10.0);
        i = end;
    }
}

static void draw_time(FILE *f, double seconds, int y)
{
    bool is_short = seconds < 1;
    for (int i = 0; i <= 10; i++)
        fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.*f %s</text>\n",
                LEFT + WIDTH * i / 10, y, is_short ? 1 : 2,
                seconds * i / 10 * (is_short ? 1000 : 1), is_short ? "ms" : "s");
}

void timeline_write(timeline *t, FILE *f)
{
    spread_reads(t);
    if (t->rows.count)
        qsort(t->rows.items, t->rows.count, sizeof(timeline_row *), by_total);
    size_t rows = t->rows.count < ROWS_MAX ? t->rows.count : ROWS_MAX;
    double most = 0, bytes = 0, busy = 0, seconds = t->bin_width * BIN_COUNT / 1e9;
    for (int i = 0; i < BIN_COUNT; i++) {
        most = t->bytes[i] > most ? t->bytes[i] : most;
        bytes += t->bytes[i];
        busy += t->busy[i];
    }
    double rate = most / t->bin_width; /* bytes a nanosecond: GB/s */
    rate = rate > 0 ? round_up(rate) : 1;
    int height = ROWS_TOP + (int)rows * ROW + 40;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + 110, height);
    draw_axis(f, READ_TOP, "Storage, GB/s", rate, 4, 2);
    draw_steps(f, READ_TOP, t->bytes, 1 / t->bin_width, rate, "#6d9dc5");
    draw_mean(f, READ_TOP, bytes / seconds / 1e9, rate, "GB/s");
    draw_axis(f, WORK_TOP, "Busy workers", t->workers, (int)(t->workers < 4 ? t->workers : 4), 1);
    draw_steps(f, WORK_TOP, t->busy, 1 / t->bin_width, t->workers, "#dd9a3c");
    draw_mean(f, WORK_TOP, busy / seconds / 1e9, t->workers, "");
    fprintf(f,
            "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">Operators: share of the workers</text>\n",
            LEFT, ROWS_TOP - 8);
    for (size_t i = 0; i < rows; i++)
        draw_row(f, t, ROWS_TOP + (int)i * ROW, t->rows.items[i]);
    draw_time(f, seconds, READ_TOP + PANEL + 16);
    draw_time(f, seconds, WORK_TOP + PANEL + 16);
    draw_time(f, seconds, ROWS_TOP + (int)rows * ROW + 14);
    fputs("</svg>\n", f);
}
