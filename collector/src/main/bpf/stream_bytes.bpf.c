/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes between a client and a database. The collector decodes them; the kernel selects the streams and copies what the
 * collector needs of each write and each read.
 *
 * A stream is a database's if the first buffer of a write begins like a whole message of a client to one:
 *
 *     Redis        an array of bulk strings: '*', and a digit from 1 on
 *     MySQL        a packet: u24 its length without these 4 bytes, little-endian; u8 its number in a command
 *     PostgreSQL   u8 a letter, s32 the length of the message without the letter, big-endian; other messages may follow.
 *                  The first message of a connection has no letter, but what it asks for: version 3.0 of the protocol, TLS,
 *                  or GSSAPI
 *
 * Other protocols begin like this by chance only; the collector looks at more of the bytes (DatabaseProtocols). Most writes
 * are rejected here, which takes two readings of the process's memory (count_write). From there on the hits of the stream
 * are counted, and each sample has the number of its hit: where a number is missing, the collector knows that a sample was
 * lost, and that the bytes which follow may be in the middle of a message.
 *
 * Writes and reads are seen where libuv and Node are called, or at the returns of the system calls. There, it is known how much of a write the
 * kernel has taken; when it began is noted at the entry.
 *
 * A sample takes as much of the ring as is reserved before it is filled, so its room is chosen first (room_of_write), and
 * most statements and answers are short:
 *
 *     SMALL_ROOM         one buffer of SMALL_BYTES, or so much of what was read
 *     LARGE_ROOM         the first MAX_BUFFER_BYTES of each of FEW_BUFFERS; or the first HEAD_BYTES of what was read and
 *                        the last TAIL_BYTES, in which an answer with many rows has its end
 *     MANY_BUFFERS_ROOM  the first MAX_BUFFER_BYTES of each of MAX_BUFFERS: a pipeline is one write with a buffer for each
 *                        command
 *
 * The functions that copy get the room as a constant: of each call the verifier follows what that room allows, and checks
 * that nothing is written behind it. The bytes and the lengths are the process's, and may be anything.
 */
#include "stream.h"

#define FEW_BUFFERS 8
#define MAX_BUFFERS 256

#define BEGINNING_BYTES 8

/* Packets are numbered from 0 in a command; a client's answers to a greeting have higher numbers. */
#define MYSQL_MAX_NUMBER 3

/* The messages of PostgreSQL's clients in version 3: B C D E F H P Q S X c d f p; bits count from 'B'. */
#define LETTER(letter) (1ULL << ((letter) - 'B'))
#define POSTGRES_LETTERS                                                                                                \
    (LETTER('B') | LETTER('C') | LETTER('D') | LETTER('E') | LETTER('F') | LETTER('H') | LETTER('P') | LETTER('Q')      \
     | LETTER('S') | LETTER('X') | LETTER('c') | LETTER('d') | LETTER('f') | LETTER('p'))

/* Requests that have no letter (src/include/libpq/pqcomm.h), big-endian as the message has them. */
#define POSTGRES_VERSION_3 (3U << 16)
#define POSTGRES_TLS (1234U << 16 | 5679)
#define POSTGRES_GSSAPI (1234U << 16 | 5680)

inline_always u32 big_endian(const u8 *bytes)
{
    return (u32)bytes[0] << 24 | (u32)bytes[1] << 16 | (u32)bytes[2] << 8 | bytes[3];
}

inline_always int is_redis(const u8 *bytes)
{
    return bytes[0] == '*' && bytes[1] >= '1' && bytes[1] <= '9';
}

/* length: of the buffer, which has one packet. */
inline_always int is_mysql(const u8 *bytes, u64 length)
{
    u64 packet = bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16;
    return bytes[3] <= MYSQL_MAX_NUMBER && packet + 4 == length;
}

/* length: of the buffer, in which the whole first message is. */
inline_always int is_postgres(const u8 *bytes, u64 length)
{
    u8 letter = bytes[0];
    if (letter >= 'B' && letter <= 'p' && (POSTGRES_LETTERS >> (letter - 'B') & 1)) {
        u64 message = big_endian(bytes + 1);
        if (message >= sizeof(u32) && message + 1 <= length)
            return 1;
    }
    u32 request = big_endian(bytes + sizeof(u32));
    return big_endian(bytes) == length
        && (request == POSTGRES_VERSION_3 || request == POSTGRES_TLS || request == POSTGRES_GSSAPI);
}

/* The streams of databases, and how often each was hit. The programs are loaded with a map of this name, which has more entries. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_LRU_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(struct stream_key);
    MAP_VALUE(u64);
} streams SEC(".maps");

/* A buffer of a write. Returns 0 = it could be read. */
inline_always long read_buffer(struct uv_buf *buffer, const struct stream_hit *hit, u32 index, u64 may_sleep)
{
    if (hit->only == 0)
        return read_user(buffer, sizeof(*buffer), hit->address + index * sizeof(*buffer), may_sleep);
    buffer->address = hit->address;
    buffer->length = hit->only;
    return 0;
}

/*
 * Returns whether the first buffer of a write begins like a message to a database. What is shorter than BEGINNING_BYTES,
 * and ends where no memory follows, is none.
 */
inline_always int is_database_message(const struct stream_hit *hit, u64 may_sleep)
{
    struct uv_buf first;
    u8 bytes[BEGINNING_BYTES];
    if (read_buffer(&first, hit, 0, may_sleep) != 0
        || read_user(bytes, sizeof(bytes), first.address, may_sleep) != 0)
        return 0;
    return is_redis(bytes) || is_mysql(bytes, first.length) || is_postgres(bytes, first.length);
}

/* Numbers the hit of a stream that is a database's. Nothing is atomic: a stream is read and written by the thread of its loop. */
inline_always int count_stream_hit(struct stream_hit *hit)
{
    u64 *hits = bpf_map_lookup_elem(&streams, &hit->stream);
    if (!hits)
        return 0;
    hit->sequence = ++*hits;
    return 1;
}

/* Numbers a write. Returns whether it is one to a database, known before or by how the write begins. */
LINKED int count_write(struct stream_hit *hit, u64 may_sleep)
{
    u64 none = 0;
    if (count_stream_hit(hit))
        return 1;
    if (!is_database_message(hit, may_sleep))
        return 0;
    bpf_map_update_elem(&streams, &hit->stream, &none, BPF_ANY);
    return count_stream_hit(hit);
}

/*
 * Whether a stream of the descriptor may be a database's: by its lowest bits, which other processes have, too. A server reads and writes other
 * streams far more often, and to find a stream takes longer than to look here.
 */
struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(u64);
} database_descriptors SEC(".maps");

#define DESCRIPTORS 4096 /* StreamBytesLayout.MAX_DESCRIPTORS */

inline_always u64 *database_descriptor(u32 descriptor)
{
    u32 place = descriptor % DESCRIPTORS;
    return bpf_map_lookup_elem(&database_descriptors, &place);
}

/* Returns whether a system call that wrote may have written to a database. */
LINKED int may_write_to_database(const struct stream_hit *hit, u32 descriptor)
{
    u64 *known = database_descriptor(descriptor);
    if (known && *known == 0)
        *known = is_database_message(hit, 0);
    return known && *known;
}

/* Returns whether a system call that read may have read from a database. */
LINKED int may_read_from_database(u32 descriptor)
{
    u64 *known = database_descriptor(descriptor);
    return known && *known;
}

/* By the tid, when the thread entered the last write(2) or writev(2). The programs are loaded with a map of this name, which has more entries. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_LRU_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(u64);
} write_entries SEC(".maps");

/* The running thread enters a system call that writes. */
LINKED int enter_write(void)
{
    u32 tid = bpf_get_current_pid_tgid();
    u64 now = bpf_ktime_get_ns();
    u64 *entry = bpf_map_lookup_elem(&write_entries, &tid);
    if (entry)
        *entry = now;
    else
        bpf_map_update_elem(&write_entries, &tid, &now, BPF_ANY);
    return 0;
}

/* Returns when the running thread entered the system call that it returns from; 0 = not known, as it was before the programs were there. */
LINKED u64 entry_of_write(void)
{
    u32 tid = bpf_get_current_pid_tgid();
    u64 *entry = bpf_map_lookup_elem(&write_entries, &tid);
    return entry ? *entry : 0;
}

/* Numbers a read. Returns whether it is one from a database, to which something was written before. */
LINKED int count_read(struct stream_hit *hit)
{
    return count_stream_hit(hit);
}

/* The stream is closed: its address may be another stream's next. The sample is that of a read of nothing, without a number. */
LINKED int close_stream(struct stream_hit *hit)
{
    bpf_map_delete_elem(&streams, &hit->stream);
    hit->sequence = 0;
    hit->length = 0;
    return 0;
}

/* Returns the room that the sample of a write is to have: an enum stream_room. */
LINKED int room_of_write(const struct stream_hit *hit, u64 may_sleep)
{
    struct uv_buf only;
    u64 count = hit->length;
    if (count == 1 && read_buffer(&only, hit, 0, may_sleep) == 0 && only.length <= SMALL_BYTES)
        return SMALL_ROOM;
    return count <= FEW_BUFFERS ? LARGE_ROOM : MANY_BUFFERS_ROOM;
}

/*
 * How many bytes of the sample are used. Read from there each time, so that to the verifier it is any number: were it the
 * sum of what was copied, each way through a loop would lead to another one, and would be followed to its end.
 */
#define USED(bytes) (*(volatile u32 *)&(bytes)->head_bytes)

/*
 * While a write is copied of which the kernel has not taken all: how many of the bytes that it has taken are still to come. It stands in the
 * sample, too, so that it is any number; of a write, tail_bytes is 0 afterwards.
 */
#define LEFT(bytes) (*(volatile u32 *)&(bytes)->tail_bytes)

/* What a sample has of its hit without the bytes. */
inline_always void begin_bytes(struct stream_bytes *bytes, const struct stream_hit *hit)
{
    bytes->sequence = hit->sequence;
    bytes->total = hit->length;
    bytes->head_bytes = 0;
    bytes->tail_bytes = 0;
    bytes->received = hit->received;
}

struct write_copy {
    struct stream_bytes *bytes;
    const struct stream_hit *hit; /* whose buffers the process may change meanwhile */
    u64 most_buffers;
    u64 most_bytes;   /* of a buffer */
    u64 last_place;   /* at which a buffer may begin: the longest one ends within the room */
    u64 may_sleep;
};

inline_always struct write_copy begin_write(
    struct stream_bytes *bytes, const struct stream_hit *hit, u64 room, u64 may_sleep)
{
    struct write_copy copy = {bytes, hit, 1, SMALL_BYTES, 0, may_sleep};
    begin_bytes(bytes, hit);
    LEFT(bytes) = hit->taken;
    if (room != SMALL_ROOM) {
        copy.most_buffers = room == LARGE_ROOM ? FEW_BUFFERS : MAX_BUFFERS;
        copy.most_bytes = MAX_BUFFER_BYTES;
        copy.last_place =
            (room == LARGE_ROOM ? HEAD_BYTES + TAIL_BYTES : MANY_BUFFERS_BYTES) - sizeof(struct stream_buffer);
    }
    return copy;
}

/* Copies a buffer. Returns 1 when there is no room for another one, or it cannot be found. */
inline_always long copy_buffer(u32 index, struct write_copy *copy)
{
    struct stream_bytes *bytes = copy->bytes;
    struct uv_buf buffer;
    if (read_buffer(&buffer, copy->hit, index, copy->may_sleep) != 0)
        return 1;
    /* What the kernel has not taken is written again: the rest of a buffer, and those behind it, which are empty here. */
    if (copy->hit->taken >= 0) {
        u64 left = LEFT(bytes);
        if (buffer.length > left)
            buffer.length = left;
        LEFT(bytes) = left - buffer.length;
    }
    u64 used = USED(bytes);
    if (used > copy->last_place)
        return 1;
    struct stream_buffer *to = (void *)bytes->buffers + used;
    to->length = buffer.length;
    to->copied = 0;
    USED(bytes) = used + __builtin_offsetof(struct stream_buffer, bytes);
    u64 size = buffer.length < copy->most_bytes ? buffer.length : copy->most_bytes;
    if (size == 0 || read_user(to->bytes, size, buffer.address, copy->may_sleep) != 0)
        return 0;
    to->copied = size;
    USED(bytes) += size;
    return 0;
}

/* A turn of bpf_loop. */
CALLBACK long copy_next_buffer(u32 index, struct write_copy *copy)
{
    return copy_buffer(index, copy);
}

/*
 * Writes what a sample has of a write: its buffers, each with its length.
 *
 * room: an enum stream_room
 */
LINKED int copy_write(struct stream_bytes *bytes, const struct stream_hit *hit, u64 room, u64 may_sleep)
{
    u64 count = hit->length;
    struct write_copy copy = begin_write(bytes, hit, room, may_sleep);
    bpf_loop(count < copy.most_buffers ? count : copy.most_buffers, copy_next_buffer, &copy, 0);
    bytes->tail_bytes = 0;
    return 0;
}

/*
 * The same before Linux 5.17. A function of its own: an older kernel refuses the address of a function, wherever it is. The
 * loop calls none: before Linux 6.4 the verifier takes all numbers for important then, and follows far more ways through it.
 */
LINKED int copy_write_without_loops(
    struct stream_bytes *bytes, const struct stream_hit *hit, u64 room, u64 may_sleep)
{
    u64 count = hit->length;
    struct write_copy copy = begin_write(bytes, hit, room, may_sleep);
#pragma clang loop unroll(disable)
    for (u64 i = 0; i < copy.most_buffers && i < count; i++)
        if (copy_buffer(i, &copy))
            break;
    bytes->tail_bytes = 0;
    return 0;
}

/*
 * Writes what a sample has of a read: its first bytes and, if these and the last ones do not overlap, its last ones.
 *
 * room: SMALL_ROOM or LARGE_ROOM
 */
LINKED int copy_read(struct stream_bytes *bytes, const struct stream_hit *hit, u64 room, u64 may_sleep)
{
    s64 length = hit->length;
    begin_bytes(bytes, hit);
    if (length <= 0)
        return 0;
    u64 most_bytes = room == SMALL_ROOM ? SMALL_BYTES : HEAD_BYTES;
    u64 size = (u64)length < most_bytes ? (u64)length : most_bytes;
    if (read_user(bytes->head, size, hit->address, may_sleep) != 0)
        return 0;
    bytes->head_bytes = size;
    if (room == SMALL_ROOM || length < HEAD_BYTES + TAIL_BYTES)
        return 0;
    if (read_user(bytes->tail, sizeof(bytes->tail), hit->address + length - TAIL_BYTES, may_sleep) == 0)
        bytes->tail_bytes = TAIL_BYTES;
    return 0;
}
