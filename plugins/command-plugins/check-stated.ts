import path from "node:path";
import type { TSchema } from "typebox";
import type { CommandContext } from "@gantry/sdk";
import { pluginModule, wrongValue } from "@gantry/sdk/node";
import { keysIn, readAhead } from "./ahead.ts";
import { fileIn } from "../shared/file-in.ts";
import { readFacts } from "./entry.ts";
import { errors } from "./errors.ts";
import { readStated } from "./facts.ts";
import { noModule } from "./package-check.ts";

/**
 * Checks a package by its package.json and runs none of its code: what it states, and a file of
 * keys against `gantry.config`. Exit code 1 if something is wrong.
 */
export async function checkStated({ args, options, out }: CommandContext): Promise<number> {
  const folder = path.resolve(args[0] ?? ".");
  const facts = await readFacts(folder);
  const { gantry } = facts;
  if (gantry === undefined) throw errors.PLUGINS_NOTHING_STATED(folder);
  const name = String(facts.name);
  const ahead = readAhead(gantry);
  const wrong: string[] = [];
  if ((await fileIn(folder, pluginModule(facts))) === undefined) wrong.push(noModule);
  if (!readStated(gantry)) wrong.push("`gantry` states something else than lists of names");
  if (typeof ahead === "string") wrong.push(ahead);
  else if (typeof options["config"] === "string") wrong.push(...(await wrongKeys(options["config"], ahead)));
  const { config = undefined, tools = [] } = typeof ahead === "string" ? {} : ahead;
  const findings = wrong.map((what) => `The package ${name}: ${what}.`);
  const ok = findings.length === 0;
  if (options["json"]) out(JSON.stringify({ ok, package: name, findings, tools, keys: keysIn(config) }));
  else {
    const said = `The package ${name} states ${tools.length} tools and ${keysIn(config).length} keys.`;
    for (const line of ok ? [said] : findings) out(line);
  }
  return ok ? 0 : 1;
}

async function wrongKeys(
  file: string,
  { config }: Exclude<ReturnType<typeof readAhead>, string>,
): Promise<readonly string[]> {
  if (!config) return ["it states no `gantry.config`, so no key can be checked"];
  const [{ readConfig }, { Value }] = await Promise.all([
    import("@gantry/sdk/testing"),
    import("typebox/value"),
  ]);
  const tree = await readConfig(path.resolve(file));
  const wrong = wrongValue(Value.Errors(config as TSchema, tree));
  return wrong === undefined ? [] : [`${file} does not fit it, as ${wrong}`];
}
