-- How much of a thread's CPU time goes into sending statements to databases.

-- The packages that do it: what is on the stack of the write of a statement, below the application's own nearest function.
CREATE OR REPLACE TEMP TABLE report_statement_package AS
WITH written AS (
    SELECT s.capture_id, s.pid, c.stack_id
    FROM (FROM named_spans WHERE category IN ('node-db', 'node-statements') AND probe = 'statement') s
    ASOF JOIN (FROM report_caller WHERE probe = 'caller of write') c
        -- Both are hits of one write, in any order.
        ON c.capture_id = s.capture_id AND c.pid = s.pid AND c.tid = s.tid AND c.stream = s.stream AND c.at_ns <= s.mono_ns + 100000
    WHERE s.mono_ns - c.at_ns <= 1000000
    GROUP BY ALL),
own AS (
    SELECT capture_id, stack_id, min(depth) AS depth FROM stacks
    WHERE kind = 'JS' AND file IS NOT NULL AND NOT starts_with(file, 'node:') AND package(file) IS NULL
    GROUP BY ALL)
SELECT DISTINCT w.capture_id, w.pid, package(k.file) AS package
FROM written w
JOIN stacks k USING (capture_id, stack_id)
LEFT JOIN own o USING (capture_id, stack_id)
WHERE package(k.file) IS NOT NULL AND (o.depth IS NULL OR k.depth < o.depth);

-- samples: of the CPU, of each thread; sending: those with a function of these packages on their stack.
CREATE OR REPLACE TEMP TABLE report_statement_cpu AS
WITH sending AS (
    SELECT DISTINCT p.capture_id, p.pid, k.stack_id
    FROM report_statement_package p JOIN stacks k ON k.capture_id = p.capture_id AND package(k.file) = p.package)
SELECT s.capture_id, s.pid, s.tid, count(*) AS samples, count(x.stack_id) AS sending
FROM report_sample s LEFT JOIN sending x USING (capture_id, pid, stack_id)
WHERE s.pid IN (SELECT pid FROM report_statement_package)
GROUP BY ALL;
