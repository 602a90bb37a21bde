import path from "node:path";
import { SDK_LEVEL, type CommandContext, type Runtime } from "@gantry/sdk";
import { EARLIER_LEVEL } from "@gantry/sdk/fill";
import { entryOf } from "./entry.ts";
import { levelChanges } from "./level-changes.ts";
import { folderOf, packageFaults } from "./package-faults.ts";

/**
 * Exit code 1 where something is wrong. What cannot be loaded, and what does not come back, ends
 * with that one sentence.
 */
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
  const folder = await folderOf(args[0] ?? ".", entry);
  messages.push(...(await packageFaults(folder, facts)));
  const changes = facts.sdk === EARLIER_LEVEL ? await levelChanges(entry, folder) : [];
  const ok = messages.length === 0;
  const ahead = { ...(facts.config && { config: facts.config }), tools: facts.tools };
  if (options["json"])
    out(
      JSON.stringify({ ok, plugin: facts.name, tried, untried, findings: messages, changes, facts: ahead }),
    );
  else
    for (const line of messages.length > 0
      ? messages
      : [`The plugin ${facts.name} keeps all ${tried} sentences of its contract.`])
      out(line);
  if (!options["json"]) {
    untried.forEach((line) => err(line));
    if (changes.length > 0)
      err(`The plugin ${facts.name} is of level ${EARLIER_LEVEL}. For level ${SDK_LEVEL}:`);
    changes.forEach((line) => err(`  ${line}`));
  }
  if (!config.config && messages.some((line) => /\(config\.toml, line|does not start \(.* lacks /.test(line)))
    err(
      "Your own config.toml is not read for this: write the keys that it needs into a file and pass --config FILE.",
    );
  if (beside.length === 0 && messages.some((line) => line.includes("no plugin fills it")))
    err("A plugin that fills it stands beside this one with --with PATH.");
  return messages.length > 0 ? 1 : 0;
}
