/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The async context of the running thread:
 *
 *     async ids   Node's Environment has them as doubles (known_threads.h).
 *     stores      In the isolate's slot of continuation preserved embedder data, Node keeps a JSMap from each
 *                 AsyncLocalStorage to its store. A Smi with our mark is the number of a request; an object may be the
 *                 context of OpenTelemetry's SDK, which leads to the ids of a trace and a span.
 *     microtask   The isolate has a pointer to the one that runs: what continues a promise.
 *
 * Each reading of the process's memory is a call of the kernel, which costs as much as a hundred other instructions, however
 * many bytes it reads: one is made for the async ids, one for the microtask, one for the slot and one for the stores.
 */
#include "known_threads.h"

/* From a tagged pointer, which is 1 more than the address. */
#define FIRST_PROPERTY 0x17 /* of an object that a constructor made: its first property */

/* ContextWords: what is read, each in the word of the bit with which it is wanted. */
struct async_context {
    u64 async_id;
    u64 trigger_id;
    u64 async_counter;
    u64 request;       /* the number that the npm package gave the request */
    u64 trace_id;      /* the address of 32 characters */
    u64 span_id;       /* of 16 characters */
    u64 served_stream; /* the uv_stream_t of the connection whose request it serves: find_served_stream() */
    u64 microtask;     /* the address of the one that runs, for that search; no spec asks for it */
};

/* In place of a stream: a microtask runs, and it was not searched for whom, as before Linux 5.17. */
#define NOT_SEARCHED 2

#define WANTED(field) (1 << __builtin_offsetof(struct async_context, field) / sizeof(u64))
#define WANTS_ASYNC_IDS (WANTED(async_id) | WANTED(trigger_id) | WANTED(async_counter))
#define WANTS_TRACE (WANTED(trace_id) | WANTED(span_id))

/* The instance type in a Map; -1 if it cannot be read. */
inline_always s32 type_of_map(struct known_thread *thread, u64 map)
{
    u16 type;
    return bpf_probe_read_user(&type, sizeof(type), map + thread->fields.instance_type - HEAP_OBJECT_TAG) == 0 ? type : -1;
}

/* A count that is a double (IEEE 754) as an integer; 0 for what is no count. */
inline_always u64 integer(u64 number)
{
    const u32 mantissa_bits = 52;
    const u32 bias = 1023;
    u64 exponent = number >> mantissa_bits;
    if (exponent < bias || exponent > bias + mantissa_bits)
        return 0;
    u64 mantissa = (number & ((1ULL << mantissa_bits) - 1)) | 1ULL << mantissa_bits;
    return mantissa >> (bias + mantissa_bits - exponent);
}

/* In the order of enum UidFields in src/env.h. */
inline_always void read_async_ids(struct known_thread *thread, struct async_context *context, u64 wanted)
{
    u64 ids[3];
    if (thread->ids == 0 || bpf_probe_read_user(ids, sizeof(ids), thread->ids) != 0)
        return;
    if (wanted & WANTED(async_id))
        context->async_id = integer(ids[0]);
    if (wanted & WANTED(trigger_id))
        context->trigger_id = integer(ids[1]);
    if (wanted & WANTED(async_counter))
        context->async_counter = integer(ids[2]);
}

/*
 * A small JSMap. Its OrderedHashMap is a FixedArray (v8/src/objects/ordered-hash-table.h); a deleted entry has the hole
 * for a value.
 *
 * V8 allocates the table right behind the JSMap, whose last word points to it, and mostly they stay neighbours when they
 * are moved: both are read at once, and the table alone where it is elsewhere.
 */
struct small_map {
    union {
        struct {
            u64 table; /* the last word of the JSMap */
            u64 map;   /* here the table begins */
            u64 length; /* Smis from here on: 3 + 7 * buckets */
            u64 elements;
            u64 deleted;
            u64 bucket_count; /* 2 or 4: of a map with up to 4 or 8 entries; others are not looked at */
        };
        u64 words[6]; /* may be lost while entries are looked at */
    };
    /* In place of two buckets and the first key, which are not needed: */
    u64 length_address;
    u64 entry_count; /* deleted ones too */
    u64 buckets;
    /* Of a table with 2 buckets: */
    u64 first_value;
    u64 first_next;
    u64 second_key;
    u64 second_value;
};

#define ENTRY_BYTES 24 /* key, value, the next of its bucket */
#define MAP_TABLE 0x17 /* of a JSMap, from a tagged pointer: its OrderedHashMap (JSCollection::kTableOffset) */
#define MAP_BYTES 32   /* of a JSMap, whose last word that is */
#define MAX_ENTRIES 8
#define SMI(number) ((u64)(number) << SMI_SHIFT)

/* Reads the table of a map. Returns whether it is a small one. */
inline_always int find_table(struct small_map *map, u64 object)
{
    int is_apart = bpf_probe_read_user(map, sizeof(*map), object + MAP_TABLE) != 0;
    /* What is behind the map cannot be read. */
    if (is_apart && bpf_probe_read_user(&map->table, sizeof(u64), object + MAP_TABLE) != 0)
        return 0;
    u64 length_address = map->table + sizeof(u64) - HEAP_OBJECT_TAG;
    if (is_apart || map->table != object + MAP_BYTES) {
        u32 size = sizeof(*map) - __builtin_offsetof(struct small_map, length);
        if (bpf_probe_read_user(&map->length, size, length_address) != 0)
            return 0;
    }
    if (map->bucket_count != SMI(2) && map->bucket_count != SMI(4))
        return 0;
    map->length_address = length_address;
    map->entry_count = (map->elements + map->deleted) >> SMI_SHIFT;
    map->buckets = map->bucket_count >> SMI_SHIFT;
    return map->length == SMI(3 + 7 * map->buckets);
}

/* Returns whether there is such an entry and it can be read. */
inline_always int read_value(struct small_map *map, u32 entry, u64 *value)
{
    if (map->entry_count <= entry)
        return 0;
    if (entry < 2 && map->buckets == 2) {
        *value = entry == 0 ? map->first_value : map->second_value;
        return 1;
    }
    /* Behind the length, three more words, and the buckets; a value is behind its key. */
    u64 address = map->length_address + (4 + map->buckets) * sizeof(u64) + entry * ENTRY_BYTES + sizeof(u64);
    return bpf_probe_read_user(value, sizeof(*value), address) == 0;
}

/*
 * The store of OpenTelemetry's AsyncLocalStorageContextManager (API 1, SDK 2):
 *
 *     BaseContext   _currentContext, a JSMap; getValue, setValue, deleteValue: closures, whose Map is one
 *      its values   of the one that is a span (SpanImpl, NonRecordingSpan): _spanContext
 *     SpanContext   traceId, of 32 characters; spanId, of 16
 *
 * These are the first properties of their objects, which V8 keeps in the object behind its three words, in the order in
 * which the constructors set them.
 *
 * Returns the map if the object looks like a BaseContext, else 0.
 */
inline_always u64 current_context(struct small_map *map, u64 object)
{
    u64 *words = map->words;
    if (!is_object(object) || bpf_probe_read_user(words, 4 * sizeof(u64), object + FIRST_PROPERTY) != 0)
        return 0;
    if (!is_object(words[0]) || !is_object(words[1]) || !is_object(words[2]) || !is_object(words[3]))
        return 0;
    if (bpf_probe_read_user(&words[4], sizeof(u64), words[1] + OBJECT_MAP) != 0
        || bpf_probe_read_user(&words[5], sizeof(u64), words[2] + OBJECT_MAP) != 0)
        return 0;
    return words[4] == words[5] ? words[0] : 0;
}

/* V8's string: its map, then its hash and length; what is behind depends on its kind. */
#define TRACE_ID_CHARACTERS 32
#define SPAN_ID_CHARACTERS 16
#define CHARACTERS (16 - HEAP_OBJECT_TAG) /* of a string in one piece, from a tagged pointer */

/* Instance types of strings (v8/src/objects/instance-type.h): representation, and encoding of one byte. */
#define LAST_STRING_TYPE 127
#define STRING_KIND_MASK 15
#define STRING_SEQUENTIAL 8
#define STRING_SLICED (8 + 3) /* a part of another: that, and a Smi, where the part begins */
#define STRING_THIN (8 + 5)   /* what another stands for: that */

/*
 * A string of so many characters, or 0. If it is of the same kind as the last one, instead the address of its
 * characters, which is no tagged pointer.
 */
inline_always u64 read_id(struct known_thread *thread, struct small_map *map, u64 string, u32 characters)
{
    u64 *head = &map->words[2];
    if (!is_object(string) || bpf_probe_read_user(head, 2 * sizeof(u64), string - HEAP_OBJECT_TAG) != 0)
        return 0;
    if (head[1] >> SMI_SHIFT != characters)
        return 0;
    return head[0] == thread->string ? string + CHARACTERS : string;
}

/* Reads four words of a string. Returns its kind; -1 for what is none. */
inline_always s32 read_string(struct known_thread *thread, struct small_map *map, u64 string)
{
    if (bpf_probe_read_user(map->words, 4 * sizeof(u64), string - HEAP_OBJECT_TAG) != 0)
        return -1;
    s32 type = type_of_map(thread, map->words[0]);
    return type < 0 || type > LAST_STRING_TYPE ? -1 : type & STRING_KIND_MASK;
}

/*
 * The address of the characters of what read_id() has given: of a string in one piece, of a slice of one (an id that came
 * in a header), or of what a thin string stands for (an id that was used as a property's name); 0 of any other.
 */
inline_always u64 characters_of(struct known_thread *thread, struct small_map *map, u64 string)
{
    u64 begin = 0;
    if (!is_object(string))
        return string;
    s32 kind = read_string(thread, map, string);
    if (kind != STRING_SEQUENTIAL) {
        if (kind == STRING_SLICED)
            begin = map->words[3] >> SMI_SHIFT;
        else if (kind != STRING_THIN)
            return 0;
        string = map->words[2];
        if (read_string(thread, map, string) != STRING_SEQUENTIAL)
            return 0;
    }
    if (kind != STRING_SLICED)
        note(thread, &thread->string, map->words[0]);
    return string + CHARACTERS + begin;
}

/* Finds the span in the map of a BaseContext. */
inline_always void read_trace(
    struct known_thread *thread, struct async_context *context, u64 wanted, struct small_map *map, u64 object)
{
    u64 trace_id = 0;
    u64 span_id = 0;
    if (!find_table(map, object))
        return;
#pragma clang loop unroll(full)
    for (u32 entry = 0; entry < MAX_ENTRIES / 2; entry++) {
        u64 value;
        if (!read_value(map, entry, &value))
            return;
        u64 *words = map->words;
        if (!is_object(value) || bpf_probe_read_user(words, sizeof(u64), value + FIRST_PROPERTY) != 0)
            continue;
        if (!is_object(words[0]) || bpf_probe_read_user(words, 2 * sizeof(u64), words[0] + FIRST_PROPERTY) != 0)
            continue;
        span_id = words[1];
        trace_id = read_id(thread, map, words[0], TRACE_ID_CHARACTERS);
        span_id = trace_id ? read_id(thread, map, span_id, SPAN_ID_CHARACTERS) : 0;
        if (span_id)
            break;
    }
    if (!span_id)
        return;
    trace_id = characters_of(thread, map, trace_id);
    span_id = characters_of(thread, map, span_id);
    if (!trace_id || !span_id)
        return;
    if (wanted & WANTED(trace_id))
        context->trace_id = trace_id;
    if (wanted & WANTED(span_id))
        context->span_id = span_id;
}

/* The store that the npm package gives each request is a Smi: its highest byte is a mark, the three below the number. */
#define STORE_MARK 0x5b
#define NUMBER_MASK 0xffffff

inline_always void read_stores(struct known_thread *thread, struct async_context *context, u64 wanted)
{
    struct small_map map;
    u64 trace_context = 0;
    if (thread->fields.slot == 0)
        return;
    u64 object = read_pointer(thread->isolate + thread->fields.slot);
    if (object == 0 || object == thread->nothing)
        return;
    if (!find_table(&map, object)) {
        u64 its_map = read_pointer(object + OBJECT_MAP);
        if (its_map && type_of_map(thread, its_map) == thread->fields.oddball_type)
            note(thread, &thread->nothing, object);
        return;
    }
#pragma clang loop unroll(full)
    for (u32 entry = 0; entry < MAX_ENTRIES; entry++) {
        u64 store;
        if (!read_value(&map, entry, &store))
            break;
        if (is_smi(store)) {
            if ((wanted & WANTED(request)) && store >> 56 == STORE_MARK) {
                context->request = store >> SMI_SHIFT & NUMBER_MASK;
                if (!(wanted & WANTS_TRACE))
                    break;
            }
        } else if (wanted & WANTS_TRACE) {
            u64 candidate = current_context(&map, store);
            if (candidate)
                trace_context = candidate;
        }
    }
    if (trace_context)
        read_trace(thread, context, wanted, &map, trace_context);
}

/* What has an async id continues no promise. */
inline_always void read_microtask(struct known_thread *thread, struct async_context *context)
{
    if (context->async_id || thread->fields.microtask == 0)
        return;
    context->microtask = read_pointer(thread->isolate + thread->fields.microtask);
    if (context->microtask)
        context->served_stream = NOT_SEARCHED;
}

/*
 * Reads the async context of the running thread.
 *
 * context: words that are wanted are 0, with that of a stream the microtask, too; they stay so where the thread has nothing
 * ids: the tid, and the tgid in the upper half
 * who: the time at which the thread started ^ its process's count of execve in the upper 16 bits
 * thread_pointer: of user mode
 */
LINKED int read_async_context(struct async_context *context, u64 ids, u64 wanted, u64 who, u64 thread_pointer)
{
    u32 index = ids & (KNOWN_THREADS - 1);
    struct known_thread *thread = bpf_map_lookup_elem(&context_threads, &index);
    if (!thread)
        return 0;
    if ((thread->ids == 0 || thread->check != check_of(thread, who))
        && !find_thread(thread, ids, who, thread_pointer))
        return 0;
    if (wanted & WANTS_ASYNC_IDS)
        read_async_ids(thread, context, wanted);
    if (wanted & (WANTED(request) | WANTS_TRACE))
        read_stores(thread, context, wanted);
    if (wanted & WANTED(served_stream))
        read_microtask(thread, context);
    if (thread->check == check_of(thread, who))
        return 0;
    /* Another thread has written the entry meanwhile. */
    if (wanted & WANTED(served_stream))
        wanted |= WANTED(microtask);
    u64 *words = (u64 *)context;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < sizeof(*context) / sizeof(u64); i++)
        if (wanted & 1 << i)
            words[i] = 0;
    return 0;
}
