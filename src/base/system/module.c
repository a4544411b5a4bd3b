/* module.c - see module.h. */
#include "base/system/module.h"

#include "base/system/build_id.h"
#include "base/system/mutex.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define MODULES_MAX 8
/* From the folder of an installed program to that of the library. */
#ifndef PISTACHIO_LIBRARY_FROM_PROGRAM
#define PISTACHIO_LIBRARY_FROM_PROGRAM "../lib"
#endif

typedef struct module {
    char name[32];
    const void *functions;
} module;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static module modules[MODULES_MAX]; /* that are loaded */

static const module_host host = {
#define FUNCTION(name) .name = name,
    MODULE_HOST_LIST(FUNCTION)
#undef FUNCTION
};

/* ---- where modules lie ---- */

/* Writes the absolute path of the file that this code is in: a program or a shared library. */
static bool find_own_file(char path[PATH_MAX])
{
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1((const void *)&module_load, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    if (map && map->l_name[0])
        return realpath(map->l_name, path) != NULL;
    if (realpath("/proc/self/exe", path))
        return true;
    /* Without /proc: what the program was called by, when it was called. */
    const char *called = (const char *)getauxval(AT_EXECFN);
    return called && realpath(called, path);
}

/* Writes the path of a module: where it is, or, if it is in neither folder, where it was looked for first. False: this
 * code's own file cannot be found. */
static bool find_module(const char *name, char *path, size_t room)
{
    static const char *const folders[] = {"", ("/" PISTACHIO_LIBRARY_FROM_PROGRAM), ""};
    char own[PATH_MAX];
    if (!find_own_file(own))
        return false;
    *strrchr(own, '/') = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, room, "%s%s/pistachio-%s.so", own, folders[i], name);
        if (!access(path, F_OK))
            break;
    }
    return true;
}

/* ---- failures ---- */

/* Debian's package that has a library of which the loader's message speaks, or NULL. */
static const char *package_of(const char *message)
{
    static const struct {
        const char *library, *package;
    } packages[] = {{"libcurl", "libcurl4"},
                    {"libssl", "libssl3"},
                    {"libcrypto", "libssl3"},
                    {"libevent_core", "libevent-core-2.1-7"},
                    {"libevent_extra", "libevent-extra-2.1-7"},
                    {"libevent_openssl", "libevent-openssl-2.1-7"}};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (!strncmp(message, packages[i].library, strlen(packages[i].library)))
            return packages[i].package;
    return NULL;
}

static status is_missing(const char *name, const char *purpose, const char *path)
{
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "%s needs pistachio-%s.so, and there is no \"%s\"", purpose, name,
                                  path),
                       "copy it from the build or package that this program is of");
}

static status cannot_load(const char *name, const char *purpose, const char *why)
{
    status st = status_new(STATUS_KIND_UNSUPPORTED,
                           "%s needs pistachio-%s.so, which needs more: %s", purpose, name, why);
    const char *package = package_of(why);
    return package ? status_hint(st, "install the package %s", package) : st;
}

static status is_foreign(const char *path, const char *build)
{
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED, "\"%s\" is of %s, this program of %s",
                                  path, build, build_id),
                       "take both from one build or package");
}

/* ---- loading ---- */

static status module_open_module(const char *name, const char *purpose, const void **out)
{
    char path[2 * PATH_MAX] = "";
    if (!find_module(name, path, sizeof path) || access(path, F_OK))
        return is_missing(name, purpose, path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return cannot_load(name, purpose, dlerror());
    const module_description *found = dlsym(handle, "pistachio_module");
    status st = STATUS_OK;
    if (!found || found->version != MODULE_VERSION)
        st = is_foreign(path, "another program or version");
    else if (strcmp(found->build, build_id) != 0)
        st = is_foreign(path, found->build);
    if (!st)
        st = found->open(&host, out);
    if (st)
        dlclose(handle);
    return st;
}

static status load_once(const char *name, const char *purpose, const void **out)
{
    size_t i = 0;
    for (; i < MODULES_MAX && modules[i].name[0]; i++)
        if (!strcmp(modules[i].name, name)) {
            *out = modules[i].functions;
            return STATUS_OK;
        }
    if (i == MODULES_MAX || strlen(name) >= sizeof modules[i].name)
        return status_new(STATUS_KIND_INTERNAL, "there is no room for module %s", name);
    TRY(module_open_module(name, purpose, &modules[i].functions));
    snprintf(modules[i].name, sizeof modules[i].name, "%s", name);
    *out = modules[i].functions;
    return STATUS_OK;
}

status module_load(const char *name, const char *purpose, const void **out)
{
    *out = NULL;
    mutex_lock(&lock);
    status st = load_once(name, purpose, out);
    mutex_unlock(&lock);
    return st;
}
