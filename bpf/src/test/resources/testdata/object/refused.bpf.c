// Programs that the verifier refuses: for a load outside of the stack, and for a field that the kernel does not have.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

struct task_struct {
    int no_such_field;
} __attribute__((preserve_access_index));

SEC("raw_tp/sys_enter")
int out_of_bounds(struct bpf_raw_tracepoint_args *ctx) {
    char numbers[8] = {};
    return numbers[ctx->args[0] & 0xff];
}

SEC("raw_tp/sys_enter")
int missing_field(struct bpf_raw_tracepoint_args *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task();
    return BPF_CORE_READ(task, no_such_field);
}

char LICENSE[] SEC("license") = "GPL";
