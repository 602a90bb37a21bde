import { useSignal } from "@preact/signals";
import { listed, loadMessages, type Message, type Transcript } from "./chat-state.ts";
import { saveAs } from "./files.tsx";
import { List } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { Sure, useDeed, useLoad, View, When, Wrong } from "./parts.tsx";
import { addressOf, go, Link, place } from "./place.tsx";
import { Search } from "./search.tsx";
import { type Failure } from "./failure.ts";
import { account, ask, bytesOf } from "./service.ts";
import { texts, timeOf } from "./texts.ts";
import { Transcript as Said } from "./transcript.tsx";

const words = texts.sessions;

interface Row {
  readonly id: string;
  readonly title?: string;
  readonly owner?: string;
  readonly turns: number;
  readonly updated: string;
}

/** The conversations of every channel. */
export function Sessions() {
  const id = place.value.query.get("session");
  return id === null ? <All /> : <Whole key={id} id={id} />;
}

function All() {
  const search = useSignal("");
  const list = usePaged<Row>("/api/sessions", { search: search.value });
  return (
    <View title={texts.views.sessions} tools={<Search label={words.search} words={search} />}>
      <List
        list={list}
        scope="talk"
        empty={words.empty}
        columns={Object.values(words.columns)}
        label={texts.views.sessions}
        row={({ id, title, owner = "", turns, updated }) => (
          <tr key={id}>
            <th scope="row">
              <Link to={addressOf("sessions", { session: id })}>{title || id}</Link>
            </th>
            <td>{owner}</td>
            <td class="number">{turns}</td>
            <td>
              <time dateTime={updated}>{timeOf(updated)}</time>
            </td>
          </tr>
        )}
      />
    </View>
  );
}

function Whole({ id }: { readonly id: string }) {
  const one: Transcript = {
    id,
    messages: useSignal<readonly Message[] | undefined>(undefined),
    hasMore: useSignal(false),
    failure: useSignal<Failure | undefined>(undefined),
  };
  const load = useLoad(() => loadMessages(one));
  const isErasing = useSignal(false);
  const query = `session=${encodeURIComponent(id)}`;
  const deed = useDeed();
  const save = async (): Promise<void> =>
    saveAs(await bytesOf(`/api/sessions/export?${query}`), `${id.replaceAll(/[^\w.-]/g, "-")}.json`);
  const tools = (
    <>
      <Link to={addressOf("sessions")}>{words.back}</Link>
      <button type="button" onClick={() => void deed.run(save)}>
        {words.export}
      </button>
      {!id.includes(":") && account.value?.may.includes("talk") && (
        <Link to={addressOf("chat", { session: id })}>{words.goOn}</Link>
      )}
      <button type="button" class="danger" onClick={() => (isErasing.value = true)}>
        {words.erase}
      </button>
    </>
  );
  return (
    <View title={id} tools={tools}>
      <Wrong deed={deed} />
      <When load={load} scope="read">
        {() => <Said one={one} scope="read" />}
      </When>
      {isErasing.value && (
        <Sure
          title={words.eraseTitle}
          hint={words.eraseHint}
          yes={words.erase}
          act={async () => {
            await ask("DELETE", `/api/sessions?${query}`);
            listed.value += 1;
            go(addressOf("sessions"));
          }}
          done={() => (isErasing.value = false)}
        />
      )}
    </View>
  );
}
