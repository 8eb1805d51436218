-- How far CPUs, memory and disks were too few for a process: its own waits, beside the pressure (PSI) of its control group, or else
-- of the machine (set process). Shares are from 0 to 1, NULL where a reading is missing.

-- What a counter grew by between its first and its last reading. A process that moved to another control group has other totals: less than
-- before, or more than the time in between, is no growth.
CREATE OR REPLACE TEMP VIEW report_counter_growth AS
SELECT capture_id, pid, counter, name, max(mono_ns) - min(mono_ns) AS took_ns,
    CASE WHEN bool_and(value >= before) THEN max(value) - min(value) END AS grown
FROM (
    SELECT *, coalesce(lag(value) OVER (PARTITION BY capture_id, pid, counter, name ORDER BY mono_ns), value) AS before
    FROM report_counter WHERE counter IN ('cpu', 'cgroup pressure', 'machine pressure', 'machine cpu') AND name <> 'cpus')
GROUP BY ALL;

-- A row for each process and resource: cpu, memory, io. some: of the time in which tasks were held back; of_group: those of the control group.
CREATE OR REPLACE TEMP TABLE report_pressure AS
WITH share AS (
    SELECT capture_id, pid, regexp_extract(name, '^[a-z]+') AS resource, counter = 'cgroup pressure' AS of_group,
        max(grown / took_ns) FILTER (ends_with(name, '_some')) AS "some", max(grown / took_ns) FILTER (ends_with(name, '_full')) AS "full"
    FROM report_counter_growth WHERE ends_with(counter, ' pressure') AND took_ns > 0 AND grown <= took_ns GROUP BY ALL)
SELECT capture_id, pid, resource, arg_max("some", of_group) AS "some", arg_max("full", of_group) AS "full", max(of_group) AS of_group
FROM share WHERE "some" IS NOT NULL GROUP BY ALL;

-- Who had the CPUs of the machine: the process itself, other processes, the hypervisor, nobody. run_delay_ns: how long the threads of the
-- process were ready without a CPU, added up. cpus: how many the machine has.
CREATE OR REPLACE TEMP TABLE report_cpu_use AS
WITH grown AS (
    SELECT capture_id, pid, max(took_ns) FILTER (counter = 'cpu') AS took_ns,
        sum(grown) FILTER (counter = 'cpu' AND name <> 'run_delay_ns') AS used_ns,
        max(grown) FILTER (name = 'run_delay_ns') AS run_delay_ns,
        sum(grown) FILTER (counter = 'machine cpu') AS all_ns,
        max(grown) FILTER (name = 'busy_ns') AS busy_ns,
        max(grown) FILTER (name = 'idle_ns') AS idle_ns,
        max(grown) FILTER (name = 'steal_ns') AS steal_ns
    FROM report_counter_growth WHERE counter IN ('cpu', 'machine cpu') GROUP BY ALL)
SELECT capture_id, pid, took_ns, used_ns, run_delay_ns, least(used_ns / all_ns, 1) AS own, idle_ns / all_ns AS idle,
    steal_ns / all_ns AS stolen, greatest(busy_ns - used_ns, 0) / all_ns AS of_others, all_ns / took_ns AS cpus
FROM grown WHERE all_ns > 0;

-- Threads with a loop that were ready and had no CPU; ran_ns: how long they had one.
CREATE OR REPLACE TEMP TABLE report_starved_loop AS
SELECT o.capture_id, o.pid, o.tid, sum(no_cpu_ns) AS ready_ns, max(no_cpu_ns) AS longest_ns,
    sum(no_cpu_ns - runnable_ns) AS of_others_ns,
    count(*) FILTER (was_preempted) AS preempted, max(in_ns) - min(out_ns) AS wall_ns,
    max(in_ns) - min(out_ns) - sum(off_ns) AS ran_ns
FROM report_off_cpu o JOIN report_loop_thread l USING (capture_id, pid, tid)
WHERE l.turns > 1 AND o.out_ns >= l.first_ns AND o.out_ns < l.last_ns
GROUP BY ALL;

-- How long each thread waited in the kernel without a signal being able to end it, by what it can have waited for: disks, unless the stack is
-- of something else than a file; memory, unless the stack is of a file. Locks of the kernel are such waits, too.
CREATE OR REPLACE TEMP TABLE report_kernel_wait AS
WITH wait AS (
    SELECT *, ready_ns - out_ns AS waited_ns FROM report_wait WHERE is_uninterruptible)
SELECT w.capture_id, w.pid, w.tid, r.resource, sum(w.waited_ns) AS waited_ns, max(w.waited_ns) AS longest_ns, count(*) AS waits,
    any_value(c.last_ns - c.first_ns) AS recorded_ns
FROM wait w
JOIN (VALUES ('io'), ('memory')) r (resource) ON CASE r.resource WHEN 'io' THEN coalesce(w.is_in_fs, true) ELSE NOT coalesce(w.is_in_fs, false) END
JOIN report_capture c USING (capture_id)
GROUP BY ALL;
