/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that the collector's assembled programs call. They are one object, because all functions of a program
 * must have their types in one BTF.
 */
#include "async_context.bpf.c"
#include "histogram.bpf.c"
#include "http2_headers.bpf.c"
#include "phases.bpf.c"
#include "sched_events.bpf.c"
#include "sched_sums.bpf.c"
#include "signals.bpf.c"
#include "sockets.bpf.c"
#include "spans.bpf.c"
#include "stream_bytes.bpf.c"
#include "syscalls.bpf.c"
#include "task_lifecycle.bpf.c"
#include "thread_ids.bpf.c"
#include "uv_streams.bpf.c"
#include "uv_readers.bpf.c"
#include "v8_frames.bpf.c"
#include "v8_relocations.bpf.c"
#include "v8_served_stream.bpf.c"
#include "websocket.bpf.c"

/* Never called: the kernel wants a type and a line of each function, and assembled programs get this one's. */
LINKED int assembled_program(void)
{
    return 0;
}

/* Never called: BTF has a struct only if a function takes it, and SharedLayoutsTest compares these. */
LINKED int describe_samples(
    const struct waking_sample *waking, const struct signal_sample *signal, const struct task_sample *task)
{
    return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
