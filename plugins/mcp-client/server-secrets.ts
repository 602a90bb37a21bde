import type { FilteredResult, ResultFilter } from "@gantry/sdk";
import type { Redactor } from "@gantry/sdk/fill";
import type { RemoteSettings } from "./settings.ts";

const MARK = "[redacted secret]";
/** Headers that say what is spoken and not who speaks. */
const OPEN = /^(?:accept(?:-.+)?|content-type|user-agent|mcp-.+)$/i;
/** Streams cut no word of up to so many characters. */
const USUAL = 256;

/**
 * Values that identify the owner to servers over HTTP: a server that says one aloud is heard
 * without it.
 */
export class ServerSecrets implements Redactor, ResultFilter {
  readonly name = "mcp-logins";
  readonly #values = new Set<string>();
  #pattern: RegExp | undefined;

  /** Takes in the headers of a server. */
  addHeaders({ headers, oauth }: RemoteSettings): void {
    const values = Object.entries(headers).flatMap(([name, value]) => (OPEN.test(name) ? [] : [value]));
    // As it is, and behind the word that says what it is: `Bearer …`.
    this.add([...values.flatMap((value) => [value, value.replace(/^\S+\s+/, "")]), oauth.secret]);
  }

  /**
   * Adds values; one that could be an ordinary word stays where it stands, as in the configuration.
   */
  add(values: readonly (string | undefined)[]): void {
    const before = this.#values.size;
    for (const value of values) if (value !== undefined && isTelling(value)) this.#values.add(value);
    if (this.#values.size > before) this.#pattern = undefined;
  }

  /** The number of characters of a stream that may belong to a secret that has no end yet. */
  get holdBack(): number {
    const longest = Math.max(0, ...[...this.#values].map(({ length }) => length));
    return longest > USUAL ? longest : 0;
  }

  redact(text: string): string {
    if (this.#values.size === 0) return text;
    return text.replace((this.#pattern ??= patternOf(this.#values)), MARK);
  }

  /** Returns what a tool answered as the model may see it. */
  filter(text: string): FilteredResult {
    const left = this.redact(text);
    return left === text ? { text } : { text: left, found: "what identifies the owner to an MCP server" };
  }
}

function patternOf(values: ReadonlySet<string>): RegExp {
  const longestFirst = [...values].toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((value) => value.replace(/\W/g, "\\$&")).join("|"), "g");
}

function isTelling(value: string): boolean {
  return /^\S+$/.test(value) && (value.length >= 20 || (value.length >= 8 && /\d/.test(value)));
}
