import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { codeOf, installSdk, packageOf, place, registry, runNode, tarball, type TarEntry } from "./plugins.test-kit.ts";
import { readTarball } from "./tarball.ts";

const kinds = ["channel", "guard", "provider", "store", "tool"];
const tsc = path.join(import.meta.dirname, "../../node_modules/.bin/tsc");

test(
  "SDK-03: every kind of new plugin passes its own test and the types on a packed sdk, outside the repository",
  { timeout: 120_000 },
  async () => {
    await using p = await place();
    await installSdk(p.dir);
    for (const kind of kinds) {
      const made = await p.gantry("plugins", "new", kind, `my-${kind}`);
      const folder = path.join(p.dir, `gantry-plugin-my-${kind}`);
      expect([made.code, made.stdout]).toEqual([0, `${folder}\n`]);
      const tested = await runNode(["--test", "--test-reporter=tap"], { cwd: folder });
      expect([kind, tested.code, tested.stdout.match(/^# fail .*$/m)?.[0]]).toEqual([kind, 0, "# fail 0"]);
      expect(Number(/^# pass (\d+)/m.exec(tested.stdout)?.[1])).toBeGreaterThan(4);
      expect(await runNode([await realTsc(), "-p", folder])).toMatchObject({ code: 0, stdout: "" });
      const facts = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Record<string, unknown>;
      expect(facts).toMatchObject({
        name: `gantry-plugin-my-${kind}`,
        exports: "./index.ts",
        keywords: expect.arrayContaining(["gantry-plugin", `gantry-${kind}`]) as unknown,
      });
      expect(facts["peerDependencies"]).toMatchObject({ "@gantry/sdk": expect.stringMatching(/^\^\d+\.\d+\.\d+$/) as string });
      expect(await allText(folder)).not.toMatch(/\bexample\b/);
    }
  },
);

async function realTsc(): Promise<string> {
  return (await import("node:fs/promises")).realpath(tsc);
}

async function allText(folder: string): Promise<string> {
  const files = await readdir(folder);
  return (await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")))).join("\n");
}

test("SDK-03: a new plugin is checked and then used from its folder without a build", { timeout: 60_000 }, async () => {
  await using p = await place();
  await installSdk(p.dir);
  await p.gantry("plugins", "new", "tool", "hello", "--dir", "work");
  const folder = path.join(p.dir, "work/gantry-plugin-hello");
  const checked = await p.gantry("plugins", "check", folder);
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("The plugin tool-hello keeps all") as string });
  await writeFile(path.join(p.configDir, "config.toml"), `plugins = ["command-plugins", "${folder}/index.ts"]\n`);
  const listed = await p.gantry("plugins", "list", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject({
    loaded: expect.arrayContaining([expect.objectContaining({ name: "tool-hello" })]) as unknown,
  });
  await writeFile(path.join(p.configDir, "config.toml"), "");
  await writeFile(
    path.join(folder, "tool.ts"),
    (await readFile(path.join(folder, "tool.ts"), "utf8")).replace("Greets a person by name.", ""),
  );
  await writeFile(path.join(folder, "package.json"), '{"type":"module","exports":"./index.ts","gantry":{"needs":["net"]}}');
  const broken = await p.gantry("plugins", "check", folder);
  expect([broken.code, broken.stderr]).toEqual([1, ""]);
  expect(broken.stdout).toContain("The plugin tool-hello does not start");
  expect(broken.stdout).toContain("The plugin tool-hello states in its package.json that it needs net and its code says otherwise");
});

test("SDK-03: a wrong kind, a wrong name and a folder that is there are refused", async () => {
  await using p = await place();
  expect(await p.gantry("plugins", "new", "robot", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("channel, guard, provider, store, tool") as string,
  });
  expect(await p.gantry("plugins", "new", "tool", "../x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("PLUGINS_NAME") as string,
  });
  expect((await p.gantry("plugins", "new", "tool", "x")).code).toBe(0);
  expect(await p.gantry("plugins", "new", "tool", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("PLUGINS_EXISTS") as string,
  });
});

test(
  "SDK-03: a package is shown, accepted, installed with its exact version and bytes, runs once listed, and is removed",
  { timeout: 60_000 },
  async () => {
    await using p = await place();
    await using r = await registry();
    const ran = path.join(p.dir, "ran");
    const bytes = packageOf({ scripts: { preinstall: `touch ${ran}`, postinstall: `touch ${ran}`, prepare: `touch ${ran}` } });
    await r.publish("1.0.0", bytes);
    const unasked = await p.gantry("plugins", "add", "weather", "--registry", r.url);
    expect(unasked).toMatchObject({ code: 3, stderr: expect.stringContaining("PLUGINS_NOT_ACCEPTED") as string });
    expect(unasked.stderr).toMatch(/provides tools/);
    expect(unasked.stderr).toContain("install scripts (preinstall, postinstall, prepare) are not run");
    expect(await readdir(path.join(p.configDir, "node_modules"))).toEqual([]);

    const done = await p.gantry("plugins", "add", "weather", "--registry", r.url, "--yes");
    expect(done).toMatchObject({ code: 0, stdout: "Installed gantry-plugin-weather 1.0.0\n" });
    const lock = JSON.parse(await readFile(path.join(p.configDir, "plugins.lock.json"), "utf8")) as Record<string, object>;
    expect(lock["gantry-plugin-weather"]).toMatchObject({
      version: "1.0.0",
      integrity: expect.stringMatching(/^sha512-.{86}==$/) as string,
      provides: ["tools"],
    });
    const installed = path.join(p.configDir, "node_modules/gantry-plugin-weather/index.js");
    expect((await stat(installed)).mode & 0o777).toBe(0o600);
    expect((await p.gantry("plugins", "list")).stdout).not.toContain("weather");

    await writeFile(path.join(p.configDir, "config.toml"), 'plugins = ["command-plugins", "audit-file", "weather"]\n');
    expect((await p.gantry("plugins", "list")).stdout).toContain("Weather.");
    expect(existsSync(ran)).toBe(false);
    expect(await p.gantry("plugins", "remove", "weather")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("PLUGINS_STILL_LISTED") as string,
    });
    await writeFile(path.join(p.configDir, "config.toml"), "");
    expect((await p.gantry("plugins", "remove", "weather")).code).toBe(0);
    expect(await readdir(path.join(p.configDir, "node_modules"))).toEqual([]);
    expect((await p.gantry("plugins", "remove", "weather")).code).toBe(2);
  },
);

test("SDK-03: an update that asks for more is asked about again, one that does not is not", { timeout: 60_000 }, async () => {
  await using p = await place();
  await using r = await registry();
  await r.publish("1.0.0", packageOf({}));
  expect((await p.gantry("plugins", "add", "weather", "--registry", r.url, "--yes")).code).toBe(0);
  await r.publish("1.1.0", packageOf({ version: "1.1.0" }));
  expect(await p.gantry("plugins", "add", "weather", "--registry", r.url)).toMatchObject({
    code: 0,
    stdout: "Installed gantry-plugin-weather 1.1.0\n",
  });
  await r.publish("2.0.0", packageOf({ version: "2.0.0", gantry: { provides: ["tools", "routes"] } }, codeOf(["tools", "routes"])));
  expect((await p.gantry("plugins", "add", "weather", "--registry", r.url)).code).toBe(3);
  expect(await readFile(path.join(p.configDir, "plugins.lock.json"), "utf8")).toContain('"1.1.0"');
  expect((await p.gantry("plugins", "add", "weather@1.0.0", "--registry", r.url)).stdout).toContain("1.0.0");
  expect((await p.gantry("plugins", "add", "weather@^1", "--registry", r.url)).stderr).toContain("PLUGINS_PACKAGE");
  expect((await p.gantry("plugins", "add", "weather@9.9.9", "--registry", r.url)).stderr).toContain("PLUGINS_NO_VERSION");
});

test(
  "SDK-05: a check says what a plugin does to its process, prints nothing of it among its answer, and looks inside its folder alone",
  { timeout: 60_000 },
  async () => {
    await using p = await place();
    const put = async (file: string, text: string): Promise<string> => {
      await mkdir(path.join(p.dir, path.dirname(file)), { recursive: true });
      await writeFile(path.join(p.dir, file), text);
      return file;
    };
    const quits = await p.gantry("plugins", "check", await put("quits.mjs", "process.exit(0);"));
    expect(quits).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/quits\.mjs ended its process .*PLUGIN_QUIT/) as string,
    });
    const loud = await p.gantry(
      "plugins",
      "check",
      await put("loud.mjs", 'console.log("noise");\nexport default { name: "loud", sdk: 1, summary: "Loud.", setup() {} };'),
      "--json",
    );
    expect(JSON.parse(loud.stdout)).toMatchObject({ ok: true, plugin: "loud", findings: [] });
    expect(loud.stderr).toContain("noise");
    for (const facts of ["{", "null", "[]"]) {
      await put("torn/index.mjs", codeOf(["tools"]));
      await put("torn/package.json", facts);
      for (const what of ["torn", "torn/index.mjs"])
        expect(await p.gantry("plugins", "check", what)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("PLUGINS_BAD_FACTS") as string,
        });
    }
    await put("torn/package.json", '{"exports":"./index.mjs","gantry":"tools"}');
    const stated = await p.gantry("plugins", "check", "torn");
    expect([stated.code, stated.stdout]).toEqual([1, expect.stringContaining("something else than lists of names: write needs")]);
    await put("away/package.json", '{"exports":"./index.mjs"}');
    await symlink(path.join(p.dir, "loud.mjs"), path.join(p.dir, "away/index.mjs"));
    expect(await p.gantry("plugins", "check", "away")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("PLUGINS_NO_ENTRY") as string,
    });
  },
);

test("SDK-03: a package that ends the process that looks at it is not installed", { timeout: 60_000 }, async () => {
  await using p = await place();
  await writeFile(path.join(p.dir, "quits.tgz"), packageOf({}, "process.exit(0);"));
  expect(await p.gantry("plugins", "add", "./quits.tgz", "--yes")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("PLUGIN_QUIT") as string,
  });
  expect(await readdir(path.join(p.configDir, "node_modules"))).toEqual([]);
});

test("SDK-03: a plugin that lies on this machine is listed, not installed, and `add` says so", async () => {
  await using p = await place();
  await p.gantry("plugins", "new", "tool", "weather");
  const entry = path.join(p.dir, "gantry-plugin-weather/index.ts");
  for (const spec of ["./gantry-plugin-weather", "./gantry-plugin-weather/index.ts"]) {
    expect(await p.gantry("plugins", "add", spec)).toMatchObject({
      code: 2,
      stderr: `gantry: ${spec} is no tarball and is used where it lies: put \`${entry}\` into \`plugins\` of config.toml. [PLUGINS_NO_TARBALL]\n`,
    });
  }
});

test("SDK-03: what is not what it says is refused and nothing of it stays", { timeout: 60_000 }, async () => {
  await using p = await place();
  await using r = await registry();
  const wrong: readonly [bytes: Buffer, code: string, change?: object][] = [
    [packageOf({}), "PLUGINS_INTEGRITY", { integrity: `sha512-${"A".repeat(86)}==` }],
    [packageOf({}), "PLUGINS_NO_INTEGRITY", { integrity: "sha1-aaaa" }],
    [packageOf({ dependencies: { "left-pad": "1" } }), "PLUGINS_DEPENDENCIES"],
    [packageOf({ gantry: undefined }), "PLUGINS_PACKAGE"],
    [packageOf({ name: "../../evil" }), "PLUGINS_PACKAGE"],
    [packageOf({ exports: "../../../etc/passwd" }), "PLUGINS_PACKAGE"],
    [packageOf({ gantry: { provides: [] } }), "PLUGINS_OTHER_FACTS"],
    [packageOf({}, "throw new Error('no')"), "PLUGIN_IMPORT_FAILED"],
    [Buffer.from("no gzip"), "PLUGINS_TARBALL"],
  ];
  for (const [bytes, code, change] of wrong) {
    await r.publish("1.0.0", bytes, change);
    expect(await p.gantry("plugins", "add", "weather", "--registry", r.url, "--yes")).toMatchObject({
      stderr: expect.stringContaining(`[${code}]`) as string,
    });
    expect(await readdir(path.join(p.configDir, "node_modules"))).toEqual([]);
  }
  expect((await p.gantry("plugins", "add", "no-such", "--registry", r.url)).stderr).toContain("PLUGINS_REGISTRY");
});

test("SDK-03: a tarball that could write elsewhere is refused whole", async () => {
  const good: TarEntry = { name: "package/package.json", content: "{}" };
  expect([...(await readTarball("x", tarball([good]))).keys()]).toEqual(["package.json"]);
  for (const bad of [
    { name: "package/../../evil" },
    { name: "/etc/evil" },
    { name: "package//etc/evil" },
    { name: "package/./evil" },
    { name: "package/a\\..\\evil" },
    { name: "evil" },
    { name: "package/link", type: "2" },
    { name: "package/hard", type: "1" },
    { name: "package/device", type: "3" },
  ]) {
    await expect(readTarball("x", tarball([good, bad]))).rejects.toMatchObject({ code: "PLUGINS_TARBALL", exit: 3 });
  }
  const whole = tarball([{ ...good, content: "x".repeat(2_000) }]);
  await expect(readTarball("x", whole.subarray(0, 40))).rejects.toMatchObject({ code: "PLUGINS_TARBALL" });
});

test("SDK-03: nothing is installed where others could change it", async () => {
  await using p = await place();
  const file = path.join(p.dir, "weather.tgz");
  await writeFile(file, packageOf({}));
  await chmod(p.configDir, 0o777);
  expect(await p.gantry("plugins", "add", file, "--yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("everybody may write there") as string,
  });
  await chmod(p.configDir, 0o700);
  expect((await p.gantry("plugins", "add", file, "--yes")).code).toBe(0);
  await using q = await place();
  await symlink(p.dir, path.join(q.configDir, "node_modules"));
  expect(await q.gantry("plugins", "add", file, "--yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("it is a link") as string,
  });
});
