import { useSignal } from "@preact/signals";
import { Diff } from "./diff.tsx";
import { Pages } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { Badge, Busy, Empty, Sure, useDeed, useLoad, View, When, Wrong } from "./parts.tsx";
import { account, ask } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.extensions;

/** A kind of extension that the service has routes for, by the path of its list. */
interface Kind {
  readonly path: string;
  readonly title: string;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly state: keyof typeof words.states;
  readonly detail: string;
}

interface Look {
  readonly state: Row["state"];
  readonly digest: string;
  readonly text: string;
  readonly changes?: string;
}

interface Described {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly summary?: string } }>>;
}

async function kinds(): Promise<readonly Kind[]> {
  const { paths } = await ask<Described>("GET", "/api/openapi.json");
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const [title = path] = (get?.summary ?? "").split(":");
    return /^\/api\/acceptance\/[a-z-]+$/.test(path) && get ? [{ path, title }] : [];
  });
}

/** The things that a model uses once somebody has looked at them and accepted them. */
export function Extensions() {
  const load = useLoad(kinds);
  return (
    <View title={texts.views.extensions}>
      <p class="quiet">{words.intro}</p>
      <When load={load} scope="read">
        {(all) =>
          all.length === 0 ? (
            <Empty title={words.empty} icon="⊕" />
          ) : (
            all.map((kind) => <Section key={kind.path} kind={kind} />)
          )
        }
      </When>
    </View>
  );
}

function Section({ kind: { path, title } }: { readonly kind: Kind }) {
  const list = usePaged<Row>(path, {});
  return (
    <section>
      <h2>{title}</h2>
      <Pages list={list} scope="read" empty={<p class="quiet">{words.none}</p>}>
        {(rows) => (
          <ul class="stack plain-list">
            {rows.map((row) => (
              <One key={row.id} row={row} path={path} changed={list.again} />
            ))}
          </ul>
        )}
      </Pages>
    </section>
  );
}

interface OneProps {
  readonly row: Row;
  readonly path: string;
  readonly changed: () => void;
}

const kindOf = {
  accepted: "ok",
  changed: "warn",
  "not accepted": "plain",
  unreadable: "fail",
} as const;

function One({ row: { id, name, state, detail }, path, changed }: OneProps) {
  const look = useSignal<Look | undefined>(undefined);
  const isWithdrawing = useSignal(false);
  const said = useSignal("");
  const deed = useDeed();
  const open = () => deed.run(async () => (look.value = await ask("POST", `${path}/look`, { id })));
  const accept = (digest: string) =>
    deed.run(async () => {
      // A thing that changed meanwhile has to be looked at again.
      look.value = undefined;
      await ask("POST", `${path}/accept`, { id, digest });
      said.value = words.accepted(name);
      changed();
    });
  const isManager = account.value?.may.includes("manage") === true;
  const isBusy = deed.isBusy.value;
  return (
    <li class="card">
      <div class="row spread">
        <h3>
          {name} <Badge kind={kindOf[state]}>{words.states[state]}</Badge>
        </h3>
        {isManager && (
          <div class="row">
            <button
              type="button"
              aria-expanded={look.value !== undefined}
              aria-label={`${words.look} ${name}`}
              disabled={isBusy}
              onClick={() => (look.value ? (look.value = undefined) : void open())}
            >
              {words.look}
            </button>
            {(state === "accepted" || state === "changed") && (
              <button
                type="button"
                class="danger"
                aria-label={`${words.withdraw} ${name}`}
                onClick={() => (isWithdrawing.value = true)}
              >
                {words.withdraw}
              </button>
            )}
          </div>
        )}
      </div>
      {detail !== words.states[state] && <p>{detail}</p>}
      {!isManager && <p class="quiet">{texts.scope("manage")}</p>}
      {isBusy && <Busy text={words.busy} />}
      <Wrong deed={deed} />
      <p role="status" class="said-so">
        {said}
      </p>
      {look.value && <Looked look={look.value} name={name} accept={accept} isBusy={isBusy} />}
      {isWithdrawing.value && (
        <Sure
          title={words.withdrawTitle(name)}
          hint={words.withdrawHint}
          yes={words.withdraw}
          act={async () => {
            await ask("POST", `${path}/withdraw`, { id });
            look.value = undefined;
            changed();
          }}
          done={() => (isWithdrawing.value = false)}
        />
      )}
    </li>
  );
}

interface LookedProps {
  readonly look: Look;
  readonly name: string;
  readonly isBusy: boolean;
  readonly accept: (digest: string) => Promise<void>;
}

/** The changes and the whole text, above the button that accepts it. */
function Looked({ look: { state, digest, text, changes }, name, isBusy, accept }: LookedProps) {
  return (
    <>
      {changes !== undefined && (
        <>
          <h4>{words.changes}</h4>
          <Diff text={changes} label={`${words.changes}: ${name}`} />
        </>
      )}
      {state === "changed" && changes === undefined && <p class="quiet">{words.notKept}</p>}
      <details open={changes === undefined}>
        <summary>{words.whole}</summary>
        <pre class="whole" tabIndex={0} role="region" aria-label={`${words.whole}: ${name}`}>
          {text}
        </pre>
      </details>
      {state === "accepted" ? (
        <p class="quiet">{words.same}</p>
      ) : (
        <button
          type="button"
          class="primary"
          aria-label={`${words.accept} ${name}`}
          disabled={isBusy}
          onClick={() => void accept(digest)}
        >
          {words.accept}
        </button>
      )}
    </>
  );
}
