/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: what enters the kernel (raw tracepoint sys_enter) is paired with what leaves it (sys_exit) by the thread, which
 * can be in one call at a time. Either each call is an event, or calls are summed by thread and number (sums.h):
 *
 *                     each is an event                  summed
 *     sys_enter       begin_syscall: makes an entry     begin_summed_syscall: fills the thread's entry
 *     sys_exit        end_syscall                       end_summed_syscall
 *     end of thread   end_syscall_with_thread           end_summed_syscall_with_thread
 *     the entry is    deleted at the end of the call    kept from call to call: most calls change no map but only values
 *
 * Of the calls that are summed those are events, too, that last (syscall_limit), fail, or are of a kind that always is one
 * (RARE). EAGAIN and EINTR are no failures that mean anything, nor are the kernel's own errors that become EINTR or a restart.
 *
 * A call that never comes back (exit, exit_group) ends with its thread, without a result. A return without an entry is ignored:
 * the call began before the probe was there, is the child's side of a fork, or was refused by seccomp before sys_enter.
 *
 * Where the end of a call is an event, the function returns the entry, and the assembled program reserves a sample, has it
 * filled (write_syscall), and adds the stacks that the probe asks for. Texts are read at the end: by then the kernel itself has
 * had their pages brought in.
 */
#include "event.h"
#include "sums.h"

/*
 * uretprobe and uprobe: how the kernel itself comes back from a probe on x86-64 (since 6.11), no call of the program
 * (arch/x86/entry/syscalls/syscall_64.tbl). No other architecture has calls of these numbers.
 */
#define FIRST_CALL_OF_PROBES 335
#define CALLS_OF_PROBES 2

/* SyscallProbes.COUNT: how many probes there are. The last is that of calls beyond the table (of another ABI, -1). */
#define SYSCALL_PROBES 640

/* asm-generic/errno.h, linux/errno.h */
#define EINTR 4
#define EAGAIN 11
#define ERESTARTSYS 512
#define ERESTART_RESTARTBLOCK 516
#define MAX_ERRNO 4095

/* SyscallTexts: an entry of syscall_texts. */
#define GONE_ON_SUCCESS (1U << 24)
#define RARE (1U << 25)

#define TEXT_BYTES 258

#define WORDS_OF_REGISTERS 8

/* SyscallLayout: a call that has not ended, and the beginning of a sample. */
struct open_syscall {
    struct event_header event;
    u64 registers[WORDS_OF_REGISTERS]; /* those of struct pt_regs in which the six arguments lie */
};

/* Where calls are summed: the entry of a thread. */
struct syscall_thread {
    struct open_syscall call; /* timestamp_ns: 0 = it is in none */
    u32 thread_tag;           /* as in struct sum_key */
    u32 unused;
};

/* As ArgumentSlot draws it. */
struct syscall_text {
    u32 length; /* of the text and its NUL; 0 = it could not be read */
    u8 bytes[TEXT_BYTES];
};

struct syscall_sample {
    struct open_syscall call;
    s64 result;
    struct syscall_text texts[2]; /* 0, 1 or 2, then the stacks, if asked for */
};

/* The end of a call that is an event; on the stack of the assembled program. */
struct syscall_end {
    u64 duration_ns;
    s64 result;
    u64 unavailable;
    u32 texts; /* SyscallTexts */
    u32 probe;
};

/* By the tid. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(struct syscall_thread);
} open_syscalls SEC(".maps");

/* By the number of the call. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(SYSCALL_PROBES);
    MAP_KEY(u32);
    MAP_VALUE(u32);
} syscall_texts SEC(".maps");

struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(struct sum_key);
    MAP_VALUE(struct sum);
} syscall_sums SEC(".maps");

/* By the number of the call. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(SYSCALL_PROBES);
    MAP_KEY(u32);
    MAP_VALUE(struct sum);
} syscall_rest SEC(".maps");

/* How many nanoseconds a summed call must last to be an event for that alone. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(u64);
} syscall_limit SEC(".maps");

/* What sys_enter passes. */
struct enter_context {
    u64 registers; /* the address of a struct pt_regs */
    u64 number;
};

/* What sys_exit passes. */
struct exit_context {
    u64 registers;
    s64 result;
};

/* Whether the call is one of the program. */
inline_always int is_call(u64 number)
{
    return number - FIRST_CALL_OF_PROBES >= CALLS_OF_PROBES;
}

/* The number among the probes. */
inline_always u32 probe_index(u64 number)
{
    return number < SYSCALL_PROBES - 1 ? number : SYSCALL_PROBES - 1;
}

/*
 * A recorded thread enters a call; each call is an event. A call whose thread is in another one is counted as the loss of that
 * one.
 *
 * thread: its ids
 * first_probe: that of call 0
 * arguments: where in struct pt_regs the registers begin that are recorded
 */
LINKED int begin_syscall(
    const struct enter_context *context, const struct thread_ids *thread, u32 first_probe, u64 arguments)
{
    if (!is_call(context->number))
        return 0;
    u32 probe = first_probe + probe_index(context->number);
    struct open_syscall call;
    count_hit(probe);
    bpf_probe_read_kernel(call.registers, sizeof(call.registers), context->registers + arguments);
    call.event.thread = *thread;
    call.event.cpu = bpf_get_smp_processor_id();
    call.event.record_type = 0;
    call.event.probe = probe;
    call.event.duration_ns = -1;
    call.event.unavailable = 0;
    call.event.timestamp_ns = bpf_ktime_get_ns();
    int failed = bpf_map_update_elem(&open_syscalls, &thread->tid, &call, BPF_NOEXIST);
    if (failed == -EEXIST) {
        count_loss(probe, RETURN_NOT_SEEN);
        failed = bpf_map_update_elem(&open_syscalls, &thread->tid, &call, BPF_ANY);
    }
    if (failed)
        count_loss(probe, TOO_MANY_OPEN_SPANS);
    return 0;
}

/* The new entry of a thread; 0 = the map is full. */
SELDOM struct syscall_thread *new_syscall_thread(const struct thread_ids *thread)
{
    struct syscall_thread entry = {
        .call.event.thread = *thread,
        .call.event.duration_ns = -1,
        .thread_tag = bpf_ktime_get_ns() >> THREAD_TAG_SHIFT,
    };
    bpf_map_update_elem(&open_syscalls, &thread->tid, &entry, BPF_NOEXIST);
    return bpf_map_lookup_elem(&open_syscalls, &thread->tid);
}

/* The same where calls are summed. The time is taken last, so that it is short of our own work. */
LINKED int begin_summed_syscall(
    const struct enter_context *context, const struct thread_ids *thread, u32 first_probe, u64 arguments)
{
    if (!is_call(context->number))
        return 0;
    u32 probe = first_probe + probe_index(context->number);
    count_hit(probe);
    struct syscall_thread *entry = bpf_map_lookup_elem(&open_syscalls, &thread->tid);
    if (!entry) {
        entry = new_syscall_thread(thread);
        if (!entry) {
            count_loss(probe, TOO_MANY_OPEN_SPANS);
            return 0;
        }
    } else if (entry->call.event.timestamp_ns != 0) {
        count_loss(probe, RETURN_NOT_SEEN);
    }
    struct open_syscall *call = &entry->call;
    call->event.probe = probe;
    bpf_probe_read_kernel(call->registers, sizeof(call->registers), context->registers + arguments);
    call->event.cpu = bpf_get_smp_processor_id();
    call->event.timestamp_ns = bpf_ktime_get_ns();
    return 0;
}

/* What is known of a call (SyscallTexts). */
inline_always u32 texts_of(u32 index)
{
    u32 *texts = bpf_map_lookup_elem(&syscall_texts, &index);
    return texts ? *texts : 0;
}

/*
 * A recorded thread leaves a call; each call is an event.
 *
 * end: gets how it ended
 *
 * Returns the entry of the call, which is to be deleted behind its sample. 0 = there is none.
 */
LINKED struct open_syscall *end_syscall(
    const struct exit_context *context, const struct thread_ids *thread, u32 first_probe, struct syscall_end *end)
{
    struct open_syscall *call = bpf_map_lookup_elem(&open_syscalls, &thread->tid);
    if (!call)
        return 0;
    end->duration_ns = bpf_ktime_get_ns() - call->event.timestamp_ns;
    end->result = context->result;
    end->unavailable = 0;
    end->texts = texts_of(call->event.probe - first_probe);
    end->probe = call->event.probe;
    return call;
}

/* A recorded thread ends within a call. As end_syscall(). */
LINKED struct open_syscall *end_syscall_with_thread(const struct thread_ids *thread, struct syscall_end *end)
{
    struct open_syscall *call = bpf_map_lookup_elem(&open_syscalls, &thread->tid);
    if (!call)
        return 0;
    end->duration_ns = bpf_ktime_get_ns() - call->event.timestamp_ns;
    end->result = 0;
    end->unavailable = RETURN_UNAVAILABLE;
    end->texts = 0;
    end->probe = call->event.probe;
    return call;
}

inline_always void add_syscall(
    const struct syscall_thread *entry, const struct thread_ids *thread, u32 first_probe, const u32 *interval, u64 duration,
    u32 has_failed)
{
    u32 probe = entry->call.event.probe;
    struct sum_key key = {thread->tid, probe, entry->thread_tag};
    add_hit(&syscall_sums, &syscall_rest, probe - first_probe, interval, &key, thread->tgid, duration, has_failed);
}

inline_always int has_failed(s64 result)
{
    return result < 0 && result >= -MAX_ERRNO;
}

/* Whether the error of a call that has failed means something. */
inline_always int is_error(s64 result)
{
    return result != -EAGAIN && result != -EINTR && (result > -ERESTARTSYS || result < -ERESTART_RESTARTBLOCK);
}

/* Whether a call that is summed is an event, too. */
inline_always int is_syscall_event(u32 texts, u64 duration, s64 result)
{
    u32 first = 0;
    u64 *limit = bpf_map_lookup_elem(&syscall_limit, &first);
    return texts & RARE || (limit && duration >= *limit) || (has_failed(result) && is_error(result));
}

/*
 * A recorded thread leaves a call; calls are summed.
 *
 * end: gets how it ended, if it is an event
 * interval: the value of the map sum_interval
 *
 * Returns the entry of the thread if the call is an event: its timestamp is to be 0 behind the sample. Else 0.
 */
LINKED struct open_syscall *end_summed_syscall(const struct exit_context *context, const struct thread_ids *thread,
    u32 first_probe, struct syscall_end *end, const u32 *interval)
{
    struct syscall_thread *entry = bpf_map_lookup_elem(&open_syscalls, &thread->tid);
    if (!entry || entry->call.event.timestamp_ns == 0)
        return 0;
    u64 duration = bpf_ktime_get_ns() - entry->call.event.timestamp_ns;
    s64 result = context->result;
    u32 probe = entry->call.event.probe;
    add_syscall(entry, thread, first_probe, interval, duration, has_failed(result));
    u32 texts = texts_of(probe - first_probe);
    if (!is_syscall_event(texts, duration, result)) {
        entry->call.event.timestamp_ns = 0;
        return 0;
    }
    end->duration_ns = duration;
    end->result = result;
    end->unavailable = 0;
    end->texts = texts;
    end->probe = probe;
    return &entry->call;
}

/* A recorded thread ends. Returns its entry if it is in a call, as end_syscall_with_thread(). */
LINKED struct open_syscall *end_summed_syscall_with_thread(
    const struct thread_ids *thread, u32 first_probe, struct syscall_end *end, const u32 *interval)
{
    struct syscall_thread *entry = bpf_map_lookup_elem(&open_syscalls, &thread->tid);
    if (!entry)
        return 0;
    if (entry->call.event.timestamp_ns == 0) {
        bpf_map_delete_elem(&open_syscalls, &thread->tid);
        return 0;
    }
    u64 duration = bpf_ktime_get_ns() - entry->call.event.timestamp_ns;
    add_syscall(entry, thread, first_probe, interval, duration, 0);
    end->duration_ns = duration;
    end->result = 0;
    end->unavailable = RETURN_UNAVAILABLE;
    end->texts = 0;
    end->probe = entry->call.event.probe;
    return &entry->call;
}

/* Reads text i of a call. Returns the bit of its argument if it cannot be read. */
inline_always u64 read_text(
    struct syscall_text *text, const struct open_syscall *call, const struct syscall_end *end, u32 i)
{
    u32 word = end->texts >> (8 * i) & 0xff;
    int is_gone = end->texts & GONE_ON_SUCCESS && end->result == 0;
    long length = 0;
    if (word < sizeof(*call) / sizeof(u64) && !is_gone)
        length = bpf_probe_read_user_str(text->bytes, TEXT_BYTES, ((const u64 *)call)[word]);
    text->length = length > 0 ? length : 0;
    return length > 0 ? 0 : 1ULL << (end->texts >> (16 + 4 * i) & 0xf);
}

/*
 * Fills the sample of a call, but for its stacks.
 *
 * sample: with room for so many texts
 * texts: a constant in each program
 */
LINKED int write_syscall(
    struct syscall_sample *sample, const struct open_syscall *call, const struct syscall_end *end, u32 texts)
{
    u64 unavailable = end->unavailable;
    sample->call = *call;
    sample->call.event.duration_ns = end->duration_ns;
    sample->result = end->result;
    if (texts > 0)
        unavailable |= read_text(&sample->texts[0], call, end, 0);
    if (texts > 1)
        unavailable |= read_text(&sample->texts[1], call, end, 1);
    sample->call.event.unavailable = unavailable;
    return 0;
}
