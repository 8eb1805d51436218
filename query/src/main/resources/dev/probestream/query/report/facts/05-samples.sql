-- CPU samples with their turn of the event loop.

CREATE OR REPLACE TEMP TABLE report_sample AS
WITH sample AS (
    SELECT e.capture_id, e.sequence, e.pid, e.tid, e.mono_ns AS at_ns, e.stack_id,
        1000 / coalesce(try_cast(regexp_extract(p.spec, '([0-9]+)', 1) AS DOUBLE), 99) AS weight_ms
    FROM events e
    LEFT JOIN probes p USING (capture_id, probe_id)
    WHERE e.category = 'profile' AND e.kind = 'INSTANT')
SELECT s.capture_id, s.sequence, s.pid, s.tid, s.at_ns, s.stack_id, s.weight_ms,
    CASE WHEN s.at_ns < t.end_ns THEN t.turn_id END AS turn_id
FROM sample s
ASOF LEFT JOIN report_turn t
    ON s.capture_id = t.capture_id AND s.pid = t.pid AND s.tid = t.tid AND s.at_ns >= t.start_ns;

-- The stacks of callers (node-callers).
CREATE OR REPLACE TEMP TABLE report_caller AS
SELECT capture_id, pid, tid, at_ns, request, stream, probe, stack_id
FROM report_event
WHERE category = 'node-callers' AND stack_id IS NOT NULL;
