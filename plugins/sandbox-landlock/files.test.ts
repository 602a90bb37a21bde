import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Sandbox } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import files from "../tool-files/index.ts";
import shell from "../tool-shell/index.ts";
import sandbox from "./index.ts";
import { linux } from "./sandbox.test-kit.ts";

const none = new AbortController().signal;
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

function beside(): { readonly directory: string; [Symbol.dispose](): void } {
  const directory = mkdtempSync(path.join(tmpdir(), "gantry-beside-"));
  writeFileSync(path.join(directory, "file"), "canary");
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

test.runIf(linux)(
  "SBX-01: the process that opens files is confined itself, and the service is not",
  async () => {
    using outside = beside();
    await using t = await startTestHost({ plugins: [sandbox] });
    const { files: walled } = t.slot(Sandbox);
    const secret = path.join(outside.directory, "file");
    for (const file of [
      secret,
      "/etc/shadow",
      "/proc/self/environ",
      path.join(t.configDir, "config.toml"),
      "/no/such/file",
    ]) {
      await expect(walled.read(file, 100, none)).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
      await expect(walled.write(file, "x", none)).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    }
    await expect(walled.list(outside.directory, 10, none)).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    await expect(walled.list("/root", 10, none)).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    expect(readFileSync(secret, "utf8")).toBe("canary");
    expect(readdirSync(outside.directory)).toEqual(["file"]);
  },
);

test.runIf(linux)(
  "SEC-15: ERR-01: of a secret file's other name a tool is told that it is one, not that it is empty",
  async () => {
    await using t = await startTestHost({ plugins: [sandbox, files] });
    const { workspace } = t.runtime;
    writeFileSync(path.join(workspace, ".env"), "API_TOKEN=canary\n");
    linkSync(path.join(workspace, ".env"), path.join(workspace, "hard"));
    expect(await t.call("file_read", { path: "hard" })).toMatchObject({
      code: "SANDBOX_SECRET",
      text: expect.stringContaining("hard is a file that security.secret_files names"),
    });
    expect((await t.call("file_search", { pattern: "API" })).text).not.toContain("hard");
  },
);

test.runIf(linux)(
  "SEC-05: a link swapped in between check and use leads nowhere, for reading and for writing",
  async () => {
    using outside = beside();
    await using t = await startTestHost({ plugins: [sandbox, files] });
    const at = (name: string): string => path.join(t.runtime.workspace, name);
    mkdirSync(at("d"));
    writeFileSync(at("d/file"), "harmless");
    symlinkSync(outside.directory, at("link"));
    const exchange = { x64: 316, arm64: 276 }[process.arch as "x64" | "arm64"];
    const code = `$a = "${at("d")}"; $b = "${at("link")}"; while (1) { syscall(${exchange}, -100, $a, -100, $b, 2); select(undef, undef, undef, 0.0002) if rand() < 0.1 }`;
    const swapper = spawn("perl", ["-e", code], { stdio: "ignore" });
    const seen = new Set<string>();
    for (let i = 0; i < 300; i++) {
      seen.add((await t.call("file_read", { path: "d/file" })).text);
      seen.add((await t.call("file_write", { path: "d/new", content: "x" })).text);
      try {
        seen.add(text((await t.slot(Sandbox).files.read(at("d/file"), 100, none)).data));
      } catch (error) {
        seen.add((error as { code: string }).code);
      }
    }
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
    expect([...seen].filter((one) => one.includes("canary"))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(["harmless", "PATH_OUTSIDE"]));
    expect(readdirSync(outside.directory)).toEqual(["file"]);
  },
);

test.runIf(linux)(
  "SEC-05: links are followed by whoever resolves a path, never by whoever opens it",
  async () => {
    await using t = await startTestHost({ plugins: [sandbox] });
    const { files: walled } = t.slot(Sandbox);
    const at = (name: string): string => path.join(t.runtime.workspace, name);
    mkdirSync(at("d"));
    writeFileSync(at("d/file"), "inside");
    symlinkSync("d/file", at("to-file"));
    symlinkSync("d", at("to-directory"));
    for (const file of ["to-file", "to-directory/file"]) {
      await expect(walled.read(at(file), 10, none)).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
      await expect(walled.write(at(file), "x", none)).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    }
    await expect(walled.list(at("to-directory"), 10, none)).rejects.toMatchObject({ code: "PATH_OUTSIDE" });
    expect(readFileSync(at("d/file"), "utf8")).toBe("inside");
  },
);

test("TOL-01: pipes, directories and missing files are coded errors, at once", async () => {
  await using t = await startTestHost({ plugins: [sandbox] });
  const { files: walled } = t.slot(Sandbox);
  const at = (name: string): string => path.join(t.runtime.workspace, name);
  execFileSync("mkfifo", [at("pipe")]);
  await expect(walled.read(at("pipe"), 10, none)).rejects.toMatchObject({
    code: "FILE_FAILED",
    message: expect.stringContaining("it is not a file"),
  });
  await expect(walled.write(at("pipe"), "x", none)).rejects.toMatchObject({ code: "FILE_FAILED" });
  await expect(walled.read(t.runtime.workspace, 10, none)).rejects.toMatchObject({ code: "FILE_FAILED" });
  await expect(walled.write(t.runtime.workspace, "x", none)).rejects.toMatchObject({
    code: expect.stringMatching(/FILE_FAILED|PATH_OUTSIDE/),
  });
  await expect(walled.read(at("missing"), 10, none)).rejects.toMatchObject({ code: "FILE_MISSING" });
  await expect(walled.list(at("missing"), 10, none)).rejects.toMatchObject({ code: "FILE_MISSING" });
  await expect(walled.read(at("x".repeat(300)), 10, none)).rejects.toMatchObject({
    message: expect.stringContaining("the name is too long"),
  });
});

test("TOL-01: a file is replaced in one step, keeps its mode, and a reader never sees half of it", async () => {
  await using t = await startTestHost({ plugins: [sandbox] });
  const { files: walled } = t.slot(Sandbox);
  const file = path.join(t.runtime.workspace, "a/b/script");
  const [a, b] = ["a", "b"].map((letter) => letter.repeat(300_000)) as [string, string];
  await walled.write(file, a, none);
  chmodSync(file, 0o750);
  const seen = new Set<string>();
  const look = (): string => {
    const now = readFileSync(file, "utf8");
    const found = now === a ? "a" : now === b ? "b" : "torn";
    seen.add(found);
    return found;
  };
  const state = { writing: true };
  const reading = (async () => {
    for (; state.writing; await new Promise(setImmediate)) look();
  })();
  for (let i = 0; i < 30; i++) {
    await walled.write(file, i % 2 ? a : b, none);
    expect(look()).toBe(i % 2 ? "a" : "b");
  }
  state.writing = false;
  await reading;
  expect([...seen].toSorted()).toEqual(["a", "b"]);
  expect(statSync(file).mode & 0o777).toBe(0o750);
  expect(readdirSync(path.dirname(file))).toEqual(["script"]);
});

test("TOL-01: what cannot be written leaves the old file and no other behind", async () => {
  await using t = await startTestHost({
    plugins: [sandbox],
    config: { security: { sandboxing: { allowed_write_paths: ["/dev/full", "$WORKSPACE"] } } },
  });
  const { files: walled } = t.slot(Sandbox);
  await expect(walled.write("/dev/full", "x", none)).rejects.toMatchObject({ code: "FILE_FAILED" });
  const file = path.join(t.runtime.workspace, "kept");
  writeFileSync(file, "old");
  const gone = new AbortController();
  gone.abort();
  await expect(walled.write(file, "new", gone.signal)).rejects.toThrow("aborted");
  expect(readFileSync(file, "utf8")).toBe("old");
});

test.runIf(linux)(
  "SEC-05: a blocked path inside an allowed one stays closed, whether it exists or not",
  async () => {
    using allowed = beside();
    const at = (name: string): string => path.join(allowed.directory, name);
    for (const name of ["open", "private", "deep/er"]) mkdirSync(at(name), { recursive: true });
    for (const name of ["open/file", "private/file", "deep/er/file", "deep/file"])
      writeFileSync(at(name), "canary");
    await using t = await startTestHost({
      plugins: [sandbox, shell, files],
      config: {
        security: {
          blocked_paths: [at("private"), at("deep/er"), at("not-yet")],
          sandboxing: {
            allowed_read_paths: ["/usr", "/lib", "/lib64", "/bin", "$WORKSPACE", allowed.directory],
            allowed_write_paths: ["$WORKSPACE", allowed.directory],
          },
        },
      },
    });
    const run = async (command: string): Promise<string> => (await t.call("shell", { command })).text;
    for (const name of ["open/file", "deep/file", "file"])
      expect(await run(`cat ${at(name)}`)).toContain("canary");
    for (const name of ["private/file", "deep/er/file"])
      expect(await run(`cat ${at(name)}`)).toMatch(/Permission denied|No such file/);
    await run(`mkdir ${at("not-yet")}`);
    expect(existsSync(at("not-yet"))).toBe(false);
    expect(await run(`echo more > ${at("open/new")}; cat ${at("open/new")}`)).toContain("more");
    expect((await t.call("file_read", { path: at("private/file") })).code).toBe("PATH_OUTSIDE");
  },
);

test.runIf(linux && existsSync("/etc/ssl/private"))(
  "SEC-11: by default a command reads the certificates of the machine, and no private key of it",
  async () => {
    await using t = await startTestHost({ plugins: [sandbox, shell] });
    const run = async (command: string): Promise<string> => (await t.call("shell", { command })).text;
    expect(await run("ls /etc/ssl/private")).toMatch(/Permission denied|No such file/);
    expect(await run("ls -d /etc/ssl/certs/.")).toContain("/etc/ssl/certs/.");
  },
);

test.runIf(linux)(
  "SEC-11: all of the configuration directory but the workspace is closed, even where a parent is allowed",
  async () => {
    await using t = await startTestHost({
      plugins: [sandbox, shell],
      config: {
        security: {
          sandboxing: {
            allowed_read_paths: ["/usr", "/lib", "/lib64", "/bin", tmpdir(), "$WORKSPACE"],
            allowed_write_paths: [tmpdir(), "$WORKSPACE"],
          },
        },
      },
    });
    writeFileSync(path.join(t.configDir, "secret.toml"), "canary");
    const { text: said } = await t.call("shell", {
      command: `cat ${t.configDir}/secret.toml; ls ${t.configDir}; echo x > ${t.configDir}/new; echo inside > here; cat here`,
    });
    expect(said).not.toContain("canary");
    expect(existsSync(path.join(t.configDir, "new"))).toBe(false);
    expect(said).toContain("inside");
  },
);

test.runIf(linux)(
  "SBX-01: mode, owner and times of files change inside the walls as programs expect",
  async () => {
    await using t = await startTestHost({ plugins: [sandbox, shell] });
    const command = [
      "touch a; chmod 640 a; stat -c %a a; chmod u+x,g-r a; stat -c %a a",
      "touch -d '2001-02-03 04:05:06.123456789 UTC' a; stat -c %.9Y a; cp -p a b; stat -c %.9Y b; touch -h -d '2002-01-01 UTC' a",
      "ln -s a l; touch -h -d '2003-01-01 UTC' l; stat -c %Y l; stat -c %Y a; chown -h $(id -u) l; chown $(id -u):$(id -g) a && echo owned",
      "mkdir d; chmod 1777 d; stat -c %a d; tar cf t.tar a d; mkdir x; tar xpf t.tar -C x; stat -c %a x/d; (cd d; chmod 700 .; stat -c %a .)",
      "chmod 600 missing; chmod 4755 a; perl -e 'open F, q{<}, q{a}; chmod 0604, *F'; stat -c %a a",
    ].join("; ");
    const { text: said } = await t.call("shell", { command });
    const expected = [
      "640",
      "700",
      "981173106.123456789",
      "981173106.123456789",
      "1041379200",
      "1009843200",
      "owned",
      "1777",
      "1777",
      "700",
      "604",
    ];
    expect(said.split("\n[stderr]\n")[0]!.split("\n")).toEqual(expected);
    expect(said).toContain("chmod: cannot access 'missing': No such file or directory");
    expect(said).toContain("chmod: changing permissions of 'a': Operation not permitted");
  },
);
