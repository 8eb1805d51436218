/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of the hits of a probe on a thread, where there are too many hits for an event each: how many there were, how long
 * they lasted together, the longest, how many failed, and how many lasted 2^8 ns, 2^9 ns and so on. The collector reads them
 * while they grow.
 *
 * Only the thread itself adds to its sums, and it is on one CPU, so nothing is atomic. A thread that finds the map full adds
 * to the rest, which threads share: there, the additions are atomic. The longest of the rest is that of one of those which
 * write it at the same moment.
 *
 * The collector counts intervals from 1 on, and reads the longest hit of the interval that has ended while hits of the next one
 * are added: there is a place for even and one for odd intervals, each with the interval to which it belongs.
 */
#pragma once

#include "kernel.h"

/* A tid is not given again within the same millisecond, so a thread is known by its tid and when it was first seen. */
#define THREAD_TAG_SHIFT 20

#define DURATIONS 24
#define FIRST_DURATION_BITS 8

/* SumLayout. */
struct sum_key {
    u32 tid;
    u32 probe;
    u32 thread_tag;
};

struct sum {
    u32 tgid;
    u32 unused;
    u64 failed;
    u64 total_ns;
    u64 longest_ns[2];
    u32 interval[2];          /* to which each of the longest belongs */
    u32 durations[DURATIONS]; /* how many lasted 2^(8+i) ns and more, the first also less, the last also longer */
};

/* The place of a duration: the highest bit of its units of 2^8 ns, which is searched for by halves. */
inline_always u32 place_of(u64 duration)
{
    u64 units = duration >> FIRST_DURATION_BITS;
    u32 place = 0;
    if (units >= 1 << (DURATIONS - 1))
        return DURATIONS - 1;
#pragma clang loop unroll(full)
    for (u32 bits = 16; bits > 0; bits /= 2) {
        if (units >> bits) {
            units >>= bits;
            place += bits;
            barrier_var(place); /* one jump a step: clang makes two of what it takes for a choice of values */
        }
    }
    /* Never true, but the verifier does not know the highest bit. */
    return place < DURATIONS ? place : DURATIONS - 1;
}

/* Keeps the longest of the interval; that of the one before may not have been read yet. */
inline_always void keep_longest(struct sum *sum, u32 interval, u64 duration)
{
    u32 parity = interval & 1;
    if (sum->interval[parity] != interval || sum->longest_ns[parity] < duration) {
        sum->longest_ns[parity] = duration;
        sum->interval[parity] = interval;
    }
}

/* The new sums of a thread and probe; 0 = the map is full. */
SELDOM struct sum *new_sum(void *sums, const struct sum_key *key, u32 tgid)
{
    struct sum zero = {.tgid = tgid};
    bpf_map_update_elem(sums, key, &zero, BPF_NOEXIST);
    return bpf_map_lookup_elem(sums, key);
}

SELDOM int add_to_rest(void *rest, u32 index, u32 interval, u64 duration, u32 has_failed)
{
    struct sum *sum = bpf_map_lookup_elem(rest, &index);
    if (!sum)
        return 0;
    __atomic_fetch_add(&sum->durations[place_of(duration)], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->total_ns, duration, __ATOMIC_RELAXED);
    if (has_failed)
        __atomic_fetch_add(&sum->failed, 1, __ATOMIC_RELAXED);
    keep_longest(sum, interval, duration);
    return 0;
}

/*
 * Adds a hit.
 *
 * sums: the map of the sums of threads
 * rest: the array of the sums of those that find no room there
 * rest_index: which of these is the probe's
 * interval: the value of the map sum_interval. A program has its address as a constant, where a lookup takes several
 *     instructions and a test.
 */
inline_always void add_hit(void *sums, void *rest, u32 rest_index, const u32 *interval, const struct sum_key *key,
    u32 tgid, u64 duration, u32 has_failed)
{
    struct sum *sum = bpf_map_lookup_elem(sums, key);
    if (!sum) {
        sum = new_sum(sums, key, tgid);
        if (!sum) {
            add_to_rest(rest, rest_index, *interval, duration, has_failed);
            return;
        }
    }
    sum->durations[place_of(duration)]++;
    sum->total_ns += duration;
    sum->failed += has_failed;
    keep_longest(sum, *interval, duration);
}
