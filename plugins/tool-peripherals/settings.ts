import type { PeripheralsConfig } from "./config.ts";
import { errors } from "./errors.ts";

export interface SerialSettings {
  readonly name: string;
  readonly path: string;
  readonly baud: number;
  readonly delimiter: string;
  readonly timeoutMs: number;
}

export interface LineSettings {
  readonly name: string;
  readonly offset: number;
  readonly direction: "in" | "out";
  readonly initial: 0 | 1;
  readonly activeLow: boolean;
  readonly bias: "pull-up" | "pull-down" | "off" | undefined;
}

export interface GpioSettings {
  readonly name: string;
  readonly path: string;
  readonly lines: ReadonlyMap<string, LineSettings>;
}

export interface Settings {
  readonly serial: readonly SerialSettings[];
  readonly gpio: readonly GpioSettings[];
}

type Entry = PeripheralsConfig[string];
type Line = NonNullable<Entry["lines"]>[string];

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/i;
const SERIAL_KEYS = ["path", "baud", "delimiter", "timeout_seconds"] as const;
const GPIO_KEYS = ["chip", "lines"] as const;

/** Throws PERIPHERAL_CONFIG, naming the key. */
export function settingsFrom(peripherals: PeripheralsConfig): Settings {
  const entries = Object.entries(peripherals);
  for (const [name] of entries) checkName(name, `peripherals.${name}`);
  return {
    serial: entries.filter(([, { kind }]) => kind === "serial").map(([name, entry]) => serial(name, entry)),
    gpio: entries.filter(([, { kind }]) => kind === "gpio").map(([name, entry]) => gpio(name, entry)),
  };
}

function serial(name: string, entry: Entry): SerialSettings {
  refuseKeys(name, entry, GPIO_KEYS);
  const { path, baud = 115_200, delimiter = "\n", timeout_seconds = 5 } = entry;
  if (path === undefined)
    throw errors.PERIPHERAL_CONFIG(`peripherals.${name}.path`, "is missing", "name the port");
  checkPath(path, `peripherals.${name}.path`);
  return { name, path, baud, delimiter, timeoutMs: timeout_seconds * 1_000 };
}

function gpio(name: string, entry: Entry): GpioSettings {
  refuseKeys(name, entry, SERIAL_KEYS);
  const { chip = "/dev/gpiochip0", lines = {} } = entry;
  const at = `peripherals.${name}.lines`;
  checkPath(chip, `peripherals.${name}.chip`);
  const named = Object.entries(lines).map(([line, keys]) => lineOf(line, keys, `${at}.${line}`));
  if (named.length === 0) throw errors.PERIPHERAL_CONFIG(at, "names no line", "give at least one");
  const offsets = new Set(named.map(({ offset }) => offset));
  if (offsets.size < named.length)
    throw errors.PERIPHERAL_CONFIG(at, "gives two names to one offset", "keep one");
  return { name, path: chip, lines: new Map(named.map((line) => [line.name, line])) };
}

function lineOf(name: string, keys: Line, at: string): LineSettings {
  checkName(name, at);
  const { offset, direction, initial, active_low: activeLow = false, bias } = keys;
  if (direction === "in" && initial !== undefined)
    throw errors.PERIPHERAL_CONFIG(`${at}.initial`, "is for outputs, and this line is an input", "remove it");
  return { name, offset, direction, initial: initial === 1 ? 1 : 0, activeLow, bias };
}

function refuseKeys(name: string, entry: Entry, keys: readonly (keyof Entry)[]): void {
  const wrong = keys.find((key) => entry[key] !== undefined);
  if (wrong !== undefined)
    throw errors.PERIPHERAL_CONFIG(
      `peripherals.${name}.${wrong}`,
      `does not go with kind = "${entry.kind}"`,
      "remove it",
    );
}

function checkName(name: string, at: string): void {
  if (!NAME.test(name))
    throw errors.PERIPHERAL_CONFIG(
      at,
      "has a name with other signs than letters, digits, _ and -",
      "rename it",
    );
}

function checkPath(path: string, at: string): void {
  if (!path.startsWith("/") || path.includes("\0"))
    throw errors.PERIPHERAL_CONFIG(at, "is no absolute path", "write it from the root, as in /dev/ttyUSB0");
}
