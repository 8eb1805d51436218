-- Readings of processes (set process), the heap after full collections, and what fills the time of event loops.

CREATE OR REPLACE TEMP TABLE report_counter AS FROM process_counters;

CREATE OR REPLACE TEMP TABLE report_heap AS
SELECT h.capture_id, h.pid, h.tid, h.mono_ns AS at_ns, h.is_full, h.heap_used FROM heap_after_gc h;

-- A line through values over time (x in seconds from the first, y): how much they grow along it, and how far that can be trusted.
-- confidence: the slope in units of its standard error.
CREATE OR REPLACE TEMP MACRO growth(source) AS TABLE
WITH point AS (
    SELECT capture_id, pid, tid, value, at_ns,
        (at_ns - min(at_ns) OVER p) / 1e9 AS s,
        at_ns > (min(at_ns) OVER p + max(at_ns) OVER p) / 2 AS is_late
    FROM query_table(source)
    WINDOW p AS (PARTITION BY capture_id, pid, tid)),
line AS (
    SELECT capture_id, pid, tid, count(*) AS points, max(s) AS seconds, arg_min(value, at_ns) AS first, arg_max(value, at_ns) AS last,
        arg_max(value, at_ns) FILTER (NOT is_late) AS middle, max(value) AS highest,
        regr_slope(value, s) AS per_second, regr_intercept(value, s) AS begins, regr_r2(value, s) AS r2
    FROM point GROUP BY capture_id, pid, tid)
SELECT *, per_second * seconds AS grown, (last - middle) / nullif(last - first, 0) AS late_share,
    CASE WHEN points > 2 THEN sqrt(r2 * (points - 2) / greatest(1 - r2, 1e-9)) * sign(per_second) END AS confidence
FROM line;

CREATE OR REPLACE TEMP VIEW report_open_descriptors AS
SELECT capture_id, pid, 0 AS tid, mono_ns AS at_ns, value FROM report_counter WHERE counter = 'open descriptors' AND name = 'open';

CREATE OR REPLACE TEMP TABLE report_descriptor_growth AS FROM growth('report_open_descriptors');

CREATE OR REPLACE TEMP VIEW report_full_heap AS
SELECT capture_id, pid, tid, at_ns, heap_used AS value FROM report_heap WHERE is_full;

CREATE OR REPLACE TEMP TABLE report_heap_growth AS FROM growth('report_full_heap');

-- Files that were opened and whose descriptor was not closed.
CREATE OR REPLACE TEMP TABLE report_unclosed AS
WITH closed AS (
    SELECT capture_id, pid, fd, start_ns FROM report_fs_call WHERE operation = 'close'),
opened AS (
    SELECT capture_id, pid, tid, path, is_sync, result AS fd, start_ns, end_ns FROM report_fs_call
    WHERE operation = 'open' AND result >= 0)
SELECT o.*
FROM opened o
ASOF LEFT JOIN closed c ON o.capture_id = c.capture_id AND o.pid = c.pid AND o.fd = c.fd AND o.end_ns <= c.start_ns
WHERE c.start_ns IS NULL;

-- Runs of the microtask queue; what is inside another run is not counted twice.
CREATE OR REPLACE TEMP VIEW report_microtask_run AS
WITH run AS (
    SELECT capture_id, pid, tid, start_ns, end_ns, max(end_ns) OVER (
        PARTITION BY capture_id, tid ORDER BY start_ns, end_ns DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
    FROM report_span WHERE category = 'node-loop' AND probe = 'microtasks')
SELECT capture_id, pid, tid, greatest(start_ns, coalesce(before_ns, start_ns)) AS start_ns, end_ns FROM run
WHERE end_ns > coalesce(before_ns, start_ns);

-- CPU samples within microtasks. is_machinery: what ran was V8's own code for promises and microtasks; NULL: the garbage collector.
CREATE OR REPLACE TEMP TABLE report_microtask_sample AS
WITH leaf AS (
    SELECT capture_id, stack_id, arg_min(kind, depth) AS kind, arg_min(symbol, depth) AS symbol FROM stacks
    WHERE kind <> 'KERNEL' GROUP BY ALL)
SELECT s.capture_id, s.pid, s.tid, s.stack_id, s.weight_ms,
    CASE WHEN g.in_gc IS NOT TRUE THEN
        coalesce(k.kind = 'NATIVE' AND regexp_matches(k.symbol, 'Microtask|Promise|Await|AsyncFunction|AsyncGenerator|ResolveClosure'), false)
        END AS is_machinery
FROM report_sample s
ASOF JOIN report_microtask_run r ON s.capture_id = r.capture_id AND s.tid = r.tid AND s.at_ns >= r.start_ns
LEFT JOIN leaf k ON k.capture_id = s.capture_id AND k.stack_id = s.stack_id
LEFT JOIN report_stack g ON g.capture_id = s.capture_id AND g.stack_id = s.stack_id
WHERE s.at_ns < r.end_ns;

-- CPU samples within callbacks of process.nextTick and what runs them. is_machinery: the innermost JavaScript was Node's code for its
-- queue; NULL: the garbage collector. is_queuing: process.nextTick was being called.
CREATE OR REPLACE TEMP TABLE report_tick_sample AS
WITH tick AS (
    SELECT capture_id, stack_id,
        min(depth) FILTER (kind = 'JS' AND symbol = 'processTicksAndRejections' AND file = 'node:internal/process/task_queues') AS tick_depth,
        min(depth) FILTER (kind = 'NATIVE' AND contains(symbol, 'RunMicrotasks')) AS microtasks_depth,
        arg_min(file, depth) FILTER (kind = 'JS') AS js_file,
        bool_or(kind = 'JS' AND symbol = 'nextTick' AND file = 'node:internal/process/task_queues') AS is_queuing
    FROM stacks GROUP BY ALL)
SELECT s.capture_id, s.pid, s.tid, s.stack_id, t.is_queuing,
    CASE WHEN g.in_gc IS NOT TRUE THEN coalesce(t.js_file IN ('node:internal/process/task_queues', 'node:internal/fixed_queue',
        'node:internal/async_hooks', 'node:internal/bootstrap/node'), false) END AS is_machinery
FROM report_sample s
JOIN tick t USING (capture_id, stack_id)
LEFT JOIN report_stack g USING (capture_id, stack_id)
WHERE t.tick_depth IS NOT NULL AND (t.microtasks_depth IS NULL OR t.microtasks_depth > t.tick_depth);

-- How the busy time of each loop is spent: in long turns, in the phases of timers and immediates, in microtasks, in
-- callbacks of process.nextTick (ticks_ns: by the share of the CPU samples). Times of turns and
-- microtasks are without those in which the thread had no CPU.
CREATE OR REPLACE TEMP TABLE report_loop_use AS
WITH phase AS (
    SELECT capture_id, pid, tid, sum(end_ns - start_ns) AS timers_ns FROM report_span
    WHERE category = 'node-loop' AND probe IN ('timers', 'check', 'idle', 'prepare') GROUP BY ALL),
micro AS (
    SELECT capture_id, pid, tid, sum(greatest(end_ns - start_ns - within_ns, 0)) AS microtasks_ns, count(*) AS runs,
        max(greatest(end_ns - start_ns - within_ns, 0)) AS longest_run_ns
    FROM time_within('report_microtask_run', 'report_no_cpu') GROUP BY ALL),
turn AS (
    SELECT capture_id, pid, tid, sum(busy_ns) AS busy_ns, sum(own_ns) FILTER (own_ns >= getvariable('stall_ns')) AS long_ns
    FROM report_turn GROUP BY ALL),
sampled AS (
    SELECT capture_id, pid, tid, count(is_machinery) AS samples, count(*) FILTER (is_machinery) AS machinery
    FROM report_microtask_sample GROUP BY ALL),
ticks AS (
    SELECT capture_id, pid, tid, count(*) AS ticks, count(is_machinery) AS ticks_without_gc,
        count(*) FILTER (is_machinery) AS tick_machinery
    FROM report_tick_sample GROUP BY ALL),
total AS (SELECT capture_id, pid, tid, count(*) AS all_samples FROM report_sample GROUP BY ALL)
SELECT l.capture_id, l.pid, l.tid, l.own_ns, l.turns, l.awake_ns, t.busy_ns, coalesce(t.long_ns, 0) AS long_ns,
    coalesce(p.timers_ns, 0) AS timers_ns, coalesce(m.microtasks_ns, 0) AS microtasks_ns, coalesce(m.runs, 0) AS runs,
    coalesce(m.longest_run_ns, 0) AS longest_run_ns, coalesce(s.samples, 0) AS samples, coalesce(s.machinery, 0) AS machinery,
    coalesce(x.ticks_without_gc, 0) AS ticks_without_gc, coalesce(x.tick_machinery, 0) AS tick_machinery,
    coalesce(l.own_ns * x.ticks / a.all_samples, 0) AS ticks_ns
FROM report_loop_thread l
JOIN turn t USING (capture_id, pid, tid)
LEFT JOIN phase p USING (capture_id, pid, tid)
LEFT JOIN micro m USING (capture_id, pid, tid)
LEFT JOIN sampled s USING (capture_id, pid, tid)
LEFT JOIN ticks x USING (capture_id, pid, tid)
LEFT JOIN total a USING (capture_id, pid, tid);
