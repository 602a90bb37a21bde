import { useSignal } from "@preact/signals";
import { List } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { Badge, Facts, useDeed, View, Wrong } from "./parts.tsx";
import { Search } from "./search.tsx";
import { ask } from "./service.ts";
import { texts, timeOf } from "./texts.ts";

const words = texts.audit;

interface Row {
  readonly seq: number;
  readonly timestamp: string;
  readonly event_type: string;
  readonly tool: string;
  readonly result: string;
  readonly user: string;
  readonly session_id: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Verdict {
  readonly records: number;
  readonly problem?: { readonly file: string; readonly line: number; readonly what: string };
}

const types = (
  "tool_call tool_result security_refusal approval tool_question pairing auth_failure config_change " +
  "anomaly inbound_ignored service_message erasure retention audit_gap"
).split(" ");

/** The records of the audit, newest first. */
export function Audit() {
  const type = useSignal("");
  const search = useSignal("");
  const list = usePaged<Row>("/api/audit", { type: type.value, search: search.value });
  const tools = (
    <>
      <select
        aria-label={words.type}
        value={type.value}
        onChange={(event) => (type.value = event.currentTarget.value)}
      >
        <option value="">{words.all}</option>
        {types.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <Search label={words.search} words={search} />
      <Verify />
    </>
  );
  return (
    <View title={texts.views.audit} tools={tools}>
      <List
        list={list}
        scope="read"
        empty={words.empty}
        columns={Object.values(words.columns)}
        label={texts.views.audit}
        row={(record) => <Record key={record.seq} record={record} />}
      />
    </View>
  );
}

function Record({ record }: { readonly record: Row }) {
  const { seq, timestamp, event_type, tool, result, user, session_id, args } = record;
  const isNo = /^(?:refused|failed)/.test(result);
  return (
    <tr>
      <td>
        <time dateTime={timestamp}>{timeOf(timestamp)}</time>
      </td>
      <td>{event_type}</td>
      <th scope="row">
        {tool === "" ? "—" : <code>{tool}</code>}
        {args["reason"] !== undefined && <p>{String(args["reason"])}</p>}
        <details>
          <summary>{words.details(seq)}</summary>
          <Facts of={{ ...args, ...(session_id !== "" && { session: session_id }) }} />
        </details>
      </th>
      <td>
        <Badge kind={isNo ? "fail" : "plain"}>{result}</Badge>
      </td>
      <td>{user}</td>
    </tr>
  );
}

function Verify() {
  const said = useSignal("");
  const deed = useDeed();
  const isBusy = deed.isBusy.value;
  const verify = async (): Promise<void> => {
    said.value = "";
    const { records, problem } = await ask<Verdict>("POST", "/api/audit/verify");
    said.value = problem ? words.broken(problem.file, problem.line, problem.what) : words.whole(records);
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void deed.run(verify)}>
        {isBusy ? words.verifying : words.verify}
      </button>
      <p role="status" class="said-so">
        {said}
      </p>
      <Wrong deed={deed} />
    </>
  );
}
