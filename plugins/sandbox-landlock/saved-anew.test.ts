import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { layerRows } from "./service/layer-rows.ts";
import { type SandboxKit, confinedOf, linux, openToAll, startSandbox, until } from "./sandbox.test-kit.ts";

const long = process.env["GANTRY_LONG"] !== undefined;
const rounds = Number(process.env["GANTRY_SAVES"] ?? (long ? 120 : 4));
const NOBODY = 65_534;
const kit = new URL("./saved-anew-service.test-kit.ts", import.meta.url).pathname;
const mayBeNobody = process.getuid?.() === 0 && openToAll();

for (const user of [undefined, ...(mayBeNobody ? [NOBODY] : [])]) {
  test.runIf(linux)(
    `SEC-15: a secret file that is saved anew comes out under no name that a run gives it${user === undefined ? "" : ", as an ordinary user"}`,
    { timeout: long ? 1_800_000 : 180_000 },
    async () => {
      const service = spawn(process.execPath, ["--conditions=gantry-source", kit, String(rounds)], {
        ...(user !== undefined && { uid: user, gid: user }),
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [said] = await Promise.all([text(service.stdout), once(service, "close")]);
      expect(JSON.parse(said || `["it broke"]`)).toEqual([]);
    },
  );
}

/** Writes all the time, and goes on until it is stopped. */
const writes = "mkdir made; echo x > made/log; touch up; while :; do : > made/$((++n)); done";

async function saveAnew(kit: SandboxKit): Promise<void> {
  await until(() => existsSync(path.join(kit.workspace, "up")));
  writeFileSync(path.join(kit.workspace, ".env~"), "TOKEN=1\n");
  renameSync(path.join(kit.workspace, ".env~"), path.join(kit.workspace, ".env"));
}

const prepare = (workspace: string): void => writeFileSync(path.join(workspace, ".env"), "TOKEN=0\n");
const withheld = ({ workspace }: SandboxKit): string =>
  path.join(workspace, readdirSync(workspace).find((name) => name.startsWith("made.withheld-")) ?? "none");
const read = (kit: SandboxKit, at: string): Promise<unknown> =>
  kit.confinement.request<"read">({ do: "read", path: at, maxBytes: 100 }, new AbortController().signal);

test.runIf(linux)(
  "SEC-15: what changed as a secret file was saved anew is withheld until its owner gives its name back",
  async () => {
    await using kit = await startSandbox({ prepare });
    const [{ findings }] = await Promise.all([kit.run(writes), saveAnew(kit)]);
    expect(findings).toContainEqual(
      expect.stringMatching(
        /^withheld: \d that changed as \.env~? was saved anew .*\(.*made.*\); .*rename or remove it$/,
      ),
    );
    const at = path.join(withheld(kit), "log");
    await expect(read(kit, at)).rejects.toMatchObject({ fault: { fault: "withheld", path: at } });
    expect((await kit.run("cat made*/log")).stdout).toBe("");
    await using other = await startSandbox({ at: kit.workspace });
    const disk = { max_file_mb: 1, max_disk_mb: 1, max_workspace_mb: 1 };
    const rows = layerRows(other.confinement.layers!, { files: [], held: [], notHeld: [] }, disk);
    const detail = expect.stringContaining(withheld(kit)) as string;
    expect(rows).toContainEqual(expect.objectContaining({ state: "warn", detail }));
    renameSync(withheld(kit), path.join(kit.workspace, "made"));
    expect((await kit.run("sort -u made/log")).stdout).toBe("x\n");
  },
);

test.runIf(linux)("SEC-15: a run that was lost leaves nothing undecided either", async () => {
  await using kit = await startSandbox({ prepare });
  const log = path.join(kit.workspace, "made/log");
  await expect(lose(kit, async () => undefined)).rejects.toThrow(/ended|closed/);
  expect(await read(kit, log)).toMatchObject({ value: { bytes: 2 } });
  rmSync(path.join(kit.workspace, "made"), { recursive: true });
  rmSync(path.join(kit.workspace, "up"));
  await expect(lose(kit, () => saveAnew(kit))).rejects.toThrow(/ended|closed/);
  await expect(read(kit, log)).rejects.toMatchObject({ fault: { fault: "missing" } });
  expect((await kit.run("cat made*/log; echo ran")).stdout).toBe("ran\n");
});

/** Ends the process of a run under its hands; it sees nothing of what is done before. */
async function lose(kit: SandboxKit, before: () => Promise<void>): Promise<unknown> {
  const run = kit.run(writes);
  await Promise.race([run, until(() => existsSync(path.join(kit.workspace, "up")))]);
  const held = confinedOf(process.pid);
  for (const pid of held) process.kill(pid, "SIGSTOP");
  await before();
  for (const pid of held) process.kill(pid, "SIGKILL");
  return run;
}

const mayPin = process.getuid?.() === 0 && spawnSync("chattr", ["-V"]).error === undefined;

test.runIf(linux && mayPin)("SEC-15: nothing is run or read while something cannot be withheld", async () => {
  await using kit = await startSandbox({ prepare });
  const made = path.join(kit.workspace, "made");
  const run = kit.run(writes);
  await until(() => existsSync(path.join(kit.workspace, "up")));
  expect(spawnSync("chattr", ["+i", made]).status).toBe(0);
  await saveAnew(kit);
  expect((await run).findings).toContainEqual(expect.stringMatching(/^NOT withheld: .*made/));
  const fault = { fault: { fault: "undecided", path: expect.stringContaining("made") as string } };
  await expect(kit.run("echo ran")).rejects.toMatchObject(fault);
  await expect(read(kit, path.join(kit.workspace, "other"))).rejects.toMatchObject(fault);
  spawnSync("chattr", ["-i", made]);
  expect((await kit.run("cat made*/log; echo ran")).stdout).toBe("ran\n");
});
