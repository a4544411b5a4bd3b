/* library.h - the functions of libucp that are used, found when the library is loaded. */
#ifndef PISTACHIO_NET_UCX_LIBRARY_H
#define PISTACHIO_NET_UCX_LIBRARY_H

#if __has_include(<ucp/api/ucp.h>)
#define NET_HAS_UCX 1

#include "base/status.h"

#include <ucp/api/ucp.h>

/* Each function's name, once. ucs_status_string is libucs's, which libucp brings. */
#define UCX_FUNCTIONS(F)                                                                           \
    F(ucp_config_read)                                                                             \
    F(ucp_config_modify)                                                                           \
    F(ucp_config_release)                                                                          \
    F(ucp_init_version)                                                                            \
    F(ucp_cleanup)                                                                                 \
    F(ucp_get_version)                                                                             \
    F(ucp_worker_create)                                                                           \
    F(ucp_worker_destroy)                                                                          \
    F(ucp_worker_get_address)                                                                      \
    F(ucp_worker_release_address)                                                                  \
    F(ucp_worker_get_efd)                                                                          \
    F(ucp_worker_arm)                                                                              \
    F(ucp_worker_progress)                                                                         \
    F(ucp_worker_flush_nbx)                                                                        \
    F(ucp_worker_set_am_recv_handler)                                                              \
    F(ucp_ep_create)                                                                               \
    F(ucp_ep_close_nbx)                                                                            \
    F(ucp_ep_print_info)                                                                           \
    F(ucp_am_send_nbx)                                                                             \
    F(ucp_am_recv_data_nbx)                                                                        \
    F(ucp_request_free)                                                                            \
    F(ucp_request_check_status)                                                                    \
    F(ucs_status_string)

typedef struct ucx_library {
#define F(name) __typeof__(&name) name;
    UCX_FUNCTIONS(F)
#undef F
    unsigned major, minor;
} ucx_library;

/* Loads it once for the process, in which it stays. Any thread. */
CHECKED status ucx_library_get(const ucx_library **out);

#endif
#endif
