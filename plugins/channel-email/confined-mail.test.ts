import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Sandbox, definePlugin } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { sandboxPlugin } from "../sandbox-landlock/plugin.ts";
import { running, runsWalled } from "../tool-web/taken-over.test-kit.ts";
import { lastSaid, startEmail, stranger } from "./email.test-kit.ts";
import { dovecot } from "./mail-server.test-kit.ts";

const linux = process.platform === "linux";
const base = new URL("../sandbox-landlock/index.ts", import.meta.url).href;

const never = (): Promise<never> => Promise.reject(new Error("not here"));

function start(): ReturnType<typeof startEmail> {
  const model = fakeProvider([(request) => lastSaid(request).slice(-200)]);
  return startEmail({ plugins: [memoryStore(), sandboxPlugin(base), model] });
}

const readers = (): readonly number[] => running("channel-email/mail-worker");

test.runIf(dovecot.here && linux)(
  `FLR-02: the words of an HTML mail are taken from it behind walls${dovecot.why}`,
  { timeout: 120_000 },
  async () => {
    await using t = await start();
    const html = `${"<i></b>word ".repeat(100_000)}<p>the last</p>`;
    t.write({ body: `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${html}` });
    await expect
      .poll(() => runsWalled("channel-email/mail-worker"), { timeout: 60_000, interval: 5 })
      .toBe(true);
    await t.sink.sent(1, 60_000);
    expect(t.sink.mails[0]?.raw).toContain("the last");
  },
);

test.runIf(dovecot.here)(
  `FLR-02: a mail that no process could read comes again and is answered${dovecot.why}`,
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "gantry-mail-"));
    try {
      const module = path.join(folder, "confining.mjs");
      const walls = { run: never, open: never, policy: never, files: {} };
      const filled = { ...walls, confining: pathToFileURL(module).href } as unknown as Sandbox;
      const sandbox = definePlugin({
        name: "sandbox-test",
        provides: [Sandbox],
        setup: (host) => host.provide(Sandbox, filled),
      });
      const model = fakeProvider([() => "answered"]);
      await using t = await startEmail({ plugins: [memoryStore(), sandbox, model] });
      t.write({ text: "hello" });
      const status = async (): Promise<string> => JSON.stringify(await t.check("email-status"));
      await expect.poll(status, { timeout: 60_000 }).toContain("mail-worker did not start");
      writeFileSync(module, "export const confine = () => undefined;");
      await t.sink.sent(1, 60_000);
      expect(t.sink.mails[0]?.raw).toContain("answered");
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.runIf(dovecot.here && linux)(
  `FLR-02: a stranger's header too is read in a process of its own${dovecot.why}`,
  { timeout: 120_000 },
  async () => {
    await using t = await start();
    t.write({ from: stranger, text: "hello" });
    await expect.poll(() => readers().length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(0);
    t.write({ text: "the owner's" });
    await t.sink.sent(1, 60_000);
    expect(t.sink.mails).toHaveLength(1);
  },
);
