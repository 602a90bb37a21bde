import { execFile } from "node:child_process";

/** A plugin as `gantry plugins list --json` shows it. */
interface Stated {
  readonly name: string;
  readonly from: string;
  readonly sdk: number;
  readonly keys: readonly string[];
  readonly layout?: number;
}

/** The output of `gantry plugins list --json`; earlier releases tell less. */
interface Listed {
  readonly loaded: readonly Stated[];
  readonly available?: readonly string[];
  readonly absent?: readonly string[];
  readonly retired?: readonly string[];
  readonly stops?: readonly string[];
  readonly node?: string;
}

/** A release's reading of the configuration. */
export interface Release {
  readonly version: string;
  readonly plugins: readonly Stated[];
  /** Sentences about keys that it takes for the last time. */
  readonly retired: readonly string[];
  /** Why it would not start. */
  readonly refusals: readonly string[];
  /** Why the service would not start, though it reads the configuration. */
  readonly stops: readonly string[];
  /** Every plugin that comes with it, by name. */
  readonly bundled: readonly string[];
  /** Those of them that would run by default and that the configuration leaves out. */
  readonly absent: readonly string[];
  /** The version of the Node that ran it; undefined if it does not tell, as earlier releases do. */
  readonly node?: string;
}

const timeoutMs = 60_000;

/**
 * Asks a release by its own words, which read the configuration and start nothing; undefined if it
 * tells no version.
 */
export async function releaseOf(
  command: readonly string[],
  signal: AbortSignal,
): Promise<Release | undefined> {
  const version = (await run([...command, "--version"], signal)).out.trim();
  if (!/^\d+\.\d+\.\d+(?!\d)\S*$/.test(version)) return undefined;
  const { code, out, err } = await run([...command, "plugins", "list", "--json"], signal);
  const nothing = { plugins: [], retired: [], refusals: [], stops: [], bundled: [], absent: [] };
  if (code !== 0) return { ...nothing, version, refusals: sentences(err) };
  const {
    loaded,
    available = [],
    absent = [],
    retired: all = [],
    stops = [],
    node,
  } = JSON.parse(out) as Listed;
  const retired = all.filter((sentence) => !stops.includes(sentence));
  const bundled = [...loaded.filter(({ from }) => from === "bundled").map(({ name }) => name), ...available];
  const told = { version, plugins: loaded, retired, refusals: [], stops, bundled, absent };
  return node === undefined ? told : { ...told, node };
}

function sentences(err: string): readonly string[] {
  const lines = err.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => line.replace(/^gantry: /, ""));
}

function run(
  [program = "", ...args]: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { signal, timeout: timeoutMs, maxBuffer: 1 << 24 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) || 1 : 0, out, err: err || (error?.message ?? "") }),
    );
  });
}
