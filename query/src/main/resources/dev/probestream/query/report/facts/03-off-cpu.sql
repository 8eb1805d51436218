-- Times off the CPU: why a thread left it, when it was ready again, when it ran again.

CREATE OR REPLACE TEMP TABLE report_off_cpu AS
SELECT capture_id, pid, tid, from_ns AS out_ns, to_ns AS in_ns, to_ns - from_ns AS off_ns, stack_id,
    state = 'preempted' AS was_preempted, coalesce(to_ns - woken_ns, 0) AS runnable_ns
FROM cpu_waits
WHERE to_ns IS NOT NULL;

-- How long each thread was ready to run without a CPU.
CREATE OR REPLACE TEMP TABLE report_starved AS
SELECT capture_id, pid, tid, sum(runnable_ns) AS starved_ns FROM report_off_cpu GROUP BY ALL;
