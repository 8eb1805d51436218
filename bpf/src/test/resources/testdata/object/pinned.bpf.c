// A map that is to be pinned.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u32);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
} shared SEC(".maps");

SEC("raw_tp/sys_enter")
int nothing(void *ctx) {
    return 0;
}
