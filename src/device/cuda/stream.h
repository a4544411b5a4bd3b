/* stream.h - streams of the CUDA device, their progress, events. */
#ifndef PISTACHIO_DEVICE_CUDA_STREAM_H
#define PISTACHIO_DEVICE_CUDA_STREAM_H

#include "device/cuda/cuda.h"

/* Under the stream's lock: waits for all that the driver was told. */
CHECKED status cuda_stream_await(cuda_stream *stream);
/* Loses the device if the stream has stood still for PISTACHIO_CUDA_TIMEOUT. Called again and again by a thread that
 * waits for it. */
void cuda_lose_patience(cuda_device *dev, const cuda_stream *stream, cuda_patience *patience);
CHECKED status cuda_stream_open(device *dev, dev_stream **out);
/* Before the device's memory goes: streams that were kept for the next ones go. */
void cuda_streams_end(cuda_device *dev);
void cuda_stream_close(dev_stream *stream);
void cuda_stream_drain(dev_stream *stream);
/* Under the stream's lock: has it write a new number when it gets here, behind what the window has. */
CHECKED status cuda_stream_mark(cuda_stream *stream, uint64_t *out_number);
/* Writes a mark before what the window has. */
CHECKED status cuda_stream_write_mark(cuda_stream *stream, uint64_t *out_number);
/* Has all streams begin what they have kept, and then write marks; returns a number between the two: what streams were told before
 * is done when all have passed it. Under the device's lock, which is given up while the driver is told. */
uint64_t cuda_streams_number(cuda_device *dev);
/* Has the stream write a mark if something is enqueued behind its last one. Under no lock. */
void cuda_stream_mark_rest(cuda_stream *stream);
/* Everything enqueued when `number` was the clock's is done. Under the device's lock. */
bool cuda_streams_passed(cuda_device *dev, uint64_t number);
/* Returns whether one stream has passed the mark. */
bool cuda_stream_passed(const cuda_stream *stream, uint64_t number);
/* Has wake(argument) called when the stream has written a mark. Takes over a reference of the stream's. */
CHECKED status cuda_notify_at_mark(cuda_stream *stream, uint64_t mark, void (*wake)(void *),
                                   void *argument);
CHECKED status cuda_event_record(dev_stream *stream, void (*wake)(void *), void *argument,
                                 dev_event **out);
CHECKED status cuda_stream_wait(dev_stream *stream, dev_event *event);
CHECKED status cuda_event_notify(dev_event *event, void (*wake)(void *), void *argument);
bool cuda_event_reached(dev_event *event);
/* Returns whether the event has passed, without counting the question. */
bool cuda_event_passed(const dev_event *event);
void cuda_event_wait(dev_event *event);
void cuda_event_free(dev_event *event);
/* Between two looks at a word: the thread spins, then sleeps, longer from turn to turn. */
void cuda_pause(const cuda_device *dev, unsigned *turn);
/* Pauses a thread that sleeps by itself: spins, or says for how many nanoseconds to sleep; 0: it has spun. */
long cuda_pause_length(const cuda_device *dev, unsigned *turn);
/* Has the calling thread sleep no longer than it asks for: the kernel adds up to 50 microseconds otherwise, so as to
 * wake threads together. Returns what it was (prctl PR_SET_TIMERSLACK). */
int cuda_sleep_exactly(void);
/* Asks the driver, each so many looks, whether the device still is there: else it is lost. */
void cuda_ask_driver(cuda_device *dev, const cuda_stream *stream);
#define CUDA_TURNS_PER_QUESTION 256
void cuda_stream_unref(cuda_stream *stream);

#endif
