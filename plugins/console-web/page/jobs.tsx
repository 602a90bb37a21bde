import { useSignal } from "@preact/signals";
import { List, Pages } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { Badge, Empty, useDeed, View, Wrong } from "./parts.tsx";
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

/** The jobs that run at their times, and what came of them. */
export function Jobs() {
  const list = usePaged<Job>("/api/jobs", {});
  const empty = <Empty title={words.empty} hint={words.emptyHint} icon="◷" />;
  return (
    <View title={texts.views.jobs}>
      <Pages list={list} scope="read" empty={empty}>
        {(rows) => (
          <ul class="stack plain-list">
            {rows.map((job) => (
              <One key={job.name} job={job} changed={list.again} />
            ))}
          </ul>
        )}
      </Pages>
    </View>
  );
}

function One({ job, changed }: { readonly job: Job; readonly changed: () => void }) {
  const { name, schedule, next, prompt, by, paused } = job;
  const isOpen = useSignal(false);
  const deed = useDeed();
  const action = paused ? "resume" : "pause";
  const turn = () => deed.run(() => ask("POST", `/api/jobs/${name}`, { action }).then(changed));
  return (
    <li class="card">
      <div class="row spread">
        <h2>{name}</h2>
        {account.value?.may.includes("manage") && (
          <button
            type="button"
            aria-label={`${words[action]} ${name}`}
            disabled={deed.isBusy.value}
            onClick={() => void turn()}
          >
            {words[action]}
          </button>
        )}
      </div>
      <p class="quiet">
        {schedule} · <Badge kind={paused ? "warn" : "plain"}>{words.next(timeOf(next))}</Badge> · {by}
      </p>
      <p class="plain-text">{prompt}</p>
      <Wrong deed={deed} />
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>{words.history}</summary>
        {isOpen.value && <Runs name={name} />}
      </details>
    </li>
  );
}

function Runs({ name }: { readonly name: string }) {
  const list = usePaged<Run>(`/api/jobs/${name}/runs`, {});
  return (
    <List
      list={list}
      scope="read"
      empty={words.noHistory}
      columns={Object.values(words.columns)}
      label={`${words.history}: ${name}`}
      row={({ due, state, reason, answer, tokens }) => (
        <tr key={due}>
          <th scope="row">{timeOf(due)}</th>
          <td>
            <Badge kind={state === "failed" ? "fail" : state === "done" ? "ok" : "plain"}>{state}</Badge>
          </td>
          <td>{reason ?? answer}</td>
          <td class="number">{tokens}</td>
        </tr>
      )}
    />
  );
}
