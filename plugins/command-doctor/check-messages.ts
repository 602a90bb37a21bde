import { MessageWorker, type CheckRow } from "@gantry/sdk";

/** Returns a row if there are channels and nothing that answers their messages. */
export function checkMessages(channels: ReadonlyMap<string, unknown>, worker: unknown): readonly CheckRow[] {
  if (channels.size === 0 || worker !== undefined) return [];
  const names = [...channels.keys()].join(", ");
  const detail = `nothing answers ${names}, and no service starts: the slot ${MessageWorker.id} is empty`;
  const cure = "Load the plugin that fills it: `gantry plugins list` shows which does.";
  return [{ what: "messages", state: "fail", detail, cure }];
}
