import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Checks, Commands } from "@gantry/sdk";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import shell from "../tool-shell/index.ts";
import { sandboxPlugin } from "./plugin.ts";
import { linux } from "./sandbox.test-kit.ts";

const base = new URL("./index.ts", import.meta.url).href;
const here = sandboxPlugin(base);
const { signal } = new AbortController();

const sh = (t: TestHost, command: string) => t.call("shell", { command }, { approvals: "yes" });

const row = async (t: TestHost) => t.slot(Checks).get("sandbox-status")!.run(signal);

/** Runs one subcommand of `gantry runs`, as JSON. */
async function runs(t: TestHost, word: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const said: string[] = [];
  const out = (line: string): void => void said.push(line);
  const command = t.slot(Commands).get(`runs ${word}`)!;
  const context = { args, options: { json: true }, out, err: out, interactive: false, signal };
  await command.run({ ...context, serve: async () => 0 });
  return JSON.parse(said.join("")) as Record<string, unknown>;
}

test.runIf(linux)(
  "RUN-02: what a tool's command left is told to the model, the audit and the owner",
  async ({ skip }) => {
    await using t = await startTestHost({ plugins: [here, shell] });
    const [state] = await row(t);
    if (state?.state !== "ok") skip(state?.detail);
    const at = (name: string): string => path.join(t.runtime.workspace, name);
    writeFileSync(at("kept"), "was");
    const { text } = await sh(t, "echo x > .envrc; echo y > fine; echo is > kept; cat kept");
    expect(text).toContain("not taken over: .envrc");
    expect(t.audit.some(({ result }) => String(result).includes("not taken over: .envrc"))).toBe(true);
    expect(readdirSync(t.runtime.workspace).toSorted()).toEqual(["fine", "kept"]);
    const { runs: all } = await runs(t, "list");
    const [one] = all as { id: string; changes: number; kept: number }[];
    expect(one).toMatchObject({ changes: 2, kept: 1 });
    expect(await runs(t, "undo", one!.id)).toMatchObject({ undone: true, left: [] });
    expect([readFileSync(at("kept"), "utf8"), existsSync(at("fine"))]).toEqual(["was", false]);
    await expect(runs(t, "undo", one!.id)).rejects.toMatchObject({ code: "SANDBOX_RUN_UNDONE" });
    await expect(runs(t, "show", "../..")).rejects.toMatchObject({ code: "SANDBOX_RUN_UNKNOWN" });
  },
);

test.runIf(linux)("RUN-05: an undo that takes nothing back says so, and is not spent", async ({ skip }) => {
  await using t = await startTestHost({ plugins: [here, shell] });
  const [state] = await row(t);
  if (state?.state !== "ok") skip(state?.detail);
  const file = path.join(t.runtime.workspace, "a");
  for (const text of ["one", "two"]) await sh(t, `printf ${text} > a`);
  const { runs: all } = await runs(t, "list");
  const [later, earlier] = all as [{ id: string }, { id: string }];
  const changed = [{ at: "a", why: "it was changed since" }];
  expect(await runs(t, "undo", earlier.id)).toEqual({ id: earlier.id, undone: false, left: changed });
  expect(await runs(t, "undo", later.id)).toMatchObject({ undone: true, left: [] });
  expect(readFileSync(file, "utf8")).toBe("one");
  expect(await runs(t, "undo", earlier.id)).toMatchObject({ undone: true, left: [] });
  expect(existsSync(file)).toBe(false);
});

test.runIf(linux)(
  "RUN-08: without namespaces status says in one row that runs are direct, and how to change it",
  async () => {
    await using t = await startTestHost({
      plugins: [sandboxPlugin(base, { namespaces: false }), shell],
    });
    expect(await row(t)).toMatchObject([
      {
        state: "warn",
        detail: expect.stringContaining("direct"),
        cure: expect.stringContaining("user.max_user_namespaces"),
      },
    ]);
    await sh(t, "echo y > fine");
    expect(readdirSync(t.runtime.workspace)).toEqual(["fine"]);
  },
);

test.runIf(linux)(
  "RUN-08: runs are direct if security.runs says so, and status says what that means",
  async () => {
    await using t = await startTestHost({ plugins: [here, shell], config: { security: { runs: "direct" } } });
    expect(await row(t)).toMatchObject([
      { state: "ok", detail: expect.stringMatching(/^runs are direct, .*a command adds stays/) },
    ]);
    await sh(t, "echo y > fine");
    expect(await runs(t, "list")).toEqual({ runs: [] });
  },
);

test.runIf(linux)(
  "RUN-08: a workspace with a closed part has no views, and status says so in one row",
  async () => {
    const security = { blocked_paths: ["$WORKSPACE/closed"] };
    await using t = await startTestHost({ plugins: [here, shell], config: { security } });
    expect(await row(t)).toMatchObject([
      {
        state: "warn",
        detail: expect.stringMatching(/^runs are direct, since .*blocked_paths/),
        cure: expect.stringContaining("security.runs"),
      },
    ]);
  },
);
