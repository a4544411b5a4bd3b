/* options.h - the words after `pistachio serve`. */
#ifndef PISTACHIO_SERVER_OPTIONS_H
#define PISTACHIO_SERVER_OPTIONS_H

#include "pistachio/pistachio.h"

#define OPTIONS_LISTEN_MAX 16
#define OPTIONS_SETTINGS_MAX 64

typedef struct server_options {
    const char *listen[OPTIONS_LISTEN_MAX]; /* "unix:PATH", "ADDR:PORT" */
    size_t listen_count;
    pistachio_option settings[OPTIONS_SETTINGS_MAX];
    size_t setting_count;
    char **paths; /* DIR... */
    int path_count;
    const char *http[OPTIONS_LISTEN_MAX]; /* "ADDR:PORT" */
    size_t http_count;
    const char *http_names[OPTIONS_LISTEN_MAX]; /* by which clients of HTTP know the server */
    size_t http_name_count;
    bool trusts_loopback;
    bool is_insecure;              /* other addresses than loopback without TLS */
    const char *certificate, *key; /* files of TLS; NULL: there is none */
    const char *users;             /* the file of those who log in by TCP; NULL: there is none */
    const char *catalog;  /* the file of definitions that clients share; NULL: there is none */
    const char *new_user; /* who is added to it, and nothing is served; NULL: nobody */
    const char
        *log; /* the file of a line for each statement, "-": standard error; NULL: there is none */
    bool is_log_json;
    unsigned max_connections, max_running;
    unsigned grace;     /* seconds */
    unsigned processes; /* ranks to be started; 0: none, but this process may be one of several */
} server_options;

/* Reads the words, whose order it changes. Returns -1, or the exit status with which the program ends at once. */
int options_read(server_options *options, int count, char **words);

#endif
