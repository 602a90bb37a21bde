/** Nodes, limits, memory, and the removal of a person. */
export const otherFunctions = `
-- Counts one beat and returns all nodes.
CREATE FUNCTION gantry_beat(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE t bigint := gantry_now(); BEGIN
  PERFORM gantry_unsynced();
  INSERT INTO nodes (node, name, since, seen, version, serves)
    VALUES (a->>'node', a->>'name', t, t, a->>'version', (a->>'serves')::boolean)
    ON CONFLICT (node) DO UPDATE SET beat = nodes.beat + 1, seen = excluded.seen,
    serves = excluded.serves;
  RETURN (SELECT jsonb_agg(to_jsonb(n) || jsonb_build_object('now', t) ORDER BY n.name, n.node)
    FROM nodes n);
END $$;
CREATE FUNCTION gantry_free_lanes_of(which text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE held text[]; BEGIN
  SELECT array_agg(lane) INTO held FROM (
    SELECT lane FROM lanes WHERE node = ANY (which) ORDER BY lane FOR UPDATE) AS l;
  PERFORM gantry_free_lanes(held);
  RETURN coalesce(cardinality(held), 0);
END $$;
-- Frees what calls of a living node took whose answers were lost on their way: nobody works on it.
CREATE FUNCTION gantry_disown(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE lost text[]; BEGIN
  SELECT array_agg(lane) INTO lost FROM (
    SELECT lane FROM lanes WHERE node = a->>'node'
      AND split_part(holder, '.', 1) IN (SELECT jsonb_array_elements_text(a->'calls'))
    ORDER BY lane FOR UPDATE) AS l;
  UPDATE inbox SET attempt = attempt - 1, begun = begun - 1
    WHERE seq IN (SELECT head FROM lanes WHERE lane = ANY (lost) AND running);
  PERFORM gantry_free_lanes(lost);
  RETURN to_jsonb(coalesce(cardinality(lost), 0));
END $$;
-- Frees what a node held, only if it has not beaten since it was judged; returns how many lanes.
CREATE FUNCTION gantry_bury(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM nodes WHERE node = a->>'node' AND beat = (a->>'beat')::bigint;
  IF NOT FOUND THEN RETURN '0'; END IF;
  RETURN to_jsonb(gantry_free_lanes_of(ARRAY[a->>'node']));
END $$;
-- A node that ends frees what it holds itself.
CREATE FUNCTION gantry_leave(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM nodes WHERE node = a->>'node';
  RETURN to_jsonb(gantry_free_lanes_of(ARRAY[a->>'node']));
END $$;
-- Frees what those held who have no row any more.
CREATE FUNCTION gantry_recover(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE gone text[]; BEGIN
  SELECT array_agg(DISTINCT node) INTO gone FROM lanes l WHERE node IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.node = l.node);
  RETURN to_jsonb(CASE WHEN gone IS NULL THEN 0 ELSE gantry_free_lanes_of(gone) END);
END $$;
CREATE FUNCTION gantry_notify(payload text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  -- In a commit of its own that waits for no disk: inside another one it would hold them all up.
  PERFORM gantry_unsynced();
  PERFORM pg_notify('gantry_due', payload);
END $$;

CREATE FUNCTION gantry_hit(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE k text := a->>'key'; t bigint; w jsonb; i int := 0; nth bigint; wait double precision;
  full_i int; full_wait double precision := 0; longest double precision := 0; BEGIN
  PERFORM gantry_unsynced();
  PERFORM pg_advisory_xact_lock(hashtextextended(k, 7301994));
  t := gantry_now();
  FOR w IN SELECT x FROM jsonb_array_elements(a->'windows') AS x LOOP
    longest := greatest(longest, (w->>'ms')::double precision);
    nth := NULL;
    IF (w->>'max')::int >= 1 THEN
      SELECT at INTO nth FROM hits WHERE key = k ORDER BY at DESC LIMIT 1
        OFFSET (w->>'max')::int - 1;
      wait := nth + (w->>'ms')::double precision - t;
    ELSE
      wait := 'Infinity';
    END IF;
    IF wait > full_wait THEN full_i := i; full_wait := wait; END IF;
    i := i + 1;
  END LOOP;
  IF full_i IS NOT NULL THEN
    RETURN jsonb_build_object('full', full_i, 'afterMs', nullif(full_wait, 'Infinity'));
  END IF;
  DELETE FROM hits WHERE key = k AND at <= t - longest AND expires <= t;
  INSERT INTO hits (key, at, expires) VALUES (k, t, ceil(t + longest));
  RETURN '{}';
END $$;

CREATE FUNCTION gantry_words(no bigint, words jsonb) RETURNS text[] LANGUAGE sql STABLE AS $$
  -- Each word stands with its person, so that a search reads nobody else's; a long one as its hash.
  SELECT coalesce(array_agg(DISTINCT no || ':' ||
    CASE WHEN length(s) > 100 THEN md5(s) ELSE s END), '{}')
  FROM (SELECT coalesce((ts_lexize('gantry_porter', w))[1], w) AS s
    FROM jsonb_array_elements_text(words) AS w) AS stems $$;
CREATE FUNCTION gantry_remember(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE u record; t bigint := gantry_now(); BEGIN
  INSERT INTO memory_users AS m (usr, last) VALUES (a->>'usr', 1)
    ON CONFLICT (usr) DO UPDATE SET last = m.last + 1 RETURNING m.no, m.last INTO u;
  INSERT INTO memory (usr, no, text, created, sources, words) VALUES (a->>'usr', u.last, a->>'text',
    t, a->>'sources', gantry_words(u.no, a->'words'));
  RETURN jsonb_build_object('no', u.last, 'created', t);
END $$;
-- For each word the newest entries that hold it.
CREATE FUNCTION gantry_found(a jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(f.ids ORDER BY w.n), '[]')
  FROM memory_users u, jsonb_array_elements(a->'words') WITH ORDINALITY AS w(all_of, n),
  LATERAL (SELECT coalesce(jsonb_agg(m.no), '[]') AS ids FROM (
    SELECT no FROM memory WHERE usr = a->>'usr' AND words @> gantry_words(u.no, w.all_of)
    ORDER BY no DESC LIMIT (a->>'limit')::int) AS m) AS f
  WHERE u.usr = a->>'usr' $$;

CREATE FUNCTION gantry_erase(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE u text := a->>'usr'; own text[] := ARRAY[u, '>' || u]; names text[]; s int; k int; m int := 0;
  r record; BEGIN
  SELECT array_agg(DISTINCT lane) INTO names FROM inbox
    WHERE message <> '' AND (usr = u OR lane = ANY (own));
  PERFORM gantry_lock_lanes(names || own);
  DELETE FROM named WHERE starts_with(space, 'session-')
    AND key IN (SELECT id FROM sessions WHERE owner = u OR id = u);
  DELETE FROM sessions WHERE owner = u OR id = u;
  GET DIAGNOSTICS s = ROW_COUNT;
  DELETE FROM memory WHERE usr = u;
  GET DIAGNOSTICS k = ROW_COUNT;
  DELETE FROM memory_users WHERE usr = u;
  FOR r IN SELECT seq, lane FROM inbox WHERE message <> '' AND (usr = u OR lane = ANY (own)) LOOP
    PERFORM gantry_forget(r.seq);
    PERFORM gantry_move_head(r.lane);
    m := m + 1;
  END LOOP;
  UPDATE inbox SET usr = '', reason = NULL,
    lane = CASE WHEN lane = ANY (own) THEN '' ELSE lane END
    WHERE message = '' AND (usr = u OR lane = ANY (own));
  PERFORM gantry_unlock_lanes(names || own);
  UPDATE usage SET usr = 'erased', session = '' WHERE usr = u;
  DELETE FROM session_shares WHERE usr = u;
  DELETE FROM media_brought WHERE usr = u;
  DELETE FROM hits WHERE right(key, length(u) + 1) = ':' || u;
  RETURN jsonb_build_object('sessions', s, 'memories', k, 'messages', m);
END $$;
`;
