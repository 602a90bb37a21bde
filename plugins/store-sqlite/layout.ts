/**
 * The layout of the file, one step per release that changed it. A step is never edited once
 * shipped: `user_version` says how many of them a file has been through.
 */
export const layout: readonly string[] = [
  `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, turns INTEGER NOT NULL, updated INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_updated ON sessions (updated);
  CREATE TABLE turns (id INTEGER PRIMARY KEY, session TEXT NOT NULL, messages TEXT NOT NULL) STRICT;
  CREATE INDEX turns_session ON turns (session);

  CREATE TABLE memory_users (no INTEGER PRIMARY KEY, user TEXT NOT NULL UNIQUE, last INTEGER NOT NULL) STRICT;
  CREATE TABLE memory (id INTEGER PRIMARY KEY, text TEXT NOT NULL, created INTEGER NOT NULL) STRICT;
  CREATE INDEX memory_created ON memory (created);
  CREATE VIRTUAL TABLE memory_words USING fts5 (words, content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2');

  CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY, channel TEXT NOT NULL, id TEXT NOT NULL, lane TEXT NOT NULL, message TEXT NOT NULL,
    state INTEGER NOT NULL DEFAULT 0, attempt INTEGER NOT NULL DEFAULT 0, reply TEXT, reason TEXT, ended INTEGER,
    UNIQUE (channel, id)
  ) STRICT;
  CREATE INDEX inbox_pending ON inbox (lane, seq) WHERE state = 0;
  CREATE INDEX inbox_done ON inbox (ended) WHERE state = 1;
  CREATE INDEX inbox_aside ON inbox (ended) WHERE state = 2;
  CREATE TABLE lanes (
    lane TEXT PRIMARY KEY, head INTEGER, due INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0,
    holder TEXT, process TEXT, until INTEGER NOT NULL DEFAULT 0, running INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lanes_open ON lanes (head) WHERE ready = 0 AND head IS NOT NULL;
  CREATE INDEX lanes_later ON lanes (ready) WHERE ready > 0;
  CREATE INDEX lanes_running ON lanes (lane) WHERE running = 1;

  CREATE TABLE hits (id INTEGER PRIMARY KEY, key TEXT NOT NULL, at INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT;
  CREATE INDEX hits_key ON hits (key, at);

  CREATE TABLE named (space TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER, PRIMARY KEY (space, key))
    STRICT, WITHOUT ROWID;
  CREATE INDEX named_expires ON named (expires) WHERE expires IS NOT NULL;
  `,
  // Messages know person, conversation and address apart, their content is parts; a session knows
  // who opened it.
  `
  UPDATE inbox SET message = json_object(
    'channel', channel, 'id', id, 'timestamp', json_extract(message, '$.timestamp'),
    'sender', json_object('id', json_extract(message, '$.sender')),
    'conversation', json_object('id', json_extract(message, '$.sender'), 'kind', 'direct'),
    'replyTo', json_extract(message, '$.sender'),
    'parts', json_array(json_object('type', 'text', 'text', json_extract(message, '$.text'))),
    'trust', 'member')
  WHERE message <> '' AND json_type(message, '$.sender') = 'text';

  ALTER TABLE inbox ADD COLUMN user TEXT;
  ALTER TABLE inbox ADD COLUMN accepted INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE inbox ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE inbox ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE inbox ADD COLUMN tried INTEGER;
  ALTER TABLE inbox ADD COLUMN notice INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lanes ADD COLUMN waits_for TEXT;
  UPDATE inbox SET accepted = unixepoch() * 1000, user = channel || ':' || json_extract(message, '$.sender.id')
  WHERE message <> '';
  CREATE INDEX inbox_user ON inbox (user) WHERE state = 0;
  CREATE INDEX lanes_waits ON lanes (waits_for) WHERE waits_for IS NOT NULL;

  CREATE TABLE views (session TEXT PRIMARY KEY, generation INTEGER NOT NULL, through INTEGER NOT NULL, base TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE usage (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL, purpose TEXT NOT NULL,
    provider TEXT NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
    cached INTEGER NOT NULL, micros INTEGER, ms INTEGER NOT NULL, outcome TEXT NOT NULL
  ) STRICT;
  CREATE INDEX usage_at ON usage (at);
  CREATE INDEX usage_user ON usage (user, at);

  ALTER TABLE sessions ADD COLUMN owner TEXT;
  CREATE TABLE session_shares (session TEXT NOT NULL, user TEXT NOT NULL, PRIMARY KEY (session, user)) STRICT, WITHOUT ROWID;
  UPDATE sessions SET owner = id WHERE id IN (SELECT lane FROM inbox);

  CREATE TABLE media (id TEXT PRIMARY KEY, added INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE media_uses (holder TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (holder, id)) STRICT, WITHOUT ROWID;
  CREATE INDEX media_uses_id ON media_uses (id);
  CREATE TABLE media_brought (user TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  CREATE INDEX media_brought_user ON media_brought (user, at);
  CREATE TRIGGER session_media AFTER DELETE ON sessions BEGIN
    DELETE FROM media_uses WHERE holder = 's:' || old.id; END;
  CREATE TRIGGER inbox_media_done AFTER UPDATE OF state ON inbox WHEN new.state = 1 BEGIN
    DELETE FROM media_uses WHERE holder = 'm:' || old.seq; END;
  CREATE TRIGGER inbox_media_gone AFTER DELETE ON inbox BEGIN
    DELETE FROM media_uses WHERE holder = 'm:' || old.seq; END;
  CREATE TRIGGER media_last_use AFTER DELETE ON media_uses
    WHEN NOT EXISTS (SELECT 1 FROM media_uses WHERE id = old.id) BEGIN
    UPDATE media SET added = 0 WHERE id = old.id; END;

  UPDATE turns SET messages = (
    SELECT json_group_array(json(CASE json_type(value, '$.text') WHEN 'text' THEN
      json_remove(json_set(value, '$.parts',
        json_array(json_object('type', 'text', 'text', json(value -> '$.text')))), '$.text') ELSE value END))
    FROM (SELECT value FROM json_each(turns.messages) ORDER BY key));
  `,
  // A claim is known by a token of its own; the clock that was set is followed by one process;
  // requests name their agent.
  `
  ALTER TABLE inbox ADD COLUMN token TEXT;
  ALTER TABLE usage ADD COLUMN agent TEXT;
  CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), offset INTEGER NOT NULL) STRICT;
  `,
  // Not every server tells what a request took.
  "ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0",
  // The sources of the conversation that a memory comes from; none is known of older ones.
  "ALTER TABLE memory ADD COLUMN sources TEXT",
  // Files that go out with an answer.
  "ALTER TABLE inbox ADD COLUMN files TEXT",
];
