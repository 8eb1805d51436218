-- Hits with their arguments as named columns instead of a0, s0.

-- Between the first and the last hit; time = Unix nanoseconds minus CLOCK_MONOTONIC.
CREATE OR REPLACE TEMP TABLE report_capture AS
WITH bound AS (
    SELECT capture_id, min(mono_ns) AS first_ns, max(mono_ns) AS last_ns FROM events GROUP BY capture_id
    UNION ALL
    SELECT capture_id, min(mono_ns), max(mono_ns + coalesce(duration_ns, 0)) FROM spans GROUP BY capture_id)
SELECT capture_id, min(first_ns) AS first_ns, max(last_ns) AS last_ns,
    any_value(epoch_us(c.ts) * 1000 - c.mono_ns) AS unix_minus_mono_ns
FROM bound LEFT JOIN captures c USING (capture_id)
GROUP BY capture_id;

-- Spans of Node's probe sets with their arguments. An open span ends at the end of the capture, or where its set was no longer watched.
CREATE OR REPLACE TEMP VIEW report_span AS
SELECT s.capture_id, s.pid, s.tid, s.sequence, s.category, s.probe, s.kind, s.stack_id, s.return_value, p.return_unit,
    s.mono_ns AS start_ns,
    greatest(s.mono_ns, coalesce(s.mono_ns + s.duration_ns, least(u.from_ns, c.last_ns))) AS end_ns,
    s.duration_ns IS NULL AS is_open,
    s.request, s.stream, s.fd, s.loop, s.callback,
    coalesce(s.result, s.lookup_result, s.ares_status) AS result,
    coalesce(s.path, s.host, s.remote, s.work_kind) AS text,
    coalesce(s.lookup_labels[s.lookup_result::VARCHAR], s.ares_labels[s.ares_status::VARCHAR]) AS result_text
FROM named_spans s
JOIN report_capture c USING (capture_id)
LEFT JOIN probes p USING (capture_id, probe_id)
ASOF LEFT JOIN unwatched u ON u.capture_id = s.capture_id AND u.category = s.category AND u.from_ns >= s.mono_ns
WHERE s.category LIKE 'node-%';

CREATE OR REPLACE TEMP VIEW report_event AS
SELECT capture_id, pid, tid, sequence, category, probe, stack_id, mono_ns AS at_ns, request, stream, bytes, fd, callback,
    coalesce(result, lookup_result, ares_status) AS result,
    coalesce(path, host, remote, work_kind) AS text,
    coalesce(lookup_labels[lookup_result::VARCHAR], ares_labels[ares_status::VARCHAR]) AS result_text
FROM named_events
WHERE category LIKE 'node-%' AND kind = 'INSTANT';
