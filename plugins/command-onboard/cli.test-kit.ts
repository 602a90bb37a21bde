import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { bin } from "../../test/helpers/cli.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A configuration directory that is not there yet, in a place of its own. */
export async function emptyPlace(): Promise<{ readonly configDir: string } & AsyncDisposable> {
  const place = await mkdtemp(path.join(tmpdir(), "gantry-onboard-"));
  return {
    configDir: path.join(place, "config"),
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  };
}

function environment(configDir: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, TERM: "xterm", SERVICE_CONFIG_DIR: configDir, ...env };
}

/** The real command line without a terminal. */
export function gantry(
  configDir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [bin, ...args],
      { env: environment(configDir, env) },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

export interface Terminal {
  /** All that was shown so far, without colors and cursor moves. */
  shown(): string;
  /**
   * Resolves once `text` is shown, after what earlier calls waited for; rejects where the program
   * ends first.
   */
  see(text: string): Promise<void>;
  type(keys: string): void;
  /** Types these keys once `text` is shown. */
  answer(text: string, keys: string): Promise<void>;
  readonly ended: Promise<number>;
}

export const ENTER = "\r";
export const DOWN = "\u001b[B";
/** From the first choice it leads to the last. */
export const UP = "\u001b[A";

/** The real command line in a pseudo-terminal. */
export function gantryInTerminal(
  configDir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const pty = spawn(process.execPath, [bin, ...args], {
    cols: 200,
    rows: 50,
    env: environment(configDir, env),
  });
  let text = "";
  let seen = 0;
  let over = false;
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((check) => check());
  pty.onData((data) => {
    text += stripVTControlCharacters(data);
    wake();
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      over = true;
      wake();
      resolve(exitCode);
    });
  });
  const see = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const at = text.indexOf(wanted, seen);
        if (at === -1 && !over) return;
        waiting.delete(check);
        seen = at + wanted.length;
        if (at === -1) reject(new Error(`"${wanted}" was not shown in:\n${text}`));
        else resolve();
      };
      waiting.add(check);
      check();
    });
  const type = (keys: string): void => pty.write(keys);
  const answer = async (wanted: string, keys: string): Promise<void> => {
    await see(wanted);
    type(keys);
  };
  return { shown: () => text, see, type, answer, ended };
}

export interface Onboarding {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `gantry onboard` with the demo as its model, past the question for the workspace. */
export async function startOnboarding(
  configDir: string,
  { flags = [], env = {} }: Onboarding = {},
): Promise<Terminal> {
  const args = ["onboard", "--provider", "demo", "--autonomy", "supervised", ...flags];
  const terminal = gantryInTerminal(configDir, args, env);
  await terminal.answer("Which directory", ENTER);
  return terminal;
}

/** The rows of `gantry channel doctor`. */
export async function channelDoctor(
  configDir: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly { readonly what: string; readonly state: string; readonly detail: string }[]> {
  const { stdout } = await gantry(configDir, ["channel", "doctor", "--json"], env);
  return (JSON.parse(stdout) as { rows: { what: string; state: string; detail: string }[] }).rows;
}
