-- What a process asks others for: requests of clients, statements, connections. theirs_ns: at least so long the answer was not there
-- yet, for reasons outside of the process; ours_ns: the rest, in which the loop may have been busy or without a CPU.

-- An answer is read in the first turn after it came. It came while the loop waited in the poll before that turn, or, if it did not wait
-- there, during the turn before at the earliest: until then (unread_from_ns) the process can have delayed nothing.
CREATE OR REPLACE TEMP VIEW report_reading AS
SELECT capture_id, tid, start_ns, end_ns,
    CASE WHEN start_ns - lag(end_ns) OVER in_order > 100000 THEN start_ns
        ELSE coalesce(lag(start_ns) OVER in_order, start_ns) END AS unread_from_ns
FROM report_turn_whole
WINDOW in_order AS (PARTITION BY capture_id, tid ORDER BY start_ns);

CREATE OR REPLACE TEMP MACRO address_text(address, port) AS
    CASE WHEN port IS NULL THEN address WHEN contains(address, ':') THEN '[' || address || ']:' || port
        ELSE address || ':' || port END;

CREATE OR REPLACE TEMP VIEW report_send AS
WITH own_port AS (
    SELECT DISTINCT capture_id, pid, local_address, local_port FROM requests WHERE side = 'SERVER' AND local_port IS NOT NULL),
to_itself AS (
    SELECT DISTINCT r.capture_id, r.request_id
    FROM requests r JOIN own_port o ON o.capture_id = r.capture_id AND o.local_port = r.remote_port
        AND coalesce(o.local_address, r.remote_address) = r.remote_address
    WHERE r.side = 'CLIENT'),
sent AS (
    SELECT r.capture_id, r.request_id, r.parent_request_id, r.pid, r.tid, r.mono_ns AS sent_ns, r.duration_ns, r.head_ns, r.network_ns,
        coalesce(r.protocol, 'http') AS protocol, r.database, coalesce(r.operation, '?') AS operation,
        coalesce(r.statement, r.operation, '') AS statement, r.rows, r.reply, nullif(r.error_code, '') AS error_code,
        r.status, r.outcome, r.waited_ns, r.caller, r.caller_package, r.peer_name,
        address_text(r.remote_address, r.remote_port) AS address, i.request_id IS NOT NULL AS is_to_itself,
        coalesce(r.url, r.operation) AS target, coalesce(r.mono_ns + r.duration_ns, c.last_ns) AS answered_ns, r.duration_ns IS NULL AS is_open
    FROM requests r
    JOIN report_capture c USING (capture_id)
    LEFT JOIN to_itself i USING (capture_id, request_id)
    WHERE r.side = 'CLIENT' AND coalesce(r.protocol, '') <> 'dns' -- lookups: 08-dns.sql
        -- Of UNKNOWN ones: report_unmatched.
        AND coalesce(r.outcome, '') NOT IN ('UNKNOWN', 'UNOBSERVED'))
SELECT s.*, s.sent_ns AS start_ns,
    CASE WHEN t.end_ns >= s.answered_ns THEN greatest(least(t.unread_from_ns, s.answered_ns), s.sent_ns) ELSE s.answered_ns END AS end_ns,
    t.start_ns IS NOT NULL AS has_turns
FROM sent s
ASOF LEFT JOIN report_reading t ON t.capture_id = s.capture_id AND t.tid = s.tid AND t.start_ns <= s.answered_ns;

-- peer: "db.internal (10.0.0.5:5432)", "this process (127.0.0.1:3000)"; target: what was asked for, with its ids; wire_ns: the fastest
-- connect to the address, about a round trip.
CREATE OR REPLACE TEMP TABLE report_sent AS
SELECT *, answered_ns - sent_ns - theirs_ns AS ours_ns FROM (
WITH round_trip AS (
    SELECT capture_id, pid, remote AS address, min(connected_ns - from_ns) AS wire_ns
    FROM connections WHERE direction = 'out' AND connected_ns IS NOT NULL AND coalesce(result, 0) = 0 GROUP BY ALL),
parent AS (
    SELECT capture_id, request_id, coalesce(operation, '?') AS parent, duration_ns AS parent_ns, status AS parent_status,
        outcome AS parent_outcome
    FROM requests WHERE side = 'SERVER')
SELECT s.* EXCLUDE (within_ns, start_ns, end_ns),
    coalesce(
        CASE WHEN s.is_to_itself THEN 'this process' ELSE s.peer_name END || coalesce(' (' || s.address || ')', ''), s.address) AS peer,
    s.database IS NOT NULL AS is_statement,
    s.protocol IN ('tcp', 'unix') AS is_connect,
    ((s.error_code IS NOT NULL
            -- A status of gRPC (reply) for which the server is not to blame, such as NOT_FOUND, is an answer.
            AND NOT (s.protocol = 'http2' AND s.reply IS NOT DISTINCT FROM s.error_code))
        OR is_failed_request(s.status, s.outcome, s.error_code))
        -- Not what is given up because the client that it was for has left.
        AND NOT (s.error_code IS NOT DISTINCT FROM 'ECANCELED' AND p.parent_outcome IS NOT DISTINCT FROM 'ABORTED') AS is_failed,
    least(
        greatest(s.end_ns - s.start_ns - s.within_ns, 0),
        -- Without turns only the split of a request gives the process's own time.
        CASE WHEN s.protocol LIKE 'http%' AND NOT (s.network_ns IS NULL AND s.has_turns) THEN greatest(s.network_ns, 0) END)::BIGINT AS theirs_ns,
    w.wire_ns, p.parent, p.parent_ns, p.parent_status, p.parent_outcome
FROM time_within('report_send', 'report_no_cpu') s
LEFT JOIN round_trip w USING (capture_id, pid, address)
LEFT JOIN parent p ON p.capture_id = s.capture_id AND p.request_id = s.parent_request_id);

-- Statements whose answers could not be distinguished from those of others: when they were sent and for whom is known, and no more.
CREATE OR REPLACE TEMP TABLE report_unmatched AS
SELECT r.capture_id, r.request_id, r.parent_request_id, r.pid, r.tid, r.mono_ns AS sent_ns, r.protocol, r.database,
    coalesce(r.operation, '?') AS operation, coalesce(r.statement, r.operation, '') AS statement, r.caller,
    coalesce(r.peer_name || coalesce(' (' || address_text(r.remote_address, r.remote_port) || ')', ''),
        address_text(r.remote_address, r.remote_port)) AS peer,
    CASE WHEN p.request_id IS NOT NULL THEN coalesce(p.operation, '?') END AS parent, p.duration_ns AS parent_ns
FROM requests r
LEFT JOIN requests p ON p.capture_id = r.capture_id AND p.request_id = r.parent_request_id AND p.side = 'SERVER'
WHERE r.side = 'CLIENT' AND r.outcome = 'UNKNOWN';

-- All statements that were sent; theirs_ns: NULL = not known.
CREATE OR REPLACE TEMP VIEW report_statement AS
SELECT capture_id, request_id, parent_request_id, pid, sent_ns, answered_ns, protocol, database, operation, statement, caller, peer, parent,
    parent_ns, theirs_ns, wire_ns
FROM report_sent WHERE is_statement
UNION ALL
SELECT capture_id, request_id, parent_request_id, pid, sent_ns, NULL, protocol, database, operation, statement, caller, peer, parent,
    parent_ns, NULL, NULL
FROM report_unmatched;

-- Waits for a free connection, without the time in which the thread had no CPU or one turn of its loop went on.
CREATE OR REPLACE TEMP VIEW report_queued AS
SELECT capture_id, tid, request_id, waited_ns, sent_ns - waited_ns AS start_ns, sent_ns AS end_ns
FROM report_sent WHERE waited_ns > 0;

CREATE OR REPLACE TEMP VIEW report_long_busy AS
SELECT capture_id, tid, start_ns AS from_ns, end_ns AS until_ns,
    sum(busy_ns) OVER (PARTITION BY capture_id, tid ORDER BY start_ns ROWS UNBOUNDED PRECEDING) AS total_ns
FROM report_turn_whole WHERE busy_ns >= getvariable('stall_ns');

CREATE OR REPLACE TEMP TABLE report_connection_wait AS
WITH stalled AS (SELECT capture_id, request_id, within_ns FROM time_within('report_queued', 'report_long_busy'))
SELECT q.capture_id, q.request_id, greatest(q.waited_ns - q.within_ns - s.within_ns, 0) AS wait_ns
FROM time_within('report_queued', 'report_no_cpu') q JOIN stalled s USING (capture_id, request_id);

-- When a process serves, and when it does not. reach_ns: until then it serves at least one of the requests that began by from_ns.
CREATE OR REPLACE TEMP TABLE report_serving AS
SELECT r.capture_id, r.pid, coalesce(r.operation, '?') AS route, r.mono_ns AS from_ns,
    coalesce(r.mono_ns + r.duration_ns, c.last_ns) AS until_ns,
    max(coalesce(r.mono_ns + r.duration_ns, c.last_ns)) OVER (
        PARTITION BY r.capture_id, r.pid ORDER BY r.mono_ns, r.request_id ROWS UNBOUNDED PRECEDING) AS reach_ns
FROM requests r JOIN report_capture c USING (capture_id)
WHERE r.side = 'SERVER';

-- Connections that failed, and requests whose connection ended before their answer (is_attempt: false). is_tried_elsewhere: another address of the same port was connected to right after, as Node does with a name
-- that has several addresses. Of recordings without requests for connections, from the connections themselves.
CREATE OR REPLACE TEMP TABLE report_connection_error AS
WITH failed AS (
    SELECT capture_id, pid, answered_ns AS at_ns, answered_ns - sent_ns AS after_ns, peer, address, error_code, parent_request_id,
        caller, true AS is_attempt
    FROM report_sent WHERE is_connect AND error_code IS NOT NULL
    UNION ALL
    SELECT capture_id, pid, answered_ns, answered_ns - sent_ns, peer, address, error_code, parent_request_id, caller, false
    FROM report_sent
    WHERE NOT is_connect AND is_failed AND regexp_matches(error_code, '^E[A-Z]{2,}$')
    UNION ALL
    SELECT k.capture_id, k.pid, coalesce(k.connected_ns, k.from_ns), NULL, k.remote, k.remote, errno_name(k.result),
        coalesce(r.parent_request_id, CASE WHEN r.side = 'SERVER' THEN r.request_id END), NULL, true
    FROM connections k
    LEFT JOIN request_events e USING (capture_id, sequence)
    LEFT JOIN requests r ON r.capture_id = e.capture_id AND r.request_id = e.request_id
    WHERE k.direction = 'out' AND is_failure(k.result) AND k.remote IS NOT NULL
        AND NOT EXISTS (FROM report_sent o WHERE o.capture_id = k.capture_id AND o.is_connect)),
established AS (
    SELECT capture_id, pid, from_ns, remote, regexp_extract(remote, '[^:]*$') AS port
    FROM connections WHERE direction = 'out' AND coalesce(result, 0) >= 0 AND connected_ns IS NOT NULL)
SELECT f.*, p.parent, p.is_parent_failed,
    f.is_attempt AND coalesce(e.remote <> f.address AND e.from_ns - f.at_ns < 300000000, false) AS is_tried_elsewhere
FROM failed f
ASOF LEFT JOIN established e
    ON e.capture_id = f.capture_id AND e.pid = f.pid AND e.port = regexp_extract(f.address, '[^:]*$')
    AND e.from_ns >= f.at_ns - 1000000
LEFT JOIN (
    SELECT capture_id, request_id, coalesce(operation, '?') AS parent,
        is_failed_request(status, outcome, error_code) AS is_parent_failed
    FROM requests WHERE side = 'SERVER') p
    ON p.capture_id = f.capture_id AND p.request_id = f.parent_request_id;

-- Lookups with the request of the server that ordered them, if it is known.
CREATE OR REPLACE TEMP VIEW report_lookup_request AS
WITH served AS (
    SELECT r.capture_id, r.request_id, coalesce(r.operation, '?') AS request,
        is_failed_request(r.status, r.outcome, r.error_code) AS is_request_failed
    FROM requests r WHERE r.side = 'SERVER'),
ordered AS (
    SELECT e.capture_id, e.sequence, coalesce(r.parent_request_id, r.request_id) AS request_id
    FROM request_events e JOIN requests r USING (capture_id, request_id))
SELECT l.*, s.request_id, s.request, s.is_request_failed
FROM report_lookup l
LEFT JOIN ordered o USING (capture_id, sequence)
LEFT JOIN served s ON s.capture_id = o.capture_id AND s.request_id = o.request_id;
