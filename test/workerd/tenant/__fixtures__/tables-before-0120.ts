/** The tables of a tenant's object before decision 0120: notes of summaries in a table of their own. */
export const TABLES_BEFORE_0120 = `
  CREATE TABLE IF NOT EXISTS tenant (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, erased_at INTEGER);
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS revoked (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS repeats (
    ticket TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, seed TEXT NOT NULL, started_at INTEGER NOT NULL, runner TEXT,
    try_at INTEGER NOT NULL, done_at INTEGER, status INTEGER, headers TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS repeats_by_age ON repeats (COALESCE(done_at, started_at));
  CREATE TABLE IF NOT EXISTS replies (
    owner TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, part)
  );
  CREATE TABLE IF NOT EXISTS outbox (
    task TEXT PRIMARY KEY, version INTEGER NOT NULL, not_before INTEGER NOT NULL, report TEXT
  );
  CREATE INDEX IF NOT EXISTS outbox_by_time ON outbox (not_before);
  CREATE TABLE IF NOT EXISTS reports (
    owner TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, part)
  );
  CREATE TABLE IF NOT EXISTS forgotten (task TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS forgotten_by_age ON forgotten (at);
  CREATE TABLE IF NOT EXISTS tasks (
    task TEXT PRIMARY KEY, version INTEGER NOT NULL, key TEXT, agent TEXT NOT NULL, status TEXT NOT NULL,
    holds_place INTEGER NOT NULL, granted_tokens INTEGER, granted_micros INTEGER,
    used_tokens INTEGER NOT NULL, used_micros INTEGER NOT NULL, tell TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tasks_with_place ON tasks (task) WHERE holds_place = 1;
  CREATE INDEX IF NOT EXISTS tasks_that_may_run ON tasks (task) WHERE status IN ('queued', 'running', 'sleeping');
  CREATE INDEX IF NOT EXISTS tasks_to_tell ON tasks (task) WHERE tell IS NOT NULL;
  CREATE TABLE IF NOT EXISTS accounts (
    account TEXT PRIMARY KEY, max_tokens INTEGER, max_micros INTEGER, period TEXT,
    used_tokens INTEGER NOT NULL, used_micros INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS spent (
    account TEXT NOT NULL, day TEXT NOT NULL, tokens INTEGER NOT NULL, micros INTEGER NOT NULL,
    PRIMARY KEY (account, day)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS stop (
    by_operator INTEGER PRIMARY KEY CHECK (by_operator IN (0, 1)), stopped_by TEXT NOT NULL, reason TEXT,
    at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS storage (sandbox TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS stored (one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, version INTEGER NOT NULL, hash TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS summaries (task TEXT PRIMARY KEY, due_at INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS summaries_due ON summaries (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS interests (type TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notices (
    task TEXT NOT NULL, seq INTEGER NOT NULL, kept_at INTEGER NOT NULL, tries INTEGER NOT NULL,
    not_before INTEGER NOT NULL, notice TEXT NOT NULL, UNIQUE (task, seq)
  );
  CREATE INDEX IF NOT EXISTS notices_due ON notices (not_before);
  CREATE TABLE IF NOT EXISTS sessions (
    hash TEXT PRIMARY KEY, id TEXT NOT NULL, key_hash TEXT NOT NULL, tenant_name TEXT NOT NULL,
    begun_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS links (
    hash TEXT PRIMARY KEY, id TEXT NOT NULL, key_hash TEXT NOT NULL, maker TEXT, made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, session_until INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS visits (
    hash TEXT PRIMARY KEY, user_agent TEXT NOT NULL, seen_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS schedules (schedule TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS reindex (one INTEGER PRIMARY KEY CHECK (one = 1), reindex TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS counter (
    one INTEGER PRIMARY KEY CHECK (one = 1), counter INTEGER NOT NULL, compared_at INTEGER NOT NULL, name TEXT,
    inventory TEXT
  );
  CREATE TABLE IF NOT EXISTS kept_summaries (task TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS retention (
    one INTEGER PRIMARY KEY CHECK (one = 1), retention TEXT NOT NULL, progress TEXT
  );
`;
