package dev.probestream.collector.dialect;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kernel functions, which are not supported, and the tracepoints that can be used instead. */
final class KernelFunction {
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("(?:__(?:x64|arm64|se)_)?(?:sys|SyS|ksys)_(?:(?:enter|exit)_)?([a-z0-9_]+)");

    private static final Map<String, String> TRACEPOINTS = Map.ofEntries(
            Map.entry("__kmalloc", "kmem:kmalloc"),
            Map.entry("do_exit", "sched:sched_process_exit"),
            Map.entry("finish_task_switch", "sched:sched_switch"),
            Map.entry("hrtimer_init_sleeper", "timer:hrtimer_init"),
            Map.entry("ip_output", "net:net_dev_queue"),
            Map.entry("kfree_skb", "skb:kfree_skb"),
            Map.entry("blk_start_request", "block:block_rq_issue"),
            Map.entry("submit_bio", "block:block_bio_queue"));

    /** Functions that only a system call calls, or mostly. */
    private static final Map<String, String> SYSTEM_CALLS = Map.ofEntries(
            Map.entry("do_sys_open", "openat"),
            Map.entry("do_sys_openat2", "openat"),
            Map.entry("vfs_open", "openat"),
            Map.entry("vfs_read", "read"),
            Map.entry("__vfs_read", "read"),
            Map.entry("vfs_write", "write"),
            Map.entry("__vfs_write", "write"),
            Map.entry("do_nanosleep", "clock_nanosleep"),
            Map.entry("udpv6_sendmsg", "sendto"),
            Map.entry("tcp_sendmsg", "sendto"),
            Map.entry("do_mmap", "mmap"));

    private KernelFunction() {}

    /** The message for a probe of the function. */
    static String refusal(String function, boolean isReturn) {
        String name = function.replaceFirst("\\+.*", "");
        String use = tracepoint(name, isReturn)
                .map(tracepoint -> "use the tracepoint t:" + tracepoint)
                .orElse("use a tracepoint (t:CATEGORY:EVENT; list --kernel shows them)");
        String shown = name.isEmpty() ? "FUNCTION" : name;
        return "kernel functions (" + shown + ") are not supported: " + use
                + "; for a function of the traced program use" + " uprobe:" + shown
                + ", for one of a library p:LIBRARY:" + shown;
    }

    private static Optional<String> tracepoint(String name, boolean isReturn) {
        if (TRACEPOINTS.containsKey(name)) {
            return Optional.of(TRACEPOINTS.get(name));
        }
        Matcher call = SYSTEM_CALL.matcher(name);
        Optional<String> systemCall = call.matches()
                ? Optional.of(call.group(1).equals("open") ? "openat" : call.group(1))
                : Optional.ofNullable(SYSTEM_CALLS.get(name));
        return systemCall.map(number -> "syscalls:" + (isReturn ? "sys_exit_" : "sys_enter_") + number);
    }
}
