import type { Check, Logger, Route } from "@gantry/sdk";
import { withTimeout } from "@gantry/sdk/node";
import { Type } from "typebox";

/** Many may probe at once, and each look writes to the disk. */
const freshMs = 2_000;
const patienceMs = 5_000;

interface Looked {
  readonly at: number;
  readonly parts: Promise<readonly string[]>;
}

/** Who asks may be anybody, so the answer names the parts; the log says what is wrong with them, at each change. */
export function readyRoute(checks: () => ReadonlyMap<string, Check>, log: Logger): Route {
  let looked: Looked | undefined;
  let told = "";
  const look = async (): Promise<readonly string[]> => {
    const own = [...checks().values()].filter(({ kind }) => kind === "ready");
    const rows = (await Promise.all(own.map(rowsOf))).flat();
    const failed = rows.filter(({ state }) => state === "fail");
    const now = failed.map(({ what, detail }) => `${what}: ${detail}`).join("; ");
    if (now !== "" && now !== told)
      log.error({ parts: failed.map(({ what }) => what) }, `Not ready: ${now}.`);
    if (now === "" && told !== "") log.info({}, "Ready again.");
    told = now;
    return failed.map(({ what }) => what);
  };
  return {
    name: "GET /ready",
    method: "GET",
    path: "/ready",
    auth: "none",
    summary: "Whether the service can do its work; 503 with the parts that cannot.",
    perMinute: 600,
    replySchema: Type.Object({ status: Type.Literal("ready"), parts: Type.Array(Type.String()) }),
    async handle() {
      if (!looked || performance.now() - looked.at > freshMs)
        looked = { at: performance.now(), parts: look() };
      const parts = await looked.parts;
      if (parts.length === 0) return { status: 200, body: { status: "ready", parts } };
      return { status: 503, body: { status: "not ready", parts } };
    },
  };
}

async function rowsOf(check: Check): ReturnType<Check["run"]> {
  const signal = AbortSignal.timeout(patienceMs);
  const late = (): Error => new Error(`no answer in ${patienceMs / 1_000} s`);
  try {
    return await withTimeout(patienceMs, check.run(signal), late);
  } catch (error) {
    return [{ what: check.name, state: "fail", detail: (error as Error).message }];
  }
}
