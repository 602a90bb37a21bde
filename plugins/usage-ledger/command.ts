import { errors, type Command } from "@gantry/sdk";
import type { Usage, UsageSum } from "@gantry/sdk/fill";
import { costOf } from "./prices.ts";

const kinds = ["day", "model", "user", "agent"] as const;
const DAY = 86_400_000;

export function usageCommand(usage: () => Usage): Command {
  return {
    name: "usage",
    summary: "what requests to models have taken and cost",
    options: [
      { flags: "--by <what>", summary: "a line for each day (the default), model, user or agent" },
      { flags: "--days <number>", summary: "how far back, in days; default 30" },
      { flags: "--json", summary: "print JSON" },
    ],
    async run({ options, out, err }) {
      const by = kinds.find((kind) => kind === (options["by"] ?? "day"));
      if (!by) throw errors.USAGE("--by takes day, model, user or agent", "usage ");
      const rows = await usage().sum(by, since(options["days"]));
      if (options["json"]) out(JSON.stringify(rows.map(shownRow)));
      else if (rows.length === 0) err("No request has been made yet.");
      else for (const line of table(by, rows)) out(line);
      if (!options["json"] && rows.some(({ estimated }) => estimated > 0))
        err("~ holds guesses from the length of what was said, since a server told no tokens.");
      return 0;
    },
  };
}

/** The beginning of the first of so many days. */
export function since(days: unknown): number {
  const count = Number(days ?? 30);
  if (!Number.isInteger(count) || count < 1) throw errors.USAGE("--days takes a whole number", "usage ");
  return Math.floor(Date.now() / DAY - count + 1) * DAY;
}

/** A row as JSON gives it. */
export function shownRow({ key, micros, ...row }: UsageSum): object {
  return { key: key || null, ...row, usd: micros / 1e6 };
}

/** A number of tokens as people read it. */
export function shownTokens(tokens: number, estimated: number): string {
  return `${estimated > 0 ? "~" : ""}${tokens}`;
}

function table(by: string, rows: readonly UsageSum[]): readonly string[] {
  const lines = rows.map(({ key, requests, failed, input, cached, output, micros, unpriced, estimated }) => [
    key || (by === "agent" ? "(the main agent)" : "(the provider's own)"),
    `${requests}${failed > 0 ? ` (${failed} failed)` : ""}`,
    shownTokens(input, estimated),
    String(cached),
    shownTokens(output, estimated),
    costOf({ micros, unpriced }),
  ]);
  const head = [by, "requests", "tokens in", "cached", "tokens out", "cost"];
  const widths = head.map((_, i) => Math.max(...[head, ...lines].map((line) => line[i]?.length ?? 0)));
  return [head, ...lines].map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
