import type { CommandRun, PluginLoader } from "@gantry/sdk";
import { entryOf } from "./entry.ts";
import { differenceOf, statedIn } from "./facts.ts";

/** Exit code 1 where something is wrong. What cannot be loaded at all ends with the loader's own sentence. */
export async function check({ args, options, out }: CommandRun, loader: PluginLoader): Promise<number> {
  const entry = await entryOf(args[0] ?? ".");
  const { plugin } = await loader.load(entry);
  const { checkPlugin, fillersFor } = await import("@gantry/sdk/testing");
  const { findings, tried } = await checkPlugin({ plugin, with: fillersFor(plugin, await loader.bundled()) });
  const messages = [...new Set(findings.map(({ message }) => message))];
  const stated = await statedIn(entry);
  const difference = stated && differenceOf(stated, plugin);
  if (difference)
    messages.push(
      `The plugin ${plugin.name} states in its package.json that it ${difference} and its code says otherwise: make them equal.`,
    );
  if (options["json"]) out(JSON.stringify({ ok: messages.length === 0, plugin: plugin.name, tried, findings: messages }));
  else
    for (const line of messages.length > 0 ? messages : [`The plugin ${plugin.name} keeps all ${tried} sentences of its contract.`])
      out(line);
  return messages.length > 0 ? 1 : 0;
}
