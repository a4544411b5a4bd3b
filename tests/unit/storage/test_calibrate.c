/* test_calibrate.c - what is kept of calibrations, and for how long; measurements that fail. What
 * a measurement finds is the machine's affair: tests/cli runs a whole one. */
#include "base/fault.h"
#include "storage/device.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 86400 };

static calibration sample(void)
{
    return (calibration){
        .device = 65024,
        .measured = time(NULL) - DAY,
        .trial_count = 3,
        .trials = {{131072, 1, 500000000}, {1048576, 16, 5000000001}, {4194304, 4, 5000000000}}};
}

/* Results go below a new folder, which is returned. */
static const char *use_new_folder(void)
{
    const char *folder = test_folder();
    CHECK_EQ(setenv("XDG_CACHE_HOME", folder, 1), 0);
    return folder;
}

static void write_text(const char *folder, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/pistachio/storage-65024", folder);
    FILE *f = fopen(path, "w");
    CHECK(f);
    fputs(text, f);
    CHECK_EQ(fclose(f), 0);
}

TEST(the_fastest_trial_is_the_best)
{
    calibration c = sample();
    CHECK_EQ(calibration_best(&c)->request_bytes, 1048576);
}

TEST(what_is_kept_is_found)
{
    calibration kept = sample(), found;
    (void)use_new_folder();
    CHECK(!calibration_find(65024, &found));
    CHECK_OK(calibration_keep(&kept));
    CHECK(calibration_find(65024, &found));
    CHECK_EQ(found.measured, kept.measured);
    CHECK_EQ(found.trial_count, 3);
    CHECK_EQ(found.trials[1].request_bytes, 1048576);
    CHECK_EQ(found.trials[1].depth, 16);
    CHECK_EQ(found.trials[1].bytes_per_second, 5000000001);
    CHECK(!calibration_find(65025, &found));
    /* A later one replaces it. */
    kept.trials[1].bytes_per_second = 7;
    CHECK_OK(calibration_keep(&kept));
    CHECK(calibration_find(65024, &found));
    CHECK_EQ(found.trials[1].bytes_per_second, 7);
}

TEST(it_holds_for_thirty_days)
{
    calibration c = sample();
    (void)use_new_folder();
    c.measured = time(NULL) - 29 * DAY;
    CHECK_OK(calibration_keep(&c));
    CHECK(calibration_find(65024, &c));
    c.measured = time(NULL) - 31 * DAY;
    CHECK_OK(calibration_keep(&c));
    CHECK(!calibration_find(65024, &c));
    c.measured = time(NULL) + DAY;
    CHECK_OK(calibration_keep(&c));
    CHECK(!calibration_find(65024, &c));
}

TEST(a_damaged_file_is_none)
{
    calibration c = sample();
    const char *folder = use_new_folder();
    char text[256];
    static const char *const damaged[] = {"",
                                          "pistachio calibration 2\n65024 %lld 1\n1 1 1\n",
                                          "pistachio calibration 1\n65024 %lld",
                                          "pistachio calibration 1\n65024 %lld 0\n",
                                          "pistachio calibration 1\n65024 %lld 17\n1 1 1\n",
                                          "pistachio calibration 1\n65024 %lld 2\n1 1 1\n2 2",
                                          "pistachio calibration 1\n65024 %lld 1\n1 1 0\n",
                                          "pistachio calibration 1\n65025 %lld 1\n1 1 1\n"};
    CHECK_OK(calibration_keep(&c));
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof text, damaged[i], (long long)time(NULL));
#pragma GCC diagnostic pop
        write_text(folder, text);
        CHECK(!calibration_find(65024, &c));
    }
    snprintf(text, sizeof text, "pistachio calibration 1\n65024 %lld 1\n1 1 1\n",
             (long long)time(NULL));
    write_text(folder, text);
    CHECK(calibration_find(65024, &c));
}

TEST(without_a_place_nothing_is_kept)
{
    calibration c = sample();
    char home[512] = "";
    const char *before = getenv("HOME");
    snprintf(home, sizeof home, "%s", before ? before : "");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    CHECK_FAILS(calibration_keep(&c), STATUS_KIND_IO, "there is no folder");
    CHECK(!calibration_find(65024, &c));
    setenv("XDG_CACHE_HOME", "relative", 1); /* to be passed over */
    CHECK_FAILS(calibration_keep(&c), STATUS_KIND_IO, "there is no folder");
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    CHECK_FAILS(calibration_keep(&c), STATUS_KIND_NOT_FOUND, "could not write");
    if (before)
        setenv("HOME", home, 1);
}

static unsigned entry_count(const char *folder)
{
    unsigned count = 0;
    DIR *open = opendir(folder);
    CHECK(open);
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open))
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(open);
    return count;
}

TEST(a_result_that_cannot_be_written_leaves_nothing)
{
    calibration c = sample();
    char inner[512];
    snprintf(inner, sizeof inner, "%s/pistachio", use_new_folder());
    fault_arm(FAULT_WRITE, 1, FAULT_ONCE);
    CHECK_FAILS(calibration_keep(&c), STATUS_KIND_IO, "could not write");
    CHECK_EQ(entry_count(inner), 0);
}

TEST(measurements_that_fail)
{
    calibration c;
    char path[512];
    const char *folder = test_folder();
    snprintf(path, sizeof path, "%s/file", folder);
    CHECK_FAILS(calibration_measure(path, &c), STATUS_KIND_NOT_FOUND, "could not open");
    CHECK_FAILS(calibration_measure("/dev/null", &c), STATUS_KIND_IO, "not a regular file");
    int descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    CHECK(descriptor >= 0);
    CHECK_FAILS(calibration_measure(path, &c), STATUS_KIND_INVALID, "has 0 bytes, too few");
    CHECK_EQ(ftruncate(descriptor, 64 << 20), 0);
    close(descriptor);

    fault_arm(FAULT_WRITE, 2, FAULT_ONCE);
    CHECK_FAILS(calibration_measure(folder, &c), STATUS_KIND_IO, "could not write a temporary");
    fault_arm(FAULT_ALLOC, 1, FAULT_ONCE);
    CHECK_FAILS(calibration_measure(folder, &c), STATUS_KIND_NO_MEMORY, NULL);
    (void)fault_disarm(FAULT_ALLOC);
    CHECK_EQ(entry_count(folder), 1);

    fault_arm(FAULT_READ, 3, FAULT_ONCE);
    status st = calibration_measure(path, &c);
    if (strstr(status_message(st), "past the page cache")) {
        status_free(st);
        SKIP("the folder of temporary files has no direct reads");
    }
    CHECK_FAILS(st, STATUS_KIND_IO, "could not read");
}

/* The least under way of those that reach 95 % of the best, but 4 MiB. */
TEST(a_device_is_read_as_its_calibration_says)
{
    calibration c = sample();
    size_t bytes;
    unsigned depth;
    (void)use_new_folder();
    storage_device_choose(&c, &bytes, &depth);
    CHECK_EQ(bytes, 1048576);
    CHECK_EQ(depth, 16);
    c.trials[0].bytes_per_second = 4900000000;
    storage_device_choose(&c, &bytes, &depth);
    CHECK_EQ(bytes, 131072);
    CHECK_EQ(depth, 32);
    CHECK_OK(calibration_keep(&c));
    storage_device *device = storage_device_find(65024);
    CHECK(device == storage_device_find(65024));
    CHECK_EQ(device->request_bytes, 131072);
    CHECK_EQ(device->depth, 32);
    CHECK(storage_device_find(65025) != device);
    CHECK_EQ(storage_device_find(65025)->request_bytes, 1048576);
}

TEST(a_device_is_never_read_absurdly)
{
    calibration c = sample();
    size_t bytes;
    unsigned depth;
    c.trials[0] = (calibration_trial){1, 1, UINT64_MAX};
    c.trials[1] = (calibration_trial){UINT64_MAX, 16, UINT64_MAX};
    c.trials[2] = (calibration_trial){1048576, 100000, UINT64_MAX};
    storage_device_choose(&c, &bytes, &depth);
    CHECK(bytes >= 65536 && bytes <= 16 << 20);
    CHECK(depth >= 1 && depth <= 256);
}
