-- A summary of each stack: the application's JavaScript function nearest to its leaf (app; NULL if a nearer one has no name), the same
-- without packages (own), that nearest to the root or waiting for all others (outermost), and what it called.

-- The package that a file is of, "@scope/name" or "name"; NULL = the application's own.
CREATE OR REPLACE TEMP MACRO package(file) AS nullif(regexp_extract(file, '.*/node_modules/((?:@[^/]+/)?[^/]+)/', 1), '');

-- Whether a frame is of JavaScript functions whose names are not known. A single frame of compiled code may be a regular expression.
CREATE OR REPLACE TEMP MACRO is_nameless(kind, file, symbol) AS
    kind = 'JS' AND file IS NULL AND regexp_matches(coalesce(symbol, ''), '^$|^JavaScript \(interpreted\)|^JavaScript( \(compiled\))?, ');

-- Native functions and builtins of V8, with a readable name. Of several, the one that the application called counts:
-- below its JavaScript the one nearest to the root, else the one nearest to the leaf.
CREATE OR REPLACE TEMP TABLE report_meaning AS
SELECT * FROM (VALUES
    ('JsonPars', 'JSON.parse'),
    ('JsonStringif', 'JSON.stringify'),
    ('RegExp', 'a regular expression'),
    ('Irregexp', 'a regular expression'),
    ('PBKDF2', 'pbkdf2'),
    ('PKCS5_', 'pbkdf2'),
    ('pbkdf2', 'pbkdf2'),
    ('scrypt', 'scrypt'),
    ('Scrypt', 'scrypt'),
    ('argon2', 'argon2'),
    ('bcrypt', 'bcrypt'),
    ('HashDigest', 'a hash'),
    ('node::crypto::Hash', 'a hash'),
    ('RSA_', 'RSA'),
    ('rsa_', 'RSA'),
    ('deflate', 'zlib compression'),
    ('inflate', 'zlib decompression'),
    ('Brotli', 'brotli'),
    ('ValueSerializer', 'structured clone'),
    ('ValueDeserializer', 'structured clone'),
    ('ArrayPrototypeSort', 'Array.prototype.sort'),
    ('StringPrototypeReplace', 'String.prototype.replace'),
    ('StringPrototypeSplit', 'String.prototype.split'),
    ('uv_spawn', 'starting a process'),
    ('SyncProcessRunner', 'a synchronous child process'),
    ('uv_fs_', 'the file system'),
    ('getaddrinfo', 'a DNS lookup'),
    ('v8::internal::Compiler::', 'compiling JavaScript')) AS t(part, meaning);

CREATE OR REPLACE TEMP TABLE report_stack AS
WITH app AS (
    SELECT capture_id, stack_id,
        min(depth) AS app_depth,
        arg_min({'symbol': function_name(symbol, is_async), 'file': file, 'line': line}, depth) AS app,
        arg_min({'symbol': function_name(symbol, is_async), 'file': file, 'line': line}, depth)
            FILTER (NOT contains(file, '/node_modules/')) AS own,
        arg_max({'symbol': function_name(symbol, is_async), 'file': file, 'line': line}, depth)
            FILTER (NOT contains(file, '/node_modules/')) AS outermost
    FROM stacks
    WHERE kind = 'JS' AND file IS NOT NULL AND NOT starts_with(file, 'node:')
    GROUP BY ALL),
named AS (
    SELECT s.capture_id, s.stack_id, arg_max(m.meaning, CASE WHEN s.has_app THEN s.depth ELSE -s.depth END) AS meaning
    FROM (
        SELECT s.capture_id, s.stack_id, s.depth, s.symbol, app.app_depth IS NOT NULL AS has_app
        FROM stacks s
        LEFT JOIN app USING (capture_id, stack_id)
        WHERE s.kind <> 'KERNEL' AND s.symbol IS NOT NULL AND (app.app_depth IS NULL OR s.depth < app.app_depth)) s
    JOIN report_meaning m ON contains(s.symbol, m.part)
    GROUP BY ALL)
SELECT s.capture_id, s.stack_id,
    CASE WHEN min(s.depth) FILTER (is_nameless(s.kind, s.file, s.symbol)) < any_value(a.app_depth) THEN NULL
        ELSE any_value(a.app) END AS app,
    any_value(a.own) AS own,
    any_value(a.outermost) AS outermost,
    any_value(n.meaning) AS meaning,
    -- Native code that called the application's function is not what it is in.
    arg_min(s.symbol, s.depth) FILTER (s.kind = 'NATIVE' AND s.depth < coalesce(a.app_depth, s.depth + 1)) AS leaf,
    arg_max(s.symbol, s.depth) FILTER (s.kind = 'JS' AND starts_with(s.file, 'node:')
        AND s.depth < coalesce(a.app_depth, 0)) AS node_function,
    bool_or(contains(s.symbol, 'Heap::CollectGarbage') OR contains(s.symbol, 'Heap::Scavenge')
        OR contains(s.symbol, 'Heap::MarkCompact')) AS in_gc,
    bool_or(s.kind = 'JS') AS has_javascript,
    bool_or(s.kind <> 'JS' AND (contains(s.symbol, 'futex') OR starts_with(s.symbol, 'pthread_cond_')
        OR starts_with(s.symbol, 'pthread_mutex_') OR starts_with(s.symbol, 'uv_cond_') OR starts_with(s.symbol, 'uv_sem_')
        OR starts_with(s.symbol, '__lll_lock'))) AS is_for_thread,
    bool_or(contains(s.symbol, 'uv_fs_') OR contains(s.symbol, 'uv__fs_') OR contains(s.symbol, 'node::fs::')) AS is_in_fs,
    -- Idle waiting, which is no cause: below the poll there is only the C library.
    coalesce(min(s.depth) FILTER (s.symbol = 'uv__io_poll') - count(*) FILTER (s.kind = 'KERNEL') <= 1
        OR bool_or(contains(s.symbol, 'StartIoThread') OR contains(s.symbol, 'BlockingPop'))
        OR (bool_or(s.symbol = 'worker') AND bool_or(s.symbol = 'uv_cond_wait')), false) AS is_idle
FROM stacks s
LEFT JOIN app a USING (capture_id, stack_id)
LEFT JOIN named n USING (capture_id, stack_id)
GROUP BY s.capture_id, s.stack_id;

-- "handler (app/parse.js:12)": the folder and the name of the file identify it.
CREATE OR REPLACE TEMP MACRO short_file(file) AS
    array_to_string(list_slice(string_split(replace(file, 'file://', ''), '/'), -2, -1), '/');

CREATE OR REPLACE TEMP MACRO place(frame) AS CASE WHEN frame IS NULL THEN NULL ELSE
    coalesce(nullif(frame.symbol, ''), '(anonymous)') || ' (' || short_file(frame.file)
    || CASE WHEN coalesce(frame.line, 0) > 0 THEN ':' || frame.line ELSE '' END || ')' END;
