-- Pauses of the garbage collector. own_ns: without the time in which the thread was ready without a CPU.
CREATE OR REPLACE TEMP TABLE report_gc AS
WITH pause AS (
    SELECT capture_id, pid, tid, from_ns AS start_ns, duration_ns AS pause_ns, reason, collector
    FROM gc_pauses WHERE duration_ns IS NOT NULL),
starved AS (
    SELECT g.capture_id, g.tid, g.start_ns, sum(least(o.runnable_ns, g.start_ns + g.pause_ns - o.out_ns)) AS runnable_ns
    FROM report_off_cpu o
    ASOF JOIN pause g ON o.capture_id = g.capture_id AND o.tid = g.tid AND o.out_ns >= g.start_ns
    WHERE o.out_ns < g.start_ns + g.pause_ns
    GROUP BY ALL)
SELECT p.capture_id, p.pid, p.tid, p.start_ns, p.pause_ns, greatest(p.pause_ns - coalesce(s.runnable_ns, 0), 0) AS own_ns,
    coalesce(p.reason, 'unknown') AS reason, coalesce(p.collector, 'other') AS collector
FROM pause p
LEFT JOIN starved s USING (capture_id, tid, start_ns);

-- The causes of long turns of event loops.
CREATE OR REPLACE TEMP TABLE report_stall AS
WITH long_turn AS (
    SELECT * FROM report_turn WHERE busy_ns >= getvariable('stall_ns')),
starved AS (
    SELECT t.turn_id, sum(least(o.in_ns, t.end_ns) - o.out_ns) AS off_ns, sum(least(o.runnable_ns, t.end_ns - o.out_ns)) AS runnable_ns
    FROM report_off_cpu o
    ASOF JOIN long_turn t
        ON o.capture_id = t.capture_id AND o.pid = t.pid AND o.tid = t.tid AND o.out_ns >= t.start_ns
    WHERE o.out_ns < t.end_ns
    GROUP BY t.turn_id),
gc AS (
    SELECT t.turn_id, sum(g.own_ns) AS gc_ns
    FROM report_gc g
    ASOF JOIN long_turn t
        ON g.capture_id = t.capture_id AND g.pid = t.pid AND g.tid = t.tid AND g.start_ns >= t.start_ns
    WHERE g.start_ns < t.end_ns
    GROUP BY t.turn_id),
fs AS (
    SELECT turn_id, sum(own_ns) AS fs_ns, count(*) AS fs_calls FROM report_fs WHERE turn_id IS NOT NULL GROUP BY turn_id)
SELECT t.*,
    coalesce(s.runnable_ns, 0) AS starved_ns,
    greatest(t.busy_ns - coalesce(s.runnable_ns, 0), 0) AS own_ns,
    greatest(coalesce(s.off_ns, 0) - coalesce(s.runnable_ns, 0), 0) AS waited_ns,
    coalesce(g.gc_ns, 0) AS gc_ns,
    coalesce(f.fs_ns, 0) AS fs_ns,
    coalesce(f.fs_calls, 0) AS fs_calls
FROM long_turn t
LEFT JOIN starved s USING (turn_id)
LEFT JOIN gc g USING (turn_id)
LEFT JOIN fs f USING (turn_id);
