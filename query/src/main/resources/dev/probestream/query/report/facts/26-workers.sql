-- Worker threads that have the CPUs while the main thread of a recorded process, with its event loop, has none.

-- Threads that run JavaScript and are not the main one of their process. The functions of a worker that has ended have no names: that V8 called
-- them shows it, too.
CREATE OR REPLACE TEMP TABLE report_worker AS
WITH called AS (
    SELECT DISTINCT capture_id, stack_id FROM stacks WHERE kind = 'JS' OR contains(symbol, 'v8::internal::(anonymous namespace)::Invoke'))
SELECT s.capture_id, s.pid, s.tid
FROM report_sample s LEFT JOIN called k USING (capture_id, stack_id)
WHERE s.tid <> s.pid
GROUP BY s.capture_id, s.pid, s.tid
HAVING count(k.stack_id) >= 0.5 * count(*);

-- Main threads that wanted a CPU and had none for much of the time. cpus: of the machine; ready_ns: how long they had none.
CREATE OR REPLACE TEMP TABLE report_starved_main AS
SELECT l.capture_id, l.pid, l.tid, l.ready_ns, l.ready_ns + l.ran_ns AS wanted_ns, u.cpus
FROM report_starved_loop l
JOIN report_cpu_use u USING (capture_id, pid)
LEFT JOIN report_throttled t USING (capture_id, pid)
WHERE l.tid = l.pid AND l.ready_ns >= getvariable('starved_share') * (l.ready_ns + l.ran_ns)
    AND l.ready_ns >= getvariable('starved_wall_share') * l.wall_ns AND coalesce(t.throttled_periods, 0) = 0;

-- A row for each worker and such a thread, of its own process or of another one of the recording: how long the worker ran meanwhile, by
-- its CPU samples.
CREATE OR REPLACE TEMP TABLE report_worker_meanwhile AS
WITH sampled AS (
    SELECT m.capture_id, m.tid AS main_tid, s.pid AS worker_pid, s.tid AS worker_tid, s.at_ns, s.weight_ms
    FROM report_sample s JOIN report_worker w USING (capture_id, pid, tid) JOIN report_starved_main m USING (capture_id)),
ran AS (
    SELECT s.capture_id, s.main_tid, s.worker_pid, s.worker_tid, sum(s.weight_ms) * 1e6 AS ran_ns, count(*) AS samples
    FROM sampled s ASOF JOIN report_no_cpu n ON n.capture_id = s.capture_id AND n.tid = s.main_tid AND n.from_ns <= s.at_ns
    WHERE s.at_ns < n.until_ns
    GROUP BY ALL)
SELECT r.*, m.pid, m.ready_ns, m.wanted_ns, m.cpus,
    sum(r.ran_ns) OVER main AS all_ran_ns, sum(r.samples) OVER main AS all_samples
FROM ran r JOIN report_starved_main m ON m.capture_id = r.capture_id AND m.tid = r.main_tid
WHERE r.ran_ns >= getvariable('worker_share') * m.ready_ns
WINDOW main AS (PARTITION BY r.capture_id, r.main_tid);

-- Those that had most of the CPUs together.
CREATE OR REPLACE TEMP TABLE report_busy_worker AS
FROM report_worker_meanwhile
WHERE all_samples >= getvariable('workers_samples') AND all_ran_ns >= getvariable('workers_share') * cpus * ready_ns;
