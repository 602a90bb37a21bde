import { Channels, type CheckRow, type Runtime } from "@gantry/sdk";
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

/** Returns a row if a channel is loaded and nothing works off its messages: the service does not start. */
export function checkWorker(plugins: Runtime["plugins"]): readonly CheckRow[] {
  const fills = (slot: string): boolean => plugins.some(({ provides = [] }) => provides.includes(slot));
  if (!fills(Channels.id) || fills(MessageWorker.id)) return [];
  const detail = "no plugin works off the messages of channels, so the service does not start";
  const cure = "add the plugin that the start names to `plugins`";
  return [{ what: "messages", state: "fail", detail, cure }];
}
