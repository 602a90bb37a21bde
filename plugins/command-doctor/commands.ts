import type { Check, CheckRow, Command, CommandContext, Runtime } from "@gantry/sdk";
import type { DoctorNeeds } from "./asked-rows.ts";

const json = { flags: "--json", summary: "print one JSON object" };

export function doctorCommands(needs: DoctorNeeds): readonly Command[] {
  const told = async (run: CommandContext, rows: Promise<readonly CheckRow[]>): Promise<boolean> =>
    (await import("./report.ts")).printReport(run, await rows, needs.redactors.values());
  const { runtime } = needs;
  return [
    {
      name: "status",
      summary: "what is configured and what is in force; looks at this machine only",
      options: [json],
      despiteProblems: true,
      run: async (run) => {
        const { statusRows } = await import("./asked-rows.ts");
        await told(run, statusRows(needs, run.signal));
        return runtime.problems[0]?.exit ?? 0;
      },
    },
    {
      name: "doctor",
      summary: "what is wrong and the cure; asks the provider too; exit code 1 where something is wrong",
      options: [json],
      despiteProblems: true,
      run: async (run) => {
        const { doctorRows } = await import("./asked-rows.ts");
        const isWell = await told(run, doctorRows(needs, run.signal));
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
        const { rowsOf } = await import("./asked-rows.ts");
        return (await told(run, rowsOf(needs, [own], ["channel"], run.signal))) ? 0 : 1;
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
