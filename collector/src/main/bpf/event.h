/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the samples of all probes begin with, and the counts of their hits. SharedLayoutsTest compares each struct here with
 * its class in dev.probestream.collector.internal.program.layout.
 */
#pragma once

#include "kernel.h"

/* As bpf_get_current_pid_tgid() returns them: what user space calls the tid, then what it calls the pid. */
struct thread_ids {
    u32 tid;
    u32 tgid;
} __attribute__((aligned(8)));

/* RecordType: what follows the header. */
enum record_type {
    RECORD_EVENT,
    RECORD_SWITCH,
    RECORD_FORK,
    RECORD_EXEC,
    RECORD_EXIT,
    RECORD_RENAME,
    RECORD_OPEN_SPAN,
};

/* EventLayout: the header of a sample. */
struct event_header {
    u64 timestamp_ns; /* CLOCK_MONOTONIC; of a span its start */
    struct thread_ids thread;
    u16 cpu;
    u16 record_type; /* enum record_type */
    u32 probe;
    s64 duration_ns; /* -1 = none */
    u64 unavailable; /* bit i: argument i could not be read */
};

#define RETURN_UNAVAILABLE (1ULL << 63)

/* LossReason. */
enum loss_reason {
    RING_FULL,
    TOO_MANY_OPEN_SPANS,
    RETURN_NOT_SEEN,
    RECURSION,
    LOSS_REASONS
};

/* By the probe, for each CPU. The programs are loaded with maps of these names, which have more entries. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_PERCPU_ARRAY);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(u64);
} hits SEC(".maps");

/* By LossIndex. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_PERCPU_ARRAY);
    MAP_ENTRIES(LOSS_REASONS);
    MAP_KEY(u32);
    MAP_VALUE(u64);
} losses SEC(".maps");

struct {
    MAP_TYPE(BPF_MAP_TYPE_RINGBUF);
    MAP_ENTRIES(4096);
} events SEC(".maps");

/*
 * Adds 1 where another program of the CPU may be at the same place. Without a result: what returns the earlier value needs
 * Linux 5.12.
 */
inline_always void count(void *counts, u32 key)
{
    u64 *number = bpf_map_lookup_elem(counts, &key);
    if (number)
        __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

/* Counts a hit of a traced process, whether it is recorded or not. */
inline_always void count_hit(u32 probe)
{
    count(&hits, probe);
}

/*
 * Counts a hit without an atomic instruction: no other program counts those of the probe, and interrupts are off at its place in
 * the kernel.
 */
inline_always void count_alone(u32 probe)
{
    u64 *number = bpf_map_lookup_elem(&hits, &probe);
    if (number)
        *number += 1;
}

/* Counts a hit that cannot be delivered. */
inline_always void count_loss(u32 probe, enum loss_reason reason)
{
    count(&losses, probe * LOSS_REASONS + reason);
}

/* A sample of now, without a duration. Returns 0, and counts a loss, if there is no room for it. */
inline_always void *begin_sample(u64 size_bytes, enum record_type record_type, const struct thread_ids *thread, u32 probe)
{
    struct event_header *header = bpf_ringbuf_reserve(&events, size_bytes, 0);
    if (!header) {
        count_loss(probe, RING_FULL);
        return 0;
    }
    header->timestamp_ns = bpf_ktime_get_ns();
    header->thread = *thread;
    header->cpu = bpf_get_smp_processor_id();
    header->record_type = record_type;
    header->probe = probe;
    header->duration_ns = -1;
    header->unavailable = 0;
    return header;
}
