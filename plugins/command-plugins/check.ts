import path from "node:path";
import type { CommandContext, Runtime } from "@gantry/sdk";
import { entryOf } from "./entry.ts";
import { folderOf, packageFaults } from "./package-faults.ts";

/** Exit code 1 where something is wrong. What cannot be loaded, and what does not come back, ends with that one sentence. */
export async function check(
  { args, options, out, err, signal }: CommandContext,
  { configDir }: Runtime,
): Promise<number> {
  const entry = await entryOf(args[0] ?? ".");
  const { checkApart } = await import("@gantry/sdk/testing");
  const config = typeof options["config"] === "string" ? { config: path.resolve(options["config"]) } : {};
  const beside = await Promise.all([options["with"] ?? []].flat().map((one) => entryOf(String(one))));
  const checked = await checkApart({ entry, configDir, with: beside, ...config, signal }).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
  if (!checked) return 1;
  const { facts, findings, tried, untried } = checked;
  const messages = [...new Set(findings.map(({ message }) => message))];
  messages.push(...(await packageFaults(await folderOf(args[0] ?? ".", entry), facts)));
  if (options["json"])
    out(
      JSON.stringify({ ok: messages.length === 0, plugin: facts.name, tried, untried, findings: messages }),
    );
  else
    for (const line of messages.length > 0
      ? messages
      : [`The plugin ${facts.name} keeps all ${tried} sentences of its contract.`])
      out(line);
  if (!options["json"]) untried.forEach((line) => err(line));
  if (!config.config && messages.some((line) => /\(config\.toml, line|does not start \(.* lacks /.test(line)))
    err(
      "Your own config.toml is not read for this: write the keys that it needs into a file and pass --config FILE.",
    );
  if (beside.length === 0 && messages.some((line) => line.includes("no plugin fills it")))
    err("A plugin that fills it stands beside this one with --with PATH.");
  return messages.length > 0 ? 1 : 0;
}
