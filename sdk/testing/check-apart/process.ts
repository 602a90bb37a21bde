import { errors, GantryError, type AnySlot, type Plugin } from "../../index.ts";
import type { PluginFacts } from "./subject.ts";
import { checkPlugin, fillersFor } from "../check-plugin.ts";
import type { Asked, Told } from "./messages.ts";

/** The other process of checkApart(): loads one plugin as the host would, tries it, and says what comes next before it comes. */
async function answer({ entry, configDir, config: file, patienceMs }: Asked): Promise<Told> {
  try {
    const { openLoader } = await import("@gantry/host/testing");
    const loader = openLoader(configDir);
    const plugin = await loader.load(entry);
    const facts = factsOf(plugin);
    const begins = (during: string): void =>
      void process.send?.({ next: { name: facts.name, during } } satisfies Told);
    const fillers = fillersFor(plugin, await loader.bundled());
    const config = file === undefined ? {} : await loader.config(file);
    const subject = { plugin, with: fillers, patienceMs, config };
    return { end: { facts, ...(await checkPlugin(subject, begins)) } };
  } catch (error) {
    const { code, exit, message } =
      error instanceof GantryError ? error : errors.PLUGIN_IMPORT_FAILED(entry, error);
    return { failure: { code, exit, message } };
  }
}

function factsOf({ name, needs = {}, provides = [], taps = [] }: Plugin): PluginFacts {
  const needed = Object.values(needs) as readonly AnySlot[];
  return { name, needs: needed.map(({ id }) => id), provides: provides.map(({ id }) => id), taps };
}

// Who asked is gone. It also keeps this process alive where a plugin waits for what never comes.
process.once("disconnect", () => process.exit(1));
const told = await answer(JSON.parse(process.argv[2] ?? "") as Asked);
process.send?.(told);
