// CO-RE relocations of each kind. The structures are declared with what is used of them, and in another order than the
// kernel's, so that nothing is right unless it is relocated.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
typedef int pid_t;
struct sched_entity {
    __u64 vruntime;
};
struct task_struct {
    int pid;
    struct sched_entity se;
    int tgid;
    char comm[16];
    unsigned in_execve : 1;
    struct task_struct *group_leader;
    int no_such_field;
};
struct task_struct___other {
    int tgid;
    int of_no_kernel;
};
struct of_no_kernel {
    int number;
};
#pragma clang attribute pop

// Other values than the kernel's.
enum pid_type___mine { PIDTYPE_SID___mine = 77, PIDTYPE_NONE___mine = 78 };

SEC("raw_tp/sys_enter")
int identity(void *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task();
    __u64 both = bpf_get_current_pid_tgid();
    if (BPF_CORE_READ(task, pid) != (int)both)
        return 1;
    if (BPF_CORE_READ(task, tgid) != (int)(both >> 32))
        return 2;
    if (BPF_CORE_READ(task, group_leader, pid) != (int)(both >> 32))
        return 3;
    char comm[16] = {}, known[16] = {};
    BPF_CORE_READ_STR_INTO(&comm, task, comm);
    bpf_get_current_comm(known, sizeof(known));
    for (int i = 0; i < 15; i++)
        if (comm[i] != known[i])
            return 4;
    struct task_struct___other *other = (void *)task;
    if (BPF_CORE_READ(other, tgid) != (int)(both >> 32))
        return 5;
    if (BPF_CORE_READ_BITFIELD_PROBED(task, in_execve) != 0)
        return 6;
    return 0;
}

SEC("raw_tp/sys_enter")
int existence(void *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task();
    struct task_struct___other *other = (void *)task;
    int found = 0;
    found |= bpf_core_field_exists(task->comm) ? 1 : 0;
    found |= bpf_core_field_exists(task->no_such_field) ? 2 : 0;
    found |= bpf_core_type_exists(struct task_struct) ? 4 : 0;
    found |= bpf_core_type_exists(struct of_no_kernel) ? 8 : 0;
    found |= bpf_core_enum_value_exists(enum pid_type___mine, PIDTYPE_SID___mine) ? 16 : 0;
    found |= bpf_core_enum_value_exists(enum pid_type___mine, PIDTYPE_NONE___mine) ? 32 : 0;
    // Guarded: what cannot be resolved is never reached.
    if (bpf_core_field_exists(task->no_such_field))
        found += BPF_CORE_READ(task, no_such_field);
    if (bpf_core_field_exists(other->of_no_kernel))
        found += BPF_CORE_READ(other, of_no_kernel);
    return found;
}

SEC("raw_tp/sys_enter")
int size_of_comm(void *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task();
    return bpf_core_field_size(task->comm);
}

SEC("raw_tp/sys_enter")
int size_of_task(void *ctx) {
    return bpf_core_type_size(struct task_struct);
}

SEC("raw_tp/sys_enter")
int offset_of_comm(void *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task();
    return bpf_core_field_offset(task->comm);
}

SEC("raw_tp/sys_enter")
int offset_of_vruntime(void *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task();
    return bpf_core_field_offset(task->se.vruntime);
}

SEC("raw_tp/sys_enter")
int id_of_task(void *ctx) {
    return bpf_core_type_id_kernel(struct task_struct);
}

SEC("raw_tp/sys_enter")
int session(void *ctx) {
    return bpf_core_enum_value(enum pid_type___mine, PIDTYPE_SID___mine);
}

SEC("tp_btf/sys_enter")
int direct(__u64 *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task_btf();
    return task->pid == (int)bpf_get_current_pid_tgid() ? 0 : 1;
}

char LICENSE[] SEC("license") = "GPL";
