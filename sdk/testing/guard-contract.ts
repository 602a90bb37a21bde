import { tmpdir } from "node:os";
import type { Hooks, Question, Refusal, ToolCall } from "../index.ts";
import { heldNow, mustClear, mustYield } from "./leaks.ts";
import { answerOf, cases, frozen, watched, wrong } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

export type GuardedCall = Partial<ToolCall> & Pick<ToolCall, "tool">;

export interface GuardSubject {
  /** As it is told to people. */
  readonly name: string;
  readonly guard: Hooks["beforeToolCall"];
  /** The time in ms that an answer may take in this test; default 5,000. */
  readonly patienceMs?: number;
  /** Calls that it has nothing to say about. */
  readonly lets?: readonly GuardedCall[];
  /** Calls that it refuses. */
  readonly refuses?: readonly GuardedCall[];
  /** Calls that it wants a person to decide. */
  readonly asks?: readonly GuardedCall[];
}

/** A call as guards see it, frozen, with what is left out filled in. */
export function guardedCall(call: GuardedCall): ToolCall {
  const cwd = tmpdir();
  return frozen({
    id: "call-1",
    args: {},
    effects: noEffects,
    session: "test",
    user: "cli:test",
    trust: "owner",
    cwd,
    dryRun: true,
    ...structuredClone(call),
  });
}

const noEffects = { paths: [], commands: [], urls: [] };
const command = (text: string): GuardedCall => ({
  tool: "shell",
  args: { command: text },
  effects: { ...noEffects, commands: [text] },
});
const file = (at: string): GuardedCall => ({
  tool: "file_read",
  args: { path: at },
  effects: { ...noEffects, paths: [{ path: at, resolved: at, access: "read" }] },
});
const address = (url: string): GuardedCall => ({
  tool: "browser",
  args: { url },
  effects: { ...noEffects, urls: [url] },
});

/** A guard has to say something about these, or nothing, without failing. */
const strange: readonly GuardedCall[] = [
  { tool: "" },
  { tool: "__proto__", args: { constructor: null } },
  { tool: "x".repeat(64), args: { deep: { deep: { deep: [[[[{}]]]] } } } },
  { tool: "shell", args: { command: 7, path: null, url: [] } },
  ...["", "\u0000", "ls", "((((", "$(".repeat(500), `${"a".repeat(20_000)}!`, "echo \u202e"].map(command),
  ...["", "/", "..", "/etc/shadow", "a".repeat(5_000), "\u0000"].map(file),
  ...["", "http://", "http://[::1]/", "https://%00/", "javascript:1", "x".repeat(5_000)].map(address),
];

/**
 * Returns the duties of every guard. Register each case with any test runner: `test(name, run)`.
 */
export function guardContract({
  name,
  guard,
  lets = [],
  refuses = [],
  asks = [],
  patienceMs = 5_000,
}: GuardSubject): readonly ContractCase[] {
  const who = `The guard ${name}`;
  const verdictOf = async (call: ToolCall): Promise<Refusal | Question | undefined> => {
    const late = wrong(
      who,
      `did not answer in ${patienceMs} ms`,
      "decide from the call alone, or with a time limit of its own",
    );
    const cure = "answer refuse() where it cannot decide, and change nothing of the call, which is frozen";
    const answer = await answerOf<unknown>(
      patienceMs,
      late,
      () => guard(call),
      (error) => wrong(who, `threw for ${brief(call)} (${error})`, cure),
    );
    const { verdict, code, reason } = Object(answer) as Partial<Refusal | Question>;
    if (answer === undefined) return undefined;
    const isVerdict = verdict === "refuse" || verdict === "ask";
    if (isVerdict && [code, reason].every((text) => typeof text === "string" && text !== ""))
      return answer as Refusal;
    throw wrong(
      who,
      `answered ${answer === null ? "null" : typeof answer} for ${brief(call)}`,
      "answer refuse(), ask() or nothing; there is no way to allow",
    );
  };
  const expectAll = async (calls: readonly GuardedCall[], wanted: string | undefined): Promise<void> => {
    for (const call of calls) {
      const verdict = (await verdictOf(guardedCall(call)))?.verdict;
      if (verdict !== wanted)
        throw wrong(
          who,
          `${said(verdict)} ${brief(guardedCall(call))} and should have ${said(wanted)} it`,
          "mend the rule or the example",
        );
    }
  };
  return cases({
    "a guard answers refuse(), ask() or nothing for any call, soon, and changes nothing": async () => {
      const before = heldNow();
      for (const call of strange) {
        const { blockedMs } = await watched(() => verdictOf(guardedCall(call)));
        const cure = "bound the work by the length of what it reads";
        mustYield(who, blockedMs, cure, ` over ${brief(guardedCall(call))}`);
      }
      const due = { after: "its answers", cure: "clear its timers when it answers" };
      await mustClear(who, before, patienceMs, due);
    },
    "a guard that is only asked says the same twice: it counts and remembers nothing of a dry run":
      async () => {
        for (const call of [...strange, ...lets, ...refuses, ...asks]) {
          const said = await Promise.all([call, call, call].map((one) => verdictOf(guardedCall(one))));
          if (new Set(said.map((answer) => answer?.verdict)).size > 1)
            throw wrong(
              who,
              `changed its mind about ${brief(guardedCall(call))}`,
              "look at call.dryRun before it counts anything",
            );
        }
      },
    "a guard's reasons are one readable sentence": async () => {
      for (const call of [...strange, ...refuses, ...asks]) {
        const reason = (await verdictOf(guardedCall(call)))?.reason ?? "";
        if (reason.length > 2_000)
          throw wrong(who, `gave a reason of ${reason.length} characters`, "shorten what it quotes");
      }
    },
    "a guard lets, refuses and asks about its examples": async () => {
      await expectAll(lets, undefined);
      await expectAll(refuses, "refuse");
      await expectAll(asks, "ask");
    },
  });
}

function said(verdict: string | undefined): string {
  return verdict === "refuse" ? "refused" : verdict === "ask" ? "asked about" : "let through";
}

function brief({ tool, args }: ToolCall): string {
  return `${tool.slice(0, 40) || "(no name)"} ${JSON.stringify(args).slice(0, 80)}`;
}
