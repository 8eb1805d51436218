-- Limits of CPU time, and how often they held processes back (set process). used_ns: CPU time of the process between the first and the
-- last reading, took_ns apart; the limit's counters are of its control group, and throttled_ns is added up over CPUs.
CREATE OR REPLACE TEMP TABLE report_throttled AS
WITH limited AS (
    SELECT capture_id, pid,
        arg_max(value, mono_ns) FILTER (name = 'limit') AS limit_percent,
        arg_max(value, mono_ns) FILTER (name = 'period_ns') AS period_ns,
        max(value) FILTER (name = 'periods') AS periods,
        max(value) FILTER (name = 'throttled_periods') AS throttled_periods,
        max(value) FILTER (name = 'throttled_ns') AS throttled_ns,
        max(mono_ns) - min(mono_ns) AS took_ns
    FROM report_counter WHERE counter = 'cpu limit' GROUP BY ALL),
used AS (
    SELECT capture_id, pid, sum(ns) AS used_ns FROM (
        SELECT capture_id, pid, name, max(value) - min(value) AS ns FROM report_counter
        WHERE counter = 'cpu' AND name IN ('user_ns', 'system_ns') GROUP BY ALL)
    GROUP BY ALL),
written AS (
    SELECT capture_id, pid, arg_max(s0, mono_ns) AS file FROM events
    WHERE category = 'process' AND probe = 'cpu limit file' GROUP BY ALL)
SELECT l.*, coalesce(w.file, '') AS file, u.used_ns, l.throttled_periods * l.period_ns / nullif(l.took_ns, 0) AS throttled_share
FROM limited l LEFT JOIN used u USING (capture_id, pid) LEFT JOIN written w USING (capture_id, pid);

-- Of the time of all CPUs of the machine what the hypervisor gave to others, from 0 to 1.
CREATE OR REPLACE TEMP TABLE report_steal AS
SELECT capture_id, max(steal) AS steal_share FROM (
    SELECT capture_id, pid, (max(value) FILTER (name = 'steal_ns') - min(value) FILTER (name = 'steal_ns'))
        / nullif(sum(value) FILTER (is_last) - sum(value) FILTER (is_first), 0) AS steal
    FROM (
        SELECT capture_id, pid, name, value, mono_ns = min(mono_ns) OVER p AS is_first, mono_ns = max(mono_ns) OVER p AS is_last
        FROM report_counter WHERE counter = 'machine cpu' AND name <> 'cpus' WINDOW p AS (PARTITION BY capture_id, pid))
    GROUP BY ALL)
GROUP BY capture_id;
