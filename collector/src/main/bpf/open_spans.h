/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has begun and not ended: an entry of a map, under a key that its end has, too. It is stored when it begins, and taken
 * out when it ends, on whichever CPU that is.
 *
 *     the key has an entry already   its end was not seen, and will not be told from this one's: it is counted as
 *                                    RETURN_NOT_SEEN and overwritten
 *     the map is full                what begins is counted as TOO_MANY_OPEN_SPANS. Its end finds no entry and is ignored
 *
 * An entry of a few numbers is built on the stack of the program and stored whole. A larger one is stored as zeros and filled in
 * the map. A place for each CPU, in which it would be built, is no alternative: the programs of uprobes can be preempted, and
 * may sleep.
 */
#pragma once

#include "event.h"

/* One value of zeros. The programs are loaded with a map of this name, whose value is as large as the largest entry. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(u64);
} zero SEC(".maps");

/* Stores what begins. Returns whether it could; if not, it is counted. */
inline_always int store_open(void *open, const void *key, const void *value, u32 probe)
{
    int failed = bpf_map_update_elem(open, key, value, BPF_NOEXIST);
    if (failed == -EEXIST) {
        count_loss(probe, RETURN_NOT_SEEN);
        failed = bpf_map_update_elem(open, key, value, BPF_ANY);
    }
    if (failed)
        count_loss(probe, TOO_MANY_OPEN_SPANS);
    return !failed;
}

/* Stores zeros. Returns the entry, which is to be filled; 0 = there is none, which is counted. */
inline_always void *store_zeros(void *open, const void *key, u32 probe)
{
    u32 index = 0;
    void *zeros = bpf_map_lookup_elem(&zero, &index);
    if (!zeros || !store_open(open, key, zeros, probe))
        return 0;
    void *entry = bpf_map_lookup_elem(open, key);
    /* Under a key that other threads have, too, one of them may have ended it meanwhile. */
    if (!entry)
        count_loss(probe, TOO_MANY_OPEN_SPANS);
    return entry;
}
