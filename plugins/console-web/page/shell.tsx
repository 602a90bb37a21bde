import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { follow, questions } from "./approval-state.ts";
import { forgetAll } from "./chat-state.ts";
import { Chat } from "./chat.tsx";
import { Pair } from "./pair.tsx";
import { Busy, Empty, Failed, View } from "./parts.tsx";
import { Link, addressOf, place } from "./place.tsx";
import { Failure } from "./failure.ts";
import { account, checkToken, isLost, signOut } from "./service.ts";
import { texts } from "./texts.ts";

interface Shows {
  /** The scope without which it shows nothing. */
  readonly scope: string;
  readonly load: () => Promise<ComponentType>;
}

/** Each view is loaded when it is first shown; the chat comes with the page. */
const views: Readonly<Record<ViewName, Shows>> = {
  chat: { scope: "talk", load: async () => Chat },
  approvals: { scope: "decide", load: async () => (await import("./approvals.tsx")).Approvals },
  sessions: { scope: "talk", load: async () => (await import("./sessions.tsx")).Sessions },
  jobs: { scope: "read", load: async () => (await import("./jobs.tsx")).Jobs },
  agents: { scope: "read", load: async () => (await import("./agents.tsx")).Agents },
  extensions: { scope: "read", load: async () => (await import("./extensions.tsx")).Extensions },
  usage: { scope: "read", load: async () => (await import("./usage.tsx")).Usage },
  audit: { scope: "read", load: async () => (await import("./audit.tsx")).Audit },
  health: { scope: "read", load: async () => (await import("./health.tsx")).Health },
  plugins: { scope: "read", load: async () => (await import("./plugins.tsx")).Plugins },
  config: { scope: "manage", load: async () => (await import("./config.tsx")).Config },
  devices: { scope: "manage", load: async () => (await import("./devices.tsx")).Devices },
};

type ViewName = keyof typeof texts.views;

export function Shell() {
  return account.value ? <Console /> : <Pair />;
}

function Console() {
  const may = account.value?.may.join() ?? "";
  useEffect(() => void checkToken(), []);
  useEffect(() => {
    const stop = new AbortController();
    if (may.includes("decide")) void follow(stop.signal);
    return () => {
      stop.abort();
      // The next one who pairs sees nothing of this one.
      questions.value = [];
      forgetAll();
    };
  }, [may]);
  const { view } = place.value;
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <Side view={view} />
      <main id="content" tabIndex={-1}>
        {isLost.value && (
          <p class="lost" role="alert">
            {texts.lost}
          </p>
        )}
        <Shown name={isView(view) ? view : "chat"} />
      </main>
    </div>
  );
}

function Side({ view }: { readonly view: string }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const look = (): void =>
      list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    look();
    window.addEventListener("resize", look);
    return () => window.removeEventListener("resize", look);
  }, [view]);
  const waiting = questions.value.filter(({ end }) => end === undefined).length;
  return (
    <nav class="side" aria-label={texts.menu}>
      <div class="brand">
        <img src="/console/icon.svg" alt="" width={24} height={24} />
        <strong>{texts.name}</strong>
      </div>
      <ul ref={list}>
        {Object.keys(views).map((name) => (
          <li key={name}>
            <Link to={addressOf(name)} current={view === name}>
              {texts.views[name as ViewName]}
              {name === "approvals" && waiting > 0 && (
                <span class="count">
                  <span aria-hidden="true">{waiting}</span>
                  <span class="hidden">{texts.approvals.waiting(waiting)}</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <button type="button" class="plain sign-out" onClick={() => void signOut()}>
        {texts.account.signOut}
      </button>
      <p class="hidden" role="status">
        {waiting > 0 ? texts.approvals.waiting(waiting) : ""}
      </p>
    </nav>
  );
}

function isView(name: string): name is ViewName {
  return Object.hasOwn(views, name);
}

/** Shows a view, or the scope that the token lacks for it. */
function Shown({ name }: { readonly name: ViewName }) {
  const { scope } = views[name];
  if (account.value?.may.includes(scope)) return <LoadedView name={name} />;
  return (
    <View title={texts.views[name]}>
      <Empty title={texts.scope(scope)} hint={texts.scopeCure(scope)} icon="◇" />
    </View>
  );
}

function LoadedView({ name }: { readonly name: ViewName }) {
  const shown = useSignal<{ readonly name: string; readonly View: ComponentType } | undefined>(
    name === "chat" ? { name, View: Chat } : undefined,
  );
  const failure = useSignal<Failure | undefined>(undefined);
  const load = (): void => {
    failure.value = undefined;
    views[name].load().then(
      (Loaded) => void (shown.value = { name, View: Loaded }),
      // A browser tells of no reason why a file did not come.
      () => void (failure.value = new Failure(0, "UNREACHABLE", texts.unreachable)),
    );
  };
  useEffect(load, [name]);
  if (failure.value) return <Failed failure={failure.value} scope="" again={load} />;
  if (shown.value?.name !== name) return <Busy />;
  const { View: Loaded } = shown.value;
  return <Loaded />;
}
