-- For the comparison of two recordings only: what is compared, by blocks. A capture is 32 blocks of equal time, from its first hit to
-- its last. own_ns: durations without the time in which the thread had no CPU. cpu_ns: the part of it in which the loop's thread ran
-- for the request, or collected garbage; NULL where that is not recorded.
CREATE OR REPLACE TEMP TABLE report_block AS
SELECT capture_id, first_ns, greatest(last_ns - first_ns, 1) AS took_ns, row_number() OVER (ORDER BY capture_id) - 1 AS ordinal
FROM report_capture;

CREATE OR REPLACE TEMP MACRO block_of(at_ns, first_ns, took_ns, ordinal) AS
    (ordinal * 32 + least(31, greatest(0, (at_ns - first_ns) * 32 // took_ns)))::INTEGER;

-- Buckets grow by 2 %; a microsecond is the least that counts.
CREATE OR REPLACE TEMP MACRO bucket_of(ns) AS floor(ln(greatest(ns, 1000)) / ln(1.02))::INTEGER;

CREATE OR REPLACE TEMP VIEW report_served_time AS
SELECT *, mono_ns AS start_ns, mono_ns + coalesce(duration_ns, 0) AS end_ns FROM report_request WHERE side = 'SERVER';

CREATE OR REPLACE TEMP TABLE report_compared_request AS
SELECT coalesce(operation, '?') AS subject, block_of(mono_ns, first_ns, took_ns, ordinal) AS block, weight,
    duration_ns - within_ns AS own_ns, is_failed_request(status, outcome, error_code) AS is_failed,
    CASE WHEN duration_ns IS NOT NULL THEN javascript_ns + coalesce(gc_ns, 0) END AS cpu_ns
FROM time_within('report_served_time', 'report_no_cpu') JOIN report_block USING (capture_id);

CREATE OR REPLACE TEMP VIEW report_sent_time AS
SELECT *, mono_ns AS start_ns, mono_ns + coalesce(duration_ns, 0) AS end_ns FROM report_outgoing;

CREATE OR REPLACE TEMP TABLE report_compared_outgoing AS
SELECT peer || ' ' || operation || CASE WHEN parent_request_id IS NULL THEN ' (no request)' ELSE '' END AS subject,
    operation, statement, block_of(mono_ns, first_ns, took_ns, ordinal) AS block, weight,
    duration_ns - within_ns AS own_ns, error IS NOT NULL AS is_failed
FROM time_within('report_sent_time', 'report_no_cpu') JOIN report_block USING (capture_id);

CREATE OR REPLACE TEMP VIEW report_work_time AS
SELECT *, worker_tid AS tid FROM report_work;

CREATE OR REPLACE TEMP TABLE report_compared_work AS
SELECT what AS subject, block_of(start_ns, first_ns, took_ns, ordinal) AS block, run_ns - within_ns AS own_ns, blocked_ns
FROM time_within('report_work_time', 'report_no_cpu') JOIN report_block USING (capture_id);

CREATE OR REPLACE TEMP TABLE report_compared_sample AS
SELECT coalesce(f.function, '(no stack)') || coalesce(' (' || short_file(f.file) || ')', '') AS subject,
    block_of(at_ns, first_ns, took_ns, ordinal) AS block, weight_ms
FROM report_sample s
JOIN report_block USING (capture_id)
LEFT JOIN stack_functions f USING (capture_id, stack_id);

-- Samples taken while a served request had its thread.
CREATE OR REPLACE TEMP TABLE report_compared_stack AS
SELECT coalesce(r.operation, '?') AS route, s.capture_id, s.stack_id, count(*) AS samples, sum(s.weight_ms) AS ms
FROM report_sample s
JOIN request_events q ON q.capture_id = s.capture_id AND q.sequence = s.sequence
JOIN requests r ON r.capture_id = q.capture_id AND r.request_id = q.request_id
WHERE s.stack_id IS NOT NULL AND r.side = 'SERVER'
GROUP BY ALL;
