// A symbol of the kernel without a type, of which only /proc/kallsyms knows the address.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern const void of_no_type __ksym __weak;

SEC("raw_tp/sys_enter")
int address(void *ctx) {
    return &of_no_type != 0;
}

char LICENSE[] SEC("license") = "GPL";
