import {
  Channels,
  ToolQuestions,
  Tools,
  ToolSources,
  type AnySlot,
  type CheckRow,
  type Runtime,
} from "@gantry/sdk";
import { MessageWorker } from "@gantry/sdk/fill";

/** One row for all that run, with the foreign ones by name, and one for each that failed. */
export function checkPlugins(plugins: Runtime["plugins"]): readonly CheckRow[] {
  const failed = plugins.filter(({ state }) => state === "failed");
  const leftOut = plugins.filter(({ state }) => state === "left out");
  const running = plugins.filter(({ state }) => state === "running");
  const foreign = running
    .filter(({ from }) => from !== "bundled")
    .map(({ name, from }) => `${name} (${from})`);
  const also = foreign.length > 0 ? `; not bundled: ${foreign.join(", ")}` : "";
  return [
    { what: "plugins", state: "ok", detail: `${running.length} run${also}` },
    ...failed.map(({ name }): CheckRow => {
      const cure = "Look for its name in the log, then mend it or take it off the list.";
      return { what: `plugin ${name}`, state: "fail", detail: "failed while running", cure };
    }),
    ...leftOut.map(({ name }): CheckRow => {
      const cure = "Start Gantry to read why, then mend it or take it off optional_plugins.";
      return { what: `plugin ${name}`, state: "warn", detail: "is optional and could not be loaded", cure };
    }),
  ];
}

/** Returns a row for each thing that no loaded plugin does, though a channel or a tool needs it. */
export async function checkFilled(runtime: Runtime): Promise<readonly CheckRow[]> {
  const fills = (slot: AnySlot): boolean =>
    runtime.plugins.some(({ provides = [] }) => provides.includes(slot.id));
  const rows: CheckRow[] = [];
  if (fills(Channels) && !fills(MessageWorker)) {
    const detail = "no plugin works off the messages of channels, so the service does not start";
    const cure = await fillCure(runtime, MessageWorker);
    rows.push({ what: "messages", state: "fail", detail, cure });
  }
  if ((fills(Tools) || fills(ToolSources)) && !fills(ToolQuestions)) {
    const detail = "no plugin puts the questions of tools to people, so a tool that asks fails";
    const cure = await fillCure(runtime, ToolQuestions);
    rows.push({ what: "questions of tools", state: "warn", detail, cure });
  }
  return rows;
}

/** Returns what has the configuration fill an empty slot. */
export async function fillCure({ absent }: Runtime, slot: AnySlot): Promise<string> {
  const fillers = ((await absent?.()) ?? []).filter(({ provides }) => provides.includes(slot.id));
  if (fillers.length > 0) return fillers.map(({ cure }) => cure).join(", or ");
  return "list a plugin that does it: `gantry plugins list` shows those that come with Gantry";
}
