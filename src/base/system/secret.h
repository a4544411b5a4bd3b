/* secret.h - texts that nobody is shown: settings hold their numbers (setting.h).
 *
 * Equal texts have one number. A text is kept as long as the process lives: settings are copied, and nobody knows for how long a
 * copy is used. SECRETS_MAX bounds them. */
#ifndef PISTACHIO_BASE_SYSTEM_SECRET_H
#define PISTACHIO_BASE_SYSTEM_SECRET_H

#include "base/status.h"

#include <stdint.h>

#define SECRETS_MAX 4096
#define SECRET_BYTES_MAX 4096

/* Keeps a text and gives its number; 0 for "". Any thread. */
CHECKED status secret_keep(const char *text, uint64_t *out);
/* The text of a number; "" for 0. Any thread. */
const char *secret_text(uint64_t number);

#endif
