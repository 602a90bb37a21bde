import { Pages } from "./list-end.tsx";
import { usePaged } from "./paged.ts";
import { Badge } from "./parts.tsx";
import { texts, timeOf } from "./texts.ts";

const words = texts.health;

interface Alert {
  readonly what: string;
  readonly detail: string;
  readonly since: string;
  readonly until?: string;
}

/** The troubles since the service has started, the newest first; nothing if nobody watches. */
export function Alerts() {
  const list = usePaged<Alert>("/api/alerts", {});
  if (list.failure.value?.status === 404) return null;
  return (
    <section>
      <h2>{words.alerts}</h2>
      <Pages list={list} scope="read" empty={<p class="quiet">{words.noAlerts}</p>}>
        {(rows) => (
          <ul class="checks">
            {rows.map(({ what, detail, since, until }) => (
              <li key={`${what} ${since}`}>
                <Badge kind={until === undefined ? "fail" : "ok"}>
                  {until === undefined ? words.going : words.states["ok"]}
                </Badge>
                <strong>{what}</strong>
                <span>{detail}</span>
                <small class="cure">
                  <time dateTime={since}>{timeOf(since)}</time>
                  {until !== undefined && `, ${words.over(timeOf(until))}`}
                </small>
              </li>
            ))}
          </ul>
        )}
      </Pages>
    </section>
  );
}
