import { one } from "./slot.ts";

/** Counts what happens, for whoever watches the service; filled by a plugin. Labels name kinds of things, never people. */
export interface Meters {
  /** `name` is a counter without its prefix: `http_requests_total`. */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
}
export const Meters = one<Meters>("meters");
