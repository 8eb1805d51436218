// A kernel function that no kernel has, and that must be there.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int of_no_kernel(int number) __ksym;

SEC("tp_btf/sys_enter")
int functions(__u64 *ctx) {
    return of_no_kernel(1);
}

char LICENSE[] SEC("license") = "GPL";
