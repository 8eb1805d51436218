// Maps: by types and by sizes, one whose size the loader sets, and one that the kernel creates only with its types.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct counter {
    __u32 count;
};

struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct counter);
} counters SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(key_size, 4);
    __uint(value_size, 8);
} sized SEC(".maps");

static struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096);
} ring SEC(".maps");

SEC("raw_tp/sys_enter")
int store(struct bpf_raw_tracepoint_args *ctx) {
    __u32 key = 1;
    __u64 value = ctx->args[0];
    bpf_map_update_elem(&sized, &key, &value, BPF_ANY);
    bpf_ringbuf_output(&ring, &value, sizeof(value), 0);
    return 0;
}

SEC("tp_btf/sys_enter")
int count(__u64 *ctx) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct counter *counter = bpf_task_storage_get(&counters, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (counter)
        counter->count++;
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
