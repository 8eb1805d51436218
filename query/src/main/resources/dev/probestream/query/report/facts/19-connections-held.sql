-- Connections to databases whose transaction did not end, and requests of the server that wait while all of them are held so.

-- Statements with what they do to the transaction of their connection. The port of this end identifies the connection.
CREATE OR REPLACE TEMP VIEW report_transaction_step AS
SELECT capture_id, pid, coalesce(remote_address || ':' || remote_port, '') AS address, local_port, request_id, parent_request_id,
    mono_ns, mono_ns + duration_ns AS answered_ns, caller, peer_name,
    CASE WHEN error_code IS NOT NULL AND error_code <> '' THEN NULL
        WHEN regexp_matches(statement, '(?i)^\s*(BEGIN|START\s+TRANSACTION)\b') THEN 'begin'
        WHEN regexp_matches(statement, '(?i)^\s*(COMMIT|END|ABORT|ROLLBACK)\b')
            AND NOT regexp_matches(statement, '(?i)^\s*ROLLBACK\s+(WORK\s+|TRANSACTION\s+)?TO\b') THEN 'end' END AS step
FROM requests
WHERE side = 'CLIENT' AND database IS NOT NULL AND local_port IS NOT NULL;

-- held: connections whose transaction did not end, all statements answered; used: all with statements. silent_ns: since the last statement.
-- Without those peers of which a connection was closed after the first such transaction: which one it was is not known.
CREATE OR REPLACE TEMP TABLE report_held AS
WITH connection AS (
    SELECT capture_id, pid, address, local_port, max(peer_name) AS peer_name, max(mono_ns) AS last_sent_ns, max(answered_ns) AS last_answered_ns,
        bool_or(answered_ns IS NULL) AS is_busy, arg_max(step, mono_ns) FILTER (step IS NOT NULL) AS last_step,
        arg_max(request_id, mono_ns) FILTER (step IS NOT NULL) AS step_request,
        max(mono_ns) FILTER (step IS NOT NULL) AS step_ns
    FROM report_transaction_step GROUP BY ALL),
peer AS (
    SELECT capture_id, pid, address, max(peer_name) AS peer_name, count(*) AS used,
        count(*) FILTER (last_step = 'begin' AND NOT is_busy) AS held,
        list(step_request) FILTER (last_step = 'begin' AND NOT is_busy) AS begins,
        min(step_ns) FILTER (last_step = 'begin' AND NOT is_busy) AS first_begin_ns,
        max(greatest(last_sent_ns, coalesce(last_answered_ns, 0))) AS last_ns
    FROM connection GROUP BY ALL)
SELECT p.*, c.last_ns - p.last_ns AS silent_ns, c.last_ns - p.first_begin_ns AS open_ns
FROM peer p JOIN report_capture c USING (capture_id)
WHERE p.held > 0 AND NOT EXISTS (
    FROM connections k WHERE k.capture_id = p.capture_id AND k.pid = p.pid AND k.direction = 'out' AND k.remote = p.address
        AND k.closed_ns >= p.first_begin_ns);

-- Requests that came when the last connection was held, for which nothing was sent, and which had no answer.
CREATE OR REPLACE TEMP TABLE report_held_request AS
SELECT h.capture_id, h.pid, h.address, r.request_id, coalesce(r.operation, '?') AS route
FROM report_held h JOIN requests r ON r.capture_id = h.capture_id AND r.pid = h.pid AND r.mono_ns >= h.last_ns
WHERE h.held = h.used AND r.side = 'SERVER' AND ((r.duration_ns IS NULL AND r.outcome IS DISTINCT FROM 'UNOBSERVED') OR r.outcome = 'ABORTED')
    AND NOT EXISTS (FROM requests o WHERE o.capture_id = r.capture_id AND o.parent_request_id = r.request_id AND o.side = 'CLIENT');
