import { type Server, createServer } from "node:net";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { getPriority, tmpdir } from "node:os";
import path from "node:path";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import files from "../tool-files/index.ts";
import shell from "../tool-shell/index.ts";
import { PWNED, attacks } from "./attacks.test-kit.ts";
import sandbox from "./index.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

const CANARY = "canary-4f1c2a";

/** Returns all that can be seen of a directory and what is in it. */
function snapshot(directory: string): unknown {
  return ["", ...readdirSync(directory)].map((name) => {
    const { mode, uid, gid, size, mtimeMs, nlink } = statSync(path.join(directory, name));
    return [name, mode, uid, gid, size, mtimeMs, nlink];
  });
}

async function listening(address: string | number, contacts: string[]): Promise<Server> {
  const server = createServer((socket) => {
    contacts.push(String(address));
    socket.destroy();
  });
  await new Promise<void>((resolve) =>
    typeof address === "number"
      ? server.listen(address, "127.0.0.1", resolve)
      : server.listen(address, resolve),
  );
  return server;
}

test.runIf(linux)(
  "SBX-01, SBX-02: no command reads, writes, reaches, signals or traces anything beyond its walls",
  { timeout: 300_000 },
  async () => {
    const outside = mkdtempSync(path.join(tmpdir(), "gantry-beside-"));
    const contacts: string[] = [];
    writeFileSync(path.join(outside, "secret"), `echo ${CANARY}\n`);
    mkdirSync(path.join(outside, "empty"));
    const abstract = `gantry-${process.pid}`;
    const servers = await Promise.all(
      [0, path.join(outside, "stream"), `\0${abstract}`].map((address) => listening(address, contacts)),
    );
    const { port } = servers[0]!.address() as { port: number };
    const before = snapshot(outside);
    const priority = getPriority();
    try {
      await using t = await startTestHost({ plugins: [sandbox, shell, files] });
      const through: string[] = [];
      for (const [name, command] of attacks({ outside, port, host: process.pid, abstract })) {
        const { text } = await t.call("shell", { command, timeout_seconds: 10 });
        if (text.includes(CANARY) || text.includes(PWNED)) through.push(`${name}\n${text}`);
      }
      // A link of a command's that leads out is never taken over; these two are the owner's.
      symlinkSync(path.join(outside, "secret"), path.join(t.runtime.workspace, "link1"));
      symlinkSync(outside, path.join(t.runtime.workspace, "link2"));
      for (const file of [
        path.join(outside, "secret"),
        "link1",
        "link2/secret",
        `/proc/self/root${outside}/secret`,
        "/etc/shadow",
        "/proc/self/environ",
      ]) {
        const { text, decision } = await t.call("file_read", { path: file });
        if (decision === "allowed") through.push(`file_read ${file}\n${text}`);
      }
      for (const file of [path.join(outside, "new"), "link2/new", path.join(t.configDir, "config.toml")]) {
        const { text, decision } = await t.call("file_write", { path: file, content: "x" });
        if (decision === "allowed") through.push(`file_write ${file}\n${text}`);
      }
      expect(through).toEqual([]);
      expect(contacts).toEqual([]);
      expect(snapshot(outside)).toEqual(before);
      expect(readFileSync(path.join(outside, "secret"), "utf8")).toContain(CANARY);
      expect(getPriority()).toBe(priority);
      expect((await t.call("shell", { command: "echo still here" })).text).toContain("still here");
    } finally {
      for (const server of servers) server.close();
      rmSync(outside, { recursive: true });
    }
  },
);

test.runIf(linux)("SBX-01: the same commands do read the canary where there are no walls", async () => {
  const outside = mkdtempSync(path.join(tmpdir(), "gantry-beside-"));
  try {
    await using kit = await startSandbox({ walls: false });
    const prey = { outside, port: 9, host: process.pid, abstract: "nobody" };
    let through = 0;
    for (const [, command] of attacks(prey).filter(([name]) => name.startsWith("read: "))) {
      writeFileSync(path.join(outside, "secret"), `echo ${CANARY}\n`);
      const { stdout } = await kit.run(command);
      if (stdout.includes(CANARY) || stdout.includes(PWNED)) through++;
    }
    expect(through).toBeGreaterThan(35);
  } finally {
    rmSync(outside, { recursive: true });
  }
});
