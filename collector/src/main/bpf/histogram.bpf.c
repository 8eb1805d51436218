/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histograms: hits are counted, or their values added up, under keys. Keys are never deleted while programs run. What a key
 * consists of is the probe's choice, so keys are made by assembled programs, and the maps are handed to these functions.
 *
 * 1. Counts: a hash for each CPU, so that threads that count under one key do not wait for each other. A program can be
 *    preempted by another one on the same CPU, or go on on another CPU: all that is changed is changed by atomic instructions.
 * 2. Sums (HistogramSumsLayout): a key has a number, and its sums on a CPU are the value number * CPUs + CPU of an array.
 * 3. Stacks (HistogramStackLayout): in the key, a stack is a hash of 128 bits. It is built in a room of the CPU, as it is too
 *    large for a program's stack, and sent to the collector when it is hit for the first time.
 */
#pragma once

#include "event.h"
#include "v8.h"

/* What the functions return that may have no room. */
#define COUNTED 0
#define NOT_COUNTED 1

/*
 * Counts one under a key.
 *
 * counts: a hash with a u64 for each CPU
 * key: of the map's size
 */
LINKED int count_key(void *counts, const void *key)
{
    u64 one = 1;
    u64 *count = bpf_map_lookup_elem(counts, key);
    if (!count) {
        int failed = bpf_map_update_elem(counts, key, &one, BPF_NOEXIST);
        if (failed == 0)
            return COUNTED;
        /* Another hit may have put it there meanwhile. */
        count = failed == -EEXIST ? bpf_map_lookup_elem(counts, key) : 0;
        if (!count)
            return NOT_COUNTED;
    }
    __sync_fetch_and_add(count, 1);
    return COUNTED;
}

/*
 * Returns the number of a key, which gets one if it has none; `keys` or more = there is no room for it.
 *
 * numbers: a hash with u32
 * next: the number of the next key
 */
LINKED u64 number_of_key(void *numbers, const void *key, u64 *next, u64 keys)
{
    u32 *number = bpf_map_lookup_elem(numbers, key);
    if (!number) {
        u64 mine = __sync_fetch_and_add(next, 1);
        u32 value = mine;
        if (mine >= keys)
            return keys;
        int failed = bpf_map_update_elem(numbers, key, &value, BPF_NOEXIST);
        if (failed == 0)
            return mine;
        /* Another hit may have put it there meanwhile. The number is not used by any key then. */
        number = failed == -EEXIST ? bpf_map_lookup_elem(numbers, key) : 0;
        if (!number)
            return keys;
    }
    return *number;
}

/* HistogramSumsLayout: of a key on a CPU. */
struct histogram_sums {
    u64 count;    /* of hits */
    u64 low;      /* the sum of the lower 32 bits of the values */
    u64 high;     /* the sum of the values divided by 2^32 and rounded down */
    u64 least;    /* the complement of the smallest value; 0 = there is none */
    u64 greatest; /* unsigned; of signed values with the sign bit inverted, so that they have the same order */
};

/* Bucketing.UNREADABLE: in the place of a bucket, there is no value. */
#define NO_VALUE (-2)

/*
 * So often another program may come between the reading and the writing of an extreme: programs on the same CPU alone, each of
 * which would have to preempt the one before, and user space, which takes the extremes out.
 */
#define ATTEMPTS 8

/* Replaces a word by a greater one. Returns whether the word is at least the value now. */
inline_always int raise(u64 *word, u64 value)
{
    u64 known = *(volatile u64 *)word;
#pragma clang loop unroll(full)
    for (int i = 0; i < ATTEMPTS; i++) {
        if (known >= value)
            return 1;
        u64 found = __sync_val_compare_and_swap(word, known, value);
        if (found == known)
            return 1;
        known = found;
    }
    return 0;
}

/*
 * Adds a value up.
 *
 * bucket: of the value; NO_VALUE = only the hit counts
 * is_signed: a constant in each program
 */
LINKED int add_value(struct histogram_sums *sums, s64 bucket, u64 value, u64 is_signed)
{
    if (bucket != NO_VALUE) {
        u64 ordered = is_signed ? value ^ 1ULL << 63 : value;
        if (!raise(&sums->greatest, ordered) || !raise(&sums->least, ~ordered))
            return NOT_COUNTED;
        __sync_fetch_and_add(&sums->low, (u32)value);
        __sync_fetch_and_add(&sums->high, is_signed ? (u64)((s64)value >> 32) : value >> 32);
    }
    __sync_fetch_and_add(&sums->count, 1);
    return COUNTED;
}

/* HistogramStackLayout: the sample of a stack, with the hashes in the place of what its header does not need. */
struct histogram_stack {
    u64 timestamp_ns;
    u32 tid;
    u32 tgid;
    u16 cpu;
    u16 record_type;
    u32 probe_id;
    u64 first_hash;
    u64 second_hash;
    u32 kernel_bytes; /* negative: an error, with which nothing was written */
    u32 user_bytes;
    u64 addresses[]; /* of the kernel, then of the user stack, each with the room for its depth; then a javascript_room */
};

/*
 * How many programs can build a stack on one CPU at the same time: they take a few microseconds, in which each would have to
 * be preempted by the next one.
 */
#define ROOMS 4

/*
 * Returns a room that no other program uses, not even one that this one has preempted; 0 = there is none.
 *
 * rooms: an array for each CPU, of ROOMS
 * busy: where in a room it says whether it is used
 */
LINKED void *take_room(void *rooms, u64 busy)
{
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < ROOMS; i++) {
        u32 index = i;
        void *room = bpf_map_lookup_elem(rooms, &index);
        if (!room)
            return 0;
        if (__sync_lock_test_and_set((u64 *)(room + busy), 1) == 0)
            return room;
    }
    return 0;
}

/* Odd numbers with as many ones as zeros: the primes of xxHash64. */
#define FIRST_MULTIPLIER 0x9E3779B185EBCA87ULL
#define SECOND_MULTIPLIER 0xC2B2AE3D27D4EB4FULL
#define FIRST_SEED 0x165667B19E3779F9ULL
#define SECOND_SEED 0x85EBCA77C2B2AE63ULL

/* User addresses are between the first page, which is never mapped, and 56 bits. */
#define PAGE_BITS 12
#define ADDRESS_BITS 56

/* Less than a user address: behind it are JavaScript frames. */
#define JAVASCRIPT_FRAMES 1

/*
 * Two hashes of 64 bits with different multipliers, of which the one takes a word in by xor and the other by addition. Each
 * step is a bijection of the hash and of the word. Among a million stacks the probability of two with the same hash is below
 * 1 in 10^26; no frames are compared. The words of one list never begin those of another: each ends where a number cannot be
 * part of it.
 */
struct stack_hash {
    u64 first;
    u64 second;
};

inline_always void take_word(struct stack_hash *hash, u64 word)
{
    hash->first = (hash->first ^ word) * FIRST_MULTIPLIER;
    hash->first ^= hash->first >> 32;
    hash->second = (hash->second + word) * SECOND_MULTIPLIER;
    hash->second ^= hash->second >> 29;
}

/* Writes a 0 behind the addresses that were written, if there is room for more. */
inline_always void end_addresses(u64 *addresses, u64 bytes, u64 depth)
{
    if (depth == 0)
        return;
    if (bytes > depth * sizeof(u64))
        bytes = 0;
    if (bytes <= (depth - 1) * sizeof(u64))
        *(u64 *)((void *)addresses + bytes) = 0;
}

/* The kernel counts in task_struct how many programs the process executed; ~0 = it cannot be read. */
inline_always u64 read_exec_id(u64 offset)
{
    u64 id = ~0ULL;
    return bpf_probe_read_kernel(&id, sizeof(id), bpf_get_current_task() + offset) == 0 ? id : ~0ULL;
}

/*
 * Hashes the stacks of a sample into it: of the user stack the process, how many programs it executed, the addresses up to the
 * first that cannot be one, and of JavaScript frames what was read of them; and the kernel's addresses.
 *
 * *_depth: how many addresses and JavaScript frames there is room for; constants in each program, as is the next
 * self_exec_id: of task_struct, its offset; 0 = the kernel has no such field
 */
LINKED int hash_stacks(
    struct histogram_stack *sample, u64 kernel_depth, u64 user_depth, u64 javascript_depth, u64 self_exec_id)
{
    struct stack_hash hash = {FIRST_SEED, SECOND_SEED};
    u64 *kernel = sample->addresses;
    u64 *user = kernel + kernel_depth;
    struct javascript_room *room = (void *)(user + user_depth);
    end_addresses(kernel, sample->kernel_bytes, kernel_depth);
    end_addresses(user, sample->user_bytes, user_depth);
#pragma clang loop unroll(disable)
    for (u64 i = 0; i < kernel_depth && kernel[i]; i++)
        take_word(&hash, kernel[i]);
    if (user_depth) {
        take_word(&hash, sample->tgid);
        if (self_exec_id)
            take_word(&hash, read_exec_id(self_exec_id));
#pragma clang loop unroll(disable)
        for (u64 i = 0; i < user_depth; i++) {
            u64 address = user[i];
            if (address >> PAGE_BITS == 0 || address >> ADDRESS_BITS)
                break;
            take_word(&hash, address);
        }
        if (javascript_depth && room->count) {
            take_word(&hash, JAVASCRIPT_FRAMES);
            take_word(&hash, room->count | (u64)room->flags << 32);
            take_word(&hash, room->relocations);
#pragma clang loop unroll(disable)
            for (u64 i = 0; i < javascript_depth && i < room->count; i++) {
                take_word(&hash, room->entries[i].pc);
                take_word(&hash, room->entries[i].shared);
                take_word(&hash, room->entries[i].word);
            }
        }
    }
    sample->first_hash = hash.first;
    sample->second_hash = hash.second;
    return 0;
}

/*
 * Sends the sample of a stack that was not sent yet, and leaves its room.
 *
 * sent: a hash with u32, by the two hashes
 * size: of the sample; behind it the room says that it is used
 */
LINKED int send_stack(struct histogram_stack *sample, void *sent, u64 size)
{
    u32 one = 1;
    int result = COUNTED;
    if (!bpf_map_lookup_elem(sent, &sample->first_hash)) {
        /* First the entry: where there is no room for it, the stack would be sent at each of its hits. */
        int failed = bpf_map_update_elem(sent, &sample->first_hash, &one, BPF_NOEXIST);
        if (failed == 0 && bpf_ringbuf_output(&events, sample, size, BPF_RB_NO_WAKEUP) != 0) {
            bpf_map_delete_elem(sent, &sample->first_hash);
            result = NOT_COUNTED;
        }
        if (failed != 0 && failed != -EEXIST)
            result = NOT_COUNTED;
    }
    __sync_lock_test_and_set((u64 *)((void *)sample + size), 0);
    return result;
}
