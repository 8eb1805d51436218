package dev.probestream.bpf.asm;

import java.util.Locale;

/**
 * A kernel function that a program may call, with its number in linux/bpf.h ({@code __BPF_FUNC_MAPPER}) and the first
 * kernel that has it. What each takes and returns: bpf-helpers(7).
 */
public enum Helper {
    /** {@code bpf_map_lookup_elem}, since Linux 3.19. */
    MAP_LOOKUP_ELEM(1),
    /** {@code bpf_map_update_elem}, since Linux 3.19. */
    MAP_UPDATE_ELEM(2),
    /** {@code bpf_map_delete_elem}, since Linux 3.19. */
    MAP_DELETE_ELEM(3),
    /** {@code bpf_ktime_get_ns}, since Linux 4.1. */
    KTIME_GET_NS(5),
    /** {@code bpf_get_smp_processor_id}, since Linux 4.1. */
    GET_SMP_PROCESSOR_ID(8),
    /** {@code bpf_get_current_pid_tgid}, since Linux 4.2. */
    GET_CURRENT_PID_TGID(14),
    /** {@code bpf_get_current_uid_gid}, since Linux 4.2. */
    GET_CURRENT_UID_GID(15),
    /** {@code bpf_get_current_comm}, since Linux 4.2. */
    GET_CURRENT_COMM(16),
    /** {@code bpf_get_current_task}, since Linux 4.8. */
    GET_CURRENT_TASK(35),
    /** {@code bpf_current_task_under_cgroup}, since Linux 4.9. */
    CURRENT_TASK_UNDER_CGROUP(37),
    /** {@code bpf_get_stack}, since Linux 4.18. */
    GET_STACK(67),
    /** {@code bpf_get_current_cgroup_id}, since Linux 4.18. */
    GET_CURRENT_CGROUP_ID(80),
    /** {@code bpf_probe_read_user}, since Linux 5.5. */
    PROBE_READ_USER(112),
    /** {@code bpf_probe_read_kernel}, since Linux 5.5. */
    PROBE_READ_KERNEL(113),
    /** {@code bpf_probe_read_user_str}, since Linux 5.5. */
    PROBE_READ_USER_STR(114),
    /** {@code bpf_probe_read_kernel_str}, since Linux 5.5. */
    PROBE_READ_KERNEL_STR(115),
    /** {@code bpf_get_ns_current_pid_tgid}, since Linux 5.7. */
    GET_NS_CURRENT_PID_TGID(120),
    /** {@code bpf_get_current_ancestor_cgroup_id}, since Linux 5.7. */
    GET_CURRENT_ANCESTOR_CGROUP_ID(123),
    /** {@code bpf_ktime_get_boot_ns}, since Linux 5.8. */
    KTIME_GET_BOOT_NS(125),
    /** {@code bpf_ringbuf_output}, since Linux 5.8. */
    RINGBUF_OUTPUT(130),
    /** {@code bpf_ringbuf_reserve}, since Linux 5.8. */
    RINGBUF_RESERVE(131),
    /** {@code bpf_ringbuf_submit}, since Linux 5.8. */
    RINGBUF_SUBMIT(132),
    /** {@code bpf_ringbuf_discard}, since Linux 5.8. */
    RINGBUF_DISCARD(133),
    /** {@code bpf_ringbuf_query}, since Linux 5.8. */
    RINGBUF_QUERY(134),
    /** Reads user memory and may sleep for a page to come in: sleepable programs only; since Linux 5.10. */
    COPY_FROM_USER(148),
    /** {@code bpf_get_current_task_btf}, since Linux 5.11. */
    GET_CURRENT_TASK_BTF(158),
    /** The number a link was given when it was attached; since Linux 5.15. */
    GET_ATTACH_COOKIE(174),
    /** {@code bpf_task_pt_regs}, since Linux 5.15. */
    TASK_PT_REGS(175),
    /** {@code bpf_loop}, since Linux 5.17. */
    LOOP(181);

    private final int number;

    Helper(int number) {
        this.number = number;
    }

    /** {@return the number that a call instruction carries} */
    public int number() {
        return number;
    }

    /** {@return the kernel's name without its {@code bpf_}, such as {@code map_lookup_elem}} */
    public String kernelName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static String nameOf(int number) {
        for (Helper helper : values()) {
            if (helper.number == number) {
                return helper.kernelName();
            }
        }
        return "unknown";
    }
}
