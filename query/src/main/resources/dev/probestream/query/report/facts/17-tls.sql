-- CPU samples of event loops in TLS handshakes. OpenSSL's assembly for the keys uses the register of the frame pointer, so such a stack
-- has one frame: whose work it is, is known only where nothing else in the thread uses keys (has_other_use).
CREATE OR REPLACE TEMP TABLE report_handshake AS
WITH stack AS (
    SELECT k.capture_id, k.stack_id,
        min(s.depth) FILTER (s.kind = 'NATIVE'
            AND regexp_matches(s.symbol, '^(SSL_do_handshake|SSL_accept|SSL_connect|state_machine|tls_(early_post|post)?_?(process|construct)_)')) AS handshake_depth,
        min(s.depth) FILTER (s.kind = 'JS' AND s.file IS NOT NULL AND NOT starts_with(s.file, 'node:')) AS app_depth,
        bool_or(s.kind = 'NATIVE' AND regexp_matches(s.symbol, 'bn_sqrx?8x|bn_powerx?5|_gather5|rsaz_|rsa_ossl|ossl_rsa|^RSA_|MOD_EXP_CTIME|^BN_mod_exp')) AS is_rsa,
        count(*) FILTER (s.kind <> 'KERNEL') = 1 AND bool_or(s.kind = 'NATIVE'
            AND regexp_matches(s.symbol, '^(bn_|rsaz_|ecp_nistz|x25519_|fe64_|MOD_EXP_CTIME)')) AS is_key_alone,
        bool_or(s.kind = 'NATIVE' AND regexp_matches(s.symbol,
            'node::crypto::(Sign|Verify|PublicKeyCipher|DiffieHellman|ECDH|KeyGen|SecretKeyGen|RandomPrime|CheckPrime)')) AS is_other_use
    FROM report_stack k JOIN stacks s USING (capture_id, stack_id)
    GROUP BY ALL)
SELECT p.capture_id, p.pid, p.tid, count(*) AS samples,
    count(*) FILTER (k.handshake_depth IS NOT NULL AND (k.app_depth IS NULL OR k.app_depth > k.handshake_depth)) AS handshakes,
    count(*) FILTER (k.is_key_alone) AS keys,
    count(*) FILTER (k.is_rsa AND (k.is_key_alone OR k.handshake_depth IS NOT NULL)) AS rsa,
    coalesce(bool_or(k.is_other_use), false) AS has_other_use
FROM report_sample p JOIN stack k USING (capture_id, stack_id)
GROUP BY ALL;
