import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { conversation, isRunning, listed } from "./chat-state.ts";
import { Composer } from "./composer.tsx";
import { LiveTurn } from "./live-turn.tsx";
import { Pages } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { Busy, Empty, useLoad } from "./parts.tsx";
import { addressOf, go, Link, place } from "./place.tsx";
import { account, ask } from "./service.ts";
import { texts, timeOf } from "./texts.ts";
import { useStickToEnd } from "./stick.ts";
import { Transcript } from "./transcript.tsx";

const words = texts.chat;

interface Row {
  readonly id: string;
  readonly title?: string;
  readonly updated: string;
}

/** Conversations with the agent; each goes on while another one is shown. */
export function Chat() {
  const fresh = useSignal(crypto.randomUUID() as string);
  const id = place.value.query.get("session") ?? fresh.value;
  const isListed = useSignal(false);
  return (
    <div class={`chat${isListed.value ? " listed" : ""}`}>
      <Conversations
        current={id}
        close={() => (isListed.value = false)}
        begin={() => (fresh.value = crypto.randomUUID())}
      />
      <section class="talk" aria-label={texts.views.chat}>
        <button
          type="button"
          class="plain toggle"
          aria-expanded={isListed.value}
          onClick={() => (isListed.value = !isListed.value)}
        >
          ☰ <span>{words.list_toggle}</span>
        </button>
        <Talk key={id} id={id} isNew={id === fresh.value} />
      </section>
    </div>
  );
}

interface ConversationsProps {
  readonly current: string;
  readonly close: () => void;
  readonly begin: () => void;
}

function Conversations({ current, close, begin }: ConversationsProps) {
  const list = usePaged<Row>("/api/sessions", { owner: `http:${account.value?.device ?? "local"}` });
  const changes = listed.value;
  useEffect(() => {
    if (changes > 0) list.again();
  }, [changes]);
  return (
    <aside class="list" aria-label={words.list}>
      <button
        type="button"
        class="wide-button"
        onClick={() => {
          close();
          begin();
          go(addressOf("chat"));
        }}
      >
        + {words.new}
      </button>
      <Pages list={list} scope="talk" empty={<p class="quiet pad">{words.none}</p>}>
        {(rows) => (
          <ul onClick={close}>
            {rows.map(({ id, title, updated }) => (
              <li key={id}>
                <Link to={addressOf("chat", { session: id })} current={id === current}>
                  <span class="row-title">{title || words.untitled}</span>
                  <small>{isRunning(id) ? words.running : timeOf(updated)}</small>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Pages>
    </aside>
  );
}

/** Says what the chat is for, or what is missing before anything can answer. */
function Welcome() {
  const load = useLoad(() => ask<{ problem?: { code: string; message: string } }>("GET", "/api/turns"));
  const now = load.at.value;
  const problem = now.state === "there" ? now.value.problem : undefined;
  if (!problem) return <Empty title={words.empty} hint={words.emptyHint} icon="✦" />;
  const hint = problem.code === "NO_PROVIDER" ? words.noModelHint : problem.message;
  const link = account.value?.may.includes("manage") && (
    <Link class="primary" to={addressOf("config", { find: "default_" })}>
      {words.setModel}
    </Link>
  );
  return (
    <Empty title={words.noModel} hint={hint} icon="✦">
      {link}
    </Empty>
  );
}

/** One conversation; a new one begins with its first message. */
function Talk({ id, isNew }: { readonly id: string; readonly isNew: boolean }) {
  const one = conversation(id, isNew);
  const { messages, live, failure } = one;
  const end = useStickToEnd(live.value, messages.value?.length);
  useEffect(() => void (document.title = `${texts.views.chat} · ${texts.name}`), []);
  const begun = (): void => {
    if (isNew) go(addressOf("chat", { session: id }), true);
  };
  const isEmpty = messages.value?.length === 0 && !live.value;
  return (
    <>
      <div class="scroll" ref={end} tabIndex={0} role="log" aria-label={words.list}>
        <h1 class="hidden">{texts.views.chat}</h1>
        {messages.value === undefined && !failure.value && !live.value && <Busy />}
        {isEmpty && <Welcome />}
        <Transcript one={one} scope="talk" staysAtEnd={live.value !== undefined} />
        {live.value && <LiveTurn live={live.value} isRunning={one.isRunning.value} />}
      </div>
      <Composer one={one} begun={begun} />
    </>
  );
}
