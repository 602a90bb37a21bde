import { tmpdir } from "node:os";
import { Value } from "typebox/value";
import { Tools, type Tool, type ToolProgress, type ToolRun } from "../index.ts";
import { wrongEffects } from "../fill.ts";
import { GantryError } from "../contract/errors.ts";
import { wrongValue } from "../node/wrong-value.ts";
import { standingCases } from "./standing-cases.ts";
import { toolRun } from "./tool-run.ts";
import { heldNow, leftOver, mustYield } from "./leaks.ts";
import { answerOf, cases, endsSoon, frozen, messageOf, watched, within, wrong } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

export interface ToolSubject {
  readonly tool: Tool;
  /** Arguments that fit the tool's input and are harmless to run. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The working directory; default: the system's directory for temporary files. */
  readonly cwd?: string;
  /** The time in ms that the tool may go on after its signal; default 3,000. */
  readonly patienceMs?: number;
  /**
   * False if the example cannot run in a test; the cases that run it are left out. Default true.
   */
  readonly runs?: boolean;
}

/** Returns the duties of every tool. Register each case with any test runner: `test(name, run)`. */
export function toolContract(subject: ToolSubject): readonly ContractCase[] {
  const { tool, args, cwd, patienceMs = 3_000 } = subject;
  const who = `The tool ${tool?.name}`;
  const start = (options: Partial<ToolRun<object>> = {}) =>
    tool.run(toolRun(tool, args, { ...(cwd !== undefined && { cwd }), ...options }));
  const always = cases({
    "a tool has a name, a description for the model, an input and a run()": async () => {
      const fault = Tools.check?.(tool);
      if (fault) throw wrong(who, fault, "see Tool in the sdk");
      if (tool.description.length > 1_000)
        throw wrong(
          who,
          "has a description of more than 1,000 characters",
          "one or two sentences are enough for a model",
        );
      if (tool.timeoutMs !== undefined && !(tool.timeoutMs > 0))
        throw wrong(who, `has a timeoutMs of ${tool.timeoutMs}`, "give milliseconds above 0");
    },
    "a tool's input takes the example, and holds to what it requires": async () => {
      const issue = wrongValue(Value.Errors(tool.input, args));
      if (issue !== undefined)
        throw wrong(
          who,
          `does not take the example (${issue})`,
          "mend the schema or the example, which a check takes from `default` or `examples` in the schema where they stand there",
        );
      const required = (tool.input as { required?: readonly string[] }).required ?? [];
      for (const key of required) {
        const { [key]: _, ...rest } = args;
        if (Value.Check(tool.input, rest))
          throw wrong(who, `lists ${key} as required and takes arguments without it`, "mend the schema");
      }
    },
    "a tool states the same effects for the same arguments, and changes none of them": async () => {
      const context = { session: "test", user: "cli:test", cwd: cwd ?? tmpdir() };
      const state = async (): Promise<unknown> => {
        const late = wrong(
          who,
          `did not answer in ${patienceMs} ms in effects()`,
          'answer "unknown" where it cannot be said soon',
        );
        return answerOf(
          patienceMs,
          late,
          () => tool.effects?.(frozen(structuredClone(args)), context),
          (error) => wrong(who, `failed in effects() (${error})`, "read the arguments only; they are frozen"),
        );
      };
      const stated = await state();
      const fault = wrongEffects(stated);
      if (fault)
        throw wrong(
          who,
          `states effects ${fault}`,
          'give { paths: [{ path, access: "read" or "write" }], commands: [text], urls: [text], recipients: [text], brings } or "unknown"',
        );
      if (JSON.stringify(stated) !== JSON.stringify(await state()))
        throw wrong(who, "states other effects on the second call", "compute them from the arguments alone");
    },
    "a tool's preview is text": async () => {
      const { effects, signal } = toolRun(tool, args, { ...(cwd !== undefined && { cwd }) });
      const late = wrong(
        who,
        `did not answer in ${patienceMs} ms in preview()`,
        "show what is known at once: a person waits for it",
      );
      const shown: unknown = await within(patienceMs, late, async () =>
        tool.preview?.(frozen(structuredClone(args)), { effects, signal }),
      );
      const text = typeof shown === "object" ? (shown as { text?: unknown } | null)?.text : (shown ?? "");
      if (typeof text !== "string")
        throw wrong(who, `answered ${typeof shown} in preview()`, "give the text that a person decides on");
    },
  });
  const stands = tool?.standsFor ? standingCases(tool, args) : [];
  if (subject.runs === false) return [...always, ...stands];
  return [
    ...always,
    ...stands,
    ...cases({
      "a tool answers text or { text, failed }, changes no argument and leaves nothing running": async () => {
        const before = heldNow();
        const limit = tool.timeoutMs ?? 60_000;
        const late = wrong(who, `did not finish in its ${limit} ms`, "finish sooner or raise timeoutMs");
        const cure = "make the example work, and do not change the arguments, which are frozen";
        const { answer, blockedMs } = await watched(() =>
          answerOf<unknown>(limit, late, start, (error) =>
            wrong(who, `failed on the example (${error})`, cure),
          ),
        );
        const { text, parts, failed } = (
          typeof answer === "object" && answer !== null ? answer : { text: answer, failed: false }
        ) as Record<string, unknown>;
        if ((typeof text !== "string" && !Array.isArray(parts)) || typeof failed !== "boolean")
          throw wrong(
            who,
            `answered ${answer === null ? "null" : typeof answer} instead of text`,
            "return a string, { text, failed } or { parts, failed }",
          );
        mustYield(who, blockedMs, "wait with await, and give long work to a service");
        const left = await leftOver(before, patienceMs);
        if (left.length > 0)
          throw wrong(
            who,
            `left ${left.join(", ")} behind after its run`,
            "close and clear what it opened before it answers",
          );
      },
      "a tool counts its progress from 0 to its total, and works where nobody watches or can be asked":
        async () => {
          const steps: ToolProgress[] = [];
          const { progress: _, ...unwatched } = toolRun(tool, args, { ...(cwd !== undefined && { cwd }) });
          await start({ progress: (step) => void steps.push(step) }).catch(() => {});
          await tool.run(unwatched).catch((error: unknown) => {
            // A refusal in the tool's own words has another reason.
            if (error instanceof GantryError) return;
            throw wrong(
              who,
              `failed (${messageOf(error)})`,
              "call `run.progress?.()`: older hosts have none",
            );
          });
          const odd = steps.find(({ done, total = done }) => !(done >= 0 && total >= done));
          if (odd)
            throw wrong(
              who,
              `told the step ${JSON.stringify(odd)}`,
              "give numbers, and no more than the total",
            );
        },
      "a tool stops soon after its signal": async () => {
        const late = wrong(
          who,
          `went on for more than ${patienceMs} ms after its signal`,
          "pass run.signal to whatever it waits for",
        );
        const stop = new AbortController();
        const work = endsSoon(patienceMs, late, () => start({ signal: stop.signal }));
        stop.abort();
        await work;
      },
    }),
  ];
}
