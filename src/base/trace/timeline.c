/* timeline.c - events into bins of time, bins into SVG. */
#include "base/trace/timeline.h"

#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define BIN_COUNT 250
#define TITLE_CHARACTERS 170
#define ROWS_MAX 16 /* operators shown; what ran least is left out */

/* Places of the picture's parts, in pixels. */
enum {
    LEFT = 240,
    WIDTH = 1000,
    RIGHT = 110,
    TITLE = 24,
    TOP = 84,
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
    const char *statement; /* or NULL */
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

void timeline_set_statement(timeline *t, const char *sql)
{
    t->statement = sql;
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
static void timeline_spread(const timeline *t, double *bins, double amount, int64_t start,
                            int64_t end)
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

static status timeline_find_row(timeline *t, const char *name, timeline_row **out)
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
    TRY(timeline_find_row(t, name, &row));
    double nanoseconds = (double)(end - start);
    row->total += nanoseconds;
    timeline_spread(t, row->busy, nanoseconds, start, end);
    timeline_spread(t, t->busy, nanoseconds, start, end);
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
        timeline_spread(t, t->bytes, (double)r->bytes, r->start > before ? r->start : before,
                        r->end);
        before = r->end;
    }
}

static int by_total(const void *left, const void *right)
{
    const timeline_row *a = *(timeline_row *const *)left, *b = *(timeline_row *const *)right;
    return a->total > b->total ? -1 : a->total < b->total;
}

/* ---- figures ---- */

/* 1, 2 or 5 times a power of ten: the least step that needs at most `ticks` to get to `most`. */
static double round_step(double most, int ticks)
{
    static const double factors[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(most / ticks)));
    for (size_t i = 0; i < 3; i++)
        if (most / (factors[i] * power) <= ticks * 1.000001)
            return factors[i] * power;
    return factors[3] * power;
}

/* Digits behind the point that tell multiples of the step apart. */
static int timeline_digits_of(double step)
{
    int digits = (int)ceil(-log10(step) - 1e-9);
    return digits > 0 ? digits : 0;
}

/* ---- drawing ---- */

static double bin_x(double bin)
{
    return LEFT + bin * (WIDTH / (double)BIN_COUNT);
}

/* Text between tags: on one line, at most `most` characters of UTF-8. */
static void draw_text(FILE *f, const char *text, int most)
{
    bool was_blank = true;
    for (; *text; text++) {
        bool is_blank = (unsigned char)*text <= ' ';
        if (is_blank && was_blank)
            continue;
        was_blank = is_blank;
        if (((unsigned char)*text & 0xc0) != 0x80 && most-- == 0) {
            fputs("...", f);
            return;
        }
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", f);
        else
            fputc(is_blank ? ' ' : *text, f);
    }
}

/* The statement and how long it took; all of the statement where a pointer stays on the picture. */
static void draw_title(FILE *f, const timeline *t, double seconds)
{
    if (t->statement) {
        fputs("<title>", f);
        draw_text(f, t->statement, 10000);
        fprintf(f, "</title>\n<text x=\"10\" y=\"%d\" font-size=\"13\">", TITLE);
        draw_text(f, t->statement, TITLE_CHARACTERS);
        fputs("</text>\n", f);
    }
    fprintf(f, "<text x=\"10\" y=\"%d\">%.*f %s in total, %u worker%s</text>\n", TITLE + 18,
            seconds < 1 ? 1 : 3, seconds < 1 ? seconds * 1e3 : seconds, seconds < 1 ? "ms" : "s",
            t->workers, t->workers == 1 ? "" : "s");
}

/* Axis of a panel up to `most`, a line at each multiple of `step`. */
static void draw_axis(FILE *f, int top, const char *title, double most, double step)
{
    fprintf(f, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", LEFT, top - 8, title);
    for (int i = 0; i * step <= most * 1.000001; i++) {
        double y = top + PANEL * (1 - i * step / most);
        fprintf(f,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>\n",
                LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, timeline_digits_of(step), i * step);
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
    draw_text(f, row->name, 1000);
    bool is_short = row->total < 1e9;
    fprintf(f, "</text><text x=\"%d\" y=\"%d\">%.*f %s</text>\n", LEFT + WIDTH + 6, top + 12,
            is_short ? 2 : 3, row->total / (is_short ? 1e6 : 1e9), is_short ? "ms" : "s");
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

/* Draws the meaning of the shades and of the figures at the right. */
static void draw_rows_legend(FILE *f)
{
    int x = LEFT + 70, y = ROWS_TOP - 17;
    fprintf(f,
            "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">Operators</text>\n"
            "<text x=\"%d\" y=\"%d\">share of the workers: 10 %%</text>\n",
            LEFT, ROWS_TOP - 8, x, ROWS_TOP - 8);
    for (int tenths = 1; tenths <= 10; tenths++)
        fprintf(f,
                "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"#2f6b4f\" "
                "fill-opacity=\"%.1f\"/>\n",
                x + 145 + tenths * 10, y, tenths / 10.0);
    fprintf(f,
            "<text x=\"%d\" y=\"%d\">100 %%</text>\n"
            "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">thread time</text>\n",
            x + 260, ROWS_TOP - 8, LEFT + WIDTH + 6, ROWS_TOP - 8);
}

static void draw_time(FILE *f, double seconds, int y)
{
    static const char *const units[] = {"s", "ms", "us"};
    unsigned unit = 0;
    double all = seconds;
    for (; all < 1 && unit < 2; unit++)
        all *= 1000;
    double step = round_step(all, 10);
    for (int i = 0; i * step <= all * 1.000001; i++)
        fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.*f %s</text>\n",
                LEFT + WIDTH * (i * step / all), y, timeline_digits_of(step), i * step,
                units[unit]);
}

static void draw_panels(FILE *f, const timeline *t, double seconds)
{
    double most = 0, bytes = 0, busy = 0;
    for (int i = 0; i < BIN_COUNT; i++) {
        most = t->bytes[i] > most ? t->bytes[i] : most;
        bytes += t->bytes[i];
        busy += t->busy[i];
    }
    double rate = most > 0 ? most / t->bin_width : 1; /* bytes a nanosecond: GB/s */
    double step = round_step(rate, 4);
    rate = ceil(rate / step - 1e-6) * step;
    draw_axis(f, READ_TOP, "Storage, GB/s", rate, step);
    draw_steps(f, READ_TOP, t->bytes, 1 / t->bin_width, rate, "#6d9dc5");
    draw_mean(f, READ_TOP, bytes / seconds / 1e9, rate, "GB/s");
    step = t->workers > 4 ? round_step(t->workers, 5) : 1;
    draw_axis(f, WORK_TOP, "Busy workers", t->workers, step);
    draw_steps(f, WORK_TOP, t->busy, 1 / t->bin_width, t->workers, "#dd9a3c");
    draw_mean(f, WORK_TOP, busy / seconds / 1e9, t->workers, "");
}

void timeline_write(timeline *t, FILE *f)
{
    spread_reads(t);
    if (t->rows.count)
        qsort(t->rows.items, t->rows.count, sizeof(timeline_row *), by_total);
    size_t rows = t->rows.count < ROWS_MAX ? t->rows.count : ROWS_MAX;
    double seconds = t->bin_width * BIN_COUNT / 1e9;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + RIGHT, ROWS_TOP + (int)rows * ROW + 40);
    draw_title(f, t, seconds);
    draw_panels(f, t, seconds);
    draw_rows_legend(f);
    for (size_t i = 0; i < rows; i++)
        draw_row(f, t, ROWS_TOP + (int)i * ROW, t->rows.items[i]);
    draw_time(f, seconds, READ_TOP + PANEL + 16);
    draw_time(f, seconds, WORK_TOP + PANEL + 16);
    draw_time(f, seconds, ROWS_TOP + (int)rows * ROW + 14);
    fputs("</svg>\n", f);
}
