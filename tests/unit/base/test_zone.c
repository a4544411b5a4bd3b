/* test_zone.c - time zones: rules, files, names; gaps and hours that come twice.
 *
 * Expected offsets are those of Python's zoneinfo, of local times PostgreSQL 15's.
 *
 * test_label: smoke */
#include "base/time/zone_file.h"
#include "base/time/zone_rule.h"
#include "test.h"

#include "base/time/zone.h"
#include "base/time/zone_moment.h"

#include <unistd.h>

static zone rule_zone(const char *text)
{
    zone z = {.has_rule = true};
    CHECK(zone_rule_parse(text, strlen(text), &z.rule));
    return z;
}

static int32_t offset_at(const zone *z, int64_t instant)
{
    zone_span span = {0};
    zone_at(z, instant, &span);
    CHECK(span.from <= instant && instant < span.to);
    return span.offset;
}

static int32_t offset_of(const zone *z, int64_t local)
{
    zone_span span = {0};
    return zone_offset_of_local(z, local, &span);
}

TEST(zone_rules_are_read)
{
    static const char *const right[] = {"UTC0",
                                        "CET-1CEST,M3.5.0,M10.5.0/3",
                                        "<+0330>-3:30<+0430>,J79/24,J263/24",
                                        "EST5EDT",
                                        "IST-1GMT0,M10.5.0,M3.5.0/1",
                                        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
                                        "XXX3YYY,0/0,J365/25",
                                        "+02:00"};
    static const char *const wrong[] = {"",
                                        "UTC",
                                        "CET-1CEST,",
                                        "CET-1CEST,M3.5.0",
                                        "CET-1CEST,M13.5.0,M10.5.0",
                                        "CET-1CEST,M3.6.0,M10.5.0",
                                        "CET-1CEST,M3.5.7,M10.5.0",
                                        "CET-1CEST,J0,J100",
                                        "CET-1CEST,366,1",
                                        "CET-1CEST,M3.5.0/168,M10.5.0",
                                        "CET-25",
                                        "CET-1:60",
                                        "<+03-3",
                                        "CET-1CEST,M3.5.0,M10.5.0/3x",
                                        "ABCDEFGHIJKLMNOPQ-1"};
    zone_rule rule;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        CHECK(zone_rule_parse(right[i], strlen(right[i]), &rule));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!zone_rule_parse(wrong[i], strlen(wrong[i]), &rule));
}

TEST(zone_rules_give_offsets)
{
    zone berlin = rule_zone("CET-1CEST,M3.5.0,M10.5.0/3"), sydney, dublin;
    sydney = rule_zone("AEST-10AEDT,M10.1.0,M4.1.0/3");
    dublin = rule_zone("IST-1GMT0,M10.5.0,M3.5.0/1");
    CHECK_EQ(offset_at(&berlin, 1585443599), 3600); /* 2020-03-29 00:59:59 */
    CHECK_EQ(offset_at(&berlin, 1585443600), 7200);
    CHECK_EQ(offset_at(&berlin, 1603587599), 7200); /* 2020-10-25 00:59:59 */
    CHECK_EQ(offset_at(&berlin, 1603587600), 3600);
    CHECK_EQ(offset_at(&berlin, 253402300799), 3600); /* 9999-12-31 23:59:59 */
    CHECK_EQ(offset_at(&berlin, 253389600000), 7200); /* of August */
    CHECK_EQ(offset_at(&sydney, 1577836800), 39600);  /* 2020-01-01 */
    CHECK_EQ(offset_at(&sydney, 1593561600), 36000);  /* 2020-07-01 */
    CHECK_EQ(offset_at(&dublin, 1577836800), 0);
    CHECK_EQ(offset_at(&dublin, 1593561600), 3600);
    /* Beyond all timestamps there is an answer, too. */
    CHECK_EQ(offset_at(&berlin, INT64_MIN), 3600);
    CHECK_EQ(offset_at(&berlin, INT64_MAX - 1), 3600);
}

TEST(zone_local_times_that_are_skipped_or_come_twice)
{
    zone berlin = rule_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    CHECK_EQ(offset_of(&berlin, 1585447199), 3600); /* 2020-03-29 01:59:59 */
    CHECK_EQ(offset_of(&berlin, 1585447200), 3600); /* 02:00, which is not */
    CHECK_EQ(offset_of(&berlin, 1585450799), 3600);
    CHECK_EQ(offset_of(&berlin, 1585450800), 7200); /* 03:00 */
    CHECK_EQ(offset_of(&berlin, 1603591199), 7200); /* 2020-10-25 01:59:59 */
    CHECK_EQ(offset_of(&berlin, 1603591200), 3600); /* 02:00, twice */
    CHECK_EQ(offset_of(&berlin, 1603594800), 3600);
}

/* ---- files ---- */

#define FILE_MAX 400

/* Version 1 of two transitions: 0 to +1:00 at 1000, to -0:30 at 2000. */
static size_t make_file(uint8_t *to)
{
    static const uint8_t bytes[] = {
        'T', 'Z', 'i', 'f', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        /* counts: utc, standard, leap, times, types, name bytes */
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 12,
        /* times, and their types */
        0, 0, 3, 232, 0, 0, 7, 208, 1, 2,
        /* types */
        0, 0, 0, 0, 0, 0, 0, 0, 14, 16, 1, 4, 255, 255, 248, 248, 0, 8,
        /* names */
        'L', 'M', 'T', 0, 'O', 'N', 'E', 0, 'H', 'A', 'F', 0};
    memcpy(to, bytes, sizeof bytes);
    return sizeof bytes;
}

static bool is_zone(const uint8_t *bytes, size_t count, zone *out)
{
    zone_table *table;
    memset(out, 0, sizeof *out);
    CHECK_OK(zone_table_parse(bytes, count, &table, &out->rule, &out->has_rule));
    out->table = table;
    return table;
}

static bool is_zone_at_all(const uint8_t *bytes, size_t count)
{
    zone z;
    bool is = is_zone(bytes, count, &z);
    zone_table_free((zone_table *)z.table);
    return is;
}

TEST(zone_files_of_version_1)
{
    uint8_t bytes[FILE_MAX];
    size_t count = make_file(bytes);
    zone z;
    CHECK(is_zone(bytes, count, &z));
    CHECK_EQ(offset_at(&z, -5000000000), 0);
    CHECK_EQ(offset_at(&z, 999), 0);
    CHECK_EQ(offset_at(&z, 1000), 3600);
    CHECK_EQ(offset_at(&z, 1999), 3600);
    CHECK_EQ(offset_at(&z, 2000), -1800);
    CHECK_EQ(offset_at(&z, 5000000000), -1800);
    zone_table_free((zone_table *)z.table);
}

TEST(zone_files_that_lie)
{
    static const struct {
        size_t at;
        uint8_t byte;
    } lies[] = {{0, 'U'},  {4, '2'}, {31, 1},  {32, 1},   {35, 3},   {35, 1},  {39, 0}, {39, 200},
                {38, 2},   {43, 0},  {43, 13}, {43, 200}, {40, 255}, {46, 8},  {52, 3}, {53, 9},
                {54, 127}, {60, 1},  {59, 12}, {65, 200}, {71, 12},  {83, 'X'}};
    uint8_t bytes[FILE_MAX];
    size_t count = make_file(bytes);
    for (size_t cut = 0; cut < count; cut++)
        CHECK(!is_zone_at_all(bytes, cut));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        make_file(bytes);
        bytes[lies[i].at] = lies[i].byte;
        (void)is_zone_at_all(bytes, count);
    }
    make_file(bytes);
    bytes[52] = 3; /* a type that there is not */
    CHECK(!is_zone_at_all(bytes, count));
    make_file(bytes);
    bytes[46] = 9; /* transitions that fall */
    CHECK(!is_zone_at_all(bytes, count));
    make_file(bytes);
    bytes[54] = 127; /* an offset of years */
    CHECK(!is_zone_at_all(bytes, count));
    make_file(bytes);
    bytes[count - 1] = 'X'; /* a name without an end */
    CHECK(!is_zone_at_all(bytes, count));
}

TEST(zone_files_of_version_2_end_with_a_rule)
{
    static const char footer[] = "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
    /* No transitions and one type, of 32 bits and again of 64. */
    uint8_t part[FILE_MAX] = "TZif2", bytes[FILE_MAX];
    part[39] = 1;
    part[43] = 4;
    memcpy(part + 44 + 6, "LMT", 4);
    size_t half = 44 + 6 + 4, count = 2 * half;
    memcpy(bytes, part, half);
    memcpy(bytes + half, part, half);
    memcpy(bytes + count, footer, sizeof footer - 1);
    zone z;
    CHECK(is_zone(bytes, count + sizeof footer - 1, &z));
    CHECK_EQ(offset_at(&z, 1593561600), 7200);
    zone_table_free((zone_table *)z.table);
    CHECK(!is_zone_at_all(bytes, count)); /* without */
    CHECK(!is_zone_at_all(bytes, count + sizeof footer - 2));
    bytes[count + 1] = '!';
    CHECK(!is_zone_at_all(bytes, count + sizeof footer - 1));
}

/* ---- names ---- */

static void check_unknown(const char *name)
{
    zone z;
    CHECK_FAILS(zone_find(name, strlen(name), &z), STATUS_KIND_INVALID, "is not known");
}

TEST(zone_names_lead_nowhere_else)
{
    static const char *const names[] = {"",
                                        ".",
                                        "..",
                                        "../zoneinfo/UTC",
                                        "Europe/../Europe/Berlin",
                                        "/etc/hosts",
                                        "Europe/",
                                        "Europe",
                                        "Europe//Berlin",
                                        "/Europe/Berlin",
                                        "zone.tab",
                                        "Mars/City",
                                        "Europe/Berlin ",
                                        "Europe\\Berlin",
                                        "posix/../../../etc/passwd"};
    char longest[5000];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_unknown(names[i]);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    check_unknown(longest);
    zone z;
    CHECK_FAILS(zone_find("Europe/Berlin\0x", 15, &z), STATUS_KIND_INVALID, "is not known");
}

TEST(zone_names_without_files)
{
    zone z, again;
    CHECK_OK(zone_find("utc", 3, &z));
    CHECK_TEXT_EQ(z.name, "UTC");
    CHECK_OK(zone_find("est", 3, &z));
    CHECK_EQ(offset_at(&z, 0), -18000);
    CHECK_OK(zone_find("<+0545>-5:45", 12, &z));
    CHECK_EQ(offset_at(&z, 0), 20700);
    CHECK_OK(zone_find_setting("+02", &z));
    CHECK_TEXT_EQ(z.name, "<+02>-02");
    CHECK_EQ(offset_at(&z, 0), 7200);
    CHECK_OK(zone_find_setting("-3.5", &z));
    CHECK_TEXT_EQ(z.name, "<-03:30>+03:30");
    CHECK_EQ(offset_at(&z, 0), -12600);
    CHECK_OK(zone_find(z.name, strlen(z.name), &again));
    CHECK_EQ(offset_at(&again, 0), -12600);
    CHECK_FAILS(zone_find_setting("25", &z), STATUS_KIND_INVALID, "out of range");
    CHECK_FAILS(zone_find_setting("nan", &z), STATUS_KIND_INVALID, "");
}

TEST(zones_without_files_name_the_package)
{
    zone z;
    setenv("TZDIR", "/nowhere", 1);
    status st = zone_find("Europe/Berlin", 13, &z);
    unsetenv("TZDIR");
    CHECK(st && strstr(status_get_hint(st), "tzdata"));
    status_free(st);
}

TEST(zones_of_the_system)
{
    zone z;
    if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK))
        return;
    CHECK_OK(zone_find("eUROPE/bERLIN", 13, &z));
    CHECK_TEXT_EQ(z.name, "Europe/Berlin");
    CHECK_EQ(offset_at(&z, -2717650800 - 86400), 3208); /* 1883: local mean time */
    CHECK_EQ(offset_at(&z, 1593561600), 7200);
    CHECK_EQ(offset_at(&z, 2147483648 + 86400 * 180), 7200);
    CHECK_OK(zone_find_setting("CET", &z));
    CHECK_TEXT_EQ(z.name, ":CET");
    CHECK_EQ(offset_at(&z, 1593561600), 7200);
    zone_forget();
}

TEST(zone_texts_there_and_back)
{
    zone berlin = rule_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    char text[TIMESTAMP_TEXT_BYTES];
    zone_span span = {0};
    int64_t back;
    bool is_one;
    for (int64_t instant = -3000000000000000; instant < 9000000000000000;
         instant += 6912345678901) {
        size_t bytes = zone_format(&berlin, instant, 6, &span, text);
        CHECK(bytes < sizeof text);
        CHECK_OK(zone_parse(&berlin, text, bytes, 6, &back, &is_one));
        CHECK(is_one);
        CHECK_EQ(back, instant);
    }
    CHECK_OK(zone_parse(&berlin, "2020-07-01", 10, 9, &back, &is_one));
    CHECK_EQ(back, 1593554400000000000);
    CHECK_OK(zone_parse(&berlin, "soon", 4, 6, &back, &is_one));
    CHECK(!is_one);
    CHECK_OK(zone_parse(&berlin, "2020-07-01 12:00 25:00 UTC", 26, 6, &back, &is_one));
    CHECK(!is_one);
    CHECK_FAILS(zone_parse(&berlin, "2020-07-01 Mars", 15, 6, &back, &is_one), STATUS_KIND_INVALID,
                "\"Mars\" is not known");
}
