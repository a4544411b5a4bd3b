/* table_parts.c - row groups to ranks, and what statistics say about the parts of a table. */
#include "parquet/table/table_parts.h"

#include <stdlib.h>

/* ---- who can read what ---- */

static uint32_t node_of_rank(const pq_table *table, uint32_t rank)
{
    return table->rank_nodes.count ? table->rank_nodes.items[rank] : 0;
}

bool pq_table_is_apart(const pq_table *table, uint32_t rank)
{
    for (size_t i = 0; table->spec.access == PQ_LOCAL && i < table->files.count; i++)
        if (table->files.items[i].node != node_of_rank(table, rank))
            return true;
    return false;
}

/* A rank's place among the ranks of its node. */
typedef struct place {
    uint32_t node, rank, ranks;
} place;

static place table_parts_place_of(const pq_table *table, uint32_t rank, uint32_t ranks)
{
    place p = {.rank = rank, .ranks = ranks};
    if (table->spec.access != PQ_LOCAL || !table->rank_nodes.count)
        return p;
    p = (place){.node = table->rank_nodes.items[rank]};
    for (uint32_t other = 0; other < table->rank_nodes.count; other++)
        if (table->rank_nodes.items[other] == p.node) {
            p.rank += other < rank;
            p.ranks++;
        }
    return p;
}

static const pq_table_file *file_of(const pq_table *table, size_t row_group)
{
    return &table->files.items[table->row_groups.items[row_group].file];
}

/* The row groups that the node's ranks share. */
static pq_deal of_node(const pq_table *table, const place *p)
{
    pq_deal all = {0};
    if (table->spec.access != PQ_LOCAL)
        return (pq_deal){.end = table->row_groups.count};
    while (all.first < table->row_groups.count && file_of(table, all.first)->node < p->node)
        all.first++;
    all.end = all.first;
    while (all.end < table->row_groups.count && file_of(table, all.end)->node == p->node)
        all.end++;
    return all;
}

/* ---- by bytes ---- */

static uint64_t table_parts_group_bytes(const pq_table *table, size_t number)
{
    pq_row_group_ref ref = table->row_groups.items[number];
    const pq_row_group *group = &table->files.items[ref.file].metadata->row_groups[ref.row_group];
    uint64_t bytes = 0;
    for (size_t i = 0; i < table->columns.count; i++)
        bytes += pq_table_column_bytes(group, &table->columns.items[i]);
    return bytes ? bytes : 1;
}

/* Whether so many ranks can take the weights with at most `most` each; starts[i], if there, is the last
 * place where rank i may begin so that those from there on have room. */
static bool table_parts_fits(const uint64_t *weights, size_t count, uint32_t ranks, uint64_t most,
                             size_t *starts)
{
    size_t at = count;
    for (uint32_t i = ranks; i-- > 0;) {
        uint64_t has = 0;
        while (at && has + weights[at - 1] <= most)
            has += weights[--at];
        if (starts)
            starts[i] = at;
    }
    return !at;
}

/* The least that the rank with the most can have. */
static uint64_t least_most(const uint64_t *weights, size_t count, uint32_t ranks)
{
    uint64_t all = 0, low = 0;
    for (size_t i = 0; i < count; i++) {
        all += weights[i];
        low = weights[i] > low ? weights[i] : low;
    }
    low = all / ranks > low ? all / ranks : low;
    for (uint64_t high = all; low < high;) {
        uint64_t middle = low + (high - low) / 2;
        if (table_parts_fits(weights, count, ranks, middle, NULL))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Each rank in turn takes its equal share of what is left, and more where the others could not take the
 * rest: nobody gets more than must be. */
static pq_deal table_parts_cut(const uint64_t *weights, size_t count, const place *p,
                               const size_t *starts, uint64_t most)
{
    pq_deal deal = {0};
    uint64_t left = 0;
    for (size_t i = 0; i < count; i++)
        left += weights[i];
    for (uint32_t rank = 0; rank <= p->rank; rank++) {
        uint64_t has = 0, fair = left / (p->ranks - rank);
        size_t least = rank + 1 < p->ranks ? starts[rank + 1] : count;
        deal.first = deal.end;
        while (deal.end < count && (deal.end < least || (has + weights[deal.end] / 2 < fair &&
                                                         has + weights[deal.end] <= most)))
            has += weights[deal.end++];
        left -= has;
    }
    return deal;
}

static status deal_weights(const uint64_t *weights, size_t count, const place *p, pq_deal *out)
{
    size_t *starts = mem_new_array(p->ranks, sizeof *starts);
    if (!starts)
        return status_no_memory("row groups", p->ranks * sizeof *starts);
    uint64_t most = least_most(weights, count, p->ranks);
    table_parts_fits(weights, count, p->ranks, most, starts);
    *out = table_parts_cut(weights, count, p, starts, most);
    mem_free(starts);
    return STATUS_OK;
}

static status deal_bytes(const pq_table *table, pq_deal all, const place *p, pq_deal *out)
{
    size_t count = all.end - all.first;
    uint64_t *weights = mem_new_array(count ? count : 1, sizeof *weights);
    if (!weights)
        return status_no_memory("row groups", count * sizeof *weights);
    for (size_t i = 0; i < count; i++)
        weights[i] = table_parts_group_bytes(table, all.first + i);
    status st = deal_weights(weights, count, p, out);
    mem_free(weights);
    out->first += all.first;
    out->end += all.first;
    return st;
}

/* ---- by parts ---- */

/* Parts [first, end) of a node: by files, as some may have no rows. */
static pq_deal parts_of_node(const pq_table *table, uint32_t node)
{
    bool is_local = table->spec.access == PQ_LOCAL;
    pq_deal parts = {0};
    bool has_any = false;
    for (size_t i = 0; i < table->files.count; i++) {
        const pq_table_file *f = &table->files.items[i];
        if (is_local && f->node != node)
            continue;
        parts.first = has_any ? parts.first : f->part;
        parts.end = f->part + 1;
        has_any = true;
    }
    return parts;
}

/* Equal numbers of parts in their order, whatever their bytes: tables that are divided alike are dealt out
 * alike. */
static pq_deal deal_parts(const pq_table *table, pq_deal all, const place *p)
{
    pq_deal parts = parts_of_node(table, p->node), deal = {.first = all.first};
    uint64_t count = parts.end - parts.first;
    deal.end = all.first;
    for (size_t i = all.first; i < all.end; i++) {
        uint64_t number = file_of(table, i)->part - parts.first;
        uint64_t rank = number * p->ranks / count;
        deal.first += rank < p->rank;
        deal.end += rank <= p->rank;
    }
    return deal;
}

status pq_table_deal(const pq_table *table, const uint64_t *weights, uint32_t rank, uint32_t ranks,
                     pq_deal *out)
{
    const place p = table_parts_place_of(table, rank, ranks);
    pq_deal all = of_node(table, &p);
    if (table->partitioned_by.count) {
        *out = deal_parts(table, all, &p);
        return STATUS_OK;
    }
    if (!weights)
        return deal_bytes(table, all, &p, out);
    TRY(deal_weights(weights + all.first, all.end - all.first, &p, out));
    out->first += all.first;
    out->end += all.first;
    return STATUS_OK;
}

bool pq_is_same_part(const char *path, const char *one, const char *other)
{
    size_t bytes = strlen(path);
    while (bytes && path[bytes - 1] == '/')
        bytes--;
    if (strncmp(one, path, bytes) || strncmp(other, path, bytes) || one[bytes] != '/' ||
        other[bytes] != '/')
        return false;
    one += bytes + 1;
    other += bytes + 1;
    size_t folder = strcspn(one, "/");
    return one[folder] && !strncmp(one, other, folder + 1);
}

/* ---- what statistics say ---- */

/* The least and the greatest value of a part. */
typedef struct part_bounds {
    uint32_t part;
    bool is_known; /* else it has no rows, nothing but NULLs, or statistics do not say */
    bool is_min_exact, is_max_exact; /* rows have the value */
    int128 min, max;
} part_bounds;
typedef ARRAY(part_bounds) bounds_list;

static void table_parts_widen(part_bounds *b, const pq_row_group *group, uint32_t leaf)
{
    const pq_statistics *s = &group->chunks[leaf].statistics;
    if (s->null_count == (int64_t)group->row_count)
        return;
    if (!s->has_min || !s->has_max)
        return;
    int128 min = value_int128(&s->min), max = value_int128(&s->max);
    if (!b->is_known || min < b->min) {
        b->min = min;
        b->is_min_exact = s->is_min_exact;
    }
    if (!b->is_known || max > b->max) {
        b->max = max;
        b->is_max_exact = s->is_max_exact;
    }
    b->is_known = true;
}

static bool has_numbers(const pq_table *table, uint32_t column)
{
    data_type type = table->columns.items[column].type;
    return type_is_integer(type) || type.id == TYPE_DECIMAL || type_is_time(type);
}

/* Finds bounds in the order of parts; to be released. The list is empty for columns whose bounds are not numbers. */
static status table_parts_find_bounds(const pq_table *table, uint32_t column, bounds_list *out)
{
    uint32_t leaf = table->columns.items[column].leaf;
    for (size_t i = 0; has_numbers(table, column) && i < table->row_groups.count; i++) {
        uint32_t part = file_of(table, i)->part;
        if (!out->count || out->items[out->count - 1].part != part)
            TRY(array_push(NULL, out, (part_bounds){.part = part}));
        pq_row_group_ref ref = table->row_groups.items[i];
        table_parts_widen(&out->items[out->count - 1],
                          &table->files.items[ref.file].metadata->row_groups[ref.row_group], leaf);
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].is_known)
            out->items[kept++] = out->items[i];
    out->count = kept;
    return STATUS_OK;
}

/* A value that is certainly in a part. */
typedef struct known_value {
    int128 value;
    uint32_t part;
} known_value;
typedef ARRAY(known_value) value_list;

static int table_parts_compare_values(const void *left, const void *right)
{
    const known_value *a = left, *b = right;
    return a->value != b->value ? (a->value > b->value) - (a->value < b->value)
                                : (a->part > b->part) - (a->part < b->part);
}

/* Two parts with one value; NULL: there are none. */
static const known_value *find_double(const bounds_list *bounds, value_list *values, status *out)
{
    for (size_t i = 0; i < bounds->count && !*out; i++) {
        const part_bounds *b = &bounds->items[i];
        if (b->is_min_exact)
            *out = array_push(NULL, values, ((known_value){b->min, b->part}));
        if (!*out && b->is_max_exact)
            *out = array_push(NULL, values, ((known_value){b->max, b->part}));
    }
    if (*out || !values->count)
        return NULL;
    qsort(values->items, values->count, sizeof *values->items, table_parts_compare_values);
    for (size_t i = 1; i < values->count; i++)
        if (values->items[i - 1].value == values->items[i].value &&
            values->items[i - 1].part != values->items[i].part)
            return &values->items[i - 1];
    return NULL;
}

static const char *path_of_part(const pq_table *table, uint32_t part)
{
    for (size_t i = 0; i < table->files.count; i++)
        if (table->files.items[i].part == part)
            return table->files.items[i].file->path;
    return "";
}

static status table_parts_check_column(const pq_table *table, uint32_t column)
{
    bounds_list bounds = {0};
    value_list values = {0};
    status st = table_parts_find_bounds(table, column, &bounds);
    const known_value *twice = st ? NULL : find_double(&bounds, &values, &st);
    if (twice) {
        st =
            status_new(STATUS_KIND_INVALID,
                       "\"%s\" is partitioned_by \"%s\", but files \"%s\" and \"%s\", which are of "
                       "different parts, have an equal value of it",
                       table->name, table->columns.items[column].name,
                       path_of_part(table, twice[0].part), path_of_part(table, twice[1].part));
        st = status_hint(st, "a part is a file, or a folder of files, of the table's folder");
    }
    array_release(&values);
    array_release(&bounds);
    return st;
}

status pq_table_check_parts(const pq_table *table)
{
    /* Equal values of one of several columns may well be in several parts. */
    return table->partitioned_by.count == 1
               ? table_parts_check_column(table, table->partitioned_by.items[0])
               : STATUS_OK;
}

/* ---- two tables ---- */

static bool has_equal_parts(const pq_table *a, const pq_table *b)
{
    size_t nodes = a->rank_nodes.count;
    if ((a->spec.access == PQ_LOCAL) != (b->spec.access == PQ_LOCAL))
        return false;
    for (uint32_t rank = 0; rank < (nodes ? nodes : 1); rank++) {
        pq_deal of_a = parts_of_node(a, node_of_rank(a, rank));
        pq_deal of_b = parts_of_node(b, node_of_rank(b, rank));
        if (of_a.first != of_b.first || of_a.end != of_b.end)
            return false;
    }
    return true;
}

static bool are_ranges(const bounds_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = i + 1; k < list->count; k++)
            if (list->items[i].min <= list->items[k].max &&
                list->items[k].min <= list->items[i].max)
                return false;
    return true;
}

/* Ranges of one that meet ranges of the other are of the same part. */
static bool do_ranges_meet(const bounds_list *a, const bounds_list *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (a->items[i].part != b->items[k].part && a->items[i].min <= b->items[k].max &&
                b->items[k].min <= a->items[i].max)
                return false;
    return true;
}

static bool is_bound(const part_bounds *b, int128 value)
{
    return (b->is_min_exact && b->min == value) || (b->is_max_exact && b->max == value);
}

/* A value that both have is a bound of different parts. */
static bool do_bounds_differ(const bounds_list *a, const bounds_list *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            const part_bounds *x = &a->items[i], *y = &b->items[k];
            if (x->part == y->part)
                continue;
            if ((x->is_min_exact && is_bound(y, x->min)) ||
                (x->is_max_exact && is_bound(y, x->max)))
                return true;
        }
    return false;
}

static bool do_columns_meet(const pq_table *a, uint32_t a_column, const pq_table *b,
                            uint32_t b_column)
{
    bounds_list of_a = {0}, of_b = {0};
    status st = table_parts_find_bounds(a, a_column, &of_a);
    if (!st)
        st = table_parts_find_bounds(b, b_column, &of_b);
    bool do_meet = !st;
    if (do_meet && (are_ranges(&of_a) || are_ranges(&of_b)))
        do_meet = do_ranges_meet(&of_a, &of_b);
    else if (do_meet)
        do_meet = !do_bounds_differ(&of_a, &of_b);
    status_free(st);
    array_release(&of_a);
    array_release(&of_b);
    return do_meet;
}

bool pq_tables_meet(const pq_table *a, const pq_table *b)
{
    size_t count = a->partitioned_by.count;
    if (!count || b->partitioned_by.count != count || !has_equal_parts(a, b))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t a_column = a->partitioned_by.items[i], b_column = b->partitioned_by.items[i];
        if (!type_equal(a->columns.items[a_column].type, b->columns.items[b_column].type))
            return false;
        /* Equal values of one of several columns may well be in several parts. */
        if (count == 1 && !do_columns_meet(a, a_column, b, b_column))
            return false;
    }
    return true;
}
