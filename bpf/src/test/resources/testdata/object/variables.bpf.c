// Variables in each kind of section, and a literal in .rodata.str1.1.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

enum mode { PLAIN, TWICE };

const volatile int factor = 3;
const volatile enum mode mode = PLAIN;
const volatile char wanted[12] = "probestream";
__s16 start = -7;
static __u8 small = 200;
__u64 sum;
__u32 runs;

SEC("raw_tp/sys_enter")
int add(struct bpf_raw_tracepoint_args *ctx) {
    __u64 added = ctx->args[0] * factor;
    if (mode == TWICE)
        added *= 2;
    sum += added;
    runs++;
    small++;
    return sum + start;
}

SEC("raw_tp/sys_enter")
int compare(struct bpf_raw_tracepoint_args *ctx) {
    char text[12];
    for (int i = 0; i < 12; i++)
        text[i] = wanted[i];
    return bpf_strncmp(text, sizeof(text), "probestream");
}

char LICENSE[] SEC("license") = "GPL";
