// A map of maps with an inner map in its declaration.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct inner {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u32);
} first SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, 1);
    __type(key, __u32);
    __array(values, struct inner);
} outer SEC(".maps") = {.values = {&first}};

SEC("raw_tp/sys_enter")
int nothing(void *ctx) {
    return 0;
}
