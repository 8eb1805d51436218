/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans from one hit to another: of a function from its entry to its return, or between two probes. The program at the
 * beginning stores an entry, which begins like the sample: when it began, on which thread, and its arguments. The program at the
 * end finds the entry, copies it into a sample, and writes the duration and what is known at the end only.
 *
 * What distinguishes the spans that are open at the same time is in the key (SpanEntry draws it):
 *
 *     {stack pointer, tid, probe}  of a function. A recursive call has another stack pointer; one that begins under the same
 *                                  key shows that the earlier one was left without a return, by longjmp or an exception
 *     {0, tid, probe}              between two probes, on the same thread: there is one such span of a thread at a time
 *     {values}                     between two probes with the same values, on any thread. Two threads can reach the end of
 *                                  one span at the same time, and a span can end while its beginning is still being written
 *
 * Keys and entries are as large as the probe's arguments are, so the programs pass the map, and the verifier checks the sizes.
 */
#include "open_spans.h"

/* A span begins, and its entry is written: it is stored, or counted as lost. */
LINKED int begin_span(void *open, const void *key, const void *entry, u32 probe)
{
    store_open(open, key, entry, probe);
    return 0;
}

/* A span begins whose entry does not fit on the stack. Returns an entry of zeros, to be filled; 0 = it is counted as lost. */
LINKED void *begin_large_span(void *open, const void *key, u32 probe)
{
    return store_zeros(open, key, probe);
}

/*
 * A beginning is not to be recorded, as the filter rejects it. A span that is open under its key is dropped all the same: the
 * next end would be taken for that one's.
 */
LINKED int reject_span(void *open, const void *key, u32 probe)
{
    int failed = bpf_map_delete_elem(open, key);
    if (!failed)
        count_loss(probe, RETURN_NOT_SEEN);
    return 0;
}

/* A span ends which other threads may end at the same time: the one that takes the entry out sends its sample. */
LINKED int end_shared_span(void *open, const void *key, void *sample)
{
    int failed = bpf_map_delete_elem(open, key);
    if (failed)
        bpf_ringbuf_discard(sample, BPF_RB_NO_WAKEUP);
    else
        bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
    return 0;
}
