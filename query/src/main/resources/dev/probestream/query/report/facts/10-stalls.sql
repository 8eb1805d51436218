-- Pauses of the garbage collector. own_ns: the part within the capture and after the end of earlier pauses of the thread, without
-- the time in which the thread had no CPU, or waited for a thread that had none.
CREATE OR REPLACE TEMP VIEW report_gc_part AS
SELECT g.capture_id, g.pid, g.tid, g.from_ns, g.duration_ns AS pause_ns, g.reason, g.collector,
    greatest(g.from_ns, c.first_ns, coalesce(max(g.from_ns + g.duration_ns) OVER (
        PARTITION BY g.capture_id, g.tid ORDER BY g.from_ns, g.duration_ns DESC, g.sequence
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), g.from_ns)) AS start_ns,
    least(g.from_ns + g.duration_ns, c.last_ns) AS end_ns
FROM gc_pauses g
JOIN report_capture c USING (capture_id)
WHERE g.duration_ns IS NOT NULL;

CREATE OR REPLACE TEMP TABLE report_gc AS
SELECT capture_id, pid, tid, from_ns AS start_ns, pause_ns, greatest(end_ns - start_ns - within_ns, 0) AS own_ns,
    coalesce(reason, 'unknown') AS reason, coalesce(collector, 'other') AS collector
FROM time_within('report_gc_part', 'report_no_cpu');

-- The time of the capture in which each thread with pauses had a CPU or nothing to do.
CREATE OR REPLACE TEMP VIEW report_gc_time AS
SELECT DISTINCT g.capture_id, g.pid, g.tid, c.first_ns AS start_ns, c.last_ns AS end_ns
FROM report_gc g JOIN report_capture c USING (capture_id);

CREATE OR REPLACE TEMP TABLE report_gc_thread AS
SELECT capture_id, pid, tid, end_ns - start_ns - within_ns AS awake_ns FROM time_within('report_gc_time', 'report_no_cpu');

-- The causes of long turns of event loops. has_cpu: the times without a CPU are known, or samples show that it had one; without that, sure_ns
-- is a part of own_ns, as the machine may have had too much to do. Nor has it the doubtful times.
CREATE OR REPLACE TEMP VIEW report_long_turn AS
SELECT * FROM report_turn WHERE busy_ns >= getvariable('stall_ns');

CREATE OR REPLACE TEMP TABLE report_stall AS
WITH gc AS (
    SELECT t.turn_id, sum(g.own_ns) AS gc_ns
    FROM report_gc g
    ASOF JOIN report_long_turn t
        ON g.capture_id = t.capture_id AND g.pid = t.pid AND g.tid = t.tid AND g.start_ns >= t.start_ns
    WHERE g.start_ns < t.end_ns
    GROUP BY t.turn_id),
fs AS (
    SELECT turn_id, sum(own_ns) AS fs_ns, count(*) AS fs_calls FROM report_fs WHERE turn_id IS NOT NULL GROUP BY turn_id),
doubtful AS (
    SELECT t.turn_id, sum(o.doubtful_ns) AS doubtful_ns
    FROM (FROM report_off_cpu WHERE doubtful_ns > 0) o
    ASOF JOIN report_long_turn t ON o.capture_id = t.capture_id AND o.tid = t.tid AND o.out_ns >= t.start_ns
    WHERE o.out_ns < t.end_ns
    GROUP BY t.turn_id),
sampled AS (
    SELECT turn_id, sum(weight_ms) * 1e6 AS sampled_ns FROM report_sample WHERE turn_id IS NOT NULL GROUP BY turn_id)
SELECT t.* EXCLUDE (within_ns, own_ns, no_cpu_ns),
    t.no_cpu_ns AS starved_ns,
    t.own_ns,
    greatest(t.within_ns - t.no_cpu_ns, 0) AS waited_ns,
    coalesce(g.gc_ns, 0) AS gc_ns,
    coalesce(f.fs_ns, 0) AS fs_ns,
    coalesce(f.fs_calls, 0) AS fs_calls,
    m.is_measured OR coalesce(s.sampled_ns >= t.busy_ns / 2, false) AS has_cpu,
    greatest(t.own_ns - coalesce(d.doubtful_ns, 0), 0) / CASE WHEN has_cpu THEN 1 ELSE getvariable('unmeasured_margin') END AS sure_ns
FROM time_within('report_long_turn', 'report_away') t
LEFT JOIN gc g USING (turn_id)
LEFT JOIN fs f USING (turn_id)
LEFT JOIN sampled s USING (turn_id)
LEFT JOIN doubtful d USING (turn_id)
JOIN report_measured m USING (capture_id);
