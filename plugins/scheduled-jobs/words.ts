import type { Command, CommandContext } from "@gantry/sdk";
import type { DealNeeds } from "./deal.ts";

const json = { flags: "--json", summary: "print JSON" };

type Work =
  | "listJobs"
  | "showJob"
  | "addJob"
  | "pauseJob"
  | "resumeJob"
  | "removeJob"
  | "runNow"
  | "jobHistory";

/** Makes the words of the command line; what they do is loaded with the first of them. */
export function jobCommands(needs: () => Promise<DealNeeds>): readonly Command[] {
  const by =
    (name: Work) =>
    async (run: CommandContext): Promise<number> => {
      const work: Readonly<Record<Work, (needs: DealNeeds, run: CommandContext) => Promise<number>>> =
        await import("./commands.ts");
      return work[name](await needs(), run);
    };
  const named = { args: ["<name>"] };
  return [
    {
      name: "jobs list",
      summary: "the jobs, and when each is due next",
      options: [json],
      run: by("listJobs"),
    },
    { ...named, name: "jobs show", summary: "a job whole", options: [json], run: by("showJob") },
    {
      name: "jobs add",
      summary: "make a job, which gantry daemon or gateway runs",
      args: ["<name>", "<prompt>"],
      options: [
        { flags: "--cron <pattern>", summary: "five fields, as in `0 9 * * 1-5`" },
        { flags: "--every <period>", summary: "as in 90m, 2h or 1d" },
        { flags: "--at <time>", summary: "once, as in 2027-01-31T09:00" },
        { flags: "--time-zone <zone>", summary: "as in Europe/Berlin; default: that of the machine" },
        { flags: "--channel <name>", summary: "where the answer is said, with --to" },
        { flags: "--to <id>", summary: "who is told, as the channel writes it" },
        { flags: "--agent <name>", summary: "under whose name it works" },
        { flags: "--model <id>", summary: "in place of the configured one" },
        { flags: "--skip-missed", summary: "run nothing that is more than five minutes late" },
      ],
      run: by("addJob"),
    },
    { ...named, name: "jobs pause", summary: "let nothing of a job run", run: by("pauseJob") },
    { ...named, name: "jobs resume", summary: "let a paused job run again", run: by("resumeJob") },
    { ...named, name: "jobs remove", summary: "remove a job for good", run: by("removeJob") },
    {
      ...named,
      name: "jobs run",
      summary: "run a job now, here, beside its due times",
      options: [{ flags: "--yes", summary: "approve what would be asked" }],
      run: by("runNow"),
    },
    {
      ...named,
      name: "jobs history",
      summary: "what became of each due time",
      options: [json],
      run: by("jobHistory"),
    },
  ];
}
