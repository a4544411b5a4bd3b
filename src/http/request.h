/* request.h - one attempt of a transfer, as libcurl wants it: signed now. */
#ifndef PISTACHIO_HTTP_REQUEST_H
#define PISTACHIO_HTTP_REQUEST_H

#include "http/transfer.h"

#include <curl/curl.h>

/* Memory that the attempt needs until it is over. */
typedef struct request_parts {
    arena *memory;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
} request_parts;

CHECKED status request_make(const transfer *t, request_parts *parts, CURL **out);
void request_release(request_parts *parts);

#endif
