-- File system calls of Node; turn_id is set for those that blocked an event loop. own_ns: without the time in which the thread
-- was ready without a CPU.

CREATE OR REPLACE TEMP TABLE report_fs AS
WITH call AS (
    SELECT * FROM report_span WHERE category = 'node-fs' AND starts_with(probe, 'uv_fs_')),
queued AS (
    SELECT capture_id, pid, tid, request, at_ns FROM report_event
    WHERE category IN ('node-fs', 'node-pool') AND probe = 'fs work queued'),
can_tell AS (
    SELECT DISTINCT capture_id FROM probes WHERE probe = 'fs work queued'),
told AS (
    -- An asynchronous call queues its work before it returns; a synchronous one does not queue any.
    SELECT c.*, q.at_ns AS queued_ns,
        CASE WHEN c.callback IS NOT NULL THEN c.callback = 0
            WHEN t.capture_id IS NULL THEN NULL
            ELSE coalesce(q.at_ns > c.end_ns, true) END AS is_sync
    FROM call c
    LEFT JOIN can_tell t USING (capture_id)
    ASOF LEFT JOIN queued q
        ON c.capture_id = q.capture_id AND c.pid = q.pid AND c.tid = q.tid AND c.request = q.request AND c.start_ns <= q.at_ns),
work AS (
    SELECT capture_id, pid, request, start_ns, end_ns, result FROM report_span WHERE probe = 'uv__fs_work'),
done AS MATERIALIZED (
    SELECT t.capture_id, t.pid, t.tid, t.sequence, substr(t.probe, 7) AS operation, t.text AS path, t.fd, t.is_sync,
        t.start_ns, CASE WHEN t.is_sync THEN t.end_ns ELSE coalesce(w.end_ns, t.end_ns) END AS end_ns,
        CASE WHEN t.is_sync THEN t.return_value ELSE w.result END AS result, t.stack_id
    FROM told t
    ASOF LEFT JOIN work w
        ON t.capture_id = w.capture_id AND t.pid = w.pid AND t.request = w.request AND t.start_ns <= w.start_ns),
opened AS (
    SELECT capture_id, pid, result AS fd, end_ns AS at_ns, path FROM done WHERE operation = 'open' AND result >= 0),
starved AS (
    SELECT d.capture_id, d.tid, d.sequence, sum(least(o.runnable_ns, d.end_ns - o.out_ns)) AS runnable_ns
    FROM report_off_cpu o
    ASOF JOIN (FROM done WHERE is_sync) d ON o.capture_id = d.capture_id AND o.tid = d.tid AND o.out_ns >= d.start_ns
    WHERE o.out_ns < d.end_ns
    GROUP BY ALL)
SELECT d.capture_id, d.pid, d.tid, d.sequence, d.operation, coalesce(d.path, o.path) AS path, d.is_sync, d.start_ns, d.end_ns,
    d.end_ns - d.start_ns AS took_ns, greatest(d.end_ns - d.start_ns - coalesce(s.runnable_ns, 0), 0) AS own_ns, d.result, d.stack_id,
    CASE WHEN d.is_sync AND d.start_ns < t.end_ns THEN t.turn_id END AS turn_id
FROM done d
LEFT JOIN starved s USING (capture_id, tid, sequence)
ASOF LEFT JOIN opened o ON d.capture_id = o.capture_id AND d.pid = o.pid AND d.fd = o.fd AND d.start_ns >= o.at_ns
ASOF LEFT JOIN report_turn t
    ON d.capture_id = t.capture_id AND d.pid = t.pid AND d.tid = t.tid AND d.start_ns >= t.start_ns;
