/* parts.c - part and partsupp. */
#include "tpch/parts.h"

#include "tpch/fill.h"

#define NAME_WORDS 5
#define NAME_BYTES (NAME_WORDS * 11)
#define SUPPLIERS 4

int64_t tpch_part_price(int64_t part)
{
    return 90000 + part / 10 % 20001 + part % 1000 * 100;
}

int64_t tpch_part_supplier(const tpch_scale *scale, int64_t part, int64_t i)
{
    int64_t count = scale->suppliers;
    return (part + i * (count / SUPPLIERS + (part - 1) / count)) % count + 1;
}

static uint64_t part_units(const tpch_scale *scale)
{
    return (uint64_t)scale->parts;
}

/* Five colours out of all, none twice. */
static string_view part_name(tpch_batch *batch, tpch_random *r)
{
    uint8_t order[NAME_WORDS], swapped[NAME_WORDS];
    uint8_t colors[128];
    char *start = batch->text + batch->text_used, *at = start;
    for (uint32_t i = 0; i < tpch_colors.count; i++)
        colors[i] = (uint8_t)i;
    for (int i = 0; i < NAME_WORDS; i++) {
        swapped[i] = (uint8_t)tpch_random_next(r, i, (int32_t)tpch_colors.count - 1);
        order[i] = colors[swapped[i]];
        colors[swapped[i]] = colors[i];
        const tpch_word *word = &tpch_colors.items[order[i]];
        if (i)
            *at++ = ' ';
        memcpy(at, word->text, word->bytes);
        at += word->bytes;
    }
    return keep_text(batch, (size_t)(at - start));
}

static void part_fill(const tpch_scale *scale, uint64_t first, uint64_t units, tpch_batch *batch)
{
    static const char makers[] =
        "Manufacturer#1Manufacturer#2Manufacturer#3Manufacturer#4Manufacturer#5";
    int64_t *keys = batch->columns[0], *prices = batch->columns[7];
    int32_t *sizes = batch->columns[5];
    string_view *names = batch->columns[1], *manufacturers = batch->columns[2],
                *brands = batch->columns[3], *types = batch->columns[4],
                *containers = batch->columns[6], *comments = batch->columns[8];
    tpch_random name = tpch_random_at(709314158, 92, first);
    tpch_random manufacturer = tpch_random_at(1, 1, first);
    tpch_random brand = tpch_random_at(46831694, 1, first);
    tpch_random type = tpch_random_at(1841581359, 1, first);
    tpch_random size = tpch_random_at(1193163244, 1, first);
    tpch_random container = tpch_random_at(727633698, 1, first);
    tpch_random said = tpch_random_at(804159733, 2, first);
    for (uint64_t i = 0; i < units; i++) {
        keys[i] = (int64_t)(first + i + 1);
        names[i] = part_name(batch, &name);
        int32_t maker = tpch_random_next(&manufacturer, 1, 5);
        manufacturers[i] = string_view_make(makers + (maker - 1) * 14, 14);
        char text[] = "Brand#00";
        put_number(text + 6, maker * 10 + tpch_random_next(&brand, 1, 5), 2);
        brands[i] = string_view_make(text, 8);
        types[i] = word_view(tpch_words_pick(&tpch_types, &type));
        sizes[i] = tpch_random_next(&size, 1, 50);
        containers[i] = word_view(tpch_words_pick(&tpch_containers, &container));
        prices[i] = tpch_part_price(keys[i]);
        comments[i] = comment(scale, &said, 14);
        tpch_random *all[] = {&name, &manufacturer, &brand, &type, &size, &container, &said};
        for (size_t r = 0; r < COUNT(all); r++)
            tpch_random_end_row(all[r]);
    }
    batch->rows = units;
}

static const pq_column_schema part_columns[] = {
    {"p_partkey", BIGINT, false, {0}}, {"p_name", TEXT, false, {0}},
    {"p_mfgr", TEXT, false, {0}},      {"p_brand", TEXT, false, {0}},
    {"p_type", TEXT, false, {0}},      {"p_size", INTEGER, false, {0}},
    {"p_container", TEXT, false, {0}}, {"p_retailprice", MONEY, false, {0}},
    {"p_comment", TEXT, false, {0}},
};
const tpch_table tpch_part = {"part", part_columns, COUNT(part_columns), 1,
                              1,      NAME_BYTES,   part_units,          part_fill};

static void partsupp_fill(const tpch_scale *scale, uint64_t first, uint64_t units,
                          tpch_batch *batch)
{
    int64_t *parts = batch->columns[0], *suppliers = batch->columns[1],
            *quantities = batch->columns[2], *costs = batch->columns[3];
    string_view *comments = batch->columns[4];
    tpch_random quantity = tpch_random_at(1671059989, SUPPLIERS, first);
    tpch_random cost = tpch_random_at(1051288424, SUPPLIERS, first);
    tpch_random said = tpch_random_at(1961692154, 2 * SUPPLIERS, first);
    uint64_t row = 0;
    for (uint64_t unit = 0; unit < units; unit++) {
        for (int64_t i = 0; i < SUPPLIERS; i++, row++) {
            parts[row] = (int64_t)(first + unit + 1);
            suppliers[row] = tpch_part_supplier(scale, parts[row], i);
            quantities[row] = tpch_random_next(&quantity, 1, 9999);
            costs[row] = tpch_random_next(&cost, 100, 100000);
            comments[row] = comment(scale, &said, 124);
        }
        tpch_random_end_row(&quantity);
        tpch_random_end_row(&cost);
        tpch_random_end_row(&said);
    }
    batch->rows = row;
}

static const pq_column_schema partsupp_columns[] = {
    {"ps_partkey", BIGINT, false, {0}},  {"ps_suppkey", BIGINT, false, {0}},
    {"ps_availqty", BIGINT, false, {0}}, {"ps_supplycost", MONEY, false, {0}},
    {"ps_comment", TEXT, false, {0}},
};
const tpch_table tpch_partsupp = {"partsupp", partsupp_columns, COUNT(partsupp_columns),
                                  SUPPLIERS,  SUPPLIERS,        0,
                                  part_units, partsupp_fill};
