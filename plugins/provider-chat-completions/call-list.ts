import { randomUUID } from "node:crypto";
import type { ToolUse } from "@gantry/sdk";
import { asObject, asText } from "./json.ts";

interface Part {
  id: string;
  name: string;
  args: string[];
}

/** Tool calls as they come in, whole or in pieces. */
export class CallList {
  readonly #parts: Part[] = [];
  readonly #byIndex = new Map<number, Part>();

  get size(): number {
    return this.#parts.length;
  }

  /** One element of `tool_calls`. Servers leave out the index, repeat it, or send the name again with every piece. */
  add(piece: unknown): void {
    const { index, id, function: called } = asObject(piece) ?? {};
    const { name, arguments: args } = asObject(called) ?? {};
    const part = this.#find(typeof index === "number" ? index : undefined, asText(id) ?? "", asText(name) ?? "");
    part.id ||= asText(id) ?? "";
    part.name ||= asText(name) ?? "";
    if (typeof args === "string") part.args.push(args);
    else if (args !== undefined && args !== null) part.args.push(JSON.stringify(args));
  }

  /** Every call in order, each with an id of its own. `wholeOnly` leaves out calls whose arguments broke off. */
  calls(wholeOnly: boolean): readonly ToolUse[] {
    const used = new Set<string>();
    const calls: ToolUse[] = [];
    for (const part of this.#parts) {
      const args = part.args.join("").trim() || "{}";
      if (part.name === "" || (wholeOnly && !isJson(args))) continue;
      const id = part.id === "" || used.has(part.id) ? `call_${randomUUID()}` : part.id;
      used.add(id);
      calls.push({ id, name: part.name, args });
    }
    return calls;
  }

  #find(index: number | undefined, id: string, name: string): Part {
    const known = index === undefined ? this.#parts.at(-1) : this.#byIndex.get(index);
    const another = known !== undefined && id !== "" && known.id !== "" && id !== known.id && name !== "";
    const nameless = index === undefined && name !== "" && (id === "" || id !== known?.id);
    if (known && !another && !nameless) return known;
    const part: Part = { id: "", name: "", args: [] };
    this.#parts.push(part);
    if (index !== undefined) this.#byIndex.set(index, part);
    return part;
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
