import { Badge, useLoad, When } from "./parts.tsx";
import { ask, Failure } from "./service.ts";
import { texts, timeOf } from "./texts.ts";

const words = texts.health;

interface Alert {
  readonly what: string;
  readonly detail: string;
  readonly since: string;
  readonly until?: string;
}

/** Undefined where nothing watches for troubles. */
async function alerts(): Promise<readonly Alert[] | undefined> {
  try {
    return (await ask<{ rows: readonly Alert[] }>("GET", "/api/alerts")).rows;
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return undefined;
    throw error;
  }
}

/** The troubles since the service has started, the newest first. */
export function Alerts() {
  const load = useLoad(alerts);
  return (
    <When load={load} scope="read">
      {(rows) =>
        rows && (
          <section>
            <h2>{words.alerts}</h2>
            {rows.length === 0 && <p class="quiet">{words.noAlerts}</p>}
            <ul class={rows.length > 0 ? "checks" : ""}>
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
          </section>
        )
      }
    </When>
  );
}
