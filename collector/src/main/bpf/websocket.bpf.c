/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of WebSocket connections (RFC 6455), counted where the frames pass: nothing is in the ring until a connection
 * is closed.
 *
 * 1. A connection begins as HTTP. It is a WebSocket once an answer with the status 101 is written to it or read from it
 *    (find_upgrade) that names WebSocket, in Upgrade or in Sec-WebSocket-Accept; the first frame begins behind the empty line
 *    that ends the answer (read_answer). Of what goes over other connections, only the first 12 bytes are looked at. Who
 *    writes the answer is the server. The connection gets an entry of the map web_sockets, which begins like a sample: the
 *    program writes the arguments of its probe there, between find_web_socket() and begin_web_socket().
 * 2. From there on each direction is a row of frames (section 5.2), which need not end where a buffer ends:
 *
 *      0   1 bit   fin: the last frame of a message
 *          3 bits  reserved
 *          4 bits  opcode: 0 = goes on with a message, 1 = text, 2 = binary; 8 to 10 = a control frame, which may stand
 *                  between the frames of a message, and is one frame of at most 125 bytes
 *      1   1 bit   whether the rest is masked: a client's is, a server's is not
 *          7 bits  length of the rest; 126 = it is in the next 2 bytes, 127 = in the next 8, big-endian
 *          4 bytes the mask, if there is one; then the rest
 *
 *    The headers are all that is read (follow_frames): a frame's length leads to the next header, in this buffer or in a later
 *    one (web_socket_direction.ahead). A header may come in pieces; what has come of it is kept with the connection.
 * 3. When the connection is closed, its entry is its sample (close_web_socket). Those that are open at the end are read from
 *    the map.
 *
 * The bytes are the process's, and may be anything. Where they violate the protocol, cannot be read, or take too many steps,
 * the next frame cannot be found: from there on nothing is counted in that direction (is_lost). No number that is read from
 * the process is an offset in the kernel's memory.
 *
 * What is needed while frames are followed lies with the connection, too, and not on the stack: what is read from there is
 * any number to the verifier, so that one step of the loop is like the other.
 */
#include "open_spans.h"
#include "stream.h"

/* A frame is one step, and a buffer is one. */
#define MAX_STEPS (1 << 16)

/* Before Linux 5.17 there is no bpf_loop, and the verifier follows each step of a loop. */
#define MAX_STEPS_WITHOUT_LOOPS 64

/* So much of an answer is searched for its end. */
#define CHUNK_BYTES 64
#define MAX_CHUNKS 16

/* The first 12 bytes of an answer that upgrades, "HTTP/1.1 101", as numbers in memory. */
#define STATUS_LINE_WORDS 3
#define HTTP 0x50545448
#define VERSION_1_1 0x312e312f
#define STATUS_101 0x31303120

/* The last bytes of an answer, the latest in the lowest: "websocke" in lower case, and two ends of lines. */
#define WEBSOCKE 0x776562736f636b65
#define LOWER_CASE 0x2020202020202020
#define EMPTY_LINE 0x0d0a0d0a

#define FIN 0x80
#define OPCODE_MASK 0x0f
#define OPCODE_CONTINUATION 0
#define OPCODE_BINARY 2
#define OPCODE_CLOSE 8
#define OPCODE_PONG 10
#define MASKED_SHIFT 7
#define LENGTH_MASK 0x7f
#define LENGTH_OF_2_BYTES 126
#define LENGTH_OF_8_BYTES 127
#define MASK_BYTES 4
#define MAX_CONTROL_BYTES 125

/* The programs are loaded with a map of this name, which has more entries. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(struct stream_key);
    MAP_VALUE(struct web_socket);
} web_sockets SEC(".maps");

/* The context of a loop; what of it a loop changes is in the connection. */
struct web_socket_loop {
    struct web_socket *socket;
    struct web_socket_direction *direction;
    u64 may_sleep; /* as in read_user() */
};

inline_always struct web_socket_direction *direction_of(struct web_socket *socket, u64 is_write)
{
    return is_write ? &socket->sent : &socket->received;
}

/*
 * Returns whether what is written or was read begins like an answer with the status 101.
 *
 * first: gets where these bytes are, and how many: of a write, the first buffer
 */
inline_always int find_upgrade(struct uv_buf *first, const struct stream_hit *hit, u64 is_write, u64 may_sleep)
{
    u32 words[STATUS_LINE_WORDS];
    if (is_write) {
        if (read_user(first, sizeof(*first), hit->address, may_sleep) != 0)
            return 0;
    } else {
        first->address = hit->address;
        first->length = hit->length;
    }
    return read_user(words, sizeof(words), first->address, may_sleep) == 0
        && words[0] == HTTP && words[1] == VERSION_1_1 && words[2] == STATUS_101;
}

/*
 * Looks for the end of the answer in its next bytes, at the position; known has the 8 bytes before. A turn of bpf_loop:
 * returns 1 when it is over.
 */
CALLBACK long read_answer_chunk(u32 index, struct web_socket_loop *loop)
{
    struct web_socket *socket = loop->socket;
    struct web_socket_direction *direction = loop->direction;
    u8 chunk[CHUNK_BYTES] = {};
    u64 position = socket->position;
    u64 length = socket->length;
    u64 left = length - position;
    if (length <= position
        || read_user(chunk, left < CHUNK_BYTES ? left : CHUNK_BYTES, socket->address + position, loop->may_sleep) != 0) {
        direction->is_lost = 1;
        return 1;
    }
    u64 last = socket->known;
    /* Behind what was read there are zeros, in which no answer ends. */
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < CHUNK_BYTES; i++) {
        last = last << 8 | chunk[i];
        if ((last | LOWER_CASE) == WEBSOCKE)
            socket->is_upgraded = 1;
        if ((u32)last == EMPTY_LINE) {
            u64 end = position + i + 1;
            direction->ahead = end;
            direction->bytes -= end; /* the answer is not of frames; follow_frames() counts all bytes of the buffer */
            return 1;
        }
    }
    socket->known = last;
    socket->position = position + CHUNK_BYTES;
    return 0;
}

/*
 * Finds the end of an answer with the status 101, behind which the first frame begins. Where it is not within the first
 * MAX_CHUNKS, nothing is counted in this direction.
 *
 * has_bpf_loop: a constant, and 0 before Linux 5.17: an older kernel refuses the address of a function, wherever it is
 *
 * Returns whether the answer upgrades to WebSocket.
 */
inline_always int read_answer(struct web_socket *socket, u64 is_write, u64 may_sleep, int has_bpf_loop)
{
    struct web_socket_loop loop = {socket, direction_of(socket, is_write), may_sleep};
    socket->position = 0;
    socket->known = 0;
    if (has_bpf_loop) {
        if (bpf_loop(MAX_CHUNKS, read_answer_chunk, &loop, 0) >= MAX_CHUNKS)
            loop.direction->is_lost = 1;
        return socket->is_upgraded != 0;
    }
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < MAX_CHUNKS; i++)
        if (read_answer_chunk(i, &loop))
            return socket->is_upgraded != 0;
    loop.direction->is_lost = 1;
    return socket->is_upgraded != 0;
}

/* A number of so many bytes, big-endian. */
inline_always u64 network_number(const u8 *bytes, u32 count)
{
    u64 number = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Reads as much of a header as may be there, behind what is known of it. Returns whether it could. */
inline_always int take_header(struct web_socket *socket, struct web_socket_direction *direction, u64 may_sleep)
{
    u64 position = socket->position;
    u64 known = direction->header_bytes;
    u64 left = socket->length - position;
    if (known >= MAX_HEADER_BYTES)
        return 0;
    if (left > MAX_HEADER_BYTES - known)
        left = MAX_HEADER_BYTES - known;
    socket->known = known + left;
    /*
     * Before Linux 6.8 the verifier learns nothing from a comparison of two numbers that it does not know. So there is one
     * with a constant, of a number that the compiler does not know, either.
     */
    *(volatile u64 *)&socket->taken = left;
    u64 taken = *(volatile u64 *)&socket->taken;
    if (taken > MAX_HEADER_BYTES)
        taken = MAX_HEADER_BYTES;
    return read_user(direction->header + known, taken, socket->address + position, may_sleep) == 0;
}

/* Counts the message that ends with this frame, if one does. Returns whether such a frame may be here. */
inline_always int count_frame(struct web_socket_direction *direction, u64 rest)
{
    u8 opcode = direction->header[0] & OPCODE_MASK;
    int is_last = direction->header[0] & FIN;
    if (opcode >= OPCODE_CLOSE)
        return opcode <= OPCODE_PONG && is_last && rest <= MAX_CONTROL_BYTES;
    if (opcode > OPCODE_BINARY || (opcode == OPCODE_CONTINUATION) != (direction->is_within != 0))
        return 0;
    direction->is_within = !is_last;
    if (is_last)
        direction->messages++;
    return 1;
}

/* Where the next frame begins is not known any more. */
inline_always int lose(struct web_socket_direction *direction)
{
    direction->is_lost = 1;
    return 0;
}

/*
 * Passes the frame whose header begins, or goes on, at the position, which is before the end of the buffer. Returns 0 where
 * the buffer has nothing more that counts.
 */
inline_always int pass_frame(struct web_socket *socket, struct web_socket_direction *direction, u64 may_sleep)
{
    if (direction->is_lost)
        return 0;
    if (!take_header(socket, direction, may_sleep))
        return lose(direction);
    u64 known = socket->known;
    u64 header = 2;
    u64 rest = direction->header[1] & LENGTH_MASK;
    if (known >= header) {
        u64 is_masked = direction->header[1] >> MASKED_SHIFT;
        if (is_masked != direction->is_masked)
            return lose(direction);
        header += is_masked * MASK_BYTES;
        header += rest == LENGTH_OF_2_BYTES ? sizeof(u16) : rest == LENGTH_OF_8_BYTES ? sizeof(u64) : 0;
    }
    if (known < header) {
        direction->header_bytes = known;
        return 0;
    }
    if (rest == LENGTH_OF_2_BYTES)
        rest = network_number(direction->header + 2, sizeof(u16));
    else if (rest == LENGTH_OF_8_BYTES)
        rest = network_number(direction->header + 2, sizeof(u64));
    if ((s64)rest < 0)
        return lose(direction);
    socket->position += header - direction->header_bytes + rest;
    direction->header_bytes = 0;
    return count_frame(direction, rest) || lose(direction);
}

/*
 * A frame, or the end of a buffer. A turn of bpf_loop: returns 1 when there are no more buffers, or one cannot be found.
 */
CALLBACK long follow_step(u32 index, struct web_socket_loop *loop)
{
    struct web_socket *socket = loop->socket;
    struct web_socket_direction *direction = loop->direction;
    u64 may_sleep = loop->may_sleep;
    struct uv_buf buffer;
    if (socket->position < socket->length) {
        if (!pass_frame(socket, direction, may_sleep))
            socket->position = socket->length;
        return 0;
    }
    socket->position -= socket->length;
    socket->length = 0;
    if (socket->buffers_left == 0) {
        direction->ahead = socket->position;
        return 1;
    }
    socket->buffers_left--;
    if (read_user(&buffer, sizeof(buffer), socket->next_buffer, may_sleep) != 0) {
        direction->is_lost = 1;
        return 1;
    }
    socket->next_buffer += sizeof(buffer);
    socket->address = buffer.address;
    socket->length = buffer.length;
    direction->bytes += buffer.length;
    return 0;
}

/*
 * Finds the connection whose frames are written or were read; if there is none, an answer with the status 101.
 *
 * is_tls: whether these are the bytes above TLS
 *
 * Returns its entry: a known one, or zeros, of which the program writes the event before it calls begin_web_socket(). 0 =
 * there is nothing to be followed.
 */
LINKED struct web_socket *find_web_socket(
    const struct stream_hit *hit, u32 probe, u64 is_write, u64 is_tls, u64 may_sleep)
{
    struct uv_buf first;
    if (!is_write && hit->length <= 0)
        return 0;
    struct web_socket *socket = bpf_map_lookup_elem(&web_sockets, &hit->stream);
    if (socket) /* above TLS are the frames; the bytes of the stream below are none of any */
        return socket->is_tls == is_tls ? socket : 0;
    if (!find_upgrade(&first, hit, is_write, may_sleep))
        return 0;
    socket = store_zeros(&web_sockets, &hit->stream, probe);
    if (!socket)
        return 0;
    socket->stream = hit->stream.address;
    socket->is_server = is_write;
    socket->is_tls = is_tls;
    direction_of(socket, !is_write)->is_masked = 1;
    socket->address = first.address;
    socket->length = first.length;
    return socket;
}

inline_always int begin_or_forget(
    struct web_socket *socket, const struct stream_hit *hit, u64 is_write, u64 may_sleep, int has_bpf_loop)
{
    if (read_answer(socket, is_write, may_sleep, has_bpf_loop))
        return 1;
    bpf_map_delete_elem(&web_sockets, &hit->stream);
    return 0;
}

/*
 * Begins a connection with the answer that find_web_socket() has found, and forgets it if it upgrades to something else.
 *
 * Returns whether frames follow.
 */
LINKED int begin_web_socket(struct web_socket *socket, const struct stream_hit *hit, u64 is_write, u64 may_sleep)
{
    return begin_or_forget(socket, hit, is_write, may_sleep, 1);
}

/* The same before Linux 5.17. */
LINKED int begin_web_socket_without_loops(
    struct web_socket *socket, const struct stream_hit *hit, u64 is_write, u64 may_sleep)
{
    return begin_or_forget(socket, hit, is_write, may_sleep, 0);
}

inline_always struct web_socket_loop begin_frames(
    struct web_socket *socket, const struct stream_hit *hit, u64 is_write, u64 may_sleep)
{
    struct web_socket_direction *direction = direction_of(socket, is_write);
    if (is_write) {
        socket->next_buffer = hit->address;
        socket->buffers_left = hit->length;
        socket->length = 0;
    } else {
        socket->address = hit->address;
        socket->length = hit->length;
        socket->buffers_left = 0;
        direction->bytes += hit->length;
    }
    socket->position = direction->ahead;
    return (struct web_socket_loop){socket, direction, may_sleep};
}

/* Follows the frames in what is written or was read. */
LINKED int follow_frames(struct web_socket *socket, const struct stream_hit *hit, u64 is_write, u64 may_sleep)
{
    struct web_socket_loop loop = begin_frames(socket, hit, is_write, may_sleep);
    if (bpf_loop(MAX_STEPS, follow_step, &loop, 0) >= MAX_STEPS)
        loop.direction->is_lost = 1;
    return 0;
}

/* The same before Linux 5.17, of far fewer steps. */
LINKED int follow_frames_without_loops(
    struct web_socket *socket, const struct stream_hit *hit, u64 is_write, u64 may_sleep)
{
    struct web_socket_loop loop = begin_frames(socket, hit, is_write, may_sleep);
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < MAX_STEPS_WITHOUT_LOOPS; i++)
        if (follow_step(i, &loop))
            return 0;
    loop.direction->is_lost = 1;
    return 0;
}

/* The stream is closed: if it was a WebSocket, its entry becomes its sample. */
LINKED int close_web_socket(const struct stream_hit *hit, u32 probe)
{
    struct web_socket *socket = bpf_map_lookup_elem(&web_sockets, &hit->stream);
    if (!socket)
        return 0;
    socket->header.duration_ns = bpf_ktime_get_ns() - socket->header.timestamp_ns;
    if (bpf_ringbuf_output(&events, socket, sizeof(*socket), BPF_RB_NO_WAKEUP) != 0)
        count_loss(probe, RING_FULL);
    bpf_map_delete_elem(&web_sockets, &hit->stream);
    return 0;
}
