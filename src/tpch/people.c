/* people.c - region, nation, supplier, customer. */
#include "tpch/fill.h"

static string_view tpch_address(tpch_batch *batch, tpch_random *r)
{
    static const char letters[] =
        "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,";
    char *start = batch->text + batch->text_used;
    int32_t bytes = tpch_random_next(r, ADDRESS_BYTES / 4, ADDRESS_BYTES);
    int64_t bits = 0;
    for (int32_t i = 0; i < bytes; i++, bits >>= 6) {
        if (i % 5 == 0)
            bits = tpch_random_next(r, 0, INT32_MAX);
        start[i] = letters[bits & 63];
    }
    return keep_text(batch, (size_t)bytes);
}

static string_view tpch_phone(tpch_batch *batch, tpch_random *r, int64_t nation)
{
    char *start = batch->text + batch->text_used, *at = put_number(start, 10 + nation, 2);
    *at++ = '-';
    at = put_number(at, tpch_random_next(r, 100, 999), 3);
    *at++ = '-';
    at = put_number(at, tpch_random_next(r, 100, 999), 3);
    *at++ = '-';
    at = put_number(at, tpch_random_next(r, 1000, 9999), 4);
    return keep_text(batch, (size_t)(at - start));
}

/* ---- region, nation ---- */

static uint64_t region_units(const tpch_scale *scale)
{
    (void)scale;
    return tpch_regions.count;
}

static void region_fill(const tpch_scale *scale, uint64_t first, uint64_t units, tpch_batch *batch)
{
    int32_t *keys = batch->columns[0];
    string_view *names = batch->columns[1], *comments = batch->columns[2];
    tpch_random r = tpch_random_at(1500869201, 2, first);
    for (uint64_t i = 0; i < units; i++) {
        keys[i] = (int32_t)(first + i);
        names[i] = word_view(&tpch_regions.items[first + i]);
        comments[i] = comment(scale, &r, 72);
        tpch_random_end_row(&r);
    }
    batch->rows = units;
}

static const pq_column_schema region_columns[] = {
    {"r_regionkey", INTEGER, false, {0}},
    {"r_name", TEXT, false, {0}},
    {"r_comment", TEXT, false, {0}},
};
const tpch_table tpch_region = {"region",     region_columns, COUNT(region_columns), 1, 1, 0,
                                region_units, region_fill};

static uint64_t nation_units(const tpch_scale *scale)
{
    (void)scale;
    return tpch_nations.count;
}

static void nation_fill(const tpch_scale *scale, uint64_t first, uint64_t units, tpch_batch *batch)
{
    int32_t *keys = batch->columns[0], *regions = batch->columns[2];
    string_view *names = batch->columns[1], *comments = batch->columns[3];
    tpch_random r = tpch_random_at(606179079, 2, first);
    for (uint64_t i = 0; i < units; i++) {
        keys[i] = (int32_t)(first + i);
        names[i] = word_view(&tpch_nations.items[first + i]);
        regions[i] = tpch_nation_regions[first + i];
        comments[i] = comment(scale, &r, 72);
        tpch_random_end_row(&r);
    }
    batch->rows = units;
}

static const pq_column_schema nation_columns[] = {
    {"n_nationkey", INTEGER, false, {0}},
    {"n_name", TEXT, false, {0}},
    {"n_regionkey", INTEGER, false, {0}},
    {"n_comment", TEXT, false, {0}},
};
const tpch_table tpch_nation = {"nation",     nation_columns, COUNT(nation_columns), 1, 1, 0,
                                nation_units, nation_fill};

/* ---- supplier ---- */

#define SUPPLIER_COMMENT 63
#define PRAISE "Customer "
#define PRAISE_BYTES 9
#define VERDICT_BYTES 10

static uint64_t supplier_units(const tpch_scale *scale)
{
    return (uint64_t)scale->suppliers;
}

/* Five in ten thousand suppliers are complained of and five recommended, words apart, somewhere in
 * the comment. */
typedef struct verdicts {
    tpch_random whether, apart, start, kind;
} verdicts;

static string_view give_verdict(tpch_batch *batch, verdicts *v, string_view said)
{
    if (tpch_random_next(&v->whether, 1, 10000) > 10)
        return said;
    int32_t room = (int32_t)said.bytes - PRAISE_BYTES - VERDICT_BYTES;
    int32_t apart = tpch_random_next(&v->apart, 0, room);
    int32_t start = tpch_random_next(&v->start, 0, room - apart);
    bool is_complaint = tpch_random_next(&v->kind, 0, 100) < 50;
    char *text = batch->text + batch->text_used;
    memcpy(text, string_data(&said), said.bytes);
    memcpy(text + start, PRAISE, PRAISE_BYTES);
    memcpy(text + start + PRAISE_BYTES + apart, is_complaint ? "Complaints" : "Recommends",
           VERDICT_BYTES);
    return keep_text(batch, said.bytes);
}

static void supplier_fill(const tpch_scale *scale, uint64_t first, uint64_t units,
                          tpch_batch *batch)
{
    int64_t *keys = batch->columns[0], *balances = batch->columns[5];
    int32_t *nations = batch->columns[3];
    string_view *names = batch->columns[1], *addresses = batch->columns[2],
                *phones = batch->columns[4], *comments = batch->columns[6];
    tpch_random address = tpch_random_at(706178559, ADDRESS_DRAWS, first);
    tpch_random nation = tpch_random_at(110356601, 1, first);
    tpch_random phone = tpch_random_at(884434366, PHONE_DRAWS, first);
    tpch_random balance = tpch_random_at(962338209, 1, first);
    tpch_random said = tpch_random_at(1341315363, 2, first);
    verdicts v = {tpch_random_at(202794285, 1, first), tpch_random_at(263032577, 1, first),
                  tpch_random_at(715851524, 1, first), tpch_random_at(753643799, 1, first)};
    for (uint64_t i = 0; i < units; i++) {
        keys[i] = (int64_t)(first + i + 1);
        names[i] = named_number(batch, "Supplier#", 9, keys[i]);
        addresses[i] = tpch_address(batch, &address);
        nations[i] = tpch_random_next(&nation, 0, 24);
        phones[i] = tpch_phone(batch, &phone, nations[i]);
        balances[i] = tpch_random_next(&balance, -99999, 999999);
        comments[i] = give_verdict(batch, &v, comment(scale, &said, SUPPLIER_COMMENT));
        tpch_random *all[] = {&address,   &nation,  &phone,   &balance, &said,
                              &v.whether, &v.apart, &v.start, &v.kind};
        for (size_t r = 0; r < COUNT(all); r++)
            tpch_random_end_row(all[r]);
    }
    batch->rows = units;
}

static const pq_column_schema supplier_columns[] = {
    {"s_suppkey", BIGINT, false, {0}}, {"s_name", TEXT, false, {0}},
    {"s_address", TEXT, false, {0}},   {"s_nationkey", INTEGER, false, {0}},
    {"s_phone", TEXT, false, {0}},     {"s_acctbal", MONEY, false, {0}},
    {"s_comment", TEXT, false, {0}},
};
const tpch_table tpch_supplier = {"supplier",
                                  supplier_columns,
                                  COUNT(supplier_columns),
                                  1,
                                  1,
                                  32 + ADDRESS_BYTES + PHONE_BYTES + 2 * SUPPLIER_COMMENT,
                                  supplier_units,
                                  supplier_fill};

/* ---- customer ---- */

static uint64_t customer_units(const tpch_scale *scale)
{
    return (uint64_t)scale->customers;
}

static void customer_fill(const tpch_scale *scale, uint64_t first, uint64_t units,
                          tpch_batch *batch)
{
    int64_t *keys = batch->columns[0], *balances = batch->columns[5];
    int32_t *nations = batch->columns[3];
    string_view *names = batch->columns[1], *addresses = batch->columns[2],
                *phones = batch->columns[4], *segments = batch->columns[6],
                *comments = batch->columns[7];
    tpch_random address = tpch_random_at(881155353, ADDRESS_DRAWS, first);
    tpch_random nation = tpch_random_at(1489529863, 1, first);
    tpch_random phone = tpch_random_at(1521138112, PHONE_DRAWS, first);
    tpch_random balance = tpch_random_at(298370230, 1, first);
    tpch_random segment = tpch_random_at(1140279430, 1, first);
    tpch_random said = tpch_random_at(1335826707, 2, first);
    for (uint64_t i = 0; i < units; i++) {
        keys[i] = (int64_t)(first + i + 1);
        names[i] = named_number(batch, "Customer#", 9, keys[i]);
        addresses[i] = tpch_address(batch, &address);
        nations[i] = tpch_random_next(&nation, 0, 24);
        phones[i] = tpch_phone(batch, &phone, nations[i]);
        balances[i] = tpch_random_next(&balance, -99999, 999999);
        segments[i] = word_view(tpch_words_pick(&tpch_segments, &segment));
        comments[i] = comment(scale, &said, 73);
        tpch_random *all[] = {&address, &nation, &phone, &balance, &segment, &said};
        for (size_t r = 0; r < COUNT(all); r++)
            tpch_random_end_row(all[r]);
    }
    batch->rows = units;
}

static const pq_column_schema customer_columns[] = {
    {"c_custkey", BIGINT, false, {0}},  {"c_name", TEXT, false, {0}},
    {"c_address", TEXT, false, {0}},    {"c_nationkey", INTEGER, false, {0}},
    {"c_phone", TEXT, false, {0}},      {"c_acctbal", MONEY, false, {0}},
    {"c_mktsegment", TEXT, false, {0}}, {"c_comment", TEXT, false, {0}},
};
const tpch_table tpch_customer = {"customer",
                                  customer_columns,
                                  COUNT(customer_columns),
                                  1,
                                  1,
                                  32 + ADDRESS_BYTES + PHONE_BYTES,
                                  customer_units,
                                  customer_fill};
