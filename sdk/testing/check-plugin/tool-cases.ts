import type { FilteredResult, Observer, ResultFilter, Tool, ToolCall, ToolSource } from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, messageOf, within, wrong } from "../say.ts";
import { answered, kindOf } from "./answered.ts";

const call: ToolCall = Object.freeze({
  id: "call-1",
  tool: "shell",
  args: Object.freeze({ command: "ls" }),
  effects: Object.freeze({ paths: [], commands: ["ls"], urls: [] }),
  session: "cli:test",
  user: "cli:test",
  trust: "owner",
  cwd: "/",
  dryRun: false,
});

/** Returns the duties of every filter of results. */
export function filterCases(filter: ResultFilter, patienceMs: number): readonly ContractCase[] {
  const who = `The filter ${filter.name} of results`;
  const cure = "answer { text, found }, with found left out where nothing was taken out";
  return cases({
    "a filter of results answers text, for any text": async () => {
      for (const given of [
        "",
        "plain",
        "line one\nline two",
        "\u0000 \u202e \ud800 👩‍👩‍👧",
        "x".repeat(200_000),
      ]) {
        const left = await answered(who, "filter()", patienceMs, cure, () => filter.filter(given, call));
        const { text, found } = Object(left) as Partial<Record<keyof FilteredResult, unknown>>;
        if (typeof text !== "string" || (found !== undefined && typeof found !== "string"))
          throw wrong(who, `answered ${kindOf(left)} in filter(), which withholds the whole result`, cure);
      }
    },
  });
}

const facts = Object.freeze({ session: "cli:test", user: "cli:test" });
const tokens = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 };
const model = {
  purpose: "turn",
  provider: "test",
  model: undefined,
  ...tokens,
  ms: 1,
  firstMs: 1,
  outcome: "ok",
};

/** Returns the duties of every observer. */
export function observerCases(observer: Observer, patienceMs: number): readonly ContractCase[] {
  const who = `The observer ${observer.name}`;
  const moments: Readonly<Record<string, () => unknown>> = {
    turnStarted: () => observer.turnStarted?.(facts),
    modelAnswered: () => observer.modelAnswered?.(Object.freeze({ ...facts, ...model })),
    toolFinished: () => observer.toolFinished?.(Object.freeze({ call, failed: false, ms: 1 })),
    turnEnded: () => observer.turnEnded?.(Object.freeze({ ...facts, stop: "EndTurn", ms: 1 })),
    laneMoved: () => observer.laneMoved?.(Object.freeze({ lane: "chat:1", state: "accepted" })),
    sessionEnded: () => observer.sessionEnded?.(Object.freeze({ session: "cli:test", reason: "left" })),
  };
  return cases({
    "an observer takes what it is told": async () => {
      for (const [moment, tell] of Object.entries(moments))
        await answered(
          who,
          `${moment}()`,
          patienceMs,
          "change nothing of what it is told, and catch what may fail",
          tell,
        );
    },
  });
}

/**
 * Returns the tools that a source lists; nothing if its server does not answer, which is not the
 * source's fault.
 */
export async function listedBy(source: ToolSource, patienceMs: number): Promise<readonly Tool[]> {
  const listed: unknown = await list(source, patienceMs, new Error("late")).catch(() => []);
  return Array.isArray(listed) ? listed : [];
}

/** Returns the duties of every source of tools, if its server answers. */
export function sourceCases(source: ToolSource, patienceMs: number): readonly ContractCase[] {
  const who = `The source ${source.name} of tools`;
  const late = wrong(
    who,
    `did not answer in ${patienceMs} ms in tools(), nor after its signal`,
    "pass the signal to whatever it waits for",
  );
  return cases({
    "a source of tools lists tools, each name once, or throws, and heeds its signal": async () => {
      const listed: unknown = await list(source, patienceMs, late).catch((error: unknown) => {
        if (error === late) throw error;
        return [];
      });
      if (!Array.isArray(listed))
        throw wrong(who, `answered ${kindOf(listed)} in tools()`, "give a list of tools");
      const names = (listed as readonly Tool[]).map((tool) => tool?.name);
      const twice = names.find((name, i) => names.indexOf(name) !== i);
      if (twice !== undefined)
        throw wrong(who, `lists the tool ${twice} twice`, "give each a name of its own");
    },
    "a source of tools takes who wants to hear of its changes": async () => {
      try {
        source.onChange?.(() => {});
      } catch (error) {
        throw wrong(who, `threw in onChange() (${messageOf(error)})`, "keep the function, and call it later");
      }
    },
  });
}

function list(source: ToolSource, patienceMs: number, late: Error): Promise<unknown> {
  const signal = AbortSignal.timeout(patienceMs);
  return within<unknown>(2 * patienceMs, late, async () => source.tools(signal));
}
