/* test_setting.c - settings from text, their bounds, and the page that describes them. */
#include "test.h"

#include "base/setting/setting.h"

static settings fresh_settings(void)
{
    settings s;
    CHECK_OK(settings_init(&s));
    return s;
}

TEST(settings_begin_with_their_defaults)
{
    settings s = fresh_settings();
    CHECK_EQ(s.threads.number, 0);
    CHECK_TEXT_EQ(s.device.text, "cpu");
    CHECK_TEXT_EQ(settings_get(&s, "isa"), "auto");
    CHECK(!settings_get(&s, "colour"));
    CHECK(s.memory_limit.number > 0);
    CHECK(s.memory_limit.number <= setting_memory_bytes());
    CHECK(setting_core_count() >= 1);
}

TEST(settings_come_from_the_environment)
{
    settings s;
    setenv("PISTACHIO_THREADS", "3", 1);
    s = fresh_settings();
    CHECK_EQ(s.threads.number, 3);
    setenv("PISTACHIO_THREADS", "many", 1);
    status st = settings_init(&s);
    unsetenv("PISTACHIO_THREADS");
    CHECK_FAILS(st, STATUS_KIND_INVALID,
                "environment variable PISTACHIO_THREADS: setting threads cannot be \"many\"");
}

TEST(settings_take_sizes_counts_choices_and_switches)
{
    settings s = fresh_settings();
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"1GB", 1000000000},    {"512MiB", 536870912}, {"1.5 GiB", 1610612736},
                 {"16777216", 16777216}, {"20mb", 20000000},    {"1t", 1000000000000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CHECK_OK(settings_set(&s, "memory_limit", sizes[i].text));
        CHECK_EQ(s.memory_limit.number, sizes[i].bytes);
    }
    CHECK_OK(settings_set(&s, "MEMORY_LIMIT", "50%"));
    CHECK_EQ(s.memory_limit.number, setting_memory_bytes() / 2);
    CHECK_OK(settings_set(&s, "threads", "7"));
    CHECK_EQ(s.threads.number, 7);
    CHECK_OK(settings_set(&s, "threads", "auto"));
    CHECK_EQ(s.threads.number, 0);
    CHECK_OK(settings_set(&s, "device", "SIMULATED"));
    CHECK_TEXT_EQ(s.device.text, "simulated");
    CHECK_OK(settings_set(&s, "device", "CUDA:12"));
    CHECK_TEXT_EQ(s.device.text, "cuda:12");
    CHECK_OK(settings_set(&s, "progress", "off"));
    CHECK_EQ(s.progress.number, 0);
    CHECK_OK(settings_set(&s, "progress", "YES"));
    CHECK_EQ(s.progress.number, 1);
}

TEST(settings_refuse_what_they_are_not)
{
    settings s = fresh_settings();
    static const char *const cases[][3] = {
        {"threads", "0", "auto or a whole number from"},
        {"threads", "-1", "auto or a whole number from"},
        {"threads", "4x", "auto or a whole number from"},
        {"threads", "", "auto or a whole number from"},
        {"threads", "5000", "from 1 to 4096"},
        {"threads", "99999999999999999999999", "from 1 to 4096"},
        {"memory_limit", "1", "16MiB or more"},
        {"memory_limit", "lots", "a size as 1GB"},
        {"memory_limit", "1..5GB", "a size as 1GB"},
        {"memory_limit", "101%", "a size as 1GB"},
        {"memory_limit", "-1GB", "a size as 1GB"},
        {"memory_limit", "99999999TB", "a size as 1GB"},
        {"device", "gpu", "one of cpu|simulated|cuda|cuda:N"},
        {"device", "", "one of cpu|simulated|cuda|cuda:N"},
        {"device", "cpu|simulated", "one of cpu|simulated|cuda|cuda:N"},
        {"device", "cuda:", "one of cpu|simulated|cuda|cuda:N"},
        {"device", "cuda:N", "one of cpu|simulated|cuda|cuda:N"},
        {"device", "cuda:-1", "one of cpu|simulated|cuda|cuda:N"},
        {"device", "cuda:1x", "one of cpu|simulated|cuda|cuda:N"},
        {"device", "cuda:1000", "one of cpu|simulated|cuda|cuda:N"},
        {"progress", "maybe", "on or off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(settings_set(&s, cases[i][0], cases[i][1]), STATUS_KIND_INVALID, cases[i][2]);
    CHECK_FAILS(settings_set(&s, "colour", "red"), STATUS_KIND_NOT_FOUND, "named \"colour\"");
    CHECK_TEXT_EQ(s.device.text, "cpu");

    char text[SETTING_TEXT_BYTES + 1];
    memset(text, 'x', sizeof text);
    text[SETTING_TEXT_BYTES] = '\0';
    CHECK_FAILS(settings_set(&s, "temp_directory", text), STATUS_KIND_INVALID, "longer than 255");
    text[SETTING_TEXT_BYTES - 1] = '\0';
    CHECK_OK(settings_set(&s, "temp_directory", text));
    CHECK_TEXT_EQ(s.temp_directory.text, text);
}

/* TEST_UPDATE=1 (scripts/update-docs) writes the page instead. */
TEST(settings_page_is_current)
{
    char page[16384], path[1024], written[16384] = "";
    memset(page, 0, sizeof page);
    FILE *memory = fmemopen(page, sizeof page - 1, "w");
    CHECK(memory);
    settings_print_markdown(memory);
    fclose(memory);

    snprintf(path, sizeof path, "%s/docs/CONFIG.md", test_source());
    FILE *file = fopen(path, getenv("TEST_UPDATE") ? "w" : "r");
    CHECK(file);
    if (getenv("TEST_UPDATE"))
        fputs(page, file);
    else
        CHECK(fread(written, 1, sizeof written - 1, file) > 0);
    fclose(file);
    if (!getenv("TEST_UPDATE"))
        CHECK_TEXT_EQ(written, page);
}

TEST(a_preset_sets_others_and_has_the_name_of_their_values)
{
    static const char *const variants[][4] = {{"blocking", "blocking", "blocking", "off"},
                                              {"pooled", "blocking", "blocking", "on"},
                                              {"chunking", "blocking", "chunking", "on"},
                                              {"deferred", "deferred", "deferred", "on"},
                                              {"full", "deferred", "full", "on"}};
    settings s = fresh_settings();
    CHECK_TEXT_EQ(s.join_variant.text, "full");
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        CHECK_OK(settings_set(&s, "join_variant", variants[i][0]));
        CHECK_TEXT_EQ(s.join_variant.text, variants[i][0]);
        CHECK_TEXT_EQ(s.synchronization.text, variants[i][1]);
        CHECK_TEXT_EQ(s.overlap.text, variants[i][2]);
        CHECK_TEXT_EQ(s.registered_memory.text, variants[i][3]);
    }
    CHECK_OK(settings_set(&s, "synchronization", "blocking"));
    CHECK_TEXT_EQ(s.join_variant.text, "custom");
    CHECK_OK(settings_set(&s, "join_variant", "CUSTOM"));
    CHECK_TEXT_EQ(s.overlap.text, "full");
    CHECK_OK(settings_set(&s, "overlap", "blocking"));
    CHECK_TEXT_EQ(s.join_variant.text, "pooled");
    CHECK_OK(settings_set(&s, "registered_memory", "no"));
    CHECK_TEXT_EQ(s.join_variant.text, "blocking");
    CHECK_FAILS(settings_set(&s, "join_variant", "fast"), STATUS_KIND_INVALID,
                "blocking|pooled|chunking|deferred");
    CHECK_TEXT_EQ(s.join_variant.text, "blocking");
}

TEST(single_switches_of_the_environment_win_over_a_preset)
{
    setenv("PISTACHIO_OVERLAP", "chunking", 1);
    setenv("PISTACHIO_JOIN_VARIANT", "deferred", 1);
    settings s = fresh_settings();
    unsetenv("PISTACHIO_OVERLAP");
    unsetenv("PISTACHIO_JOIN_VARIANT");
    CHECK_TEXT_EQ(s.synchronization.text, "deferred");
    CHECK_TEXT_EQ(s.overlap.text, "chunking");
    CHECK_TEXT_EQ(s.join_variant.text, "custom");
}

TEST(a_layer_has_what_its_preset_sets)
{
    settings of_database = fresh_settings(), s = of_database;
    settings_layer layer = {0};
    CHECK_OK(settings_layer_set(&layer, "join_variant", "chunking"));
    settings_layer_apply(&layer, &s);
    CHECK_TEXT_EQ(s.join_variant.text, "chunking");
    CHECK_TEXT_EQ(s.overlap.text, "chunking");
    CHECK_OK(settings_layer_set(&layer, "overlap", "full"));
    settings_layer_apply(&layer, &s);
    CHECK_TEXT_EQ(s.join_variant.text, "custom");
    CHECK_OK(settings_layer_reset(&layer, "join_variant"));
    s = of_database;
    settings_layer_apply(&layer, &s);
    CHECK_TEXT_EQ(s.join_variant.text, "full");
    CHECK_TEXT_EQ(s.synchronization.text, "deferred");
    CHECK_OK(settings_layer_set(&layer, "join_variant", "custom"));
    settings_layer_apply(&layer, &s);
    CHECK_TEXT_EQ(s.synchronization.text, "deferred");
}
