import { text } from "node:stream/consumers";
import { type OpenProcess, Sandbox } from "@gantry/sdk";
import type { OpenSpec } from "@gantry/sdk/fill";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import { sandboxPlugin } from "./plugin.ts";

const base = new URL("./index.ts", import.meta.url).href;

/** The ways to build the walls here; the second is that of systems which refuse namespaces. */
export const ways = [
  ["", true],
  [", without namespaces", false],
] as const;

export type Plugins = Parameters<typeof startTestHost>[0]["plugins"];

export function startOpenHost(
  namespaces = true,
  plugins: Plugins = [],
  config: Readonly<Record<string, unknown>> = {},
): Promise<TestHost> {
  return startTestHost({ plugins: [sandboxPlugin(base, { namespaces }), ...plugins], config });
}

/** Opens a shell script; its owner lives for ever unless a signal is given. */
export function openShell(t: TestHost, script: string, spec: Partial<OpenSpec> = {}): Promise<OpenProcess> {
  const argv = ["/bin/bash", "--norc", "--noprofile", "-c", script];
  return t.slot(Sandbox).open({ argv, signal: new AbortController().signal, ...spec });
}

/** Returns all output of a script that ends by itself. */
export async function said(t: TestHost, script: string, spec: Partial<OpenSpec> = {}): Promise<string> {
  const opened = await openShell(t, script, spec);
  opened.stdin.end();
  const [out, error] = await Promise.all([text(opened.stdout), text(opened.stderr)]);
  await opened.ended;
  return out + error;
}
