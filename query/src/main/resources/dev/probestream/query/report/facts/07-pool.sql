-- Work on libuv's thread pool: queued and run. blocked_ns: the part of its wait in which the thread that then ran it was busy
-- with other work. Work that waits while threads are idle waits for a CPU, not for the pool.

CREATE OR REPLACE TEMP TABLE report_work AS
WITH run AS (
    SELECT w.*, e.stack_id,
        lag(ended_ns) OVER (PARTITION BY w.capture_id, w.pid, w.pool_tid ORDER BY started_ns) AS freed_ns
    FROM pool_work w LEFT JOIN events e USING (capture_id, sequence)
    WHERE started_ns IS NOT NULL AND ended_ns IS NOT NULL)
SELECT capture_id, pid, pool_tid AS worker_tid, started_ns AS start_ns, ended_ns AS end_ns, ended_ns - started_ns AS run_ns,
    request, what, coalesce(path, host) AS detail, tid AS asking_tid, sequence AS queued_sequence, queued_ns, stack_id,
    started_ns - queued_ns AS wait_ns,
    CASE WHEN freed_ns > queued_ns THEN least(freed_ns, started_ns) - queued_ns ELSE 0 END AS blocked_ns,
    count(DISTINCT pool_tid) OVER (PARTITION BY capture_id, pid) AS threads
FROM run;

-- The stack that queued it: the caller with the same request at the time of queuing.
CREATE OR REPLACE TEMP TABLE report_work_caller AS
SELECT w.capture_id, w.pid, w.worker_tid, w.start_ns, c.stack_id
FROM report_work w
ASOF JOIN report_caller c
    ON w.capture_id = c.capture_id AND w.pid = c.pid AND w.request = c.request AND w.queued_ns + 1000000 >= c.at_ns
WHERE w.queued_ns - c.at_ns < 1000000;
