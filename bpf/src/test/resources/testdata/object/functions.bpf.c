// Subprograms: static and global ones, one called by several, a static one that a hidden one calls, and callbacks.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

static __attribute__((noinline)) int twice(int number) {
    return 2 * number + (int)(bpf_get_smp_processor_id() & 0);
}

__attribute__((noinline)) int plus_one(int number) {
    return twice(number) + 1;
}

__hidden __attribute__((noinline)) int minus_one(int number) {
    return twice(number) - 1;
}

static long add(__u32 index, int *sum) {
    *sum += index;
    return 0;
}

SEC("raw_tp/sys_enter")
int nested(struct bpf_raw_tracepoint_args *ctx) {
    return plus_one(ctx->args[0]) * 100 + minus_one(ctx->args[0]);
}

SEC("raw_tp/sys_exit")
int looped(struct bpf_raw_tracepoint_args *ctx) {
    int sum = 0;
    bpf_loop(10, add, &sum, 0);
    return sum + twice(ctx->args[0]);
}

char LICENSE[] SEC("license") = "GPL";
