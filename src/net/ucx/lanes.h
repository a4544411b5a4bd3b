/* lanes.h - which of UCX's transports and devices carry messages, for people. */
#ifndef PISTACHIO_NET_UCX_LANES_H
#define PISTACHIO_NET_UCX_LANES_H

#include <stddef.h>

#define LANES_TEXT_BYTES 96

/* Finds them in what ucp_ep_print_info prints: "ucx tcp/eth0, rc_mlx5/mlx5_0"; each once, as many as there is room for.
 * "ucx": it names none. */
void lanes_text(const char *printed, char out[LANES_TEXT_BYTES]);

#endif
