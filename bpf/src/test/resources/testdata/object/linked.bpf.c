// Functions that assembled programs call. How linked.bpf.o was made of it: see compile.sh.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

// Not used: the programs come with a map of this name.
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} calls SEC(".maps");

__hidden __noinline int assembled_program(void) {
    return 0;
}

__hidden __noinline int count_call(__u64 by) {
    __u32 first = 0;
    __u64 *count = bpf_map_lookup_elem(&calls, &first);
    if (!count)
        return -1;
    *count += by;
    return *count;
}

__hidden __noinline int add_call(__u64 left, __u64 right) {
    return count_call(1) < 0 ? -1 : left + right;
}

// Reads behind the room that the caller gives it.
__hidden __noinline int read_far(__u64 *room) {
    return room[70];
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
