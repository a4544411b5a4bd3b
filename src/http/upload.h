/* upload.h - an object that is written from its begin to its end, and appears whole or not at all.
 *
 *     append ── parts of UPLOAD_PART_BYTES, some under way ──> multipart upload
 *     complete ── what is small: one PUT; else the list of parts
 *     abort ── the parts that are there are thrown away */
#ifndef PISTACHIO_HTTP_UPLOAD_H
#define PISTACHIO_HTTP_UPLOAD_H

#include "storage/object_store.h"

#define UPLOAD_PART_BYTES ((size_t)8 << 20)
#define UPLOAD_PARTS_MAX 10000
/* From that part on parts are larger, so that an object can have 600 GB. Some stores want all parts but the last of one size:
 * they get 40 GB. */
#define UPLOAD_PARTS_SMALL 5000
#define UPLOAD_PART_BYTES_LARGE ((size_t)128 << 20)

/* As object_store_functions says of create, append, complete and abort. */
CHECKED status upload_create(const object_settings *s, const char *url, object_upload **out);
CHECKED status upload_append(object_upload *u, const void *data, size_t bytes);
CHECKED status upload_complete(object_upload *u);
void upload_abort(object_upload *u);

#endif
