/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a search for the stream of the request that a thread serves (v8_served_stream.bpf.c), and what it shares with
 * the collector.
 */
#pragma once

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

/* Closures that are not found to be made on the stack yet. */
#define MAX_STRANGERS 4
/* Contexts around a function that are looked at. */
#define MAX_SCOPES 4

/* Reactions of promises on the way that are not looked at yet. */
#define MAX_REACTIONS 4
/* Functions of which it is looked who waits for them. */
#define CALLEES 128
/*
 * Functions that C++ has called, each with the one that it has called: a microtask calls one of V8's own, and that the
 * running one. Those of the outermost two calls are kept: a callback, and the microtasks behind it.
 */
#define MAX_ENTERED 4

/* What is looked at of each function: its receiver, parameters and first variables, and those of the function around it. */
#define MAX_ELEMENTS 8
#define CANDIDATES 32 /* there is room for them */
/* Words of a frame; those of a larger one are not looked at. */
#define MAX_FRAME_WORDS 64
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
