-- What went out. peer_rank: 1 = the peer with the most requests; error_rank: 1 = the most frequent error.
CREATE OR REPLACE TEMP TABLE report_outgoing AS
WITH peers AS (
    SELECT peer, row_number() OVER (ORDER BY count(*) DESC, peer) AS peer_rank FROM outgoing_requests GROUP BY peer),
errors AS (
    SELECT error, row_number() OVER (ORDER BY count(*) DESC, error) AS error_rank FROM outgoing_requests
    WHERE error IS NOT NULL GROUP BY error)
SELECT o.*, p.peer_rank, e.error_rank
FROM outgoing_requests o
JOIN peers p USING (peer)
LEFT JOIN errors e USING (error);
