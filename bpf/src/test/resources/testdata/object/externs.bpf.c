// What is the kernel's: its version, a kernel function that it has, a weak one that it does not have.
#include <linux/bpf.h>
#include <linux/version.h>
#include <bpf/bpf_helpers.h>

extern int LINUX_KERNEL_VERSION __kconfig;
struct task_struct;
extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;
extern int of_no_kernel(int number) __ksym __weak;

SEC("raw_tp/sys_enter")
int version(void *ctx) {
    return LINUX_KERNEL_VERSION;
}

SEC("tp_btf/sys_enter")
int functions(__u64 *ctx) {
    if (of_no_kernel)
        return of_no_kernel(1);
    if (bpf_rcu_read_lock && bpf_rcu_read_unlock) {
        bpf_rcu_read_lock();
        bpf_rcu_read_unlock();
    }
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
