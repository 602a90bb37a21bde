import path from "node:path";
import { tmpdir } from "node:os";
import type { Effects, Logger, StatedEffects, Tool, ToolRun } from "../index.ts";
import { frozen } from "./say.ts";

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Returns the argument of a running tool, for tests without a host: nothing of it can be changed.
 */
export function toolRun<Args extends object>(
  tool: Tool,
  args: Args,
  options: Partial<ToolRun<Args>> = {},
): ToolRun<Args> {
  const cwd = options.cwd ?? tmpdir();
  return Object.freeze({
    args: frozen(structuredClone(args)),
    effects: frozen(resolved(statedBy(tool, args, cwd), cwd)),
    session: "test",
    user: "cli:test",
    cwd,
    sources: { material: [], private: [] },
    signal: new AbortController().signal,
    log: silent,
    check: async () => {},
    call: async (name: string) => {
      throw new Error(`there is no tool ${name} in this test`);
    },
    progress() {},
    ...options,
  });
}

/**
 * Returns the effects that the tool states at once; a tool that has to wait for its effects is
 * given its own by `options.effects`.
 */
function statedBy(tool: Tool, args: object, cwd: string): StatedEffects | undefined {
  const stated = tool.effects?.(frozen(structuredClone(args)), { session: "test", user: "cli:test", cwd });
  // Another case asks if it rejects.
  if (stated instanceof Promise) stated.catch(() => {});
  return stated === "unknown" || stated instanceof Promise
    ? undefined
    : (stated as StatedEffects | undefined);
}

function resolved(stated: StatedEffects | undefined, cwd: string): Effects {
  const { paths = [], commands = [], urls = [] } = stated ?? {};
  return { paths: paths.map((use) => ({ ...use, resolved: path.resolve(cwd, use.path) })), commands, urls };
}
