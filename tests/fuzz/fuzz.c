/* fuzz.c - failures that input may cause, files in memory. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

int fuzz_settle(status st)
{
    if (!st)
        return 1;
    status_kind kind = status_get_kind(st);
    if (kind == STATUS_KIND_INTERNAL || kind == STATUS_KIND_CANCELLED || !status_message(st)[0]) {
        fprintf(stderr, "input caused a failure of kind %d: %s\n", (int)kind, status_message(st));
        abort();
    }
    status_free(st);
    return 0;
}

fuzz_file fuzz_file_open(const uint8_t *bytes, size_t length)
{
    fuzz_file f = {.descriptor = memfd_create("fuzz", 0)};
    FUZZ_CHECK(f.descriptor >= 0);
    for (size_t done = 0; done < length;) {
        ssize_t written = write(f.descriptor, bytes + done, length - done);
        FUZZ_CHECK(written > 0);
        done += (size_t)written;
    }
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.descriptor);
    return f;
}

void fuzz_file_close(fuzz_file *f)
{
    close(f->descriptor);
}
