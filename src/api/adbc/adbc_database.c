/* adbc_database.c - AdbcDatabase, and the driver's entry. */
#include "api/adbc/adbc_database.h"

#include "api/adbc/adbc.h"
#include "api/adbc/adbc_connection.h"
#include "api/adbc/adbc_error.h"
#include "api/adbc/adbc_option.h"
#include "api/adbc/adbc_stream.h"

#include <dirent.h>
#include <strings.h>

/* ---- options ---- */

const char *adbc_setting_name(const char *key)
{
    static const char before[] = "pistachio.";
    return strncmp(key, before, sizeof before - 1) ? NULL : key + sizeof before - 1;
}

/* pistachio:/data, pistachio:///data and /data are the same. */
static const char *path_of(const char *uri)
{
    if (strncasecmp(uri, "pistachio:", 10))
        return uri;
    uri += 10;
    return strncmp(uri, "//", 2) ? uri : uri + 2;
}

static AdbcStatusCode set_text(char **text, const char *value, struct AdbcError *error)
{
    char *copy = mem_copy_text(value, strlen(value));
    if (!copy)
        return adbc_fail(error, status_no_memory("option", strlen(value)));
    mem_free(*text);
    *text = copy;
    return ADBC_STATUS_OK;
}

static AdbcStatusCode adbc_database_add_setting(adbc_database *d, const char *name,
                                                const char *value, struct AdbcError *error)
{
    pistachio_option option = {mem_copy_text(name, strlen(name)),
                               mem_copy_text(value, strlen(value))};
    status st = option.name && option.value ? array_push(NULL, &d->settings, option)
                                            : status_no_memory("option", strlen(value));
    if (st) {
        mem_free((char *)option.name);
        mem_free((char *)option.value);
    }
    return adbc_fail(error, st);
}

static AdbcStatusCode adbc_database_set_option(void *object, const char *key, const char *value,
                                               struct AdbcError *error)
{
    adbc_database *d = object;
    if (d->database)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE,
                           "option %s cannot change once the database is open", key);
    if (!strcmp(key, ADBC_OPTION_URI) || !strcmp(key, "path"))
        return set_text(&d->path, path_of(value), error);
    if (adbc_setting_name(key))
        return adbc_database_add_setting(d, adbc_setting_name(key), value, error);
    return adbc_refuse(error, ADBC_STATUS_NOT_IMPLEMENTED, "there is no option %s", key);
}

static AdbcStatusCode adbc_database_get_option(void *object, const char *key, char **out,
                                               struct AdbcError *error)
{
    const adbc_database *d = object;
    if ((!strcmp(key, ADBC_OPTION_URI) || !strcmp(key, "path")) && d->path)
        return adbc_option_give(d->path, out, error);
    for (size_t i = d->settings.count; adbc_setting_name(key) && i-- > 0;)
        if (!strcasecmp(adbc_setting_name(key), d->settings.items[i].name))
            return adbc_option_give(d->settings.items[i].value, out, error);
    return adbc_refuse(error, ADBC_STATUS_NOT_FOUND, "option %s is not set", key);
}

ADBC_OPTION_FUNCTIONS(Database, adbc_database_set_option, adbc_database_get_option)

/* ---- life ---- */

static AdbcStatusCode database_new(struct AdbcDatabase *database, struct AdbcError *error)
{
    database->private_data = mem_new(sizeof(adbc_database));
    return database->private_data
               ? ADBC_STATUS_OK
               : adbc_fail(error, status_no_memory("database", sizeof(adbc_database)));
}

/* One without anything in it is a database without tables. */
static bool is_empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    bool is_empty = folder != NULL;
    for (struct dirent *item; is_empty && (item = readdir(folder));)
        is_empty = !strcmp(item->d_name, ".") || !strcmp(item->d_name, "..");
    if (folder)
        closedir(folder);
    return is_empty;
}

static pistachio_error *adbc_database_add_path(pistachio_database *database, const char *path)
{
    pistachio_connection *connection;
    pistachio_error *error = pistachio_connect(database, &connection);
    if (error)
        return error;
    error = pistachio_add_path(connection, path);
    pistachio_disconnect(connection);
    return error;
}

static AdbcStatusCode database_init(struct AdbcDatabase *database, struct AdbcError *error)
{
    adbc_database *d = database->private_data;
    if (!d || d->database)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "database is %s",
                           d ? "open already" : "not new");
    pistachio_error *failure = pistachio_open(d->settings.items, d->settings.count, &d->database);
    if (!failure && d->path && *d->path && !is_empty_folder(d->path))
        failure = adbc_database_add_path(d->database, d->path);
    if (failure) {
        pistachio_close(d->database);
        d->database = NULL;
    }
    return adbc_fail_public(error, failure);
}

static AdbcStatusCode database_release(struct AdbcDatabase *database, struct AdbcError *error)
{
    adbc_database *d = database->private_data;
    if (!d)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "database was released");
    pistachio_close(d->database);
    for (size_t i = 0; i < d->settings.count; i++) {
        mem_free((char *)d->settings.items[i].name);
        mem_free((char *)d->settings.items[i].value);
    }
    array_release(&d->settings);
    mem_free(d->path);
    mem_free(d);
    database->private_data = NULL;
    return ADBC_STATUS_OK;
}

void adbc_database_functions(struct AdbcDriver *driver, bool has_1_1)
{
    driver->DatabaseNew = database_new;
    driver->DatabaseInit = database_init;
    driver->DatabaseRelease = database_release;
    ADBC_OPTION_FILL(driver, Database, has_1_1);
}

/* ---- the driver ---- */

static AdbcStatusCode driver_release(struct AdbcDriver *driver, struct AdbcError *error)
{
    (void)error;
    driver->release = NULL;
    return ADBC_STATUS_OK;
}

PISTACHIO_API AdbcStatusCode AdbcDriverInit(int version, void *raw_driver, struct AdbcError *error);

/* Functions that are not there, the driver manager answers with "not implemented". */
AdbcStatusCode AdbcDriverInit(int version, void *raw_driver, struct AdbcError *error)
{
    struct AdbcDriver *driver = raw_driver;
    bool has_1_1 = version == ADBC_VERSION_1_1_0;
    if (!has_1_1 && version != ADBC_VERSION_1_0_0)
        return adbc_refuse(error, ADBC_STATUS_NOT_IMPLEMENTED,
                           "there is ADBC 1.0.0 and 1.1.0, not version %d", version);
    if (!driver)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "the driver is NULL");
    memset(driver, 0, has_1_1 ? ADBC_DRIVER_1_1_0_SIZE : ADBC_DRIVER_1_0_0_SIZE);
    driver->release = driver_release;
    adbc_database_functions(driver, has_1_1);
    adbc_connection_functions(driver, has_1_1);
    adbc_statement_functions(driver, has_1_1);
    if (has_1_1) {
        driver->ErrorGetDetailCount = adbc_error_detail_count;
        driver->ErrorGetDetail = adbc_error_detail;
        driver->ErrorFromArrayStream = adbc_stream_error;
    }
    return ADBC_STATUS_OK;
}
