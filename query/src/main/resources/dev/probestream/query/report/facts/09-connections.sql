-- Opened connections: from accept or connect to close, or to the next use of the same stream, if the close was lost.

CREATE OR REPLACE TEMP TABLE report_connection AS
WITH made AS (
    SELECT k.*, coalesce(closed_ns, lead(from_ns) OVER (PARTITION BY k.capture_id, pid, stream ORDER BY from_ns)) AS close_ns
    FROM connections k
    ASOF LEFT JOIN (
        SELECT capture_id, from_ns AS gap_ns FROM unwatched WHERE category IN ('node-net', 'node-http', 'node-requests')) u
        ON u.capture_id = k.capture_id AND u.gap_ns >= k.from_ns
    WHERE NOT is_older AND (connected_ns IS NOT NULL OR coalesce(result, 0) >= 0)
        -- Whether it was closed in the gap is not known.
        AND (closed_ns IS NOT NULL OR gap_ns IS NULL)),
activity AS (
    SELECT capture_id, pid, stream, at_ns FROM report_event
    WHERE category IN ('node-http', 'node-net') AND probe IN ('bytes read', 'stream event', 'data for JavaScript', 'HTTP request', 'HTTP body')
        OR category = 'node-requests' AND probe IN ('bytes read', 'bytes written', 'bytes written as client', 'data for JavaScript', 'HTTP request')
    UNION ALL
    SELECT capture_id, pid, stream, end_ns FROM report_span
    WHERE category IN ('node-http', 'node-net') AND probe = 'bytes written')
SELECT o.capture_id, o.pid, o.tid, o.sequence, o.stream, o.from_ns AS open_ns, s.stack_id, o.remote, o.close_ns,
    CASE o.direction WHEN 'out' THEN 'outgoing' ELSE 'incoming' END AS direction,
    o.connected_ns, CASE WHEN o.direction = 'out' THEN o.result END AS connect_result,
    CASE WHEN a.at_ns >= o.from_ns THEN a.at_ns END AS last_activity_ns
FROM made o
JOIN report_capture c USING (capture_id)
LEFT JOIN spans s USING (capture_id, sequence)
ASOF LEFT JOIN activity a
    ON o.capture_id = a.capture_id AND o.pid = a.pid AND o.stream = a.stream
    AND coalesce(o.close_ns, c.last_ns + 1) >= a.at_ns;
