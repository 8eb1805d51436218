-- Failed calls, and the names of threads.

-- Calls that returned an error. Usual: errors of normal operation, such as a file that does not exist.
CREATE OR REPLACE TEMP TABLE report_failure AS
WITH failed AS (
    SELECT capture_id, sequence, pid, probe, category, -return_value AS number, text AS what, start_ns AS at_ns FROM report_span
    WHERE is_failure(return_value) AND return_unit = 'errno' AND probe NOT IN ('bytes written', 'datagram sent')
    UNION ALL
    SELECT capture_id, sequence, pid, operation, 'node-fs', -result, path, start_ns FROM report_fs
    WHERE is_sync IS FALSE AND is_failure(result)
    UNION ALL
    SELECT capture_id, sequence, pid, probe, category, -result, text, at_ns FROM report_event
    WHERE probe = 'connected' AND is_failure(result)
    UNION ALL
    SELECT s.capture_id, s.sequence, s.pid, s.probe, s.category, -s.return_value, NULL, s.mono_ns FROM spans s
    WHERE s.category = 'syscalls' AND is_failure(s.return_value))
SELECT f.capture_id, f.sequence, f.pid, f.probe, f.category, f.number, f.what, f.at_ns, errno_name(-f.number) AS errno,
    f.number IN (2, 22, 29, 61, 95, 106, 107, 125) OR f.number >= 512 AS is_usual
FROM failed f;

CREATE OR REPLACE TEMP TABLE report_thread_name AS
WITH known AS (
    SELECT capture_id, pid, tid, any_value(name) AS name FROM threads GROUP BY ALL),
pool AS (
    SELECT DISTINCT capture_id, pid, worker_tid AS tid FROM report_work)
SELECT k.capture_id, k.pid, k.tid,
    CASE WHEN l.turns > 1 AND k.pid = k.tid THEN 'event loop' WHEN l.turns > 1 THEN 'event loop of a worker'
        WHEN p.tid IS NOT NULL OR k.name = 'libuv-worker' THEN 'thread pool'
        WHEN k.tid = k.pid THEN 'main thread' WHEN k.name = 'node' THEN 'V8 workers'
        ELSE coalesce(k.name, 'thread') END AS name
FROM known k
LEFT JOIN report_loop_thread l USING (capture_id, pid, tid)
LEFT JOIN pool p USING (capture_id, pid, tid);
