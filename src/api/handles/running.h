/* running.h - what threads of clients run, so that other threads can cancel it. */
#ifndef PISTACHIO_API_HANDLES_RUNNING_H
#define PISTACHIO_API_HANDLES_RUNNING_H

#include "exec/run.h"

#include <semaphore.h>

/* A wait of a client's thread for other ranks. */
typedef struct api_wait {
    sem_t changed; /* what it waits for has come, or is_cancelled */
    _Atomic bool is_cancelled;
} api_wait;

/* The place where other threads find the query that started last. */
typedef struct api_running {
    pthread_mutex_t lock;        /* pistachio_progress has it while it looks at the query */
    _Atomic(exec_query *) query; /* NULL: it is over */
    _Atomic(cancel_flag *) flag; /* of the statement that is bound, planned or run; NULL: none is */
    _Atomic(api_wait *) waiting; /* of a client's thread; NULL: none waits */
    _Atomic uint32_t cancel_count; /* calls of api_running_cancel that may be looking at it */
    _Atomic uint32_t cancels;      /* such calls, ever */
} api_running;

void api_running_init(api_running *running);
void api_running_release(api_running *running);
void api_running_show(api_running *running, exec_query *query);
/* From here on nobody finds the query there, if it was what is found. */
void api_running_hide(api_running *running, exec_query *query);
void api_running_cancel(api_running *running);      /* any thread, also a signal handler's */
uint32_t api_running_cancels(api_running *running); /* how often that was called */
/* The objects whose cancel functions stop what a client's thread waits for. */
typedef struct api_client {
    api_running *connection, *statement; /* NULL: none */
} api_client;

/* Sets those of this thread; returns the ones before, which are to be set again. */
api_client api_client_set(api_client client);
/* Between the two the thread works for the client's statement that has the flag, which api_running_cancel raises. */
typedef struct api_working {
    cancel_flag *flag, *before; /* the thread's flag before */
    uint32_t store_before;      /* as object_store_use */
    api_client client, client_before;
} api_working;

void api_working_begin(api_working *working, cancel_flag *flag, api_client client);
/* From now on it works by what the settings say of object stores. */
CHECKED status api_working_choose(const settings *s);
void api_working_end(api_working *working);
void api_wait_init(api_wait *wait);
void api_wait_release(api_wait *wait);
/* This thread waits for other ranks, until it says NULL. */
void api_client_waits(api_wait *wait);

#endif
