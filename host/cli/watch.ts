import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { watch as watchFolder } from "node:fs";
import path from "node:path";
import { againCode } from "./restart.ts";
import type { Installation } from "./installation.ts";
import { gantryCommand } from "@gantry/sdk/node";

/** Editors write in several steps; what comes within this time is one change. */
const settleMs = 150;
/**
 * A process that is alive hears at once that it is to end, however long the end may take; one that
 * loops never does.
 */
const heardMs = 5_000;

/**
 * Runs the command line in a process of its own and starts it again when the configuration or a
 * plugin under work changes. A new process and not a reload: Node keeps every module it has ever
 * loaded, so reloading in place would leak each version.
 */
export async function watch(
  session: Installation,
  args: readonly string[],
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<number> {
  const watched = new Map<string, { close(): void }>();
  let child: ChildProcess | undefined;
  let changed: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let unheard: NodeJS.Timeout | undefined;
  const askToEnd = (): void => {
    if (!child?.connected) return;
    clearTimeout(unheard);
    unheard = setTimeout(() => child?.kill("SIGKILL"), heardMs);
    child.send("restart");
  };
  const onChange = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      askToEnd();
      changed?.();
    }, settleMs);
  };
  signal.addEventListener("abort", askToEnd);
  try {
    for (;;) {
      for (const folder of await foldersOf(session)) {
        if (!watched.has(folder))
          watched.set(
            folder,
            watchFolder(folder, (_, file) => file?.match(/\.(toml|[cm]?[jt]s)$/) && onChange()),
          );
      }
      const change = new Promise<void>((resolve) => (changed = resolve));
      const [program = "", ...rest] = gantryCommand([], args);
      child = spawn(program, rest, {
        stdio: ["inherit", "inherit", "inherit", "ipc"],
      });
      child.on("message", () => clearTimeout(unheard));
      const [code] = (await once(child, "exit")) as [number | null];
      clearTimeout(unheard);
      if (signal.aborted && code === againCode) return 0;
      if (signal.aborted || code === 0 || code === 130) return code ?? 130;
      if (code !== againCode) {
        say("It ended with an error; it starts again when a file changes.");
        await Promise.race([change, once(signal, "abort")]);
        if (signal.aborted) return 130;
      }
    }
  } finally {
    signal.removeEventListener("abort", askToEnd);
    clearTimeout(timer);
    for (const watcher of watched.values()) watcher.close();
  }
}

/** The configuration's folder, and those of the plugins that did not come with the host. */
async function foldersOf(session: Installation): Promise<readonly string[]> {
  const plugins = await session.open().then(
    ({ plugins: loaded }) => loaded,
    () => [],
  );
  const files = plugins.filter(({ from }) => from !== "bundled").map(({ from }) => from);
  return [...new Set([session.configFile, ...files].map((file) => path.dirname(file)))];
}
