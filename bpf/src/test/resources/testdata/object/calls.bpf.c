// Counts the calls of a function and keeps the largest first argument of each thread: the example of the README.
// How calls.bpf.o was made of it: see compile.sh.
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1024);
    __type(key, __u32);
    __type(value, __u64);
} largest SEC(".maps");

const volatile __u64 smallest = 0;
__u64 calls;

SEC("uprobe")
int count(struct pt_regs *ctx) {
    __u64 argument = PT_REGS_PARM1(ctx);
    if (argument < smallest)
        return 0;
    __sync_fetch_and_add(&calls, 1);
    __u32 thread = (__u32)bpf_get_current_pid_tgid();
    __u64 *known = bpf_map_lookup_elem(&largest, &thread);
    if (!known || *known < argument)
        bpf_map_update_elem(&largest, &thread, &argument, BPF_ANY);
    return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
