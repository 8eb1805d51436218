-- How many requests each one stands for: sets that the budget kept away at times saw a part of them. The set that sees requests is
-- node-http or node-requests.
CREATE OR REPLACE TEMP VIEW report_request AS
SELECT r.*, coalesce(w.weight, 1) AS weight
FROM requests r
ASOF LEFT JOIN (FROM watched_periods WHERE category IN ('node-http', 'node-requests')) w ON w.capture_id = r.capture_id AND w.from_ns <= r.mono_ns;

-- How long sets, or single probes, were not watched, and of what time.
CREATE OR REPLACE TEMP TABLE report_gap AS
SELECT capture_id, coalesce(probe, category) AS what, reason, count(*) AS gaps, sum(to_ns - from_ns) AS gap_ns,
    max(to_ns - from_ns) AS longest_ns, min(from_ns - start_ns) AS after_ns, any_value(end_ns - start_ns) AS took_ns
FROM gap_intervals
GROUP BY capture_id, what, reason;

-- What the probes cost, by set; took_ns, target_cpu_ns: of all the time in which the cost was measured.
CREATE OR REPLACE TEMP TABLE report_cost AS
WITH measured AS (
    SELECT capture_id, sum(to_mono_ns - from_mono_ns) AS took_ns, sum(target_cpu_ns) AS target_cpu_ns FROM costs GROUP BY ALL)
SELECT c.capture_id, coalesce(c.category, 'unknown') AS category, sum(c.hits) AS hits, sum(c.cost_ns) AS cost_ns,
    any_value(m.took_ns) AS took_ns, any_value(m.target_cpu_ns) AS target_cpu_ns
FROM probe_costs c JOIN measured m USING (capture_id)
GROUP BY c.capture_id, c.category;
