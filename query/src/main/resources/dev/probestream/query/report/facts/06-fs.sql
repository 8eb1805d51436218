-- File system calls of Node; turn_id is set for those that blocked an event loop. own_ns: without the time in which the thread
-- had no CPU, or waited for a thread that had none.

CREATE OR REPLACE TEMP TABLE report_fs_call AS
WITH call AS (
    SELECT capture_id, pid, tid, sequence, probe, text, fd, request, callback, start_ns, end_ns, return_value, stack_id
    FROM report_span WHERE category = 'node-fs' AND starts_with(probe, 'uv_fs_')
    UNION ALL
    -- An asynchronous call, where it queues its work.
    SELECT capture_id, pid, tid, sequence, probe, text, fd, request, callback, at_ns, at_ns, NULL, stack_id
    FROM report_event WHERE category = 'node-fs' AND is_queued_call(probe, 'INSTANT', request, callback)),
queued AS (
    SELECT capture_id, pid, tid, request, at_ns FROM report_event
    WHERE category IN ('node-fs', 'node-pool') AND probe = 'fs work queued'),
has_queueing AS (
    SELECT DISTINCT capture_id FROM probes WHERE probe = 'fs work queued'),
classified AS (
    -- An asynchronous call queues its work before it returns; a synchronous one does not queue any.
    SELECT c.*, q.at_ns AS queued_ns,
        CASE WHEN c.callback IS NOT NULL THEN c.callback = 0
            WHEN t.capture_id IS NULL THEN NULL
            ELSE coalesce(q.at_ns > c.end_ns, true) END AS is_sync
    FROM call c
    LEFT JOIN has_queueing t USING (capture_id)
    ASOF LEFT JOIN queued q
        ON c.capture_id = q.capture_id AND c.pid = q.pid AND c.tid = q.tid AND c.request = q.request AND c.start_ns <= q.at_ns),
work AS (
    SELECT capture_id, pid, request, start_ns, end_ns, result FROM report_span WHERE probe = 'uv__fs_work'),
done AS (
    SELECT t.capture_id, t.pid, t.tid, t.sequence, substr(t.probe, 7) AS operation, t.text AS path, t.fd, t.is_sync,
        t.start_ns, CASE WHEN t.is_sync THEN t.end_ns ELSE coalesce(w.end_ns, t.end_ns) END AS end_ns,
        CASE WHEN t.is_sync THEN t.return_value ELSE w.result END AS result, t.stack_id
    FROM classified t
    ASOF LEFT JOIN work w
        ON t.capture_id = w.capture_id AND t.pid = w.pid AND t.request = w.request AND t.start_ns <= w.start_ns)
SELECT d.*, CASE WHEN d.is_sync AND d.start_ns < t.end_ns THEN t.turn_id END AS turn_id,
    CASE WHEN d.is_sync AND d.start_ns < t.end_ns THEN t.end_ns END AS turn_end_ns
FROM done d
ASOF LEFT JOIN report_turn t
    ON d.capture_id = t.capture_id AND d.pid = t.pid AND d.tid = t.tid AND d.start_ns >= t.start_ns;

-- The part of a synchronous call in its turn, after the end of earlier calls: of calls within calls only the outer one counts.
CREATE OR REPLACE TEMP VIEW report_fs_part AS
SELECT capture_id, tid, sequence, least(end_ns, coalesce(turn_end_ns, end_ns)) AS end_ns,
    greatest(start_ns, coalesce(max(end_ns) OVER (
        PARTITION BY capture_id, tid ORDER BY start_ns, end_ns DESC, sequence
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start_ns)) AS start_ns
FROM report_fs_call WHERE is_sync;

CREATE OR REPLACE TEMP TABLE report_fs AS
WITH opened AS (
    SELECT capture_id, pid, result AS fd, end_ns AS at_ns, path FROM report_fs_call WHERE operation = 'open' AND result >= 0),
own AS (
    SELECT capture_id, tid, sequence, greatest(end_ns - start_ns - within_ns, 0) AS own_ns
    FROM time_within('report_fs_part', 'report_no_cpu'))
SELECT d.capture_id, d.pid, d.tid, d.sequence, d.operation, coalesce(d.path, o.path) AS path, d.is_sync, d.start_ns, d.end_ns,
    d.end_ns - d.start_ns AS took_ns, coalesce(w.own_ns, d.end_ns - d.start_ns) AS own_ns, d.result, d.stack_id, d.turn_id
FROM report_fs_call d
LEFT JOIN own w ON w.capture_id = d.capture_id AND w.tid = d.tid AND w.sequence = d.sequence
ASOF LEFT JOIN opened o ON d.capture_id = o.capture_id AND d.pid = o.pid AND d.fd = o.fd AND d.start_ns >= o.at_ns;

