/**
 * Functions that end a claim, and those for people with messages that wait. Each may be called
 * again.
 */
export const answerFunctions = `
CREATE FUNCTION gantry_add_turn(s text, turn text, media jsonb, who text) RETURNS void
LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO sessions (id, turns, updated, owner) VALUES (s, 1, gantry_now(), who)
    ON CONFLICT (id) DO UPDATE SET turns = sessions.turns + 1, updated = excluded.updated,
    owner = coalesce(sessions.owner, excluded.owner);
  INSERT INTO turns (session, messages) VALUES (s, turn);
  IF media IS NOT NULL THEN PERFORM gantry_use_media('s:' || s, media); END IF;
END $$;
CREATE FUNCTION gantry_append_turn(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN
  IF a ? 'token' THEN
    PERFORM 1 FROM lanes WHERE lane = a->>'lane' AND holder = a->>'token' FOR UPDATE;
    IF NOT FOUND THEN RETURN 'false'; END IF;
  END IF;
  IF a ? 'turn' THEN
    PERFORM gantry_add_turn(a->>'session', a->>'turn', a->'media', NULL);
  END IF;
  RETURN 'true';
END $$;

CREATE FUNCTION gantry_answer_one(e jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE b record; BEGIN
  PERFORM 1 FROM lanes WHERE lane = e->>'lane' FOR UPDATE;
  SELECT reply, token INTO b FROM inbox WHERE seq = (e->>'number')::bigint;
  IF b.token = e->>'token' AND b.reply = e->>'reply' THEN RETURN true; END IF;
  IF gantry_state(e) <> 'held' OR b.reply IS NOT NULL THEN RETURN false; END IF;
  UPDATE inbox SET reply = e->>'reply', files = e->>'files', begun = 1, failures = 0
    WHERE seq = (e->>'number')::bigint;
  IF e ? 'fileIds' THEN PERFORM gantry_use_media('m:' || (e->>'number'), e->'fileIds'); END IF;
  IF e ? 'turn' THEN
    PERFORM gantry_add_turn(e->>'session', e->>'turn', e->'media', e->>'owner');
  END IF;
  RETURN true;
END $$;
CREATE FUNCTION gantry_ack_one(e jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE s text := gantry_state(e); BEGIN
  IF s = 'held' THEN
    PERFORM gantry_forget((e->>'number')::bigint);
    PERFORM gantry_move_head(e->>'lane');
    PERFORM gantry_free(e->>'lane');
  END IF;
  RETURN s <> 'lost';
END $$;
CREATE FUNCTION gantry_answer(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE r record; said boolean[] := array_fill(false, ARRAY[jsonb_array_length(a)]); BEGIN
  FOR r IN SELECT x, n FROM jsonb_array_elements(a) WITH ORDINALITY AS t(x, n)
    ORDER BY x->>'lane' COLLATE "C" LOOP
    said[r.n] := gantry_answer_one(r.x);
  END LOOP;
  RETURN to_jsonb(said);
END $$;
CREATE FUNCTION gantry_ack(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE r record; said boolean[] := array_fill(false, ARRAY[jsonb_array_length(a)]); BEGIN
  FOR r IN SELECT x, n FROM jsonb_array_elements(a) WITH ORDINALITY AS t(x, n)
    ORDER BY x->>'lane' COLLATE "C" LOOP
    said[r.n] := gantry_ack_one(r.x);
  END LOOP;
  RETURN to_jsonb(said);
END $$;

-- The next sender's first message behind this one has the lane; without one it begins again at "at".
CREATE FUNCTION gantry_step_over(l text, n bigint, at bigint, w text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE nxt bigint; fst bigint; BEGIN
  SELECT min(f) FILTER (WHERE f > n), min(f) INTO nxt, fst FROM (
    SELECT min(seq) AS f FROM inbox WHERE lane = l AND state = 0 GROUP BY usr) AS firsts;
  UPDATE lanes SET head = coalesce(nxt, fst), due = CASE WHEN nxt IS NULL THEN at ELSE 0 END,
    waits_for = CASE WHEN nxt IS NULL THEN 'yields:' || w END WHERE lane = l;
END $$;
CREATE FUNCTION gantry_retry(e jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE s text := gantry_state(e); l text := e->>'lane'; n bigint := (e->>'number')::bigint;
  t bigint := gantry_now(); at bigint := coalesce(t + (e->>'afterMs')::bigint, 0); BEGIN
  IF s = 'held' THEN
    UPDATE inbox SET reason = e->>'reason', begun = 0,
      failures = failures + (e->>'counts')::boolean::int,
      tried = CASE WHEN (e->>'tried')::boolean THEN t ELSE tried END WHERE seq = n;
    IF (e->>'yields')::boolean THEN
      PERFORM gantry_step_over(l, n, at, coalesce(e->>'waitsFor', ''));
    ELSE
      UPDATE lanes SET due = at, waits_for = e->>'waitsFor' WHERE lane = l;
    END IF;
    PERFORM gantry_free(l);
  END IF;
  RETURN to_jsonb(s <> 'lost');
END $$;
CREATE FUNCTION gantry_dead_letter(e jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE s text; t bigint; BEGIN
  IF e ? 'notice' THEN PERFORM gantry_lock_lanes(ARRAY[e->'notice'->>'lane']); END IF;
  s := gantry_state(e);
  t := gantry_now();
  IF s = 'held' THEN
    UPDATE inbox SET state = 2, reason = e->>'reason', ended = t
      WHERE seq = (e->>'number')::bigint;
    PERFORM gantry_move_head(e->>'lane');
    PERFORM gantry_free(e->>'lane');
    IF e ? 'notice' THEN PERFORM gantry_notice(e->'notice', t); END IF;
  END IF;
  IF e ? 'notice' THEN PERFORM gantry_unlock_lanes(ARRAY[e->'notice'->>'lane']); END IF;
  RETURN to_jsonb(s <> 'lost');
END $$;

CREATE FUNCTION gantry_wake(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE c int; BEGIN
  WITH pick AS (
    SELECT l.lane FROM lanes l JOIN inbox i ON i.seq = l.head
    WHERE l.waits_for IN (a->>'waitsFor', 'yields:' || (a->>'waitsFor')) AND NOT l.running
      AND l.due > 0 ORDER BY coalesce(i.tried, 0), i.seq LIMIT (a->>'limit')::bigint),
  locked AS (
    SELECT lane FROM lanes WHERE lane IN (SELECT lane FROM pick) AND NOT running AND due > 0
    ORDER BY lane FOR UPDATE)
  UPDATE lanes SET due = 0, ready = until WHERE lane IN (SELECT lane FROM locked);
  GET DIAGNOSTICS c = ROW_COUNT;
  RETURN to_jsonb(c);
END $$;

CREATE FUNCTION gantry_put_back(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE n bigint := (a->>'number')::bigint; l text; BEGIN
  SELECT lane INTO l FROM inbox WHERE seq = n AND state = 2;
  IF l IS NULL THEN RETURN 'false'; END IF;
  PERFORM gantry_lock_lanes(ARRAY[l]);
  UPDATE inbox SET state = 0, accepted = gantry_now(), begun = 0, failures = 0, tried = NULL,
    ended = NULL, token = NULL WHERE seq = n AND state = 2;
  IF NOT FOUND THEN
    PERFORM gantry_unlock_lanes(ARRAY[l]);
    RETURN 'false';
  END IF;
  -- Behind a message that runs it is first once that has ended.
  UPDATE lanes SET head = n, due = 0, waits_for = NULL, ready = until
    WHERE lane = l AND NOT running AND (head IS NULL OR head > n);
  RETURN 'true';
END $$;
CREATE FUNCTION gantry_drop(a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE n bigint := (a->>'number')::bigint; l text; m record; h record; first boolean; BEGIN
  SELECT lane INTO l FROM inbox WHERE seq = n;
  IF l IS NULL THEN RETURN 'false'; END IF;
  PERFORM gantry_lock_lanes(array_remove(ARRAY[a->'notice'->>'lane', l], NULL));
  SELECT state, notice INTO m FROM inbox WHERE seq = n AND state IN (0, 2);
  SELECT head, running, holder INTO h FROM lanes WHERE lane = l;
  first := coalesce(m.state = 0 AND h.head = n, false);
  IF m.state IS NOT NULL AND NOT (first AND h.running) THEN
    IF a ? 'notice' AND m.state = 0 AND NOT m.notice THEN
      PERFORM gantry_notice(a->'notice', gantry_now());
    END IF;
    PERFORM gantry_forget(n);
    IF first THEN
      PERFORM gantry_move_head(l);
      IF h.holder IS NULL THEN PERFORM gantry_free(l); END IF;
    END IF;
  END IF;
  PERFORM gantry_unlock_lanes(array_remove(ARRAY[a->'notice'->>'lane', l], NULL));
  RETURN to_jsonb(m.state IS NOT NULL AND NOT (first AND h.running));
END $$;
`;
