import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { folder, linux, startIsolated, toolCode, toolFacts, until, written } from "./isolated.test-kit.ts";

const timeout = 120_000;
const run = `
  const fs = await import("node:fs"), net = await import("node:net");
  try { return String(await eval(args.what)); } catch (error) { return "threw " + (error.code ?? error.message); }`;

test.runIf(linux)(
  "ISO-01: an isolated plugin reads no key, no workspace and no environment",
  { timeout },
  async () => {
    const configDir = folder();
    mkdirSync(path.join(configDir, "workspace"), { recursive: true });
    writeFileSync(path.join(configDir, "config.toml"), 'api_key = "sk-canary"\n');
    writeFileSync(path.join(configDir, "workspace/notes.md"), "canary\n");
    process.env["ISOLATED_CANARY"] = "canary";
    const file = written(toolFacts, toolCode(run));
    await using t = await startIsolated(file, { configDir });
    const asked = async (what: string): Promise<string> => (await t.call("tried", { what })).text;
    const shut = [
      path.join(configDir, "config.toml"),
      path.join(t.runtime.workspace, "notes.md"),
      "/root/.ssh",
      "/etc/shadow",
    ];
    for (const one of shut)
      expect(await asked(`fs.readFileSync(${JSON.stringify(one)})`)).toMatch(/^threw E/);
    expect(await asked("JSON.stringify(process.env)")).not.toContain("canary");
    expect(await asked(`fs.readFileSync("/proc/${process.pid}/environ")`)).toMatch(/^threw E/);
    expect(await asked(`process.kill(${process.pid}, 0)`)).toMatch(/^threw E/);
    expect(await asked(`fs.readFileSync(${JSON.stringify(file)}).length > 0`)).toBe("true");
    expect(await asked(`fs.writeFileSync(${JSON.stringify(file)}, "")`)).toMatch(/^threw E/);
    delete process.env["ISOLATED_CANARY"];
  },
);

test.runIf(linux)("ISO-01: an isolated plugin opens no socket to anywhere", { timeout }, async () => {
  const heard: string[] = [];
  const server = createServer((socket) => void heard.push(socket.remoteAddress ?? "")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await using t = await startIsolated(written(toolFacts, toolCode(run)));
  const what = `new Promise((resolve, reject) => net.connect(${port}, "127.0.0.1", resolve).on("error", reject))`;
  expect((await t.call("tried", { what })).text).toMatch(/^threw E/);
  expect((await t.call("tried", { what: `fetch("http://127.0.0.1:${port}")` })).text).toMatch(/^threw/);
  expect(heard).toEqual([]);
  server.close();
});

test.runIf(linux)(
  "ISO-01: an isolated plugin that eats 2 GB is ended, and nobody else",
  { timeout },
  async () => {
    await using t = await startIsolated(written(toolFacts, toolCode(run)), { bounds: { backoffMs: 10 } });
    const eats = `(() => { const all = []; for (let i = 0; i < 32; i++) all.push(Buffer.alloc(64 * 1024 * 1024, i + 1)); return all.length; })()`;
    const eaten = await t.call("tried", { what: eats });
    expect(eaten.text).not.toBe("32");
    await until(async () => (await t.call("tried", { what: "1 + 1" })).text === "2");
  },
);
