-- Statements that waited for rows which a transaction of another connection had locked. No server says why a statement takes long. That
-- it waited shows in three things together: both change or lock rows of one table, the transaction had its rows while the statement waited,
-- and the answer came when that transaction ended, more often than by chance. Of several that wait for a row, the one that asked first need
-- not be the next. Known are only locks of the same process.

-- The table whose rows a statement changes or locks, in lower case without quotes; NULL: none, or it is not known. Tables that it only
-- reads do not count. UPDATE, INSERT, REPLACE, DELETE, MERGE, LOCK, ALTER, TRUNCATE, SELECT ... FOR UPDATE and the like, as PostgreSQL and
-- MySQL spell them.
CREATE OR REPLACE TEMP MACRO locked_table(statement) AS nullif(lower(regexp_replace(coalesce(
    nullif(regexp_extract(statement, '(?is)^\s*(?:UPDATE(?:\s+(?:LOW_PRIORITY|IGNORE))*'
        || '|(?:INSERT|REPLACE)(?:\s+(?:LOW_PRIORITY|HIGH_PRIORITY|DELAYED|IGNORE))*\s+INTO'
        || '|DELETE(?:\s+(?:LOW_PRIORITY|QUICK|IGNORE))*\s+FROM|MERGE\s+INTO|(?:LOCK|ALTER|TRUNCATE)\s+TABLES?)'
        || '(?:\s+(?:IF\s+EXISTS|ONLY))*\s+([\w$.`"]+)', 1), ''),
    regexp_extract(statement, '(?is)^\s*SELECT\b.*?\bFROM\s+(?:ONLY\s+)?([\w$.`"]+).*'
        || '\b(?:FOR\s+(?:NO\s+KEY\s+)?UPDATE|FOR\s+(?:KEY\s+)?SHARE|LOCK\s+IN\s+SHARE\s+MODE)\b', 1)), '[`"]', '', 'g')), '');

CREATE OR REPLACE TEMP VIEW report_locking AS
SELECT s.capture_id, s.pid, s.database, s.peer, r.local_port, s.request_id, s.parent_request_id, s.parent, s.caller, s.operation,
    s.sent_ns, s.answered_ns, s.theirs_ns, s.tid, locked_table(s.statement) AS locked
FROM report_sent s JOIN requests r ON r.capture_id = s.capture_id AND r.request_id = s.request_id
WHERE s.is_statement AND r.local_port IS NOT NULL AND NOT s.is_open AND s.error_code IS NULL
    AND locked_table(s.statement) IS NOT NULL;

-- Begins and ends of transactions, with what follows on their connection. begin_ns: how long the begin had no answer.
CREATE OR REPLACE TEMP TABLE report_step AS
SELECT s.capture_id, s.pid, s.peer, r.local_port, s.sent_ns, s.answered_ns, t.step, s.theirs_ns AS begin_ns,
    lead(t.step) OVER in_order AS next, lead(s.sent_ns) OVER in_order AS ended_ns, lead(s.answered_ns) OVER in_order AS end_answered_ns
FROM report_transaction_step t
JOIN report_sent s ON s.capture_id = t.capture_id AND s.request_id = t.request_id
JOIN requests r ON r.capture_id = t.capture_id AND r.request_id = t.request_id
WHERE t.step IS NOT NULL AND NOT s.is_open
WINDOW in_order AS (PARTITION BY s.capture_id, s.pid, s.peer, r.local_port ORDER BY s.sent_ns);

-- Transactions whose begin and end were seen, once for each table of which they locked rows. locked_ns: when they had the first of them;
-- ended_ns, end_answered_ns: their end was sent, and was answered.
CREATE OR REPLACE TEMP TABLE report_locked AS
SELECT l.capture_id, l.pid, l.peer, l.local_port, l.locked, t.ended_ns, t.end_answered_ns, t.sent_ns AS began_ns,
    min(l.answered_ns) AS locked_ns, arg_min(l.parent_request_id, l.sent_ns) AS parent_request_id,
    arg_min(l.parent, l.sent_ns) AS parent, arg_min(l.caller, l.sent_ns) AS caller
FROM report_locking l
ASOF JOIN report_step t ON t.capture_id = l.capture_id AND t.pid = l.pid AND t.peer = l.peer AND t.local_port = l.local_port
    AND t.sent_ns <= l.sent_ns
WHERE t.step = 'begin' AND t.next = 'end' AND t.ended_ns > l.sent_ns
GROUP BY l.capture_id, l.pid, l.peer, l.local_port, l.locked, t.sent_ns, t.ended_ns, t.end_answered_ns;

-- Statements that ask for rows, with the transaction that locked rows of the same table and ended last before their answer. is_at_end: that
-- was another connection's, had its rows while they waited, and the answer came with its end. Not where the end itself took as long as a
-- part of the wait: a slow disk answers commits together, and these wait for no row. is_in_transaction: of a transaction that had begun
-- before; another statement may wait for a connection that a proxy lends. by_chance: how probable it is that an answer at any time
-- comes with one of the ends; answers that are read in one turn of the loop came together, as far as is known.
CREATE OR REPLACE TEMP TABLE report_lock_wait AS
WITH ending AS (
    SELECT *, row_number() OVER (PARTITION BY capture_id, pid, peer, locked ORDER BY ended_ns, local_port) AS n,
        end_answered_ns + 5000000 AS until_ns
    FROM report_locked),
followed AS (
    SELECT a.*, e.n, e.local_port AS holder_port, e.locked_ns, e.ended_ns, e.end_answered_ns, e.until_ns,
        e.parent_request_id AS holder_request_id, e.parent AS holder, e.caller AS holder_caller
    FROM (FROM report_locking WHERE theirs_ns > 0) a
    ASOF JOIN ending e ON e.capture_id = a.capture_id AND e.pid = a.pid AND e.peer = a.peer AND e.locked = a.locked
        AND e.ended_ns <= a.answered_ns),
counted AS (
    SELECT f.*, f.n - coalesce(b.n, 0) AS ends, coalesce(t.busy_ns, 0) AS turn_ns, coalesce(o.step = 'begin', false) AS is_in_transaction
    FROM followed f
    ASOF LEFT JOIN report_step o ON o.capture_id = f.capture_id AND o.pid = f.pid AND o.peer = f.peer AND o.local_port = f.local_port
        AND o.answered_ns <= f.sent_ns
    ASOF LEFT JOIN report_turn_whole t ON t.capture_id = f.capture_id AND t.tid = f.tid AND t.start_ns <= f.answered_ns
    ASOF LEFT JOIN ending b ON b.capture_id = f.capture_id AND b.pid = f.pid AND b.peer = f.peer AND b.locked = f.locked
        AND b.ended_ns <= f.sent_ns)
SELECT * EXCLUDE (n, ends, until_ns, turn_ns),
    holder_port <> local_port AND ended_ns > sent_ns AND locked_ns < ended_ns AND answered_ns <= until_ns
        AND theirs_ns >= 4 * (end_answered_ns - ended_ns) AS is_at_end,
    least(ends * (until_ns - ended_ns + turn_ns) / theirs_ns, 1) AS by_chance
FROM counted;
