import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { writeDebs } from "../.ci/deb.ts";
import { writeDocuments } from "./helpers/documents.ts";
import { environment, root, said, tempDir } from "./helpers/cli.ts";
import { packed } from "./helpers/package.ts";

/** It takes Node for two processors and a minute to make. */
const long = process.env["GANTRY_LONG"] !== undefined;
const folder = path.join(root, "dist/executable");
const program = path.join(folder, `gantry-linux-${process.arch}`);

beforeAll(() => {
  if (!long) return;
  execFileSync("npm", ["run", "--silent", "executable"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}, 600_000);

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the executable with no Node on the search path. */
function run(dir: string, ...args: readonly string[]): Promise<Ended> {
  const env = { ...environment({ dir }), PATH: "/usr/bin:/bin", NODE_COMPILE_CACHE: "" };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: dir, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

test.runIf(long)("OPS-04: one command makes an executable for each processor, with their checksums", () => {
  expect(readdirSync(folder).toSorted()).toEqual([
    "RELEASE-NOTES.txt",
    "SHA256SUMS",
    "gantry-linux-arm64",
    "gantry-linux-x64",
    "install.sh",
  ]);
  const machines = { x64: 0x3e, arm64: 0xb7 };
  for (const [processor, machine] of Object.entries(machines)) {
    const bytes = readFileSync(path.join(folder, `gantry-linux-${processor}`));
    expect(bytes.readUInt16LE(18)).toBe(machine);
    expect(bytes.includes("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1")).toBe(true);
    expect(bytes.includes("NODE_SEA_BLOB")).toBe(true);
    const sum = createHash("sha256").update(bytes).digest("hex");
    expect(readFileSync(path.join(folder, "SHA256SUMS"), "utf8")).toContain(
      `${sum}  gantry-linux-${processor}\n`,
    );
  }
});

test.runIf(long && existsSync("/usr/bin/dpkg-deb"))(
  "DIS-04: what dpkg unpacks of the executable's .deb runs (skipped where there is no dpkg-deb)",
  () => {
    using home = tempDir();
    const release = path.join(home.dir, "release");
    cpSync(program, path.join(release, path.basename(program)));
    const [name = ""] = writeDebs(release, writeDocuments(home.dir));
    const unpacked = path.join(home.dir, "unpacked");
    execFileSync("dpkg", ["-x", path.join(release, name), unpacked]);
    const started = path.join(unpacked, "usr/bin/gantry");
    const env = { ...environment({ dir: home.dir }), PATH: "/usr/bin:/bin" };
    expect(execFileSync(started, ["--version"], { cwd: home.dir, env, encoding: "utf8" })).toBe("0.1.0\n");
  },
  120_000,
);

test.runIf(long)(
  "DIS-02: the executable needs no Node: a turn with a tool call behind kernel walls, and no word of warning",
  async () => {
    using home = tempDir();
    expect((await run(home.dir, "--version")).out).toBe("0.1.0\n");
    expect(readdirSync(home.dir)).toEqual([]);
    const turn = await run(home.dir, "agent", "-m", "List the files here");
    expect(turn).toMatchObject({ code: 0, out: expect.stringContaining("file_list") as string });
    expect(turn.err).not.toMatch(/warning/i);
    const shell = await run(home.dir, "tools", "call", "shell", '{"command":"echo from the walls"}', "--yes");
    expect(shell).toMatchObject({ code: 0, out: expect.stringContaining("from the walls") as string });
    expect(statSync(path.join(home.dir, "cache/releases")).mode & 0o077).toBe(0);
  },
);

test.runIf(long)(
  "DIS-02: plugins new, check and a plugin in TypeScript work from the executable",
  async () => {
    using home = tempDir();
    expect((await run(home.dir, "plugins", "new", "guard", "friday")).code).toBe(0);
    const checked = await run(home.dir, "plugins", "check", "gantry-plugin-friday");
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining("keeps all") as string });
    writeFileSync(
      path.join(home.dir, "hello.ts"),
      `import { Commands, definePlugin } from "@gantry/sdk"; enum Word { Hello = "hello" }
export default definePlugin({ name: "hello", summary: "h", provides: [Commands], setup: (host) => void host.provide(Commands, { name: "hello", summary: "h", run: async ({ out }) => (out(Word.Hello), 0) }) });`,
    );
    writeFileSync(home.file, 'extra_plugins = ["./hello.ts"]\n', { mode: 0o600 });
    expect(await run(home.dir, "hello")).toMatchObject({ code: 0, out: "hello\n" });
  },
);

test.runIf(long)(
  "DIS-02: service install from the executable writes a unit that starts it, which systemd finds right",
  async () => {
    using home = tempDir();
    const { code, out } = await run(home.dir, "service", "install", "--dry-run");
    expect(code).toBe(0);
    expect(out).toContain(`ExecStart="${program}" "--node-options=--disable-sigusr1" "daemon"`);
    const unit = path.join(home.dir, "gantry.service");
    writeFileSync(unit, out);
    const args = ["verify", "--user", "--man=no", "--recursive-errors=no", unit];
    // It is made for a machine that runs systemd.
    const env = { ...process.env, XDG_RUNTIME_DIR: home.dir };
    execFileSync("systemd-analyze", args, { stdio: "pipe", env });
    const words = ["--node-options=--disable-sigusr1", "--version"];
    expect((await run(home.dir, ...words)).out).toBe("0.1.0\n");
  },
);

test.runIf(long)(
  "DIS-02: --watch from the executable starts it again when the configuration changes",
  async () => {
    using home = tempDir("[gateway]\nport = 0\n");
    const env = { ...environment({ dir: home.dir }), INVOCATION_ID: "1" };
    const child = spawn(program, ["daemon", "--watch"], { cwd: home.dir, env });
    try {
      await said(child, "stderr", /Gantry is ready/);
      const again = said(child, "stderr", /Gantry stops[\s\S]*Gantry is ready/);
      writeFileSync(home.file, "[gateway]\nport = 0\n# changed\n", { mode: 0o600 });
      expect(await again).not.toContain('"level":"error"');
    } finally {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
  },
);

test.runIf(long && existsSync("/usr/bin/dpkg-deb"))(
  "FLR-15: package, executable and .deb of one release run one after another on one directory",
  async () => {
    using home = tempDir("");
    const release = path.join(home.dir, "release");
    cpSync(program, path.join(release, path.basename(program)));
    const [name = ""] = writeDebs(release, writeDocuments(home.dir));
    const unpacked = path.join(home.dir, "unpacked");
    execFileSync("dpkg", ["-x", path.join(release, name), unpacked]);
    execFileSync("tar", ["-xzf", packed(), "-C", home.dir]);
    const own = path.join(home.dir, "package/dist/package/gantry.js");
    const deb = path.join(unpacked, "usr/bin/gantry");
    const ways: readonly (readonly string[])[] = [[process.execPath, own], [program], [deb]];
    const env = environment({ dir: home.dir });
    for (const [file = "", ...first] of [...ways, ...ways.toReversed()]) {
      const json = execFileSync(file, [...first, "plugins", "list", "--json"], { env, encoding: "utf8" });
      expect(JSON.parse(json)).toMatchObject({ stops: [] });
    }
  },
);

test.runIf(long)("DIS-02: where it cannot unpack itself the executable says so in one sentence", async () => {
  using home = tempDir();
  writeFileSync(path.join(home.dir, "cache"), "");
  const { code, err } = await run(home.dir, "status");
  expect(code).toBe(1);
  expect(err).toMatch(/^gantry: .*cannot hold it.* \[EXECUTABLE_UNPACK\]\n$/);
});

test.runIf(long)("OPS-04: an executable replaced by another leaves the running one undisturbed", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  const own = path.join(home.dir, "bin/gantry");
  mkdirSync(path.dirname(own));
  copyFileSync(program, own);
  chmodSync(own, 0o755);
  const env = { ...environment({ dir: home.dir }), INVOCATION_ID: "1" };
  const child = spawn(own, ["daemon"], { cwd: home.dir, env });
  try {
    await said(child, "stderr", /Gantry is ready/);
    writeFileSync(`${own}.new`, "another release");
    renameSync(`${own}.new`, own);
    const again = said(child, "stderr", /The configuration was read again/);
    child.kill("SIGHUP");
    expect(await again).not.toContain('"level":"error"');
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
});
