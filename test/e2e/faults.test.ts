import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { certificate, expired } from "../../plugins/gateway-http/certificate.test-kit.ts";
import { said, startGantry, tempDir } from "../helpers/cli.ts";
import { isTold, serve, type Fault } from "./fault-service.ts";
import { brittleDisk, mountDisk } from "./small-disk.ts";

const mayMount = can(mountDisk);
const mayBreak = can(brittleDisk);
const why = (may: boolean): string => (may ? "" : " (left out: this user may not mount a file system)");

function can(make: (parent: string) => { remove(): void } | undefined): boolean {
  using home = tempDir();
  const disk = make(home.dir);
  disk?.remove();
  return disk !== undefined;
}

test.skipIf(!mayMount)(
  `OPS-01: a full disk, the clock, a certificate, a refused token and a model that is away are told by /ready, /metrics, log and owner, and so is their end${why(mayMount)}`,
  { timeout: 600_000 },
  async () => {
    const home = tempDir();
    onTestFinished(() => home[Symbol.dispose]());
    const disk = mountDisk(home.dir, 160)!;
    onTestFinished(() => disk.remove());
    const service = await serve(disk.dir, home.dir);
    const renew = (text: string): void => {
      const file = path.join(home.dir, "cert.pem");
      writeFileSync(`${file}.new`, text, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    };
    const senders = ["492", "493", "494", "495", "496", "497"];
    const write = (id: string) => service.platform.deliver(service.base, "491", id, `message-${id}`);
    const faults: readonly Fault[] = [
      { part: "disk", ready: 503, begin: () => disk.fill(0), end: () => disk.free(0) },
      {
        part: "clock",
        ready: 200,
        begin: () => writeFileSync(path.join(home.dir, "clock"), String(-2 * 86_400_000)),
        end: () => writeFileSync(path.join(home.dir, "clock"), "0"),
      },
      {
        part: "certificate",
        ready: 503,
        begin: () => renew(expired),
        end: () => renew(certificate),
      },
      {
        part: "channel:chatapp",
        ready: 200,
        async begin({ platform }) {
          [platform.refuses, platform.refusal] = [() => true, 401];
          expect(await write("token")).toBe(true);
        },
        end: ({ platform }) => void (platform.refuses = () => false),
      },
      {
        part: "model",
        async begin({ model, platform, base }) {
          model.isAway = true;
          // As many as it takes to find out at once.
          const all = senders.map((from) => platform.deliver(base, from, `id-${from}`, `message-${from}`));
          expect(await Promise.all(all)).toEqual(senders.map(() => true));
        },
        end: ({ model }) => void (model.isAway = false),
      },
    ];
    for (const fault of faults) {
      const isOver = await isTold(service, fault);
      await fault.end(service);
      await isOver();
    }
    // Nothing of it cost a message.
    const { platform } = service;
    const words = ["token", ...senders].map((word) => `re: message-${word}`);
    await platform.until(() => platform.replies.length >= words.length);
    expect(platform.replies.map(({ body }) => body).toSorted()).toEqual(words.toSorted());
  },
);

test.skipIf(!mayBreak)(
  `OPS-01: a disk that the kernel makes read-only under the service is told in all four places; a start on it says the cure, and on the mended disk it serves again${why(mayBreak)}`,
  { timeout: 600_000 },
  async () => {
    const home = tempDir();
    onTestFinished(() => home[Symbol.dispose]());
    const disk = brittleDisk(home.dir)!;
    onTestFinished(() => disk.remove());
    const service = await serve(disk.dir, home.dir);
    await isTold(service, { part: "store", ready: 503, begin: () => disk.breaks() });
    expect(await service.platform.deliver(service.base, "491", "id-lost", "message-kept")).toBe(false);
    await service.stop();

    const run = { dir: disk.dir, env: service.env };
    const refused = await startGantry(["daemon"], run).ended;
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /gantry: [^\n]*EROFS[^\n]*: free the disk, or make it writable[^\n]* \[[A-Z_]+\]/,
    );
    disk.isMended();
    const { child, ended } = startGantry(["daemon"], run);
    await said(child, "stderr", /Gantry is ready/);
    const ready = (): Promise<number> => fetch(`${service.base}/ready`).then(({ status }) => status);
    await expect.poll(ready).toBe(200);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  },
);
