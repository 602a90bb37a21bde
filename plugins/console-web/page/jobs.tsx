import { useSignal } from "@preact/signals";
import { More, Table } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { asFailure, Badge, Busy, Empty, Failed, View } from "./parts.tsx";
import { account, ask } from "./service.ts";
import { texts, timeOf } from "./texts.ts";

const words = texts.jobs;

interface Job {
  readonly name: string;
  readonly schedule: string;
  readonly next: string;
  readonly prompt: string;
  readonly by: string;
  readonly paused: boolean;
}

interface Run {
  readonly due: string;
  readonly state: string;
  readonly reason?: string;
  readonly answer?: string;
  readonly tokens?: number;
}

/** What runs at its time, and what came of it. */
export function Jobs() {
  const list = usePaged<Job>("/api/jobs", {});
  const { rows, failure } = list;
  return (
    <View title={texts.views.jobs}>
      {failure.value && <Failed failure={failure.value} scope="read" again={list.again} />}
      {!rows.value && !failure.value && <Busy />}
      {rows.value?.length === 0 && <Empty title={words.empty} hint={words.emptyHint} icon="◷" />}
      <ul class="stack plain-list">
        {rows.value?.map((job) => (
          <One key={job.name} job={job} changed={list.again} />
        ))}
      </ul>
      <More list={list} />
    </View>
  );
}

function One({ job, changed }: { readonly job: Job; readonly changed: () => void }) {
  const { name, schedule, next, prompt, by, paused } = job;
  const isOpen = useSignal(false);
  const failure = useSignal("");
  const turn = async (): Promise<void> => {
    failure.value = "";
    try {
      await ask("POST", `/api/jobs/${name}`, { action: paused ? "resume" : "pause" });
      changed();
    } catch (error) {
      failure.value = texts.failed(asFailure(error).message);
    }
  };
  return (
    <li class="card">
      <div class="row spread">
        <h2>{name}</h2>
        {account.value?.may.includes("manage") && (
          <button
            type="button"
            aria-label={`${paused ? words.resume : words.pause} ${name}`}
            onClick={() => void turn()}
          >
            {paused ? words.resume : words.pause}
          </button>
        )}
      </div>
      <p class="quiet">
        {schedule} · <Badge kind={paused ? "warn" : "plain"}>{words.next(timeOf(next))}</Badge> · {by}
      </p>
      <p class="plain-text">{prompt}</p>
      {failure.value !== "" && <p role="alert">{failure}</p>}
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>{words.history}</summary>
        {isOpen.value && <Runs name={name} />}
      </details>
    </li>
  );
}

function Runs({ name }: { readonly name: string }) {
  const list = usePaged<Run>(`/api/jobs/${name}/runs`, {});
  const { rows, failure, again } = list;
  if (failure.value) return <Failed failure={failure.value} scope="read" again={again} />;
  if (!rows.value) return <Busy />;
  if (rows.value.length === 0) return <p class="quiet">{words.noHistory}</p>;
  return (
    <>
      <Table label={`${words.history}: ${name}`} columns={Object.values(words.columns)}>
        {rows.value.map(({ due, state, reason, answer, tokens }) => (
          <tr key={due}>
            <th scope="row">{timeOf(due)}</th>
            <td>
              <Badge kind={state === "failed" ? "fail" : state === "done" ? "ok" : "plain"}>{state}</Badge>
            </td>
            <td>{reason ?? answer}</td>
            <td class="number">{tokens}</td>
          </tr>
        ))}
      </Table>
      <More list={list} />
    </>
  );
}
