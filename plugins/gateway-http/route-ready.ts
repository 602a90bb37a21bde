import type { Check, Logger, Route } from "@gantry/sdk";
import { troubleRows } from "../shared/trouble-rows.ts";
import { Type } from "typebox";

/** Many may probe at once, and each look writes to the disk. */
const freshMs = 2_000;

interface Found {
  readonly parts: readonly string[];
  readonly warnings: readonly string[];
}

interface Looked {
  readonly at: number;
  readonly found: Promise<Found>;
}

/**
 * Makes the route of the service's readiness. Anybody may ask, so the answer names the parts; the
 * log says what is wrong with them, at each change. A mere warning, such as a platform that
 * messages wait for, is named too, and the service is ready.
 */
export function readyRoute(checks: () => ReadonlyMap<string, Check>, log: Logger): Route {
  let looked: Looked | undefined;
  let told = "";
  const look = async (): Promise<Found> => {
    const rows = await troubleRows(checks());
    const failed = rows.filter(({ state }) => state === "fail");
    const now = failed.map(({ what, detail }) => `${what}: ${detail}`).join("; ");
    if (now !== "" && now !== told)
      log.error({ parts: failed.map(({ what }) => what) }, `Not ready: ${now.replace(/\.$/, "")}.`);
    if (now === "" && told !== "") log.info({}, "Ready again.");
    told = now;
    const warned = rows.filter(({ state }) => state === "warn");
    return { parts: failed.map(({ what }) => what), warnings: warned.map(({ what }) => what) };
  };
  return {
    name: "GET /ready",
    method: "GET",
    path: "/ready",
    auth: "none",
    summary: "Whether the service can do its work; 503 with the parts that cannot.",
    perMinute: 600,
    replySchema: Type.Object({
      status: Type.Literal("ready"),
      parts: Type.Array(Type.String()),
      warnings: Type.Array(Type.String()),
    }),
    async handle() {
      if (!looked || performance.now() - looked.at > freshMs)
        looked = { at: performance.now(), found: look() };
      const found = await looked.found;
      if (found.parts.length === 0) return { status: 200, body: { status: "ready", ...found } };
      return { status: 503, body: { status: "not ready", ...found } };
    },
  };
}
