-- Work on libuv's thread pool: queued and run. blocked_ns: the part of its wait in which the thread that then ran it was busy
-- with other work, and had a CPU for it. Work that waits while threads are idle waits for a CPU, not for the pool.

CREATE OR REPLACE TEMP VIEW report_work_span AS
WITH run AS (
    SELECT w.*, e.stack_id,
        lag(ended_ns) OVER (PARTITION BY w.capture_id, w.pid, w.pool_tid ORDER BY started_ns) AS freed_ns
    FROM pool_work w LEFT JOIN events e USING (capture_id, sequence)
    WHERE started_ns IS NOT NULL AND ended_ns IS NOT NULL)
SELECT * EXCLUDE (tid), tid AS asking_tid, pool_tid AS tid, queued_ns AS start_ns,
    CASE WHEN freed_ns > queued_ns THEN least(freed_ns, started_ns) ELSE queued_ns END AS end_ns
FROM run;

CREATE OR REPLACE TEMP TABLE report_work AS
SELECT capture_id, pid, tid AS worker_tid, started_ns AS start_ns, ended_ns AS end_ns, ended_ns - started_ns AS run_ns,
    request, what, coalesce(path, host) AS detail, asking_tid, sequence AS queued_sequence, queued_ns, stack_id,
    started_ns - queued_ns AS wait_ns, greatest(end_ns - start_ns - within_ns, 0) AS blocked_ns,
    count(DISTINCT tid) OVER (PARTITION BY capture_id, pid) AS threads
FROM time_within('report_work_span', 'report_no_cpu');

-- The stack that queued it: the caller with the same request at the time of queuing.
CREATE OR REPLACE TEMP TABLE report_work_caller AS
SELECT w.capture_id, w.pid, w.worker_tid, w.start_ns, c.stack_id
FROM report_work w
ASOF JOIN report_caller c
    ON w.capture_id = c.capture_id AND w.pid = c.pid AND w.request = c.request AND w.queued_ns + 1000000 >= c.at_ns
WHERE w.queued_ns - c.at_ns < 1000000;

-- Work that a thread had not finished, or not begun, when the capture or the process ended. Of an addon's own work it is not recorded when
-- it runs; of work in a gap, or whose request was used again, it is not known.
CREATE OR REPLACE TEMP VIEW report_unfinished_span AS
WITH ended AS (
    SELECT capture_id, pid, max(end_mono_ns) AS end_ns FROM processes GROUP BY ALL)
SELECT w.capture_id, w.pid, w.pool_tid AS tid, w.request, w.sequence, w.what, coalesce(w.path, w.host) AS detail, w.queued_ns,
    w.started_ns, w.started_ns AS start_ns, least(c.last_ns, coalesce(e.end_ns, c.last_ns)) AS end_ns
FROM pool_work w
JOIN report_capture c USING (capture_id)
LEFT JOIN ended e USING (capture_id, pid)
ASOF LEFT JOIN (FROM unwatched WHERE category IN ('node-pool', 'node-fs', 'node-dns')) u
    ON u.capture_id = w.capture_id AND u.from_ns >= w.queued_ns
WHERE w.ended_ns IS NULL AND w.done_ns IS NULL AND u.from_ns IS NULL AND (w.what <> 'other' OR w.started_ns IS NOT NULL)
    AND NOT EXISTS (FROM pool_work l WHERE l.capture_id = w.capture_id AND l.pid = w.pid AND l.request = w.request
        AND l.queued_ns > w.queued_ns);

-- own_ns: how long it has been running, without the time in which its thread had no CPU; NULL = it has not begun.
CREATE OR REPLACE TEMP TABLE report_unfinished_work AS
SELECT * EXCLUDE (within_ns, start_ns), CASE WHEN started_ns IS NOT NULL THEN end_ns - started_ns - within_ns END AS own_ns
FROM time_within('report_unfinished_span', 'report_no_cpu');
