import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const most = 1_000;

/**
 * The lines that were typed before, newest first, kept between runs if only their owner can read
 * them.
 */
export class LineHistory {
  readonly #file: string;
  lines: string[];

  constructor(configDir: string) {
    this.#file = path.join(configDir, "state", "terminal-history");
    this.lines = [];
    try {
      this.lines = readFileSync(this.#file, "utf8").split("\n").filter(Boolean).slice(0, most);
    } catch {
      // There is none yet, or it cannot be read; both mean an empty one.
    }
  }

  save(): void {
    try {
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(this.#file, `${this.lines.slice(0, most).join("\n")}\n`, { mode: 0o600 });
    } catch {
      // A history that cannot be kept must not end a conversation.
    }
  }
}
