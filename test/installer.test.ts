import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { root, said, tempDir } from "./helpers/cli.ts";

const script = path.join(root, ".ci/install.sh");
const checksums = path.join(root, ".ci/checksums.ts");
const program = `gantry-linux-${process.arch}`;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the installer as somebody whose home is `dir`. */
function install(dir: string, ...args: readonly string[]): Promise<Ended> {
  const env = { PATH: `${dir}/bin:${process.env["PATH"] ?? ""}`, HOME: dir };
  return new Promise((resolve) => {
    execFile("sh", [script, ...args], { cwd: dir, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

const into = (dir: string): readonly string[] => ["--into", path.join(dir, "bin")];

/**
 * Makes a stand-in for the executable: it knows its version, and with `serve` it runs until it is
 * told to end.
 */
function release(dir: string, version: string): string {
  const folder = path.join(dir, `release-${version}`);
  mkdirSync(folder);
  const text = `#!/bin/sh\n# EXECUTABLE_UNPACK\n[ "$1" = serve ] && { echo up; read -r _; }\necho ${version}\n`;
  writeFileSync(path.join(folder, program), text);
  writeFileSync(path.join(folder, "SHA256SUMS"), `${sha256(text)}  ${program}\n${sha256("")}  install.sh\n`);
  return folder;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Every file below a folder with its content, mode and time. */
function state(folder: string): readonly unknown[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, "utf8"), statSync(file).mode, statSync(file).mtimeMs]);
}

/** Serves a folder on loopback; `spoil` may change what is sent. */
async function served(
  folder: string,
  spoil: (name: string, bytes: Buffer) => Buffer = (_, bytes) => bytes,
): Promise<AsyncDisposable & { readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const name = path.basename(request.url ?? "");
    asked.push(name);
    if (!readdirSync(folder).includes(name)) return void reply.writeHead(404).end("not here");
    return void reply.end(spoil(name, readFileSync(path.join(folder, name))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

test("DIS-05: the installer takes a release of an address, verifies it, and leaves the configuration as it is", async () => {
  using home = tempDir("# mine\n");
  const config = path.join(home.dir, ".gantry");
  mkdirSync(config);
  writeFileSync(path.join(config, "config.toml"), "# mine\n");
  const before = state(config);
  await using server = await served(release(home.dir, "1.2.3"));
  const { code, out, err } = await install(home.dir, `${server.url}/`, ...into(home.dir));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`Gantry 1.2.3 is installed as ${home.dir}/bin/gantry`);
  expect(server.asked).toEqual(["SHA256SUMS", program]);
  expect(readdirSync(path.join(home.dir, "bin"))).toEqual(["gantry"]);
  expect(statSync(path.join(home.dir, "bin/gantry")).mode & 0o777).toBe(0o755);
  const removed = await install(home.dir, "--remove", ...into(home.dir));
  expect(removed).toMatchObject({ code: 0, out: expect.stringContaining("is removed") as string });
  expect(readdirSync(path.join(home.dir, "bin"))).toEqual([]);
  expect(state(config)).toEqual(before);
});

test("DIS-05: what is not what its checksum says, is cut off or is not named is refused, and the earlier release stays", async () => {
  using home = tempDir();
  expect((await install(home.dir, release(home.dir, "1.0.0"), ...into(home.dir))).code).toBe(0);
  const before = state(path.join(home.dir, "bin"));
  const next = release(home.dir, "2.0.0");
  const changes: Readonly<Record<string, (name: string, bytes: Buffer) => Buffer>> = {
    "is not what SHA256SUMS says": (name, bytes) =>
      name === program ? Buffer.concat([bytes, Buffer.from("rm -rf /\n")]) : bytes,
    "is not what SHA256SUMS": (name, bytes) => (name === program ? bytes.subarray(0, 20) : bytes),
    "does not name": (name, bytes) => (name === "SHA256SUMS" ? bytes.subarray(0, 30) : bytes),
    once: (name, bytes) => (name === "SHA256SUMS" ? Buffer.concat([bytes, bytes]) : bytes),
  };
  for (const [why, spoil] of Object.entries(changes)) {
    await using server = await served(next, spoil);
    const { code, out, err } = await install(home.dir, server.url, ...into(home.dir));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^install\.sh: [^\n]+\n$/);
    expect(err).toContain(why);
  }
  const other = await install(home.dir, next, ...into(home.dir), "--sha256", sha256("another"));
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining("--sha256") as string });
  expect(state(path.join(home.dir, "bin"))).toEqual(before);
});

test("DIS-04: a release that a key signed is installed for whoever names the key; another's, a changed one and an unsigned one are not", async () => {
  using home = tempDir();
  const key = (name: string): string => {
    const file = path.join(home.dir, name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ours of today", "-f", file]);
    return file;
  };
  const [ours, another] = [key("ours"), key("another")];
  const folder = release(home.dir, "1.2.3");
  const sign = (by: string | undefined): void =>
    void execFileSync(process.execPath, ["--conditions=gantry-source", checksums, folder], {
      env: { ...process.env, GANTRY_SIGN_KEY: by },
    });
  const from = [folder, "--signed-by", `${ours}.pub`, ...into(home.dir)];
  sign(another);
  const refused = { code: 1, err: expect.stringContaining("is not signed by") as string };
  expect(await install(home.dir, ...from)).toMatchObject(refused);
  sign(ours);
  expect(await install(home.dir, ...from)).toMatchObject({ code: 0, err: "" });
  appendFileSync(path.join(folder, "SHA256SUMS"), `${sha256("more")}  more\n`);
  expect(await install(home.dir, ...from)).toMatchObject(refused);
  sign(undefined);
  const { code, err } = await install(home.dir, ...from);
  expect([code, err]).toEqual([1, expect.stringContaining("SHA256SUMS.sig is not there")]);
  const nobody = await install(home.dir, folder, "--signed-by", `${home.dir}/nobody.pub`, ...into(home.dir));
  expect(nobody.err).toContain("nobody.pub is not there: name the file of the public key");
  expect(readdirSync(path.join(home.dir, "bin"))).toEqual(["gantry"]);
});

test("DIS-05: an upgrade takes the place of what runs without disturbing it, and the earlier one is put back the same way", async () => {
  using home = tempDir();
  const [first, second] = [release(home.dir, "1.0.0"), release(home.dir, "2.0.0")];
  await install(home.dir, first, ...into(home.dir));
  const child = spawn(path.join(home.dir, "bin/gantry"), ["serve"]);
  const ended = said(child, "stdout", /1\.0\.0/);
  await said(child, "stdout", /up/);
  const up = await install(home.dir, second, ...into(home.dir), "--sha256", fileSum(second).toUpperCase());
  expect(up).toMatchObject({
    code: 0,
    out: expect.stringContaining("2.0.0 took the place of 1.0.0") as string,
  });
  child.stdin.end("\n");
  await ended;
  const back = await install(home.dir, first, ...into(home.dir));
  expect(back.out).toContain("1.0.0 took the place of 2.0.0");
});

function fileSum(folder: string): string {
  return sha256(readFileSync(path.join(folder, program), "utf8"));
}

test("DIS-05: another's program of that name is neither replaced nor removed, and one that a unit starts is not removed", async () => {
  using home = tempDir();
  const at = path.join(home.dir, "bin/gantry");
  const next = release(home.dir, "2.0.0");
  mkdirSync(path.dirname(at));
  writeFileSync(at, "#!/bin/sh\n");
  for (const args of [[next], ["--remove"]])
    expect(await install(home.dir, ...args, ...into(home.dir))).toMatchObject({
      code: 1,
      err: expect.stringContaining("was not put there by this script") as string,
    });
  writeFileSync(path.join(home.dir, "of-npm"), "# EXECUTABLE_UNPACK\n");
  using linked = tempDir();
  mkdirSync(path.join(linked.dir, "bin"));
  symlinkSync(path.join(home.dir, "of-npm"), path.join(linked.dir, "bin/gantry"));
  expect((await install(linked.dir, next, ...into(linked.dir))).code).toBe(1);
  cpSync(path.join(next, program), at);
  chmodSync(at, 0o755);
  const unit = path.join(home.dir, ".config/systemd/user/gantry.service");
  mkdirSync(path.dirname(unit), { recursive: true });
  writeFileSync(unit, `[Service]\nExecStart="${at}" "daemon"\n`);
  const { code, err } = await install(home.dir, "--remove", ...into(home.dir));
  expect({ code, err }).toMatchObject({
    code: 1,
    err: expect.stringContaining("service uninstall") as string,
  });
  expect(readFileSync(at, "utf8")).toContain("2.0.0");
});

test("DIS-05: an address that can be changed on its way, or is another than it looks, is not asked", async () => {
  using home = tempDir();
  const { dir } = home;
  const refused = [
    "http://releases.example.com",
    "http://127.0.0.1.example.com/",
    "http://127.0.0.1:80@releases.example.com/",
    "https://name:password@releases.example.com",
    "file:///etc",
    path.join(dir, "nowhere"),
  ];
  for (const from of refused) expect((await install(dir, from, ...into(dir))).code).toBe(1);
  await using server = await served(release(dir, "1.0.0"));
  expect((await install(dir, `${server.url}/elsewhere`, ...into(dir))).code).toBe(0);
  await using empty = await served(path.join(dir, "bin"));
  const none = await install(dir, empty.url, ...into(dir));
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining("cannot be had") as string });
});
