/**
 * The tables. `bucket` says which part of all people a row belongs to, so that parts can be moved
 * to another database; rows without one go with the session or message that they name.
 */
export const tables = `
CREATE FUNCTION gantry_now() RETURNS bigint LANGUAGE sql AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
CREATE FUNCTION gantry_bucket(key text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (get_byte(h, 0) * 16 + get_byte(h, 1) / 16)::smallint
  FROM sha256(convert_to(key, 'UTF8')) AS h $$;

CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY, turns int NOT NULL, updated bigint NOT NULL, owner text,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(coalesce(owner, id))) STORED);
CREATE INDEX sessions_updated ON sessions (updated);
CREATE INDEX sessions_owner ON sessions (owner);
CREATE TABLE turns (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session text COLLATE "C" NOT NULL, messages text NOT NULL);
CREATE INDEX turns_session ON turns (session, id);
CREATE TABLE views (session text COLLATE "C" PRIMARY KEY, generation int NOT NULL,
  through bigint NOT NULL, base text NOT NULL);
CREATE TABLE session_shares (session text COLLATE "C", usr text COLLATE "C",
  PRIMARY KEY (session, usr));
CREATE INDEX session_shares_usr ON session_shares (usr);

CREATE TABLE memory_users (usr text COLLATE "C" PRIMARY KEY, last int NOT NULL,
  no bigint GENERATED ALWAYS AS IDENTITY);
CREATE TABLE memory (
  usr text COLLATE "C", no int, text text NOT NULL, created bigint NOT NULL, sources text,
  words text[] NOT NULL,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(usr)) STORED, PRIMARY KEY (usr, no));
CREATE INDEX memory_created ON memory (created);
CREATE INDEX memory_words ON memory USING gin (words);
CREATE TEXT SEARCH DICTIONARY gantry_porter (TEMPLATE = snowball, Language = porter);

CREATE TABLE inbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, channel text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL, lane text COLLATE "C" NOT NULL, usr text COLLATE "C",
  message text NOT NULL, state smallint NOT NULL DEFAULT 0, accepted bigint NOT NULL,
  attempt int NOT NULL DEFAULT 0, begun int NOT NULL DEFAULT 0, failures int NOT NULL DEFAULT 0,
  tried bigint, token text, reply text, files text, reason text, ended bigint,
  notice boolean NOT NULL DEFAULT false,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(ltrim(lane, '>'))) STORED,
  UNIQUE (channel, id)) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
CREATE INDEX inbox_waiting ON inbox (lane, seq) WHERE state = 0;
CREATE INDEX inbox_usr ON inbox (usr) WHERE state = 0;
CREATE INDEX inbox_ended ON inbox (state, ended) WHERE state > 0;
CREATE TABLE lanes (
  lane text COLLATE "C" PRIMARY KEY, head bigint, due bigint NOT NULL DEFAULT 0,
  ready bigint NOT NULL DEFAULT 0, holder text, node text, until bigint NOT NULL DEFAULT 0,
  running boolean NOT NULL DEFAULT false, waits_for text,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(ltrim(lane, '>'))) STORED)
  WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
CREATE INDEX lanes_open ON lanes (head) WHERE ready = 0 AND head IS NOT NULL;
CREATE INDEX lanes_later ON lanes (ready) WHERE ready > 0;
CREATE INDEX lanes_node ON lanes (node) WHERE node IS NOT NULL;
CREATE INDEX lanes_waits ON lanes (waits_for) WHERE waits_for IS NOT NULL;

CREATE TABLE nodes (
  node text PRIMARY KEY, name text NOT NULL, beat bigint NOT NULL DEFAULT 0,
  since bigint NOT NULL, seen bigint NOT NULL, version text NOT NULL,
  serves boolean NOT NULL, draining boolean NOT NULL DEFAULT false);

CREATE TABLE hits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text COLLATE "C" NOT NULL,
  at bigint NOT NULL, expires bigint NOT NULL,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(key)) STORED);
CREATE INDEX hits_key ON hits (key, at);
CREATE INDEX hits_expires ON hits (expires);
CREATE TABLE named (
  space text COLLATE "C", key text COLLATE "C", value text NOT NULL, expires bigint,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(key)) STORED,
  PRIMARY KEY (space, key));
CREATE INDEX named_expires ON named (expires) WHERE expires IS NOT NULL;
CREATE TABLE usage (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL,
  usr text COLLATE "C" NOT NULL, session text NOT NULL, agent text, purpose text NOT NULL,
  provider text NOT NULL, model text NOT NULL, input bigint NOT NULL, output bigint NOT NULL,
  cached bigint NOT NULL, micros bigint, ms bigint NOT NULL, outcome text NOT NULL,
  estimated boolean NOT NULL,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(usr)) STORED);
CREATE INDEX usage_at ON usage (at);
CREATE INDEX usage_usr ON usage (usr, at);

CREATE TABLE media (id text PRIMARY KEY, added bigint NOT NULL, bytes bytea NOT NULL);
ALTER TABLE media ALTER bytes SET STORAGE EXTERNAL;
CREATE TABLE media_uses (holder text COLLATE "C", id text, PRIMARY KEY (holder, id));
CREATE INDEX media_uses_id ON media_uses (id);
CREATE TABLE media_brought (usr text COLLATE "C" NOT NULL, at bigint NOT NULL, bytes bigint NOT NULL,
  bucket smallint NOT NULL GENERATED ALWAYS AS (gantry_bucket(usr)) STORED);
CREATE INDEX media_brought_usr ON media_brought (usr, at);

CREATE FUNCTION gantry_unused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE media SET added = 0 WHERE id = old.id
    AND NOT EXISTS (SELECT 1 FROM media_uses WHERE media_uses.id = old.id);
  RETURN NULL;
END $$;
CREATE TRIGGER media_last_use AFTER DELETE ON media_uses
  FOR EACH ROW EXECUTE FUNCTION gantry_unused();
CREATE FUNCTION gantry_message_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM media_uses WHERE holder = 'm:' || old.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER inbox_media_done AFTER UPDATE OF state ON inbox
  FOR EACH ROW WHEN (new.state = 1) EXECUTE FUNCTION gantry_message_gone();
CREATE TRIGGER inbox_media_gone AFTER DELETE ON inbox
  FOR EACH ROW EXECUTE FUNCTION gantry_message_gone();
CREATE FUNCTION gantry_session_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM turns WHERE session = old.id;
  DELETE FROM views WHERE session = old.id;
  DELETE FROM session_shares WHERE session = old.id;
  DELETE FROM media_uses WHERE holder = 's:' || old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER session_rows AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION gantry_session_gone();
`;
