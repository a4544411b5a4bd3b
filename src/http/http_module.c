/* http_module.c - pistachio-http.so: what reads object stores, and has OpenSSL and libcurl for it. */
#include "base/system/build_id.h"
#include "http/ask.h"
#include "http/list.h"
#include "http/objects.h"
#include "http/transfer.h"
#include "http/upload.h"

#include "http/engine.h"

const module_host *http_engine;

static status open_module(const module_host *host, const void **out)
{
    static const object_store_functions functions = {.list = list_objects,
                                                     .open = objects_open,
                                                     .close = objects_close,
                                                     .look = objects_look,
                                                     .read = objects_read,
                                                     .stop = transfer_stop,
                                                     .create = upload_create,
                                                     .append = upload_append,
                                                     .complete = upload_complete,
                                                     .abort = upload_abort,
                                                     .ask = ask_server};
    http_engine = host;
    *out = &functions;
    return STATUS_OK;
}

__attribute__((visibility("default"))) const module_description pistachio_module;
const module_description pistachio_module = {MODULE_VERSION, build_id, open_module};
