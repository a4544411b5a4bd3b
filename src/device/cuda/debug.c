/* debug.c - the variables that ask for more, and names of kernels and of their arguments. */
#include "device/cuda/debug.h"

#include "device/cuda/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES_SHOWN 32
#define NANOSECONDS 1e9
#define TIMEOUT_SECONDS_MAX 1e6

/* ---- what is asked for ---- */

static status read_timeout(uint64_t *out)
{
    const char *text = getenv("PISTACHIO_CUDA_TIMEOUT");
    char *end = NULL;
    if (!text || !*text)
        return STATUS_OK;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds >= 0 && seconds <= TIMEOUT_SECONDS_MAX))
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "PISTACHIO_CUDA_TIMEOUT is \"%s\", which is not a number of "
                                      "seconds",
                                      text),
                           "unset it, or set it to 30, say; 0 stands for no limit");
    *out = (uint64_t)(seconds * NANOSECONDS);
    return STATUS_OK;
}

static bool is_set(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && !strcmp(text, value);
}

status cuda_debug_read(cuda_debug *out)
{
    *out = (cuda_debug){
        .is_traced = is_set("PISTACHIO_CUDA_TRACE", "1"),
        .has_no_pool = is_set("PISTACHIO_CUDA_POOL", "off"),
    };
    return read_timeout(&out->timeout);
}

/* ---- names ---- */

static const char *const kernel_names[] = {
#define KERNEL(name, ...) #name,
#include "device/kernels/kernels.def"
#undef KERNEL
};

static const char *const entry_names[] = {
#define CUDA_KERNEL(name, ...) "kernel_" #name,
#define CUDA_SEVERAL(name) "kernel_" #name,
#define CUDA_STEP(name, ...) "kernel_" #name,
#include "device/cuda/cuda_kernels.def"
#undef CUDA_KERNEL
#undef CUDA_SEVERAL
#undef CUDA_STEP
    "nvCOMP",
};

const char *cuda_debug_kernel_name(dev_kernel_id kernel)
{
    return kernel_names[kernel];
}

const char *cuda_debug_entry_name(cuda_entry entry)
{
    return entry_names[entry];
}

/* ---- arguments ---- */

typedef enum field_kind { FIELD_END, FIELD_POINTER, FIELD_VALUE, FIELD_COUNT } field_kind;

typedef struct field {
    uint16_t offset, bytes;
    uint8_t kind;
} field;

#define POINTER(type, name) {offsetof(arguments, name), sizeof(void *), FIELD_POINTER},
#define VALUE(type, name) {offsetof(arguments, name), sizeof(((arguments *)0)->name), FIELD_VALUE},
#define COUNT(name) {offsetof(arguments, name), sizeof(dev_count), FIELD_COUNT},
#define KERNEL(name, ...)                                                                          \
    static const field *fields_##name(void)                                                        \
    {                                                                                              \
        typedef name##_arguments arguments;                                                        \
        static const field list[] = {__VA_ARGS__{0, 0, FIELD_END}};                                \
        return list;                                                                               \
    }
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef VALUE
#undef COUNT

static const field *(*const fields_of[DEV_KERNEL_COUNT])(void) = {
#define KERNEL(name, ...) [DEV_KERNEL_##name] = fields_##name,
#include "device/kernels/kernels.def"
#undef KERNEL
};

/* Names of a kernel's arguments, each followed by a zero. */
static const char *const field_names[DEV_KERNEL_COUNT] = {
#define POINTER(type, name) #name "\0"
#define VALUE(type, name) #name "\0"
#define COUNT(name) #name "\0"
#define KERNEL(name, ...) [DEV_KERNEL_##name] = "" __VA_ARGS__,
#include "device/kernels/kernels.def"
#undef KERNEL
#undef POINTER
#undef VALUE
#undef COUNT
};

/* Writes a number, or the bytes of a struct. */
static void put_value(cuda_text *w, const void *value, size_t bytes)
{
    uint64_t number = 0;
    if (bytes <= sizeof number) {
        memcpy(&number, value, bytes);
        cuda_text_add(w, "0x%llx", (unsigned long long)number);
        return;
    }
    for (size_t i = 0; i < bytes && i < VALUE_BYTES_SHOWN; i++)
        cuda_text_add(w, "%02x", ((const unsigned char *)value)[i]);
    if (bytes > VALUE_BYTES_SHOWN)
        cuda_text_add(w, "... (%zu bytes)", bytes);
}

static void put_count(cuda_text *w, const void *value)
{
    dev_count count;
    memcpy(&count, value, sizeof count);
    cuda_text_add(w, "%llu", (unsigned long long)count.bound);
    if (count.actual)
        cuda_text_add(w, " or what %p says", (const void *)count.actual);
}

static void put_field(cuda_text *w, const field *f, const char *value)
{
    void *address;
    switch (f->kind) {
    case FIELD_POINTER:
        memcpy(&address, value, sizeof address);
        cuda_text_add(w, "%p", address);
        break;
    case FIELD_COUNT:
        put_count(w, value);
        break;
    default:
        put_value(w, value, f->bytes);
    }
}

void cuda_debug_arguments(dev_kernel_id kernel, const void *arguments, char *text, size_t bytes)
{
    cuda_text w = {text, text + bytes};
    const char *name = field_names[kernel];
    *text = '\0';
    for (const field *f = fields_of[kernel](); f->kind != FIELD_END; f++) {
        cuda_text_add(&w, "%s%s = ", w.at == text ? "" : ", ", name);
        put_field(&w, f, (const char *)arguments + f->offset);
        name += strlen(name) + 1;
    }
}
