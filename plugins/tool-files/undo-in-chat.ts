import { type ChatCommand, GantryError } from "@gantry/sdk";
import type { UndoDeps } from "./undo.ts";

/** `/undo`: takes back the last change that a tool made to a file in this conversation. */
export function undoInChat(deps: UndoDeps, signal: AbortSignal): ChatCommand {
  return {
    name: "undo",
    summary: "put back what the last change of a file in this conversation replaced",
    trust: "owner",
    may: "talk",
    async run({ user, conversation }) {
      const { undo } = await import("./undo.ts");
      try {
        const agent = (await conversation.agent?.()) ?? "";
        const wish = { session: conversation.session, agent };
        const { path, tool } = await undo(deps, wish, user, signal);
        return `Undone: what ${tool} did to ${JSON.stringify(path).slice(1, -1)}.`;
      } catch (error) {
        if (error instanceof GantryError) return error.message;
        throw error;
      }
    },
  };
}
