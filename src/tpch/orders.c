/* orders.c - orders and lineitem. An order's price and status follow from its items, which the same
 * streams give to both tables. */
#include "tpch/fill.h"
#include "tpch/parts.h"

#define ITEMS_MAX 7
#define FIRST_DAY 8035   /* 1992-01-01, the first order's, in days since 1970 */
#define ORDER_DAYS 2406  /* days on which orders are made */
#define CURRENT_DAY 9298 /* 1995-06-17: what lies behind it has been shipped or received */

/* Draws of both tables for an order and its items. */
typedef struct streams {
    tpch_random day, items, quantity, discount, tax, part, ship;
} streams;

static streams streams_at(uint64_t order)
{
    return (streams){
        tpch_random_at(1066728069, 1, order),         tpch_random_at(1434868289, 1, order),
        tpch_random_at(209208115, ITEMS_MAX, order),  tpch_random_at(554590007, ITEMS_MAX, order),
        tpch_random_at(721958466, ITEMS_MAX, order),  tpch_random_at(1808217256, ITEMS_MAX, order),
        tpch_random_at(1769349045, ITEMS_MAX, order),
    };
}

static void streams_end_row(streams *s)
{
    tpch_random_end_row(&s->day);
    tpch_random_end_row(&s->items);
    tpch_random_end_row(&s->quantity);
    tpch_random_end_row(&s->discount);
    tpch_random_end_row(&s->tax);
    tpch_random_end_row(&s->part);
    tpch_random_end_row(&s->ship);
}

static int32_t order_day(streams *s)
{
    return FIRST_DAY + tpch_random_next(&s->day, 0, ORDER_DAYS - 1);
}

typedef struct item {
    int64_t part, quantity, discount, tax, price;
    int32_t ship_day;
} item;

static item orders_next_item(const tpch_scale *scale, streams *s, int32_t day)
{
    item it;
    it.quantity = tpch_random_next(&s->quantity, 1, 50);
    it.discount = tpch_random_next(&s->discount, 0, 10);
    it.tax = tpch_random_next(&s->tax, 0, 8);
    it.part = tpch_random_next(&s->part, 1, (int32_t)scale->parts);
    it.price = tpch_part_price(it.part) * it.quantity;
    it.ship_day = day + tpch_random_next(&s->ship, 1, 121);
    return it;
}

/* Returns an order's key: of 32 keys in a row the first 8 are used. */
static int64_t order_key(uint64_t number)
{
    return (int64_t)(number >> 3 << 5 | (number & 7));
}

/* Every third customer never orders anything. */
static int64_t order_customer(const tpch_scale *scale, tpch_random *r)
{
    int64_t customer = tpch_random_next(r, 1, (int32_t)scale->customers), step = 1;
    for (; customer % 3 == 0; step = -step) {
        customer += step;
        if (customer > scale->customers)
            customer = scale->customers;
    }
    return customer;
}

static uint64_t order_units(const tpch_scale *scale)
{
    return (uint64_t)scale->orders;
}

static void orders_fill(const tpch_scale *scale, uint64_t first, uint64_t units, tpch_batch *batch)
{
    int64_t *keys = batch->columns[0], *customers = batch->columns[1], *prices = batch->columns[3];
    int32_t *days = batch->columns[4], *ship_priorities = batch->columns[7];
    string_view *statuses = batch->columns[2], *priorities = batch->columns[5],
                *clerks = batch->columns[6], *comments = batch->columns[8];
    streams s = streams_at(first);
    tpch_random customer = tpch_random_at(851767375, 1, first);
    tpch_random priority = tpch_random_at(591449447, 1, first);
    tpch_random clerk = tpch_random_at(1171034773, 1, first);
    tpch_random said = tpch_random_at(276090261, 2, first);
    int32_t clerk_count = scale->factor > 1 ? (int32_t)(scale->factor * 1000) : 1000;
    for (uint64_t i = 0; i < units; i++) {
        keys[i] = order_key(first + i + 1);
        days[i] = order_day(&s);
        customers[i] = order_customer(scale, &customer);
        int32_t items = tpch_random_next(&s.items, 1, ITEMS_MAX), shipped = 0;
        prices[i] = 0;
        for (int32_t k = 0; k < items; k++) {
            item it = orders_next_item(scale, &s, days[i]);
            prices[i] += it.price * (100 - it.discount) / 100 * (100 + it.tax) / 100;
            shipped += it.ship_day <= CURRENT_DAY;
        }
        statuses[i] = string_view_make(shipped == items ? "F" : shipped ? "P" : "O", 1);
        priorities[i] = word_view(tpch_words_pick(&tpch_priorities, &priority));
        clerks[i] = named_number(batch, "Clerk#", 6, tpch_random_next(&clerk, 1, clerk_count));
        ship_priorities[i] = 0;
        comments[i] = comment(scale, &said, 49);
        streams_end_row(&s);
        tpch_random_end_row(&customer);
        tpch_random_end_row(&priority);
        tpch_random_end_row(&clerk);
        tpch_random_end_row(&said);
    }
    batch->rows = units;
}

static const pq_column_schema order_columns[] = {
    {"o_orderkey", BIGINT, false, {0}},  {"o_custkey", BIGINT, false, {0}},
    {"o_orderstatus", TEXT, false, {0}}, {"o_totalprice", MONEY, false, {0}},
    {"o_orderdate", DAY, false, {0}},    {"o_orderpriority", TEXT, false, {0}},
    {"o_clerk", TEXT, false, {0}},       {"o_shippriority", INTEGER, false, {0}},
    {"o_comment", TEXT, false, {0}},
};
const tpch_table tpch_orders = {"orders", order_columns, COUNT(order_columns), 1, 1,
                                24,       order_units,   orders_fill};

static void lineitem_fill(const tpch_scale *scale, uint64_t first, uint64_t units,
                          tpch_batch *batch)
{
    int64_t *keys = batch->columns[0], *parts = batch->columns[1], *suppliers = batch->columns[2],
            *numbers = batch->columns[3], *quantities = batch->columns[4],
            *prices = batch->columns[5], *discounts = batch->columns[6], *taxes = batch->columns[7];
    string_view *flags = batch->columns[8], *statuses = batch->columns[9],
                *instructions = batch->columns[13], *modes = batch->columns[14],
                *comments = batch->columns[15];
    int32_t *shipped = batch->columns[10], *committed = batch->columns[11],
            *received = batch->columns[12];
    streams s = streams_at(first);
    tpch_random supplier = tpch_random_at(2095021727, ITEMS_MAX, first);
    tpch_random commit = tpch_random_at(904914315, ITEMS_MAX, first);
    tpch_random receipt = tpch_random_at(373135028, ITEMS_MAX, first);
    tpch_random flag = tpch_random_at(717419739, ITEMS_MAX, first);
    tpch_random instruction = tpch_random_at(1371272478, ITEMS_MAX, first);
    tpch_random mode = tpch_random_at(675466456, ITEMS_MAX, first);
    tpch_random said = tpch_random_at(1095462486, 2 * ITEMS_MAX, first);
    uint64_t row = 0;
    for (uint64_t unit = 0; unit < units; unit++) {
        int32_t day = order_day(&s);
        int32_t items = tpch_random_next(&s.items, 1, ITEMS_MAX);
        for (int32_t k = 0; k < items; k++, row++) {
            item it = orders_next_item(scale, &s, day);
            keys[row] = order_key(first + unit + 1);
            parts[row] = it.part;
            suppliers[row] = tpch_part_supplier(scale, it.part, tpch_random_next(&supplier, 0, 3));
            numbers[row] = k + 1;
            quantities[row] = it.quantity * 100;
            prices[row] = it.price;
            discounts[row] = it.discount;
            taxes[row] = it.tax;
            shipped[row] = it.ship_day;
            committed[row] = day + tpch_random_next(&commit, 30, 90);
            received[row] = it.ship_day + tpch_random_next(&receipt, 1, 30);
            flags[row] = received[row] <= CURRENT_DAY
                             ? word_view(tpch_words_pick(&tpch_return_flags, &flag))
                             : string_view_make("N", 1);
            statuses[row] = string_view_make(it.ship_day <= CURRENT_DAY ? "F" : "O", 1);
            instructions[row] = word_view(tpch_words_pick(&tpch_instructions, &instruction));
            modes[row] = word_view(tpch_words_pick(&tpch_modes, &mode));
            comments[row] = comment(scale, &said, 27);
        }
        streams_end_row(&s);
        tpch_random *all[] = {&supplier, &commit, &receipt, &flag, &instruction, &mode, &said};
        for (size_t r = 0; r < COUNT(all); r++)
            tpch_random_end_row(all[r]);
    }
    batch->rows = row;
}

static const pq_column_schema lineitem_columns[] = {
    {"l_orderkey", BIGINT, false, {0}}, {"l_partkey", BIGINT, false, {0}},
    {"l_suppkey", BIGINT, false, {0}},  {"l_linenumber", BIGINT, false, {0}},
    {"l_quantity", MONEY, false, {0}},  {"l_extendedprice", MONEY, false, {0}},
    {"l_discount", MONEY, false, {0}},  {"l_tax", MONEY, false, {0}},
    {"l_returnflag", TEXT, false, {0}}, {"l_linestatus", TEXT, false, {0}},
    {"l_shipdate", DAY, false, {0}},    {"l_commitdate", DAY, false, {0}},
    {"l_receiptdate", DAY, false, {0}}, {"l_shipinstruct", TEXT, false, {0}},
    {"l_shipmode", TEXT, false, {0}},   {"l_comment", TEXT, false, {0}},
};
const tpch_table tpch_lineitem = {
    "lineitem",  lineitem_columns, COUNT(lineitem_columns), ITEMS_MAX, 4, 0,
    order_units, lineitem_fill};
