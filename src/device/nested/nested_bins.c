/* nested_bins.c - boundaries of bins of equal width, as DuckDB's equi_width_bins has them: from the greatest value down, in
 * steps. Nice ones are multiples of 2 or 5 times a power of ten, and of timestamps of whole units. */
#include "device/nested/nested_build.h"

#include <math.h>

#define BINS_MAX 1000000
#define SECOND ((int64_t)1000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

typedef ARRAY(int64_t) bin_list;
typedef ARRAY(double) real_bin_list;

/* ---- integers, in thousandths ---- */

static int128 thousandth_power(int128 step)
{
    int128 power = 1;
    while (power < step)
        power *= 10;
    return power / 10;
}

static int128 round_up(int128 number, int128 step)
{
    return (number + (step - 1)) / step * step;
}

static int128 distance_of(int128 x, int128 y)
{
    return x < y ? y - x : x - y;
}

static int128 nice_integer(int128 step)
{
    int128 power = thousandth_power(step);
    int128 two = power * (step >= power * 3 ? 10 : 2), five = power * (step >= power * 2 ? 5 : 1);
    if (!power)
        return step;
    int128 by_two = (step + two / 2) / two * two, by_five = (step + five / 2) / five * five;
    return distance_of(step, by_two) < distance_of(step, by_five) ? by_two : by_five;
}

static int64_t whole(int128 thousandths)
{
    int128 number = thousandths / 1000;
    return number > INT64_MAX ? INT64_MAX : number < INT64_MIN ? INT64_MIN : (int64_t)number;
}

static status integer_bins(int64_t least, int64_t greatest, uint64_t count, bool is_nice,
                           bin_list *to)
{
    size_t first = to->count;
    int128 low = (int128)least * 1000, at = (int128)greatest * 1000;
    int128 step = (at - low) / (int128)count;
    if (is_nice && step) {
        int128 nice = nice_integer(step), top = nice ? round_up(at, nice) : low;
        if (nice && top != low) {
            at = top;
            step = nice;
        }
    }
    count *= is_nice ? 2 : 1;
    if (at <= low || !step)
        return array_push(NULL, to, greatest);
    for (; at > low; at -= step) {
        int64_t boundary = whole(at);
        bool is_first = to->count == first;
        if (!is_first && (boundary < least || to->count - first >= count))
            break;
        if (is_first || boundary != to->items[to->count - 1])
            TRY(array_push(NULL, to, boundary));
    }
    return STATUS_OK;
}

/* ---- doubles ---- */

static double power_below(double step)
{
    double power = 1;
    if (step < 1) {
        while (power > step)
            power /= 10;
        return power;
    }
    while (power < step)
        power *= 10;
    return power / 10;
}

static double or_input(double rounded, double input)
{
    return isfinite(rounded) ? rounded : input;
}

static double nice_real(double step)
{
    double power = power_below(step);
    double twos = power * (step >= power * 3 ? 10 : 2), fives = power * (step >= power * 2 ? 5 : 1);
    double two = or_input(round(step / twos) * twos, step),
           five = or_input(round(step / fives) * fives, step);
    return fabs(step - two) < fabs(step - five) ? two : five;
}

static status real_bins(double least, double greatest, uint64_t count, bool is_nice,
                        real_bin_list *to)
{
    size_t first = to->count;
    double span = greatest - least, number = (double)count;
    double step = isfinite(span) ? span / number : greatest / number - least / number;
    double at = greatest, scale = 10 / power_below(step);
    if (!(step > 0))
        return array_push(NULL, to, greatest);
    if (is_nice) {
        step = nice_real(step);
        at = or_input(ceil(greatest / step) * step, greatest);
        count *= 2;
    }
    for (; at > least && step > 0; at -= step) {
        double boundary = is_nice ? or_input(round(at * scale) / scale, at) : at;
        bool is_first = to->count == first;
        if (!is_first && boundary == to->items[to->count - 1])
            continue;
        if (boundary <= least || to->count - first >= count || (!is_first && at - step == at))
            break;
        TRY(array_push(NULL, to, boundary));
    }
    return STATUS_OK;
}

/* ---- timestamps ---- */

/* A moment by its parts. */
typedef struct moment {
    int32_t year;
    unsigned month, day;
    int64_t time; /* microseconds of the day */
} moment;

static moment moment_of(int64_t timestamp)
{
    moment m;
    int64_t days = timestamp / DAY - (timestamp % DAY < 0);
    m.time = timestamp - days * DAY;
    date_to_civil((int32_t)days, &m.year, &m.month, &m.day);
    return m;
}

static int64_t ceiling(int64_t number, int64_t unit)
{
    int64_t rest = (number % unit + unit) % unit;
    return rest ? number - rest + unit : number;
}

/* The next moment that is whole in the unit below the step's. */
static int64_t nice_moment(int64_t timestamp, interval_value step)
{
    moment m = moment_of(timestamp);
    if (step.months >= 12) {
        bool is_whole = m.day == 1 && !m.time;
        int32_t day = date_from_civil(m.year, m.month, 1);
        return (int64_t)(is_whole ? day : date_add_months(day, 1)) * DAY;
    }
    if (step.months > 0 || step.days > 0)
        return ceiling(timestamp, DAY);
    int64_t unit = step.microseconds >= HOUR     ? HOUR
                   : step.microseconds >= MINUTE ? MINUTE
                   : step.microseconds >= SECOND ? SECOND
                                                 : 1;
    return ceiling(timestamp, unit);
}

static int64_t nearest(int64_t number, int64_t unit)
{
    return (number + unit / 2) / unit * unit;
}

static interval_value nice_interval(interval_value step)
{
    int64_t time = step.microseconds;
    if (step.months >= 6)
        return (interval_value){step.months, 0, 0};
    if (step.months > 0 || step.days >= 5)
        return (interval_value){step.months, step.days, 0};
    int64_t unit = step.days > 0 || time >= 6 * HOUR ? HOUR
                   : time >= HOUR                    ? 15 * MINUTE
                   : time >= 10 * MINUTE             ? MINUTE
                   : time >= MINUTE                  ? 15 * SECOND
                   : time >= 10 * SECOND             ? SECOND
                                                     : 1;
    step.microseconds = nearest(time, unit);
    return step;
}

/* The difference by parts over the number of bins; fractions of a part go to the next one. */
static interval_value step_between(int64_t least, int64_t greatest, uint64_t count)
{
    moment from = moment_of(least), to = moment_of(greatest);
    double number = (double)count;
    double months = ((double)to.year - from.year) * 12 + ((double)to.month - (double)from.month);
    double days = ((double)to.day - (double)from.day) / number;
    double time = (double)(to.time - from.time) / number;
    months /= number;
    if (months > 0)
        days += (months - floor(months)) * 30;
    if (days > 0)
        time += (days - floor(days)) * (double)DAY;
    return nice_interval((interval_value){(int32_t)months, (int32_t)days, (int64_t)time});
}

static status moment_bins(int64_t least, int64_t greatest, uint64_t count, bin_list *to)
{
    size_t first = to->count;
    interval_value step = step_between(least, greatest, count);
    int64_t at = nice_moment(greatest, step);
    if (step.months <= 0 && step.days <= 0 && step.microseconds <= 0)
        step = (interval_value){0, 0, 1};
    while (at >= least && to->count - first < count) {
        TRY(array_push(NULL, to, at));
        moment m = moment_of(at);
        int32_t day = date_add_months(date_from_civil(m.year, m.month, m.day), -step.months);
        at = ((int64_t)day - step.days) * DAY + m.time - step.microseconds;
    }
    return STATUS_OK;
}

/* ---- rows ---- */

static status check_bins(bool is_ordered, int64_t count)
{
    if (!is_ordered)
        return status_new(STATUS_KIND_DATA,
                          "equi_width_bins: the greatest value is below the least one, or one of "
                          "them is not a finite number");
    if (count < 1 || count > BINS_MAX)
        return status_new(STATUS_KIND_DATA, "equi_width_bins makes 1 to %d bins, not %lld",
                          BINS_MAX, (long long)count);
    return STATUS_OK;
}

static status integer_row(const nested_args *c, uint64_t row, int64_t count, bool is_nice,
                          bin_list *to)
{
    int64_t least = ((const int64_t *)c->args[0]->values)[row],
            greatest = ((const int64_t *)c->args[1]->values)[row];
    TRY(check_bins(least <= greatest, count));
    if (is_nice && c->args[0]->type.id == TYPE_TIMESTAMP)
        return moment_bins(least, greatest, (uint64_t)count, to);
    return integer_bins(least, greatest, (uint64_t)count, is_nice, to);
}

static status real_row(const nested_args *c, uint64_t row, int64_t count, bool is_nice,
                       real_bin_list *to)
{
    double least = ((const double *)c->args[0]->values)[row],
           greatest = ((const double *)c->args[1]->values)[row];
    TRY(check_bins(least <= greatest && isfinite(least) && isfinite(greatest), count));
    return real_bins(least, greatest, (uint64_t)count, is_nice, to);
}

/* Values of either kind have 8 bytes, from the greatest down: each row's are turned round. */
static status put_bins(const nested_args *c, const uint64_t *bins, const uint64_t *ends,
                       tensor *result)
{
    tensor *child;
    uint64_t total = c->count ? ends[c->count - 1] : 0, start = 0;
    if (total >= ROW_NULL)
        return status_new(STATUS_KIND_DATA, "the bins of all rows together are too many");
    TRY(tensor_new_flat(c->stream->dev, c->args[0]->type, total, false, &child));
    for (uint64_t row = 0; row < c->count; start = ends[row++]) {
        nested_put(result, row, start, ends[row] - start);
        for (uint64_t i = start; i < ends[row]; i++)
            ((uint64_t *)child->values)[i] = bins[start + ends[row] - 1 - i];
    }
    return nested_own(result, &child, 1, total);
}

static status fill_bins(const nested_args *c, bin_list *integers, real_bin_list *reals,
                        uint64_t *ends, tensor *result)
{
    bool is_real = c->args[0]->type.id == TYPE_DOUBLE;
    for (uint64_t i = 0; i < c->count; i++) {
        if (nested_row_is_valid(c, i)) {
            int64_t count = ((const int64_t *)c->args[2]->values)[i];
            bool is_nice = ((const uint64_t *)c->args[3]->values)[i / 64] >> (i % 64) & 1;
            TRY(is_real ? real_row(c, i, count, is_nice, reals)
                        : integer_row(c, i, count, is_nice, integers));
        } else {
            nested_put_null(result, i);
        }
        ends[i] = is_real ? reals->count : integers->count;
        TRY(cancel_look(i) ? cancel_check() : STATUS_OK);
    }
    return put_bins(c, is_real ? (const uint64_t *)reals->items : (const uint64_t *)integers->items,
                    ends, result);
}

status compute_bins(const nested_args *c, tensor **out)
{
    bin_list integers = {0};
    real_bin_list reals = {0};
    uint64_t *ends = mem_new_array(c->count + 1, sizeof *ends);
    if (!ends)
        return status_no_memory("lists", c->count * sizeof *ends);
    status st = nested_new(c, c->type, true, out);
    if (!st)
        st = fill_bins(c, &integers, &reals, ends, *out);
    array_release(&integers);
    array_release(&reals);
    mem_free(ends);
    return st;
}
