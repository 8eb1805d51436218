-- Times off the CPU: why a thread left it, when it was ready again, when it ran again; and what this leaves of the turns of loops.

-- Until each moment, how long a thread has been in disjoint intervals (capture_id, tid, from_ns, until_ns; total_ns: their sum up to
-- until_ns). Rows of "source" (capture_id, tid, start_ns, end_ns) get within_ns: how long they overlap with the intervals.
CREATE OR REPLACE TEMP MACRO time_within(source, intervals) AS TABLE
SELECT s.*,
    greatest(
        coalesce(e.total_ns - greatest(e.until_ns - s.end_ns, 0), 0)
            - coalesce(b.total_ns - greatest(b.until_ns - s.start_ns, 0), 0),
        0)::BIGINT AS within_ns
FROM query_table(source) s
ASOF LEFT JOIN query_table(intervals) b ON b.capture_id = s.capture_id AND b.tid = s.tid AND b.from_ns <= s.start_ns
ASOF LEFT JOIN query_table(intervals) e ON e.capture_id = s.capture_id AND e.tid = s.tid AND e.from_ns <= s.end_ns;

CREATE OR REPLACE TEMP TABLE report_wait AS
SELECT w.capture_id, w.pid, w.tid, w.from_ns AS out_ns, w.to_ns AS in_ns, w.stack_id, w.waker_tid,
    coalesce(w.woken_ns, w.to_ns) AS ready_ns, w.state = 'preempted' AS was_preempted,
    -- For memory or a lock of the kernel, as nothing else is known of: a disk's time is in calls of the file system.
    w.state = 'uninterruptible' AND NOT coalesce(k.is_in_fs, false) AS is_in_kernel,
    w.state = 'uninterruptible' AS is_uninterruptible, k.is_in_fs,
    -- For a lock, or a signal, of another thread: by its stack; without one, if a thread of the same process woke it, unless
    -- the wait was that of a loop in its poll.
    w.state <> 'preempted'
        AND coalesce(k.is_for_thread, w.waker_pid = w.pid AND (t.turn_id IS NULL OR w.from_ns < t.end_ns), false) AS is_for_thread
FROM cpu_waits w
LEFT JOIN report_stack k ON k.capture_id = w.capture_id AND k.stack_id = w.stack_id
ASOF LEFT JOIN report_turn_whole t ON t.capture_id = w.capture_id AND t.tid = w.tid AND t.start_ns <= w.from_ns
WHERE w.to_ns IS NOT NULL;

-- Whether the times of threads without a CPU were recorded.
CREATE OR REPLACE TEMP TABLE report_measured AS
SELECT capture_id, EXISTS (FROM probes p WHERE p.capture_id = c.capture_id AND p.category IN ('sched', 'offcpu')) AS is_measured
FROM report_capture c;

CREATE OR REPLACE TEMP TABLE report_ready AS
SELECT capture_id, tid, ready_ns AS from_ns, in_ns AS until_ns,
    sum(in_ns - ready_ns) OVER (PARTITION BY capture_id, tid ORDER BY ready_ns ROWS UNBOUNDED PRECEDING) AS total_ns
FROM report_wait WHERE in_ns > ready_ns;

CREATE OR REPLACE TEMP TABLE report_away AS
SELECT capture_id, tid, out_ns AS from_ns, in_ns AS until_ns,
    sum(in_ns - out_ns) OVER (PARTITION BY capture_id, tid ORDER BY out_ns ROWS UNBOUNDED PRECEDING) AS total_ns
FROM report_wait WHERE in_ns > out_ns;

-- Waits for another thread, as times of the thread that ended them.
CREATE OR REPLACE TEMP VIEW report_wait_of_waker AS
SELECT capture_id, waker_tid AS tid, tid AS waiting_tid, out_ns AS start_ns, ready_ns AS end_ns
FROM report_wait WHERE is_for_thread AND waker_tid IS NOT NULL;

-- runnable_ns: ready without a CPU; no_cpu_ns: with the time in which the thread it waited for was ready without a CPU; doubtful_ns: of the
-- rest what a busy machine may be the cause of, as the thread it waited for had left its CPU, too, or it waited in the kernel.
CREATE OR REPLACE TEMP TABLE report_off_cpu AS
SELECT w.capture_id, w.pid, w.tid, w.out_ns, w.in_ns, w.in_ns - w.out_ns AS off_ns, w.stack_id, w.was_preempted,
    w.in_ns - w.ready_ns AS runnable_ns, w.in_ns - w.ready_ns + coalesce(o.within_ns, 0) AS no_cpu_ns,
    CASE WHEN w.is_in_kernel THEN w.ready_ns - w.out_ns - coalesce(o.within_ns, 0)
        ELSE greatest(coalesce(l.within_ns, 0) - coalesce(o.within_ns, 0), 0) END AS doubtful_ns
FROM report_wait w
LEFT JOIN (FROM time_within('report_wait_of_waker', 'report_away')) l
    ON l.capture_id = w.capture_id AND l.waiting_tid = w.tid AND l.start_ns = w.out_ns
LEFT JOIN (FROM time_within('report_wait_of_waker', 'report_ready')) o
    ON o.capture_id = w.capture_id AND o.waiting_tid = w.tid AND o.start_ns = w.out_ns;

-- Intervals without a CPU; a wait for a thread without a CPU counts as the last part of its interval.
CREATE OR REPLACE TEMP TABLE report_no_cpu AS
SELECT capture_id, tid, in_ns - no_cpu_ns AS from_ns, in_ns AS until_ns,
    sum(no_cpu_ns) OVER (PARTITION BY capture_id, tid ORDER BY out_ns ROWS UNBOUNDED PRECEDING) AS total_ns
FROM report_off_cpu WHERE no_cpu_ns > 0;

-- no_cpu_ns: the thread had no CPU, or waited for a thread that had none; own_ns: the rest.
CREATE OR REPLACE TEMP TABLE report_turn AS
SELECT * EXCLUDE (within_ns), within_ns AS no_cpu_ns, greatest(busy_ns - within_ns, 0) AS own_ns
FROM time_within('report_turn_whole', 'report_no_cpu');

-- Threads with an event loop, from the first recorded turn; own_ns of its turns, awake_ns of all its time.
CREATE OR REPLACE TEMP VIEW report_loop_time AS
SELECT capture_id, pid, tid, min(start_ns) AS start_ns, max(greatest(end_ns, start_ns)) AS end_ns, sum(own_ns) AS own_ns,
    count(*) AS turns
FROM report_turn GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE report_loop_thread AS
SELECT capture_id, pid, tid, start_ns AS first_ns, end_ns AS last_ns, own_ns, turns, end_ns - start_ns - within_ns AS awake_ns
FROM time_within('report_loop_time', 'report_no_cpu');
