import type { Check, CheckRow, Command, CommandContext, Runtime } from "@gantry/sdk";
import type { Redactor } from "@gantry/sdk/fill";
import { askAll } from "./ask.ts";
import { ownChecks, type Needs } from "./own-checks.ts";
import { printReport } from "./report.ts";

const json = { flags: "--json", summary: "print one JSON object" };
/** How long one check may take: local ones, and those that reach out. */
const QUICK_MS = 5_000;
const REACHING_MS = 15_000;

export interface DoctorNeeds extends Needs {
  readonly checks: ReadonlyMap<string, Check>;
  readonly redactors: ReadonlyMap<string, Redactor>;
}

export function doctorCommands(needs: DoctorNeeds): readonly Command[] {
  const told = async (
    run: CommandContext,
    own: readonly Check[],
    kinds: readonly Check["kind"][],
    ms: number,
  ): Promise<boolean> => {
    const others = [...needs.checks.values()].filter(({ kind }) => kinds.includes(kind));
    const [ours, theirs] = await Promise.all([askAll(own, ms, run.signal), askAll(others, ms, run.signal)]);
    const rows = merged(ours, theirs);
    return printReport(run, rows, needs.redactors.values());
  };
  const { runtime } = needs;
  const own = (doctor: boolean): readonly Check[] =>
    ownChecks(needs).filter(({ kind }) => doctor || kind === "status");
  return [
    {
      name: "status",
      summary: "what is configured and what is in force; looks at this machine only",
      options: [json],
      despiteProblems: true,
      run: async (run) => {
        await told(run, own(false), ["status"], QUICK_MS);
        return runtime.problems[0]?.exit ?? 0;
      },
    },
    {
      name: "doctor",
      summary: "what is wrong and the cure; asks the provider too; exit code 1 where something is wrong",
      options: [json],
      despiteProblems: true,
      run: async (run) => {
        const isWell = await told(run, own(true), ["status", "doctor"], REACHING_MS);
        return runtime.problems[0]?.exit ?? (isWell ? 0 : 1);
      },
    },
    {
      name: "channel doctor",
      summary: "ask the platforms of the configured channels whether they would take a message",
      options: [json],
      run: async (run) => {
        const some = [...needs.checks.values()].some(({ kind }) => kind === "channel");
        const lacking = runtime.problems.filter(({ curedBy }) => curedBy !== undefined).map(lackingRow);
        const rows = some || lacking.length > 0 ? lacking : [noChannel];
        const own: Check = { name: "channels", kind: "channel", run: async () => rows };
        return (await told(run, [own], ["channel"], REACHING_MS)) ? 0 : 1;
      },
    },
  ];
}

function lackingRow({ message, code, curedBy }: Runtime["problems"][number]): CheckRow {
  const cure = `Run \`gantry onboard\`: it asks for what ${curedBy} lacks.`;
  return { what: "channel", state: "fail", detail: `${message} [${code}]`, cure };
}

const noChannel: CheckRow = {
  what: "channels",
  state: "warn",
  detail: "no channel is configured",
  cure: "Run `gantry onboard`, or write a table such as [channels_config.chatapp].",
};

/** A plugin's own word about a thing goes before ours, and the same word is told once. */
function merged(ours: readonly CheckRow[], theirs: readonly CheckRow[]): readonly CheckRow[] {
  const covered = new Set(theirs.map(({ what }) => what));
  const rows = [...ours.filter(({ what }) => !covered.has(what)), ...theirs];
  return [...new Map(rows.map((row) => [sameFault(row), row])).values()];
}

/** A store that fails says it in other words at each try. */
function sameFault({ what, state, detail }: CheckRow): string {
  return JSON.stringify(what === "store" && state === "fail" ? [what, state] : [what, state, detail]);
}
