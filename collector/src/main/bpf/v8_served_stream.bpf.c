/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection whose request the running thread serves: a callback, or what continues a promise, may be another
 * request's than the one before it, which made it or called it.
 *
 * The functions on the stack are looked at first, the latest one first, and then those that wait for the running microtask
 * (v8_async_callers.bpf.c). One of a function's parameters, or what it sees of a function around it, leads to the stream of
 * libuv:
 *
 *     Reply of fastify, Context of koa ... -> ServerResponse -> IncomingMessage -> net.Socket -> TCP -> TCPWrap -> uv_tcp_t
 *
 * The first stream counts. Which property of an object to follow depends on its hidden class, its Map. The collector reads
 * that out of the process's memory when it is asked, and writes it into heap_shapes; until then such objects lead nowhere. A
 * message counts only while the socket's answer is that to it (socket._httpMessage.req), so not when it is answered, and not
 * while it waits for the answer to one before it.
 *
 * A function on the stack may have called one that another request has left somewhere: the callback of who waits for what
 * the first one gives back. Such a stranger is a closure that was made elsewhere, and is called for the first time: neither
 * by a function that is on the stack, nor outside of all functions, nor by Node itself or the npm package; nor is it the
 * function that new Promise() calls at once. One that V8 has compiled into another function has no frame, and is looked for in
 * that of the other one. What it sees leads to who waits: to other closures, to
 * functions that objects call, and to those that resolve a promise. Their stream counts if there is only one. Where no stranger
 * and no promise leads to one, an object on the stack does that calls a function when it is done, as a command that is being
 * sent. Where Node's own functions alone are on the stack, as those that send a request which waited for a connection, such an
 * object is looked for among what they have, too: who waits for the response to http.ClientRequest are its listeners.
 *
 * What an AsyncResource calls has its async id, whatever has called the resource: the frames behind it do not count.
 */
#include "v8_async_callers.bpf.c"

/* What is known by a word. */
enum heap_shape_key_kind {
    KEY_OBJECT,    /* a Map, a SharedFunctionInfo, or a closure */
    KEY_PROTOTYPE, /* all objects of a prototype */
    KEY_CODE,      /* a place in compiled code */
};

struct heap_shape_key {
    u32 tgid;
    u32 kind; /* enum heap_shape_key_kind */
    u64 word; /* a tagged pointer; of code, what shape_of_code() makes of it */
};

/* HeapShape.Kind: what an object is on the way to a stream. */
enum shape_kind {
    SHAPE_UNKNOWN = 0,  /* not looked at yet */
    SHAPE_NOTHING = 1,
    SHAPE_HOLDER = 2,   /* next leads to one of the others */
    SHAPE_RESPONSE = 3, /* next: its message */
    SHAPE_MESSAGE = 4,  /* next: its socket */
    SHAPE_SOCKET = 5,   /* next: its handle; other: the response that is being sent, or of a client the request */
    SHAPE_HANDLE = 6,   /* next: the pointer to Node's HandleWrap; other: in that, the pointer to the handle of libuv */
    SHAPE_OF_NODE = 7,  /* the code of a function of Node's own, or of V8's; found here */
    SHAPE_CALLER = 8,   /* next: a function that it calls when it is done; other: 1 if async functions that have it do, too */
    SHAPE_RESOURCE = 9, /* an AsyncResource; next as of SHAPE_CALLER, or 0 */
    SHAPE_PROMISE_CONSTRUCTOR = 10, /* as SHAPE_OF_NODE, of the function Promise */
    SHAPE_PACKAGE = 11, /* what functions of the npm package use, which call a program's functions as Node's own do */
    SHAPE_CLIENT = 12, /* a request that is being sent; next: its listeners by event; other: 0, or one that goes on with it */
    SHAPE_LIST = 13,   /* an Array; next: its elements */
    SHAPE_INLINED = 14, /* a place in code; next, other: where in the frame the closures are that are compiled into its function */
    SHAPE_INLINED_SCOPE = 15, /* likewise; these are called in the scope of an AsyncResource */
    SHAPE_HIDDEN = 16,        /* likewise; it is not known which they are */
};

/* HeapShape: a value of heap_shapes. */
struct heap_shape {
    u64 example; /* an object that had this map when the shape was unknown; of code, the return address */
    u32 kind;
    u32 unused;
    /*
     * Where a property is: in bytes from the object's begin, or with IN_PROPERTIES from that of its PropertyArray. Of code: s32,
     * from the frame pointer; 0 = there is none.
     */
    u32 next;
    u32 other;
};

/* In JSFunction, behind where its Context is (js-function.tq), and behind that. */
#define FEEDBACK_CELL 8
#define FUNCTION_END 16
#define CONTEXT_PREVIOUS 0x17 /* of a Context, from a tagged pointer: the one around it */

#define MAP_PROTOTYPE 0x17 /* of a Map, from a tagged pointer */

/* A page of V8's heap, and in its flags FROM_PAGE and TO_PAGE. */
#define PAGE_BYTES (1 << 18)
#define YOUNG_PAGE 0x18

#define IN_PROPERTIES 0x80000000
#define PROPERTIES 1 /* the word of a JSReceiver that points to its PropertyArray */

#define MAX_SHAPES 8192

struct {
    MAP_TYPE(BPF_MAP_TYPE_LRU_HASH);
    MAP_ENTRIES(MAX_SHAPES);
    MAP_KEY(struct heap_shape_key);
    MAP_VALUE(struct heap_shape);
} heap_shapes SEC(".maps");

#define QUESTIONS_BYTES (1 << 14)

/* ShapeQuestion: the keys of heap_shapes that are new there, each with its example. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_RINGBUF);
    MAP_ENTRIES(QUESTIONS_BYTES);
} shape_questions SEC(".maps");

#define QUESTION_BYTES (sizeof(struct heap_shape_key) + sizeof(u64))

/* A value of function_calls: when a function was on the stack. */
struct function_call {
    u64 relocations; /* as in struct v8_process; 0 = not known */
    u64 turn;        /* as in struct thread_turn */
};

/* By the JSFunction, or the FeedbackCell if there is only one closure of the function. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_LRU_HASH);
    MAP_ENTRIES(MAX_SHAPES);
    MAP_KEY(struct heap_shape_key);
    MAP_VALUE(struct function_call);
} function_calls SEC(".maps");

/* A turn of a thread: a callback, or a microtask. */
struct thread_turn {
    u64 id;     /* the async id of the callback, or the microtask */
    u64 number; /* another one for each turn in which there are hits; the next one may have the same id, and this one's number then */
};

/* By the tid. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_LRU_HASH);
    MAP_ENTRIES(KNOWN_THREADS);
    MAP_KEY(u32);
    MAP_VALUE(struct thread_turn);
} thread_turns SEC(".maps");

#define MAX_ARGUMENTS 3

/*
 * A frame of JavaScript, from its frame pointer - 40 on (v8_frames.bpf.c, UnoptimizedFrameConstants). Its arguments stand behind
 * the address at which the caller goes on, the receiver first, which is counted too.
 */
struct called_frame {
    u64 bytecode_offset; /* of a function that is interpreted, a Smi; else any word */
    u64 bytecode_array; /* of one that is not optimized; else any word */
    u64 argument_count;
    u64 function;
    u64 context;
    u64 caller;
    u64 return_address;
    u64 receiver;
    u64 arguments[MAX_ARGUMENTS];
};

#define CALLED_FRAME (-40)
/* Behind the words that optimized code has in a frame, where other code has its BytecodeArray and more. */
#define FRAME_WORDS_END (-24)

/* Frames of any kind between the hit and the running function. */
#define MAX_CALLED_FRAMES 64
/* Closures that are not found to be made on the stack yet. */
#define MAX_STRANGERS 4
/* Contexts around a function that are looked at. */
#define MAX_SCOPES 4

/* Reactions of promises on the way that are not looked at yet. */
#define MAX_REACTIONS 4
/* Functions of which it is looked who waits for them. */
#define CALLEES 128
#define MAX_SEARCH_TURNS 192
/* Steps from a function to one that it sees, and from an object on the stack. */
#define MAX_CALLEE_STEPS 4
#define MAX_CALLER_STEPS 8

/* Frames of Node's own functions alone of which the objects are looked at. */
#define MAX_SENDER_FRAMES 12

/*
 * The listeners of an EventEmitter are in an object with a property for each event, mostly a NameDictionary: map, length, three
 * counts and more words, then for each event its name, the listener and details (v8/src/objects/dictionary.h).
 */
#define DICTIONARY_CAPACITY 4
#define DICTIONARY_HEAD 5
#define MAX_DICTIONARY_HEAD 10
#define DICTIONARY_ENTRY 3
#define MAX_EVENTS 16

/*
 * Functions that C++ has called, each with the one that it has called: a microtask calls one of V8's own, and that the
 * running one. Those of the outermost two calls are kept: a callback, and the microtasks behind it.
 */
#define MAX_ENTERED 4

/* What is looked at of each function: its receiver, parameters and first variables, and those of the function around it. */
#define MAX_ELEMENTS 8
#define CANDIDATES 32 /* there is room for them */
/* Objects on the way from one to a stream. */
#define MAX_HOPS 8
#define MAX_LOOKS 64

/* Words of a frame; those of a larger one are not looked at. */
#define MAX_FRAME_WORDS 64
/* Behind a frame pointer: that of the caller and the address at which it goes on. Then the arguments, which are the caller's. */
#define CALLER_STACK 16
/* In SharedFunctionInfo: its ScopeInfo, or a name, from its Script on (shared-function-info.tq). */
#define SCOPE_BEFORE_SCRIPT (-16)
/* Of a Context: the word with its ScopeInfo, and so many are read. */
#define CONTEXT_SCOPE 2
#define CONTEXT_WORDS 3

/* FixedArray and Context: map and length, then the elements. Of a context, the first two are its scope and the one around it. */
#define ARRAY_HEAD 2
#define CONTEXT_HEAD 2

/* What is read of an object at once: its Map, and mostly what leads on. */
#define HEAD_WORDS 32

/*
 * What a search keeps. A program may be preempted by that of another thread, so an entry that is in use is not taken; the
 * other thread's hit has no stream then.
 */
struct served_search {
    u64 is_used;
    struct function_call call; /* of the functions on the stack */
    struct thread_turn first_turn;
    u64 stream; /* that was found; 0 = none */
    u64 candidate_count;
    u64 candidate; /* the next to look at */
    u64 argument_end; /* those before it are the receiver and the arguments of a frame */
    u64 candidates[CANDIDATES];
    u64 object; /* the next on the way; 0 = the way is over */
    u64 message;
    u64 hops;
    struct heap_shape_key key;
    struct heap_shape unknown; /* behind the key, so that its example is a question with it */
    u64 is_head_read; /* all of it; else its first two words */
    u64 head[HEAD_WORDS]; /* of the object on the way */
    u64 words[ARRAY_HEAD + CONTEXT_HEAD + MAX_ELEMENTS];
    /* Of the frames. */
    u64 native_context;
    u64 first_frame;
    u64 last_frame; /* that was looked at */
    u64 frame_pointer;
    u64 function_map; /* of the latest function */
    u64 stranger_count;
    u64 latest_stranger; /* the latest function is this stranger, from 1 on; 0 = it is none */
    u64 strangers[MAX_STRANGERS];      /* contexts of closures; 0 = it is none any more */
    u64 stranger_scopes[MAX_STRANGERS]; /* the ScopeInfo of each */
    u64 stranger_closures[MAX_STRANGERS];
    u64 are_all_seen; /* the frames, and all strangers */
    struct called_frame frame;
    u64 called_end; /* the words of the frame are between this and the frame; 0 = there is none behind it */
    u64 return_address; /* at which the function of the frame goes on; 0 = not known */
    u64 bytecode_map; /* the Map of BytecodeArrays; 0 = not seen yet */
    s32 inlined[2];       /* as in struct heap_shape, of the code of the frame */
    u64 is_inlined_scope; /* it calls them in the scope of an AsyncResource */
    u64 is_hidden; /* a function is not seen: that of a frame, or one that may be compiled into it */
    u64 frame_word_count;
    u64 frame_words[MAX_FRAME_WORDS];
    u64 own_scope; /* the ScopeInfo of its function, and the Map of contexts with that */
    u64 own_map;
    u64 own_context;
    u64 own_contexts; /* how many there are */
    u64 closure[2 + FUNCTION_MASK / sizeof(u64)]; /* its function */
    u64 outermost; /* the JSFunction that is no Node's own; 0 = there is none */
    u64 outermost_context;
    u32 is_of_module; /* that of the latest frame */
    u16 type; /* of an object of which a Map is */
    u16 oddball_type; /* that of undefined */
    u16 bytecode_type; /* as in struct context_fields */
    u16 function_script; /* as in struct context_process */
    u16 script_name;
    struct baseline_layout baseline;
    u8 is_scope; /* the latest frame has called the ones before in the scope of an AsyncResource */
    u8 is_scope_open; /* it is not known of a frame whether it has */
    u8 is_of_package; /* one of the candidates is of the npm package */
    u8 is_first; /* the candidates are of the running function */
    u8 is_called_again; /* a closure of many calls is on the stack */
    u64 latest; /* the JSFunction of the latest frame of one */
    u64 before_latest;
    u64 caller; /* the latest object that calls a function when it is done, or socket of a client; 0 = none */
    u64 caller_strangers; /* how many strangers were found before */
    u64 entered[MAX_ENTERED]; /* those that C++ has called, each with the next one; 0 = none */
    u64 many_closures; /* the Map of the FeedbackCell of a function with several closures, as V8's own have it; 0 = not known */
    /* Of the promises. */
    u64 running; /* the JSFunction that the microtask has called; 0 = not known */
    u64 handler; /* the closure that takes the result of the last promise on the way that has one; 0 = none */
    /* Of functions that may call who waits. */
    u64 callee_count;
    u64 callee; /* the next to look at */
    u64 callees[CALLEES];
    u64 events;   /* the listeners of the request that is looked at; 0 = it is none */
    u64 steps;    /* from the first ones to this one */
    u64 steps_end; /* the first one behind those */
    u32 phase; /* enum search_phase */
    u32 promise_turn;
    u32 is_on_promise;
    u32 reaction_count;
    u64 reactions[MAX_REACTIONS]; /* further ones of promises on the way */
    u32 is_branched;
    u32 is_branch_lost; /* it is not known who waits at the end of one */
    u64 waiting_stream; /* that was found */
    u64 is_contradicted;
    u64 is_open; /* how many objects on the way are not known yet */
    struct async_layout promises; /* as in struct context_process, for functions that have nothing else */
    u64 instance_type;
    /* For follow(): a struct javascript_room without entries, and behind it what is read. */
    u64 room[(sizeof(struct javascript_room) + READ_AHEAD_BYTES) / sizeof(u64)];
};

struct {
    MAP_TYPE(BPF_MAP_TYPE_PERCPU_ARRAY);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(struct served_search);
} served_searches SEC(".maps");

/* In place of a stream: it was searched, and nobody was found. */
#define NO_STREAM 1
/* A bit in a stream: it was found on the stack, and not by who waits for the microtask. */
#define ON_STACK 2
/* In place of a stream: what runs may be another request's than what has called it. */
#define UNSURE (NO_STREAM | ON_STACK)
/* In place of a stream: the callback that runs leads to nobody, and may be another request's than its async id. */
#define MADE_ELSEWHERE 4

/* Whose promises are followed. */
enum search_phase {
    OF_MICROTASK, /* of the one that runs */
    OF_STRANGER,  /* of those that the first stranger resolves */
    OF_RUNNING,   /* of those that the running function resolves */
    OF_CALLER,    /* of those that an object's function resolves, which is a receiver or a parameter on the stack */
    SEARCHED,
};

inline_always struct v8_walk walk_of(struct served_search *search)
{
    struct v8_walk walk = {(void *)search->room, 0, 0, &search->promises, search->instance_type};
    return walk;
}

/* What the program has in use. */
inline_always struct served_search *search_in_use(void)
{
    u32 index = 0;
    return bpf_map_lookup_elem(&served_searches, &index);
}

/* What the collector has answered to the key; 0 = nothing yet. */
inline_always struct heap_shape *answer_to(struct served_search *search)
{
    struct heap_shape *shape = bpf_map_lookup_elem(&heap_shapes, &search->key);
    return shape && shape->kind != SHAPE_UNKNOWN ? shape : 0;
}

/* What the collector has answered to the key, which is asked if it is new; 0 = nothing yet. */
inline_always struct heap_shape *ask(struct served_search *search, u64 example)
{
    struct heap_shape *shape = answer_to(search);
    if (shape)
        return shape;
    search->is_open++;
    search->unknown.example = example;
    if (bpf_map_update_elem(&heap_shapes, &search->key, &search->unknown, BPF_NOEXIST) == 0
        && bpf_ringbuf_output(&shape_questions, &search->key, QUESTION_BYTES, BPF_RB_FORCE_WAKEUP) != 0)
        bpf_map_delete_elem(&heap_shapes, &search->key); /* there is no room for it: it is asked again */
    return 0;
}

/*
 * The shape of the object whose Map is in the key; 0 = not known yet. Before V8 13, Object.setPrototypeOf() gives each
 * object a Map of its own, as Express does it with messages. What all those of the prototype are is known by one.
 */
inline_always struct heap_shape *shape_of_map(struct served_search *search, u64 object)
{
    struct heap_shape *shape = answer_to(search);
    if (shape)
        return shape;
    u64 map = search->key.word;
    search->key.word = is_object(map) ? read_pointer(map + MAP_PROTOTYPE) : 0;
    search->key.kind = KEY_PROTOTYPE;
    shape = answer_to(search);
    search->key.word = map;
    search->key.kind = KEY_OBJECT;
    return shape ? shape : ask(search, object);
}

/* Reads the begin of an object. Returns whether it has a Map, which is in the key then. */
inline_always int read_head(struct served_search *search, u64 object)
{
    if (!is_object(object))
        return 0;
    search->is_head_read = bpf_probe_read_user(search->head, sizeof(search->head), object - HEAP_OBJECT_TAG) == 0;
    if (!search->is_head_read
        && bpf_probe_read_user(search->head, 2 * sizeof(u64), object - HEAP_OBJECT_TAG) != 0)
        return 0;
    search->key.word = search->head[0];
    return 1;
}

/* A property of the object whose head has been read; 0 where it cannot be read. */
inline_always u64 property(struct served_search *search, u64 object, u32 place)
{
    u32 offset = place & ~IN_PROPERTIES;
    if (place & IN_PROPERTIES)
        return is_object(search->head[PROPERTIES]) ? read_pointer(search->head[PROPERTIES] - HEAP_OBJECT_TAG + offset) : 0;
    if (search->is_head_read && offset < sizeof(search->head))
        return search->head[(offset / sizeof(u64)) & (HEAD_WORDS - 1)];
    return read_pointer(object - HEAP_OBJECT_TAG + offset);
}

/* Whether the answer that a socket is sending is that to the message on the way. */
inline_always int is_being_answered(struct served_search *search, u64 response)
{
    if (search->message == 0 || !read_head(search, response))
        return 0;
    struct heap_shape *shape = shape_of_map(search, response);
    return shape && shape->kind == SHAPE_RESPONSE && property(search, response, shape->next) == search->message;
}

/* The uv_stream_t of Node's HandleWrap; 0 = it has none, as when it is closed. Its first word points back (uv_handle_t.data). */
inline_always u64 read_stream(u64 wrap, u32 place)
{
    u64 stream = read_pointer(wrap + place);
    return stream && read_pointer(stream) == wrap ? stream : 0;
}

/* What may be a function that calls who waits is looked at later, once. If there is no room for it, nothing is sure. */
inline_always void note_callee(struct served_search *search, u64 callee)
{
    u64 count = search->callee_count;
    if (count >= CALLEES) {
        search->is_contradicted = 1;
        return;
    }
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < CALLEES && i < count; i++)
        if (search->callees[i] == callee)
            return;
    search->callees[count & (CALLEES - 1)] = callee;
    search->callee_count = count + 1;
}

/* A turn of bpf_loop: one object. Returns 1 when there is nothing more to look at. */
CALLBACK long look_at_object(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    u64 object = search->object;
    search->object = 0;
    if (object == 0) {
        u64 candidate = search->candidate;
        if (candidate >= search->candidate_count)
            return 1;
        search->candidate = candidate + 1;
        object = search->candidates[candidate & (CANDIDATES - 1)];
        search->message = 0;
        search->hops = 0;
    }
    if (search->hops >= MAX_HOPS || !read_head(search, object))
        return 0;
    search->hops++;
    struct heap_shape *shape = shape_of_map(search, object);
    if (!shape || shape->kind == SHAPE_NOTHING)
        return 0;
    int is_sent = shape->kind >= SHAPE_CALLER && shape->kind != SHAPE_LIST && shape->next;
    is_sent |= shape->kind == SHAPE_SOCKET && search->outermost == 0;
    if (is_sent && search->hops == 1 && search->candidate <= search->argument_end && search->caller == 0) {
        search->caller = object;
        search->caller_strangers = search->stranger_count;
    }
    if (shape->kind >= SHAPE_CALLER) {
        search->is_of_package |= shape->kind == SHAPE_PACKAGE;
        if (shape->kind == SHAPE_CALLER && shape->other && search->phase != OF_MICROTASK)
            note_callee(search, object);
        return 0;
    }
    u32 kind = shape->kind;
    u32 other = shape->other;
    u64 next = property(search, object, shape->next);
    if (kind == SHAPE_HANDLE) {
        search->stream = search->message ? read_stream(next, other) : 0;
        return search->stream != 0;
    }
    if (kind == SHAPE_MESSAGE)
        search->message = object;
    if (kind == SHAPE_SOCKET && !is_being_answered(search, property(search, object, other)))
        return 0;
    search->object = next;
    return 0;
}

inline_always void begin_candidates(struct served_search *search)
{
    search->candidate_count = 0;
    search->argument_end = 0;
    search->is_of_package = 0;
}

/* Whether a word is not 0, without a branch: the verifier goes along each, which takes the time of a start. */
inline_always u64 is_not_zero(u64 word)
{
    return (word | -word) >> 63;
}

/* Whether one is less than the other, of which none has bit 63, or the other is negative. */
inline_always u64 is_less(u64 one, u64 other)
{
    return (s64)other < 0 ? 0 : (one - other) >> 63;
}

/* Adds a word to the candidates, if it is an object and wanted. */
inline_always void add_candidate(struct served_search *search, u64 word, int is_wanted)
{
    if (is_wanted && is_object(word))
        search->candidates[search->candidate_count++ & (CANDIDATES - 1)] = word;
}

/* Reads a FixedArray or a Context, from its address on, into search->words. Nothing may be mapped behind a short one. */
inline_always int read_elements(struct served_search *search, u64 address)
{
    u64 *words = search->words;
    if (bpf_probe_read_user(words, sizeof(search->words), address) == 0)
        return 1;
    if (bpf_probe_read_user(words, ARRAY_HEAD * sizeof(u64), address) != 0)
        return 0;
    u64 size = (ARRAY_HEAD + (words[1] >> SMI_SHIFT)) * sizeof(u64);
    return size < sizeof(search->words) && bpf_probe_read_user(words, size, address) == 0;
}

/*
 * Adds the first elements of a FixedArray, or variables of a Context.
 *
 * head: ARRAY_HEAD, or with what a Context has before its variables
 */
GLOBAL int add_elements(u64 array, u64 head)
{
    struct served_search *search = search_in_use();
    if (!search || !is_object(array) || !read_elements(search, array - HEAP_OBJECT_TAG))
        return 0;
    u64 *elements = search->words + (head == ARRAY_HEAD ? ARRAY_HEAD : ARRAY_HEAD + CONTEXT_HEAD);
    u64 length = (search->words[1] >> SMI_SHIFT) - (head - ARRAY_HEAD);
    u64 count = search->candidate_count;
#pragma clang loop unroll(disable)
    for (u64 i = 0; i < MAX_ELEMENTS; i++) {
        search->candidates[count & (CANDIDATES - 1)] = elements[i];
        count += is_less(i, length) & ~is_not_zero((elements[i] & TAG_MASK) ^ HEAP_OBJECT_TAG);
    }
    search->candidate_count = count;
    return 0;
}

/* Looks at the candidates, in their order, until one leads to a stream. */
GLOBAL int look_at_candidates(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    search->candidate = 0;
    search->object = 0;
    bpf_loop(MAX_LOOKS, look_at_object, &search, 0);
    return 0;
}

/* A turn of bpf_loop: one candidate. Returns 1 when there is nothing more to add. */
CALLBACK long add_callee(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    if (turn >= search->candidate_count)
        return 1;
    note_callee(search, search->candidates[turn & (CANDIDATES - 1)]);
    return 0;
}

/* The candidates may be functions that call who waits. */
GLOBAL int add_callees(void)
{
    struct served_search *search = search_in_use();
    if (search)
        bpf_loop(CANDIDATES, add_callee, &search, 0);
    return 0;
}

/* What takes the result of a promise on the way may be a function that calls who waits. */
GLOBAL int add_handler(void)
{
    struct served_search *search = search_in_use();
    if (search && search->handler)
        note_callee(search, search->handler);
    return 0;
}

/* What a function has is to be looked at: its receiver, parameters and variables, each 0 if there are none. */
GLOBAL int look_at(u64 function, u64 receiver, u64 registers, u64 context)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    add_candidate(search, receiver, 1);
    add_elements(registers, ARRAY_HEAD);
    add_elements(context, ARRAY_HEAD + CONTEXT_HEAD);
    if (search->running == 0) {
        search->running = function;
        search->is_first = 1;
    }
    return 0;
}

/* The microtask has called a function whose variables are not needed. */
inline_always void runs(struct served_search *search, u64 function)
{
    search->running = function;
}

/* The function takes the result of a promise on the way: it may call who waits, if nobody waits for what it returns. */
inline_always void handles(struct served_search *search, u64 function)
{
    search->handler = function;
}

/* A promise on the way has a further reaction: all that wait for it are to be of one request. */
inline_always void add_reaction(struct served_search *search, u64 reaction)
{
    u32 count = search->reaction_count;
    search->is_branched = 1;
    if (count >= MAX_REACTIONS) {
        search->is_branch_lost = 1;
        return;
    }
    search->reactions[count & (MAX_REACTIONS - 1)] = reaction;
    search->reaction_count = count + 1;
}

/* Whether a Map is that of functions. */
inline_always int is_function_map(struct served_search *search, u64 map)
{
    u16 *type = &search->type;
    if (!is_object(map) || bpf_probe_read_user(type, sizeof(*type), map - HEAP_OBJECT_TAG + search->instance_type) != 0)
        return 0;
    return *type >= search->promises.first_function && *type <= search->promises.last_function;
}

/* Reads the function of a frame, with its map, into search->closure. Returns whether it is one. */
inline_always int is_closure(struct served_search *search)
{
    u64 function = search->frame.function;
    u64 size = (search->promises.function_context & FUNCTION_MASK) + FUNCTION_END; /* nothing may be mapped behind it */
    if (!is_object(function) || bpf_probe_read_user(search->closure, size, function - HEAP_OBJECT_TAG) != 0)
        return 0;
    u64 map = search->closure[0];
    if (map == search->function_map)
        return 1;
    if (!is_function_map(search, map))
        return 0;
    search->function_map = map;
    return 1;
}

/* The closures that were made by a function whose context this is, or a part of, are no strangers. */
GLOBAL int meet(u64 context)
{
    struct served_search *search = search_in_use();
    u64 left = 0;
    if (!search)
        return 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        left |= search->strangers[i];
    if (left == 0)
        return 0;
#pragma clang loop unroll(full)
    for (u32 scope = 0; scope < MAX_SCOPES; scope++) {
#pragma clang loop unroll(full)
        for (u32 i = 0; i < MAX_STRANGERS; i++)
            search->strangers[i] &= -is_not_zero(search->strangers[i] ^ context);
        context = is_object(context) ? read_pointer(context + CONTEXT_PREVIOUS) : 0;
        if (context == 0)
            return 0;
    }
    return 0;
}

/*
 * Whether the key was on the stack in another turn of the thread, since V8 has collected the old generation: so it is called
 * again and again. After a collection another object may be at its address.
 */
GLOBAL int was_called(u64 object)
{
    struct served_search *search = search_in_use();
    if (!search || search->call.relocations == 0)
        return 0;
    search->key.word = object;
    struct function_call *call = bpf_map_lookup_elem(&function_calls, &search->key);
    if (call && call->relocations == search->call.relocations)
        return call->turn != search->call.turn;
    bpf_map_update_elem(&function_calls, &search->key, &search->call, BPF_ANY);
    return 0;
}

/* The FeedbackCell of a JSFunction; 0 if it cannot be read. */
inline_always u64 read_cell(struct served_search *search, u64 function)
{
    return read_pointer(function - HEAP_OBJECT_TAG + search->promises.function_context + FEEDBACK_CELL);
}

/*
 * The Map of the FeedbackCell of all functions of V8's own, which stands for many closures; 0 = not known. Function.prototype
 * is one, to which the prototypes of all functions lead: that of an async one in two steps, through AsyncFunction.prototype.
 */
inline_always u64 find_many_closures(struct served_search *search)
{
    u64 map = search->closure[0];
#pragma clang loop unroll(full)
    for (u32 step = 0; step < 2; step++) {
        u64 prototype = read_pointer(map + MAP_PROTOTYPE);
        map = is_object(prototype) ? read_pointer(prototype + OBJECT_MAP) : 0;
        if (is_function_map(search, map)) {
            u64 cell = read_cell(search, prototype);
            return is_object(cell) ? read_pointer(cell + OBJECT_MAP) : 0;
        }
    }
    return 0;
}

/*
 * The FeedbackCell of a function of which there is only one closure; 0 = there are several. V8 counts them by the Map of
 * their FeedbackCell: that of one closure, or that of many (Factory::JSFunctionBuilder, FastNewClosure).
 */
inline_always u64 cell_of_only_one(struct served_search *search)
{
    u64 offset = (search->promises.function_context & FUNCTION_MASK) + FEEDBACK_CELL;
    u64 cell = *(u64 *)((void *)search->closure + offset);
    u64 map = is_object(cell) ? read_pointer(cell + OBJECT_MAP) : 0;
    if (search->many_closures == 0)
        search->many_closures = find_many_closures(search);
    return map && search->many_closures && map != search->many_closures ? cell : 0;
}

enum generation {
    NOT_KNOWN,
    YOUNG,
    OLD,
};

/* That of an object, by the flags of its page (v8/src/heap: MemoryChunk::Flag). */
inline_always enum generation generation_of(u64 object)
{
    u64 head[2];
    if (bpf_probe_read_user(head, sizeof(head), object & ~(u64)(PAGE_BYTES - 1)) != 0)
        return NOT_KNOWN;
    u64 flags = head[0] == PAGE_BYTES ? head[1] : head[0]; /* before V8 12, the size of the page comes first */
    return flags & YOUNG_PAGE ? YOUNG : OLD;
}

/*
 * Whether a closure is no request's: a handler that was made for the whole program, a method of a client, a listener of a
 * connection. It is called again and again; what waits for one call is not. Young objects move.
 */
inline_always int is_of_many_calls(struct served_search *search, u64 function)
{
    u64 cell = cell_of_only_one(search);
    if (cell)
        return was_called(cell);
    int is_again = generation_of(function) == OLD && was_called(function);
    search->is_called_again |= is_again;
    return is_again;
}

/* How the names of Node's own scripts begin, "node:"; V8 has the characters of such a string behind its map, hash and length. */
#define NODE_SCRIPT 0x3a65646f6eULL
#define NODE_SCRIPT_MASK 0xffffffffffULL
#define STRING_CHARACTERS 16

/*
 * Whether a SharedFunctionInfo is that of a function of Node's own, by the name of its script, or of V8's, which has none.
 * SHAPE_UNKNOWN if it cannot be read.
 */
inline_always enum shape_kind kind_of_code(struct served_search *search, u64 shared)
{
    u64 script = read_pointer(shared - HEAP_OBJECT_TAG + search->function_script);
    u64 map = is_object(script) ? read_pointer(script + OBJECT_MAP) : 0;
    u16 *type = &search->type;
    if (!is_object(map) || bpf_probe_read_user(type, sizeof(*type), map - HEAP_OBJECT_TAG + search->instance_type) != 0)
        return SHAPE_UNKNOWN;
    if (*type == search->oddball_type) {
        u64 builtin = read_pointer(shared - HEAP_OBJECT_TAG + (search->promises.builtin & BUILTIN_MASK));
        int is_promise = builtin == (u64)search->promises.promise_constructor << SMI_SHIFT;
        return is_promise ? SHAPE_PROMISE_CONSTRUCTOR : SHAPE_OF_NODE;
    }
    u64 name = read_pointer(script - HEAP_OBJECT_TAG + search->script_name);
    u64 characters = is_object(name) ? read_pointer(name - HEAP_OBJECT_TAG + STRING_CHARACTERS) : 0;
    return (characters & NODE_SCRIPT_MASK) == NODE_SCRIPT ? SHAPE_OF_NODE : SHAPE_NOTHING;
}

/*
 * Of the function in search->closure, whether it is one of Node's own, such as FileHandle.close, or V8's: what of a program
 * that calls shows by itself.
 */
inline_always enum shape_kind kind_of_function(struct served_search *search)
{
    u64 shared = *(u64 *)((void *)search->closure + (search->promises.function_shared & FUNCTION_MASK));
    if (!is_object(shared))
        return SHAPE_NOTHING;
    search->key.word = shared;
    struct heap_shape *shape = answer_to(search);
    if (shape)
        return shape->kind;
    enum shape_kind kind = kind_of_code(search, shared);
    if (kind == SHAPE_UNKNOWN)
        return SHAPE_NOTHING;
    search->unknown.example = shared;
    search->unknown.kind = kind;
    bpf_map_update_elem(&heap_shapes, &search->key, &search->unknown, BPF_ANY);
    search->unknown.kind = SHAPE_UNKNOWN;
    return kind;
}

/* Whether a function was made outside of all others, as those of a module. */
inline_always int is_of_module(struct served_search *search, u64 context)
{
    return context == search->native_context || read_pointer(context + CONTEXT_PREVIOUS) == search->native_context;
}

/* Whether there are closures that are not found to be made on the stack. */
inline_always int are_strangers_left(struct served_search *search)
{
    u64 left = search->stranger_count > MAX_STRANGERS; /* there was no room for the outer ones */
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        left |= search->strangers[i];
    return left != 0;
}

/*
 * Whether an object is an AsyncResource. What a function of Node's calls for one, as runInAsyncScope() does, has the async id
 * of that, whatever has called it.
 */
inline_always int is_resource(struct served_search *search, u64 object)
{
    if (!is_object(object))
        return 0;
    search->key.word = read_pointer(object + OBJECT_MAP);
    struct heap_shape *shape = search->key.word ? shape_of_map(search, object) : 0;
    search->is_scope_open |= !shape;
    return shape && shape->kind == SHAPE_RESOURCE;
}

/* The receiver and the arguments of a frame are the candidates. */
inline_always void add_arguments(struct served_search *search)
{
    begin_candidates(search);
    add_candidate(search, search->frame.receiver, 1);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ARGUMENTS; i++)
        add_candidate(search, search->frame.arguments[i], i + 1 < search->frame.argument_count);
    search->argument_end = search->candidate_count;
}

/* A turn of bpf_loop: a word of the frame. Returns 1 when there are no more. */
CALLBACK long look_at_word(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    u64 *head = search->words;
    if (turn >= search->frame_word_count)
        return 1;
    u64 word = search->frame_words[turn & (MAX_FRAME_WORDS - 1)];
    if (!is_object(word) || word == search->own_context
        || bpf_probe_read_user(head, CONTEXT_WORDS * sizeof(u64), word - HEAP_OBJECT_TAG) != 0
        || head[0] != search->own_map || head[CONTEXT_SCOPE] != search->own_scope)
        return 0;
    search->own_contexts++;
    search->own_context = word;
    return 0;
}

/*
 * The closures that the function of the frame has made are no strangers. Optimized code keeps the context with which it was
 * called where interpreted code has the one that it has made; that is one of its other words, as V8 needs it when it goes back
 * to interpreted code. Words that are not written yet may have that of an earlier call: then there are two.
 */
GLOBAL int meet_made(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    u64 shared = *(u64 *)((void *)search->closure + (search->promises.function_shared & FUNCTION_MASK));
    u64 scope = is_object(shared) ? read_pointer(shared - HEAP_OBJECT_TAG + search->function_script + SCOPE_BEFORE_SCRIPT) : 0;
    u64 context = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        context |= search->strangers[i] & (is_not_zero(search->stranger_scopes[i] ^ scope) - 1) & (is_not_zero(context) - 1);
    u64 size = search->frame_pointer + FRAME_WORDS_END - search->called_end;
    if (!is_object(scope) || context == 0 || size > sizeof(search->frame_words)
        || bpf_probe_read_user(search->frame_words, size, search->called_end) != 0)
        return 0;
    search->frame_word_count = size / sizeof(u64);
    search->own_scope = scope;
    search->own_map = read_pointer(context + OBJECT_MAP);
    search->own_context = 0;
    search->own_contexts = 0;
    bpf_loop(MAX_FRAME_WORDS, look_at_word, &search, 0);
    return search->own_contexts == 1 ? meet(search->own_context) : 0;
}

/* Looks at the function of a frame. */
GLOBAL int check_closure(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    u64 context = *(u64 *)((void *)search->closure + (search->promises.function_context & FUNCTION_MASK));
    u64 latest_stranger = search->latest_stranger;
    search->latest_stranger = 0;
    meet(search->frame.context);
    if (search->called_end && are_strangers_left(search))
        meet_made();
    enum shape_kind kind = kind_of_function(search);
    if (kind == SHAPE_PROMISE_CONSTRUCTOR && latest_stranger)
        search->strangers[(latest_stranger - 1) & (MAX_STRANGERS - 1)] = 0; /* the function that makes the promise calls it at once */
    if (search->stream)
        return 0;
    if (kind != SHAPE_NOTHING) {
        search->is_scope = is_resource(search, search->frame.receiver);
        return 0;
    }
    search->outermost = search->frame.function;
    search->outermost_context = context;
    search->is_of_module = is_of_module(search, context);
    add_arguments(search);
    if (!search->is_of_module)
        add_elements(context, ARRAY_HEAD + CONTEXT_HEAD);
    look_at_candidates();
    if (search->stream || search->is_of_module || search->is_of_package
        || is_of_many_calls(search, search->frame.function))
        return 0;
    u64 count = search->stranger_count;
    search->stranger_count = count + 1;
    if (count >= MAX_STRANGERS)
        return 0;
    search->latest_stranger = count + 1;
    search->strangers[count & (MAX_STRANGERS - 1)] = context;
    search->stranger_scopes[count & (MAX_STRANGERS - 1)] = read_pointer(context - HEAP_OBJECT_TAG + CONTEXT_SCOPE * sizeof(u64));
    search->stranger_closures[count & (MAX_STRANGERS - 1)] = search->frame.function;
    return 0;
}

enum frame_kind {
    FRAME_UNREADABLE,
    FRAME_ENTRY, /* of C++ that calls JavaScript; its caller is the last frame of JavaScript before it */
    FRAME_FUNCTION, /* the function is in search->closure */
    FRAME_OTHER,
};

/* Reads the next frame, from the hit on, into search->frame. Returns an enum frame_kind. */
GLOBAL int read_frame(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return FRAME_UNREADABLE;
    struct called_frame *frame = &search->frame;
    if (bpf_probe_read_user(frame, sizeof(*frame), search->frame_pointer + CALLED_FRAME) != 0)
        return FRAME_UNREADABLE;
    if (frame->context == ENTRY_MARKER || frame->context == CONSTRUCT_ENTRY_MARKER) {
        u64 place = search->frame_pointer + ENTRY_EXIT_FRAME;
        return bpf_probe_read_user(&frame->caller, sizeof(frame->caller), place) == 0 ? FRAME_ENTRY : FRAME_UNREADABLE;
    }
    if (!is_object(frame->context))
        return FRAME_OTHER;
    if (is_closure(search))
        return FRAME_FUNCTION;
    search->is_hidden = 1; /* the kernel may be moving its page */
    return FRAME_OTHER;
}

/* HeapShape.keyOfCode(): the words around a return address show whether the code there is the same one. */
#define CODE_WORDS 4
#define CODE_BEFORE (CODE_WORDS / 2 * sizeof(u64))
#define CODE_FACTOR 0x9e3779b97f4a7c15ULL

/* What the collector has answered about a place in code; 0 = nothing yet. */
inline_always struct heap_shape *shape_of_code(struct served_search *search, u64 return_address)
{
    u64 *words = search->words;
    if (return_address == 0
        || bpf_probe_read_user(words, CODE_WORDS * sizeof(u64), return_address - CODE_BEFORE) != 0)
        return 0;
    u64 word = return_address;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < CODE_WORDS; i++) {
        word = (word ^ words[i]) * CODE_FACTOR;
        word ^= word >> 32;
    }
    search->key.word = word;
    search->key.kind = KEY_CODE;
    struct heap_shape *shape = ask(search, return_address);
    search->key.kind = KEY_OBJECT;
    return shape;
}

/*
 * Whether the frame looks like that of an interpreted function, into which nothing is compiled. Optimized code may have such
 * words there, from a frame that was there before: this counts only until the collector has answered. A loop that V8 has
 * replaced by optimized code while it ran keeps the BytecodeArray, but mostly has no offset, as it was compiled before.
 */
inline_always int is_interpreted(struct served_search *search)
{
    if ((u32)search->frame.bytecode_offset)
        return 0;
    u64 bytecode = search->frame.bytecode_array;
    u64 map = is_object(bytecode) ? read_pointer(bytecode + OBJECT_MAP) : 0;
    if (map == 0 || map == search->bytecode_map)
        return map != 0;
    u16 *type = &search->type;
    if (!is_object(map) || bpf_probe_read_user(type, sizeof(*type), map - HEAP_OBJECT_TAG + search->instance_type) != 0
        || *type != search->bytecode_type)
        return 0;
    search->bytecode_map = map;
    return 1;
}

/* Whether the frame is of baseline code, into which nothing is compiled either: it is in the code that its function has now. */
inline_always int is_baseline(struct served_search *search)
{
    struct baseline_layout *layout = &search->baseline;
    u64 shared = *(u64 *)((void *)search->closure + (search->promises.function_shared & FUNCTION_MASK));
    if (layout->function_data == 0)
        return 0;
    u64 code = read_pointer(shared - HEAP_OBJECT_TAG + layout->function_data);
    if (!is_object(code))
        return 0;
    code -= HEAP_OBJECT_TAG;
    u32 *size = (u32 *)search->words;
    u64 start = layout->instruction_start ? read_pointer(code + layout->instruction_start) : code + layout->instructions;
    return bpf_probe_read_user(size, sizeof(*size), code + layout->instruction_size) == 0
           && search->return_address - start - 1 < *size;
}

/*
 * Finds what is compiled into the function of the frame, and so has none: one of several closures of a function, which may be
 * another request's. Returns whether there is anything.
 */
GLOBAL int find_inlined(void)
{
    struct served_search *search = search_in_use();
    if (!search || search->stream)
        return 0;
    struct heap_shape *shape = shape_of_code(search, search->return_address);
    if (!shape || shape->kind == SHAPE_HIDDEN) {
        search->is_hidden |= shape || !(is_interpreted(search) || is_baseline(search));
        return 0;
    }
    search->inlined[0] = shape->next;
    search->inlined[1] = shape->other;
    search->is_inlined_scope = shape->kind == SHAPE_INLINED_SCOPE;
    return shape->kind != SHAPE_NOTHING;
}

/* Reads one of these as if it had the frame, without arguments. Returns whether there is one. */
GLOBAL int read_inlined(u32 index)
{
    struct served_search *search = search_in_use();
    s32 place = search ? search->inlined[index & 1] : 0;
    if (!search || place == 0)
        return 0;
    struct called_frame *frame = &search->frame;
    frame->argument_count = 0;
    frame->receiver = 0;
    frame->function = read_pointer(search->frame_pointer + place);
    search->called_end = 0;
    if (!is_closure(search)) {
        search->is_hidden = 1;
        return 0;
    }
    frame->context = *(u64 *)((void *)search->closure + (search->promises.function_context & FUNCTION_MASK));
    return 1;
}

/* Looks at the function of the frame, behind what is compiled into it. */
inline_always void check_function(struct served_search *search)
{
    if (find_inlined()) {
        u64 called_end = search->called_end;
        if (read_inlined(0))
            check_closure();
        if (read_inlined(1))
            check_closure();
        search->called_end = called_end;
        search->is_scope = search->is_inlined_scope;
        read_frame();
    }
    if (!search->is_scope)
        check_closure();
}

/* A turn of bpf_loop: one frame. Returns 1 when there are no more, or no more are needed. */
CALLBACK long check_frame(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    struct called_frame *frame = &search->frame;
    enum frame_kind kind = read_frame();
    if (kind == FRAME_UNREADABLE)
        return 1;
    if (kind == FRAME_ENTRY) {
        search->entered[2] = search->entered[0];
        search->entered[3] = search->entered[1];
        search->entered[0] = search->latest;
        search->entered[1] = search->before_latest;
    } else if (kind == FRAME_FUNCTION) {
        search->before_latest = search->latest;
        search->latest = frame->function;
        check_function(search);
        if (search->is_scope || (search->stream && !are_strangers_left(search)))
            frame->caller = 0;
    }
    if (frame->caller == 0) {
        search->are_all_seen = 1;
        return 1;
    }
    if (frame->caller <= search->frame_pointer || frame->caller % sizeof(u64) != 0)
        return 1;
    search->called_end = search->frame_pointer + CALLER_STACK;
    search->return_address = kind == FRAME_ENTRY ? 0 : frame->return_address;
    search->frame_pointer = frame->caller;
    return 0;
}

/* Goes along the frames. Returns whether they could be read. */
inline_always int search_frames(struct served_search *search, struct context_process *process, u64 isolate)
{
    u64 context = read_pointer(isolate + process->context);
    u64 map = context ? read_pointer(context + OBJECT_MAP) : 0;
    search->native_context = map ? read_pointer(map + NATIVE_CONTEXT) : 0;
    search->frame_pointer = read_pointer(isolate + process->exit_frame);
    search->first_frame = search->frame_pointer;
    if (search->native_context == 0 || search->frame_pointer == 0)
        return 0;
    search->function_map = 0;
    search->are_all_seen = 0;
    search->is_scope = 0;
    search->is_scope_open = 0;
    search->outermost = 0;
    search->outermost_context = 0;
    search->latest = 0;
    search->before_latest = 0;
    search->latest_stranger = 0;
    search->called_end = 0;
    search->return_address = 0;
    search->bytecode_map = 0;
    search->is_hidden = 0;
    search->is_called_again = 0;
    search->caller = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ENTERED; i++)
        search->entered[i] = 0;
    search->stranger_count = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        search->strangers[i] = 0;
    bpf_loop(MAX_CALLED_FRAMES, check_frame, &search, 0);
    search->last_frame = search->frame_pointer;
    return 1;
}

/* A turn of bpf_loop: one frame before the last that was checked. Returns 1 when there are no more, or no more are needed. */
CALLBACK long check_sender(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    enum frame_kind kind = search->frame_pointer == search->last_frame ? FRAME_UNREADABLE : read_frame();
    if (kind == FRAME_UNREADABLE)
        return 1;
    if (kind == FRAME_FUNCTION) {
        add_arguments(search);
        look_at_candidates();
    }
    search->frame_pointer = search->frame.caller;
    return search->caller != 0;
}

/*
 * Looks for an object that is being sent where Node's own functions alone are on the stack: a tick of Node's in which a
 * request gets its connection has the request and the socket as its parameters.
 */
GLOBAL int find_sender(void)
{
    struct served_search *search = search_in_use();
    if (!search || search->outermost || search->caller)
        return 0;
    search->frame_pointer = search->first_frame;
    bpf_loop(MAX_SENDER_FRAMES, check_sender, &search, 0);
    search->stream = 0;
    return 0;
}

/*
 * Adds the variables of a context, unless it may be of several requests, as it has survived collections. Returns the one
 * around it; 0 if there is none.
 */
inline_always u64 add_scope(struct served_search *search, u64 context)
{
    if (!is_object(context) || is_of_module(search, context) || generation_of(context) != YOUNG)
        return 0;
    add_elements(context, ARRAY_HEAD + CONTEXT_HEAD);
    return read_pointer(context + CONTEXT_PREVIOUS);
}

/* Adds what an object has for an event: a listener, or several. */
inline_always void add_listener(struct served_search *search, u64 listener)
{
    if (!is_object(listener) || !(search->key.word = read_pointer(listener + OBJECT_MAP)))
        return;
    struct heap_shape *shape = shape_of_map(search, listener);
    if (shape && shape->kind == SHAPE_LIST)
        add_elements(read_pointer(listener - HEAP_OBJECT_TAG + shape->next), ARRAY_HEAD);
    else
        add_candidate(search, listener, 1);
}

/* Adds the listeners of an object that has them by event. */
inline_always void add_events(struct served_search *search, u64 events)
{
    struct heap_shape *shape = read_head(search, events) ? shape_of_map(search, events) : 0;
    if (!shape)
        return;
    if (shape->kind == SHAPE_CALLER) {
        add_listener(search, property(search, events, shape->next));
        return;
    }
    u64 dictionary = search->head[PROPERTIES];
    u64 *words = search->words; /* of add_elements(), too */
    if (!is_object(dictionary)
        || bpf_probe_read_user(words, DICTIONARY_HEAD * sizeof(u64), dictionary - HEAP_OBJECT_TAG) != 0)
        return;
    u64 capacity = words[DICTIONARY_CAPACITY] >> SMI_SHIFT;
    u64 head = ARRAY_HEAD + (words[1] >> SMI_SHIFT) - DICTIONARY_ENTRY * capacity;
    if (capacity > MAX_EVENTS || head > MAX_DICTIONARY_HEAD)
        return;
    u64 entry = dictionary - HEAP_OBJECT_TAG + head * sizeof(u64);
#pragma clang loop unroll(disable)
    for (u64 i = 0; i < MAX_EVENTS; i++) {
        if (i >= capacity || bpf_probe_read_user(words, 2 * sizeof(u64), entry) != 0)
            return;
        if (words[0] != words[1]) /* an entry of no event has one word twice */
            add_listener(search, words[1]);
        entry += DICTIONARY_ENTRY * sizeof(u64);
    }
}

/* The listeners of the request that was looked at may be functions that call who waits. */
GLOBAL int add_listeners(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    add_events(search, search->events);
    return add_callees();
}

/* Adds what an object calls when it is done; of a socket, the request that is being sent. The listeners of one are left. */
inline_always void add_called(struct served_search *search, u64 object)
{
    struct heap_shape *shape = read_head(search, object) ? shape_of_map(search, object) : 0;
    if (shape && shape->kind == SHAPE_SOCKET) {
        object = property(search, object, shape->other);
        shape = read_head(search, object) ? shape_of_map(search, object) : 0;
    }
    if (!shape || shape->kind < SHAPE_CALLER || shape->kind == SHAPE_LIST || !shape->next)
        return;
    u64 called = property(search, object, shape->next);
    if (shape->kind != SHAPE_CLIENT) {
        add_candidate(search, called, 1);
        return;
    }
    if (shape->other)
        add_candidate(search, property(search, object, shape->other), 1);
    search->events = called;
}

/*
 * Looks at what may be a function: the resolving one of a promise leads to who waits for that, a closure to what it sees, an
 * object to the function that it calls.
 */
GLOBAL int look_at_callee(u64 callee)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    struct v8_walk walk = walk_of(search);
    struct promise_reading *reading = reading_of(&walk);
    read_builtin(&walk, callee);
    u64 context = reading->builtin_context;
    if (reading->builtin == search->promises.capability_resolve) {
        search->is_on_promise =
            read_word(reading, context, CONTEXT_SLOT_2, &walk.room->frame_pointer) == STEP_DONE;
    } else if (reading->builtin == NOT_A_BUILTIN
               && search->steps < (search->phase == OF_STRANGER ? MAX_CALLEE_STEPS : MAX_CALLER_STEPS)) {
        if (context)
            add_scope(search, add_scope(search, context));
        else
            add_called(search, callee);
        add_callees();
    }
    return 0;
}

/* Whether the function that the microtask has called is on the stack. */
inline_always int is_running_entered(struct served_search *search)
{
    u64 differs = is_not_zero(search->running);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ENTERED; i++)
        differs &= is_not_zero(search->entered[i] ^ search->running);
    return search->running != 0 && !differs;
}

/* Goes on with who waits for what a function, or an object, calls. */
inline_always void begin_callee(struct served_search *search, enum search_phase phase, u64 callee)
{
    search->phase = phase;
    search->callee = 0;
    search->callees[0] = callee;
    search->callee_count = 1;
    search->steps = 0;
    search->steps_end = 1;
}

/* Goes on with who waits for the first closure that is a stranger. */
inline_always void begin_strangers(struct served_search *search)
{
    u64 closure = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        closure |= search->stranger_closures[i] & -is_not_zero(search->strangers[i]) & (is_not_zero(closure) - 1);
    begin_callee(search, OF_STRANGER, closure);
}

/* Whether a promise has several reactions, and not all that wait for it are known. */
inline_always int is_branch_open(struct served_search *search)
{
    return search->is_branch_lost || (search->is_branched && search->is_open);
}

/* Nothing more waits for the microtask. Returns 1 if nothing more is to be looked at. */
inline_always int end_microtask(struct served_search *search)
{
    if (!is_running_entered(search)) {
        search->waiting_stream = 0;
        search->phase = SEARCHED;
        return 1;
    }
    if (is_branch_open(search))
        search->waiting_stream = 0;
    search->is_branched = 0;
    search->is_branch_lost = 0;
    /* Nothing but the microtask has called its function. */
    if (search->outermost == search->running)
        meet(search->outermost_context);
    if (are_strangers_left(search)) {
        search->waiting_stream = 0;
        begin_strangers(search);
        return 0;
    }
    search->phase = search->waiting_stream ? SEARCHED : OF_RUNNING;
    add_handler();
    search->steps = 1;
    search->steps_end = search->callee_count;
    return search->phase == SEARCHED;
}

/*
 * All functions were looked at. Where they lead to nobody, the object may. One that was found behind a stranger is another
 * request's. Returns 1 if nothing more is to be looked at.
 */
inline_always int end_callees(struct served_search *search)
{
    if (search->phase == OF_CALLER || search->waiting_stream || search->caller == 0
        || (search->phase == OF_STRANGER && search->caller_strangers))
        return 1;
    begin_callee(search, OF_CALLER, search->caller);
    return 0;
}

/* A step along the promises of the search: an enum step. */
GLOBAL int follow_waiting(u32 turn)
{
    struct served_search *search = search_in_use();
    if (!search)
        return STEP_CUT;
    struct v8_walk walk = walk_of(search);
    return follow(&walk, turn, search);
}

/* A turn of bpf_loop: one promise, or one function. Returns 1 when there is nothing more to look at. */
CALLBACK long search_waiting(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    struct javascript_room *room = (void *)search->room;
    enum step step = STEP_DONE;
    search->stream = 0;
    begin_candidates(search);
    if (search->is_on_promise) {
        search->is_first = 0;
        step = follow_waiting(search->promise_turn);
        if (search->is_first)
            add_callees();
        search->is_on_promise = step == STEP_DONE;
        search->promise_turn = ON_PROMISE;
    } else if (search->reaction_count) {
        search->reaction_count--;
        room->frame_pointer = search->reactions[search->reaction_count & (MAX_REACTIONS - 1)];
        search->is_on_promise = 1;
        search->promise_turn = ON_REACTION;
        return 0;
    } else if (search->phase == OF_MICROTASK) {
        return end_microtask(search) != 0;
    } else {
        u64 callee = search->callee;
        if (callee == search->steps_end) {
            search->steps++;
            search->steps_end = search->callee_count;
        }
        if (callee >= search->callee_count)
            return end_callees(search);
        search->callee = callee + 1;
        search->events = 0;
        look_at_callee(search->callees[callee & (CALLEES - 1)]);
        if (search->events)
            add_listeners();
    }
    look_at_candidates();
    if (search->stream == 0) {
        search->is_branch_lost |= search->is_branched && step != STEP_DONE && step != STEP_NOBODY;
        return 0;
    }
    search->is_on_promise = 0;
    if (search->waiting_stream && search->stream != search->waiting_stream)
        search->is_contradicted = 1;
    search->waiting_stream = search->stream;
    return search->is_contradicted != 0;
}

/* Nobody was found: what is in place of a stream. */
GLOBAL int find_doubt(u32 is_microtask, u32 is_sure)
{
    struct served_search *search = search_in_use();
    if (!search)
        return UNSURE;
    int is_stranger_left = are_strangers_left(search);
    /* Nothing but Node has called the outermost function. */
    if (!is_microtask)
        meet(search->outermost_context);
    if (are_strangers_left(search) || (is_microtask && !is_sure))
        return UNSURE;
    if (is_microtask)
        return NO_STREAM;
    return (is_stranger_left || search->is_called_again) && !search->is_scope ? MADE_ELSEWHERE : 0;
}

inline_always u64 search_stream(struct served_search *search, struct context_process *process, u64 isolate, u64 microtask)
{
    struct javascript_room *room = (void *)search->room;
    search->promises = process->promises;
    search->instance_type = process->fields.instance_type;
    struct v8_walk walk = walk_of(search);
    struct promise_reading *reading = reading_of(&walk);
    search->phase = OF_MICROTASK;
    search->stream = 0;
    search->many_closures = 0;
    search->callee_count = 0;
    search->callee = 0;
    search->waiting_stream = 0;
    search->is_contradicted = 0;
    search->is_open = 0;
    search->oddball_type = process->fields.oddball_type;
    search->bytecode_type = process->fields.bytecode_type;
    search->function_script = process->function_script;
    search->script_name = process->script_name;
    search->baseline = process->baseline;
    reading->shared_map = 0;
    reading->closure_map = 0;
    room->function_map = 0;
    if (!search_frames(search, process, isolate))
        return 0;
    if (!search->are_all_seen || search->is_hidden || (search->is_scope_open && (search->stream || microtask)))
        return UNSURE;
    if (search->is_scope)
        microtask = 0; /* what has called the scope is nothing to what it calls */
    u64 by_frames = search->stream;
    int is_stranger_left = are_strangers_left(search);
    if (!is_stranger_left && by_frames)
        return by_frames | ON_STACK;
    if (!microtask)
        find_sender();
    if (!is_stranger_left && !microtask && search->caller == 0)
        return search->is_called_again && !search->is_scope ? MADE_ELSEWHERE : 0;
    room->frame_pointer = microtask;
    search->is_on_promise = microtask && !by_frames;
    search->running = !search->is_on_promise; /* 1: it is not asked for */
    search->promise_turn = search->is_on_promise ? ON_MICROTASK : ON_PROMISE;
    search->handler = 0;
    search->reaction_count = 0;
    search->is_branched = 0;
    search->is_branch_lost = 0;
    if (is_stranger_left && !search->is_on_promise)
        begin_strangers(search);
    else if (!search->is_on_promise)
        begin_callee(search, OF_CALLER, search->caller);
    long turns = bpf_loop(MAX_SEARCH_TURNS, search_waiting, &search, 0);
    int is_sure = turns < MAX_SEARCH_TURNS && !search->is_contradicted && !is_branch_open(search);
    u64 found = is_sure ? search->waiting_stream : 0;
    if (found)
        return search->phase == SEARCHED ? found : found | ON_STACK;
    int doubt = find_doubt(microtask != 0, is_sure);
    return by_frames && (doubt & ~MADE_ELSEWHERE) == 0 ? by_frames | ON_STACK : (u64)doubt;
}

/* The number of the turn in which the thread is. */
inline_always u64 count_turn(struct served_search *search, u32 tid, u64 id)
{
    struct thread_turn *turn = bpf_map_lookup_elem(&thread_turns, &tid);
    if (turn) {
        turn->number += is_not_zero(turn->id ^ id);
        turn->id = id;
        return turn->number;
    }
    search->first_turn.id = id;
    search->first_turn.number = bpf_ktime_get_ns(); /* no number is used twice, if the entry had to make room for another thread's */
    bpf_map_update_elem(&thread_turns, &tid, &search->first_turn, BPF_ANY);
    return search->first_turn.number;
}

/* How often V8 has collected the old generation of the process; 0 = not known. */
inline_always u64 relocations_of(u32 tgid)
{
    struct v8_process *process = bpf_map_lookup_elem(&v8_processes, &tgid);
    return process ? process->relocations : 0;
}

/*
 * Finds the stream of the request that the thread serves: context->served_stream, which stays as it is where it cannot be
 * searched. 0 in a callback: nothing shows one, and nothing speaks against the async ids.
 *
 * Not followed by the verifier from its callers, and so what it leaves in the context is unknown to these: on Linux 6.1 a
 * program that goes on with each of the ways through here is too large.
 *
 * context: as read_async_context() has left it; all words are set
 * ids: the tid, and the tgid in the upper half
 */
GLOBAL int find_served_stream(struct async_context *context, u64 ids)
{
    if (!context)
        return 0;
    u32 tgid = ids >> 32;
    u32 thread_index = ids & (KNOWN_THREADS - 1);
    u32 index = 0;
    u64 microtask = context->microtask;
    struct context_process *process = bpf_map_lookup_elem(&async_contexts, &tgid);
    struct served_search *search = bpf_map_lookup_elem(&served_searches, &index);
    struct known_thread *thread = bpf_map_lookup_elem(&context_threads, &thread_index);
    if (!process || !search || !thread || process->promises.current_microtask == 0 || process->exit_frame == 0)
        return 0;
    context->served_stream = UNSURE;
    if (__sync_val_compare_and_swap(&search->is_used, 0, 1) != 0)
        return 0;
    search->key.tgid = tgid;
    search->call.turn = count_turn(search, ids, microtask ? microtask : context->async_id);
    search->call.relocations = relocations_of(tgid);
    context->served_stream = search_stream(search, process, thread->isolate, microtask);
    search->is_used = 0;
    return 0;
}
