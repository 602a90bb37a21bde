import type { Part } from "@gantry/sdk";

/** Makes `//word` a `/word` for the model; a single slash begins a command, never seen here. */
export function withoutSlash([first, ...rest]: readonly Part[]): readonly Part[] {
  if (first?.type !== "text" || !/^\/\/[a-z]/i.test(first.text))
    return first === undefined ? [] : [first, ...rest];
  return [{ ...first, text: first.text.slice(1) }, ...rest];
}

/** Returns what a person answers or passes on. */
export function asQuoted(part: Part): Part {
  const from = "a quoted message";
  if (part.type === "text") return { type: "text", text: part.text, from };
  return part.type === "media" ? { ...part, from } : part;
}

/** Returns what a person says. The host says who speaks, whatever a channel passes on. */
export function asSaid(part: Part): Part {
  if (part.type !== "text" || !part.speaker) return part;
  return { type: "text", text: part.text };
}
