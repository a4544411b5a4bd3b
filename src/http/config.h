/* config.h - where requests go and who sends them: settings, environment, the files of ~/.aws.
 *
 * The settings (s3_endpoint, s3_access_key_id ...) come first:
 *
 *     what            environment                                  file, of the profile AWS_PROFILE or "default"
 *     keys            AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,    credentials, config: aws_access_key_id, ...
 *                     AWS_SESSION_TOKEN
 *     region          AWS_REGION, AWS_DEFAULT_REGION               config: region
 *     endpoint        AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL        config: endpoint_url
 *     certificates    AWS_CA_BUNDLE, CURL_CA_BUNDLE
 *
 * Without keys requests are not signed. */
#ifndef PISTACHIO_HTTP_CONFIG_H
#define PISTACHIO_HTTP_CONFIG_H

#include "http/sign.h"
#include "http/url.h"
#include "storage/object_store.h"

/* Never changes. */
typedef struct http_config {
    _Atomic uint32_t references;
    arena *memory;
    url_store store;
    sign_keys keys;
    bool has_keys;
    const char *certificates; /* a file; "": the system's */
    unsigned timeout;         /* milliseconds without progress */
    time_t renewed;           /* from then on other keys are to be had; 0: never */
} http_config;

/* Gives what holds for settings of a statement, with a reference. Environment and files are looked up again after a second:
 * keys that somebody renews are seen. */
CHECKED status config_get(const object_settings *s, const http_config **out);
/* Gives the configuration, or the present one if its keys are to be renewed, with a reference. */
CHECKED status config_fresh(const object_settings *s, const http_config *config,
                            const http_config **out);
const http_config *config_ref(const http_config *config);
void config_unref(const http_config *config); /* takes NULL */

/* The first line of a file, without blanks at its end; "" if it cannot be read. In the arena. */
const char *config_read_line(arena *a, const char *path);
/* Finds the value of a name in a section of a file's text (INI); NULL: it has none. In the arena. */
const char *config_find(arena *a, const char *text, const char *section, const char *name);

#endif
