import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../helpers/cli.ts";
import { freePort, startEchoModel } from "./platform.ts";

const kills = process.env["GANTRY_LONG"] ? 40 : 4;
const perLife = 3;

interface Row {
  readonly due: string;
  readonly state: string;
  readonly reason?: string;
}

test(
  "AGT-11: over SIGKILLs at any moment each due time comes to one record: done, failed or skipped with a reason",
  { timeout: 900_000 },
  async () => {
    const asked: string[] = [];
    const model = await startEchoModel(
      () => Math.random() * 400,
      (word) => void asked.push(word) as undefined,
    );
    const port = await freePort();
    const home = tempDir(
      `default_provider = "${model.provider}"\ndefault_model = "m"\n[gateway]\nport = ${port}\n`,
    );
    onTestFinished(() => {
      model.close();
      home[Symbol.dispose]();
    });
    const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };
    const start = async () => {
      const { child } = startGantry(["daemon"], { dir: home.dir, env });
      await said(child, "stderr", /Gantry is ready/);
      return child;
    };
    const jobs = (...args: readonly string[]) => gantry(["jobs", ...args], { dir: home.dir, env });
    const names: string[] = [];
    /** Adds a job; one whose time was over before a busy machine came to it, with another time. */
    const add = async (): Promise<void> => {
      const name = `job-${names.length}`;
      for (let code: number | null = 2; code !== 0;) {
        const at = new Date(Date.now() + 3_000 + Math.random() * 1_500).toISOString().slice(0, 19);
        const made = await jobs("add", name, `message-${name}`, "--at", `${at}Z`);
        expect(made.code === 0 ? "its time is over" : made.err).toContain("its time is over");
        code = made.code;
      }
      names.push(name);
    };
    let child = await start();
    for (let life = 0; life < kills; life += 1) {
      for (let i = 0; i < perLife; i += 1) await add();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5_000));
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      child = await start();
    }
    const rowsOf = async (name: string): Promise<readonly Row[]> =>
      JSON.parse((await jobs("history", name, "--json")).out) as readonly Row[];
    const all = new Map<string, readonly Row[]>();
    await expect
      .poll(
        async () => {
          for (const name of names) all.set(name, await rowsOf(name));
          return [...all.values()].filter(([row]) => row && row.state !== "begun").length;
        },
        { timeout: 120_000, interval: 1_000 },
      )
      .toBe(names.length);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    for (const [name, rows] of all) {
      expect([name, rows.length]).toEqual([name, 1]);
      const [row] = rows;
      expect(row?.state === "done" || row?.reason !== undefined).toBe(true);
      // A job that was begun never begins a second time.
      expect(asked.filter((word) => word === `message-${name}`).length).toBeLessThanOrEqual(1);
    }
  },
);
