/**
 * Lanes: each function locks the rows of the lanes that it changes, in the order of their names,
 * before it touches a message, so that two nodes never wait for each other. State 0 waits, 1 is
 * done, 2 is a dead letter. `lanes.ready` is 0 where the lane is free now.
 */
export const laneFunctions = `
CREATE FUNCTION gantry_unsynced() RETURNS void LANGUAGE sql AS $$
  SELECT set_config('synchronous_commit', 'off', true) $$;

CREATE FUNCTION gantry_lock_lanes(names text[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  -- DO UPDATE, since DO NOTHING locks no row that is there, and it may be deleted meanwhile.
  INSERT INTO lanes (lane) SELECT DISTINCT l COLLATE "C" AS l FROM unnest(names) AS l ORDER BY l
    ON CONFLICT (lane) DO UPDATE SET lane = excluded.lane;
END $$;
CREATE FUNCTION gantry_unlock_lanes(names text[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM lanes WHERE lane = ANY (names) AND head IS NULL AND holder IS NULL $$;

CREATE FUNCTION gantry_use_media(who text, ids jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO media_uses (holder, id) SELECT who, i FROM jsonb_array_elements_text(ids) AS i
  ON CONFLICT DO NOTHING $$;

-- A message is last of its lane; a sender's first is due if those of the lane that wait give way.
CREATE FUNCTION gantry_append(l text, s bigint, u text) RETURNS void LANGUAGE sql AS $$
  UPDATE lanes SET head = s, due = 0, waits_for = NULL, ready = until
  WHERE lane = l AND (head IS NULL OR (starts_with(waits_for, 'yields:') AND NOT running
    AND NOT EXISTS (SELECT 1 FROM inbox WHERE lane = l AND state = 0 AND usr = u AND seq < s))) $$;

CREATE FUNCTION gantry_notice(e jsonb, t bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE s bigint; BEGIN
  INSERT INTO inbox (channel, id, lane, message, reply, accepted, notice)
    VALUES (e->>'channel', e->>'id', e->>'lane', e->>'message', e->>'reply', t, true)
    ON CONFLICT DO NOTHING RETURNING seq INTO s;
  IF s IS NOT NULL THEN PERFORM gantry_append(e->>'lane', s, NULL); END IF;
  RETURN s IS NOT NULL;
END $$;
CREATE FUNCTION gantry_post(e jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE fresh boolean; BEGIN
  PERFORM gantry_lock_lanes(ARRAY[e->>'lane']);
  fresh := gantry_notice(e, gantry_now());
  PERFORM gantry_unlock_lanes(ARRAY[e->>'lane']);
  RETURN to_jsonb(fresh);
END $$;

CREATE FUNCTION gantry_accept_one(e jsonb, t bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE s bigint; most bigint := (e->>'most')::bigint; BEGIN
  IF most IS NOT NULL AND (most <= 0 OR EXISTS (
    SELECT 1 FROM inbox WHERE usr = e->>'usr' AND state = 0 LIMIT 1 OFFSET greatest(most - 1, 0)))
  THEN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM inbox WHERE channel = e->>'channel' AND id = e->>'id')
      THEN 'duplicate' ELSE 'over' END;
  END IF;
  INSERT INTO inbox (channel, id, lane, usr, message, accepted)
    VALUES (e->>'channel', e->>'id', e->>'lane', e->>'usr', e->>'message', t)
    ON CONFLICT DO NOTHING RETURNING seq INTO s;
  IF s IS NULL THEN RETURN 'duplicate'; END IF;
  IF e ? 'media' THEN PERFORM gantry_use_media('m:' || s, e->'media'); END IF;
  PERFORM gantry_append(e->>'lane', s, e->>'usr');
  RETURN 'accepted';
END $$;
CREATE FUNCTION gantry_accept(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE names text[]; e jsonb; said text[] := '{}'; t bigint; BEGIN
  SELECT array_agg(DISTINCT x->>'lane') INTO names FROM jsonb_array_elements(a) AS x;
  -- Numbers are given under the locks: within a lane they are in the order of the commits.
  PERFORM gantry_lock_lanes(names);
  t := gantry_now();
  FOR e IN SELECT x FROM jsonb_array_elements(a) AS x LOOP
    said := said || gantry_accept_one(e, t);
  END LOOP;
  PERFORM gantry_unlock_lanes(names);
  RETURN to_jsonb(said);
END $$;

CREATE FUNCTION gantry_claim(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE t bigint := gantry_now(); most int := (a->>'max')::int; below bigint := (a->>'below')::bigint;
  ends bigint := t + (a->>'leaseMs')::bigint; claims jsonb; BEGIN
  PERFORM gantry_unsynced();
  WITH late AS (
    SELECT l.lane, l.head FROM lanes l JOIN inbox i ON i.seq = l.head
    WHERE l.ready > 0 AND l.ready <= t AND (below IS NULL OR i.begun < below)
    ORDER BY l.ready LIMIT most FOR UPDATE OF l SKIP LOCKED),
  open AS (
    SELECT l.lane, l.head FROM lanes l JOIN inbox i ON i.seq = l.head
    WHERE l.ready = 0 AND l.head IS NOT NULL AND (below IS NULL OR i.begun < below)
    ORDER BY l.head LIMIT most FOR UPDATE OF l SKIP LOCKED),
  pick AS (
    SELECT p.lane, p.head, (a->>'call') || '.' || p.head AS token
    FROM (SELECT * FROM late UNION ALL SELECT * FROM open) AS p ORDER BY p.head LIMIT most),
  took AS (
    UPDATE lanes l SET holder = p.token, node = a->>'node', until = ends,
      ready = greatest(l.due, ends), running = true
    FROM pick p WHERE l.lane = p.lane RETURNING p.head, p.token),
  claimed AS (
    UPDATE inbox i SET attempt = i.attempt + 1, begun = i.begun + 1, token = k.token
    FROM took k WHERE i.seq = k.head RETURNING i.seq, i.lane, i.message, i.attempt, i.begun,
      i.failures, i.accepted, i.tried, i.reply, i.files, i.notice, i.token)
  SELECT jsonb_agg(to_jsonb(c) || jsonb_build_object('now', t) ORDER BY c.seq) INTO claims
    FROM claimed c;
  RETURN coalesce(claims, '[]');
END $$;

CREATE FUNCTION gantry_free(l text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM lanes WHERE lane = l AND head IS NULL;
  IF FOUND THEN RETURN false; END IF;
  UPDATE lanes SET ready = due, holder = NULL, node = NULL, until = 0, running = false
    WHERE lane = l;
  RETURN FOUND;
END $$;
CREATE FUNCTION gantry_move_head(l text) RETURNS void LANGUAGE sql AS $$
  UPDATE lanes SET due = 0, waits_for = NULL,
    head = (SELECT min(seq) FROM inbox WHERE lane = l AND state = 0) WHERE lane = l $$;
CREATE FUNCTION gantry_forget(n bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE inbox SET state = 1, message = '', reply = NULL, files = NULL, ended = gantry_now()
  WHERE seq = n $$;

CREATE FUNCTION gantry_free_lanes(names text[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  UPDATE inbox SET token = NULL
    WHERE seq IN (SELECT head FROM lanes WHERE lane = ANY (names) AND running);
  UPDATE lanes SET ready = due, holder = NULL, node = NULL, until = 0, running = false
    WHERE lane = ANY (names);
  PERFORM gantry_unlock_lanes(names);
END $$;

-- 'held': the claim holds its message; 'ended': this is the same call again; 'lost'.
CREATE FUNCTION gantry_state(e jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE l text := e->>'lane'; n bigint := (e->>'number')::bigint; h bigint; BEGIN
  SELECT head INTO h FROM lanes WHERE lane = l AND holder = e->>'token' AND running FOR UPDATE;
  IF FOUND THEN
    IF h = n THEN RETURN 'held'; END IF;
    -- Its person was erased meanwhile, and the message with them.
    PERFORM gantry_free(l);
    RETURN 'ended';
  END IF;
  PERFORM 1 FROM inbox WHERE seq = n AND token = e->>'token' AND (state <> 0
    OR NOT EXISTS (SELECT 1 FROM lanes WHERE lane = l AND holder IS NOT NULL));
  RETURN CASE WHEN FOUND THEN 'ended' ELSE 'lost' END;
END $$;

CREATE FUNCTION gantry_hold(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE t bigint; ends bigint; k text := a->>'call'; BEGIN
  PERFORM gantry_unsynced();
  PERFORM gantry_lock_lanes(ARRAY[a->>'lane']);
  t := gantry_now();
  ends := t + (a->>'leaseMs')::bigint;
  UPDATE lanes SET holder = k, node = a->>'node', until = ends, ready = greatest(due, ends),
    running = false WHERE lane = a->>'lane' AND until <= t;
  RETURN CASE WHEN FOUND THEN to_jsonb(k) END;
END $$;
CREATE FUNCTION gantry_renew(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE ends bigint := gantry_now() + (a->>'leaseMs')::bigint; BEGIN
  PERFORM gantry_unsynced();
  UPDATE lanes SET until = ends, ready = greatest(due, ends)
    WHERE lane = a->>'lane' AND holder = a->>'token';
  RETURN to_jsonb(FOUND);
END $$;
CREATE FUNCTION gantry_release(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN
  PERFORM gantry_unsynced();
  PERFORM 1 FROM lanes WHERE lane = a->>'lane' AND holder = a->>'token' AND NOT running FOR UPDATE;
  RETURN to_jsonb(FOUND AND gantry_free(a->>'lane'));
END $$;
`;
