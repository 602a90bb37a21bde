import { randomUUID } from "node:crypto";
import type { ToolUse } from "@gantry/sdk";
import { asObject, asText, isJson } from "@gantry/sdk/provider";

interface Part {
  id: string;
  name: string;
  args: string[];
}

/** Tool calls as they come in, whole or in pieces. */
export class CallList {
  readonly #parts: Part[] = [];
  /** By its index, or by its id where it has none. */
  readonly #byKey = new Map<unknown, Part>();

  get size(): number {
    return this.#parts.length;
  }

  /**
   * One element of `tool_calls`. Servers leave out the index, repeat it, cut the name, or send it
   * again with every piece.
   */
  add(piece: unknown): void {
    const { index, id: anyId, function: called } = asObject(piece) ?? {};
    const { name: anyName, arguments: anyArgs } = asObject(called) ?? {};
    const [id, name] = [asText(anyId) ?? "", asText(anyName) ?? ""];
    const args =
      anyArgs === undefined || anyArgs === null ? "" : (asText(anyArgs) ?? JSON.stringify(anyArgs));
    const part = this.#find(index ?? undefined, id, name, args);
    part.id ||= id;
    if (part.name === "" || (part.args.length === 0 && name !== part.name)) part.name += name;
    if (args !== "") part.args.push(args);
  }

  /**
   * Every call in order, each with an id of its own. `wholeOnly` leaves out calls whose arguments
   * broke off.
   */
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

  #find(index: unknown, id: string, name: string, args: string): Part {
    const key = index ?? id;
    const known = this.#byKey.get(key) ?? (index === undefined ? this.#parts.at(-1) : undefined);
    const named = id !== "" && known !== undefined && known.id !== "";
    if (
      known &&
      (name === "" || (named ? id === known.id : index !== undefined && !beginsAgain(known, args)))
    )
      return known;
    const part: Part = { id: "", name: "", args: [] };
    this.#parts.push(part);
    if (key !== "") this.#byKey.set(key, part);
    return part;
  }
}

/** The arguments of the part are whole, and more follow. */
function beginsAgain({ args }: Part, more: string): boolean {
  return more.trimStart().startsWith("{") && isJson(args.join(""));
}
