import { one } from "../contract/slot.ts";

/** One key that changes: the parts of its path, and its TOML value; undefined takes the key out. */
export type ConfigChange = readonly [path: readonly string[], value: unknown];

/** Edits the text of a configuration file; it neither reads nor writes files. */
export interface ConfigEditor {
  /**
   * Returns the text with these keys changed, one after the other. All else stays byte for byte:
   * comments, order, quotes and line ends. `text` is valid TOML. Taking out a key that is not in
   * the text changes nothing.
   */
  edit(text: string, changes: readonly ConfigChange[]): Promise<string>;
}
export const ConfigEditor = one<ConfigEditor>("config-editor");
