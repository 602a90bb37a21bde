import { isVerbatim, textOf, type Channel, type Values } from "@gantry/sdk";
import { sendInParts, splitText, splitVerbatim } from "@gantry/sdk/channel";
import type { Graph } from "./graph.ts";
import { literal } from "./literal.ts";

/** The platform's bound for the text of one message. */
const maxLength = 4_096;

/** Sends a reply, in several messages where it is long. */
export function createSender(graph: Graph, values: () => Values): Channel["send"] {
  return async ({ to, parts, key }, signal) => {
    if (typeof to !== "string") return { status: "refused", reason: `${JSON.stringify(to)} is no number` };
    const text = textOf(parts);
    return sendInParts({
      values: values(),
      space: "chatapp.parts",
      key,
      parts: isVerbatim(parts) ? literals(text) : splitText(text, maxLength),
      send: (part) => graph.send(to, part, signal),
    });
  };
}

function literals(text: string): readonly string[] {
  return splitVerbatim(text, { max: maxLength, size: sizeOf }).map((piece) => literal(piece.text));
}

function sizeOf({ text }: { readonly text: string }): number {
  return literal(text).length;
}
