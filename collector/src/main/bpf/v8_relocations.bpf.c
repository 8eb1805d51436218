/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts when V8 moves objects of a process, in v8_process.relocations: whoever keeps an address of V8's heap compares the
 * number with what it was. These functions are called at the entry of functions of V8.
 *
 *     bits  0 to 15  how many threads move objects now
 *          16 to 47  how often one began or ended
 *          48 to 63  another one for each process (V8ProcessLayout)
 *
 * A thread that begins is remembered, so that an end without a begin, which was before the probes were attached, does not
 * count as one.
 *
 * Each takes the ids of the running thread: the tid, and the tgid in the upper half.
 */
#pragma once

#include "v8.h"

#define RELOCATION_STEP (1 << 16)

/* Threads that move objects, by the tid. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(u32);
} v8_moving SEC(".maps");

inline_always void count_relocation(u32 tgid, u64 step)
{
    struct v8_process *process = bpf_map_lookup_elem(&v8_processes, &tgid);
    if (process)
        __sync_fetch_and_add(&process->relocations, step);
}

/* The thread begins to move objects. */
LINKED int begin_moving(u64 ids)
{
    u32 tid = ids;
    u32 one = 1;
    long known = bpf_map_update_elem(&v8_moving, &tid, &one, BPF_NOEXIST);
    count_relocation(ids >> 32, RELOCATION_STEP + (known == 0));
    return 0;
}

/* The thread has moved objects. */
LINKED int end_moving(u64 ids)
{
    u32 tid = ids;
    long unknown = bpf_map_delete_elem(&v8_moving, &tid);
    count_relocation(ids >> 32, RELOCATION_STEP - (unknown == 0));
    return 0;
}

/* A heap is given back: its memory may become that of another. */
LINKED int give_heap_back(u64 ids)
{
    count_relocation(ids >> 32, RELOCATION_STEP);
    return 0;
}
