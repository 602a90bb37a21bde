import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import shell from "../tool-shell/index.ts";
import sandbox from "./index.ts";
import { statOf } from "./supervisor/descendants.ts";
import { confinedOf, linux, processesWith, startSandbox, tiers, until } from "./sandbox.test-kit.ts";

const isUp = (workspace: string) => (): boolean => existsSync(path.join(workspace, "up"));

/** Keeps a failure that nobody awaits yet from failing anything but its own test. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

test.runIf(linux)("SBX-05: a call that was lost with its process says so", async () => {
  await using t = await startTestHost({ plugins: [sandbox, shell] });
  const word = `lost-${process.pid}-${performance.now()}`;
  const call = t.call("shell", { command: `while :; do sleep 0.05; done; echo ${word}` });
  await until(() => processesWith(word).length > 0);
  for (const pid of confinedOf(process.pid)) process.kill(pid, "SIGKILL");
  expect(await call).toMatchObject({ code: "SANDBOX_LOST" });
  expect((await t.call("shell", { command: "echo next" })).text).toContain("next");
});

test.runIf(linux).each(tiers)("SBX-05: a run whose process was lost does not go on, %s", async (runs) => {
  await using kit = await startSandbox({ runs });
  const word = `lost-${process.pid}-${performance.now()}`;
  const run = heard(kit.run(`setsid bash -c 'while :; do sleep 0.02; done' ${word} & sleep 900`));
  await until(() => processesWith(word).length > 0);
  for (const pid of confinedOf(process.pid)) process.kill(pid, "SIGKILL");
  await expect(run).rejects.toThrow(/ended|closed/);
  await until(() => processesWith(word).length === 0);
});

test.runIf(linux)(
  "SBX-05: what starts a run ends it, also where its answer finds nobody any more",
  async () => {
    await using kit = await startSandbox({ walls: false });
    const seconds = `9${process.pid}.${Math.floor(performance.now() * 1000)}`;
    const run = heard(kit.run(`touch up; sleep ${seconds}; true`));
    await until(isUp(kit.workspace));
    const [confined] = confinedOf(process.pid);
    process.kill(confined!, "SIGSTOP");
    await until(() => statOf(confined!)?.[0] === "T");
    const list = { do: "list", path: kit.workspace, limit: 1 } as const;
    const listed = heard(kit.confinement.request<"list">(list, new AbortController().signal));
    // Asked by then, and not answered.
    await new Promise((resolve) => setImmediate(resolve));
    const closed = kit.confinement.close();
    for (const asked of [run, listed]) await expect(asked).rejects.toThrow(/closed/);
    process.kill(confined!, "SIGCONT");
    await closed;
    await until(() => processesWith(seconds).length === 0);
  },
);

test.runIf(linux)("SBX-05: a sandbox that is closed leaves no process", async () => {
  for (const namespaces of [true, false]) {
    await using kit = await startSandbox({ namespaces });
    await kit.confinement.close();
    expect(confinedOf(process.pid)).toEqual([]);
  }
});

test.runIf(linux)(
  "SBX-05: a process that ends while its walls rise or what it runs asks for something ends with its own code",
  async () => {
    const kit = new URL("./service.test-kit.ts", import.meta.url).pathname;
    const script = "while :; do setsid true; done";
    for (let i = 0; i < (process.env.GANTRY_LONG ? 100 : 6); i++) {
      const at = mkdtempSync(path.join(tmpdir(), "gantry-exit-"));
      const argv = ["--conditions=gantry-source", kit, script, JSON.stringify({ at })];
      const service = spawn(process.execPath, [...argv, String(40 * i)], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      const said = text(service.stderr);
      expect([await once(service, "exit"), await said]).toEqual([[7, null], ""]);
      rmSync(at, { recursive: true, force: true });
    }
  },
);

test.runIf(linux)(
  "SBX-05: a process that starts and ends sandboxes beside each other ends with its own code",
  { timeout: 1_800_000 },
  async () => {
    const kit = new URL("./starts.test-kit.ts", import.meta.url).pathname;
    // Without its handler of WebAssembly's traps Node leaves a fault to the kernel, which logs it.
    const flags = ["--conditions=gantry-source", "--disable-wasm-trap-handler"];
    const count = process.env["GANTRY_LONG"] ? 2_000 : 12;
    const many = spawn(process.execPath, [...flags, kit, String(count)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const said = text(many.stderr);
    expect([await once(many, "exit"), await said]).toEqual([[0, null], ""]);
  },
);
