// A variable that holds an address, which only a linker could fill in.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

static const char text[] = "probestream";
const char *volatile pointer = text;

SEC("raw_tp/sys_enter")
int first(void *ctx) {
    return pointer != 0;
}

char LICENSE[] SEC("license") = "GPL";
