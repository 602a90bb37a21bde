import { one } from "./slot.ts";

/**
 * Counts what happens and how things are, for whoever watches the service; filled by a plugin.
 * Labels name kinds of things, never people.
 */
export interface Meters {
  /** Adds to a counter; `name` is without the prefix: `http_requests_total`. */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /**
   * Adds one measurement, in seconds if `name` ends so: shown as a histogram. Absent if the plugin
   * that fills the slot only counts sums.
   */
  observe?(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Sets the present value of a gauge, which has a name of its own: `ready`. */
  set(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}
export const Meters = one<Meters>("meters");
