import { textOf, type Channel, type Values } from "@gantry/sdk";
import { sendInParts, splitText } from "@gantry/sdk/channel";
import type { Graph } from "./graph.ts";

/** The platform's bound for the text of one message. */
const maxLength = 4_096;

/** Sends a reply, in several messages where it is long. */
export function createSender(graph: Graph, values: () => Values): Channel["send"] {
  return async ({ to, parts, key }, signal) => {
    if (typeof to !== "string") return { status: "refused", reason: `${JSON.stringify(to)} is no number` };
    return sendInParts({
      values: values(),
      space: "chatapp.parts",
      key,
      parts: splitText(textOf(parts), maxLength),
      send: (part) => graph.send(to, part, signal),
    });
  };
}
