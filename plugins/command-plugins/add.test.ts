import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { tarball, type TarEntry } from "../../test/helpers/tarball.ts";
import { codeOf, packageOf, place, registry, type Place, unpacked } from "./plugins.test-kit.ts";

test(
  "SDK-03: a package is shown, accepted, installed with its exact version and bytes, runs once listed, and is removed",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await using r = await registry();
    const ran = path.join(p.dir, "ran");
    const bytes = packageOf({
      scripts: { preinstall: `touch ${ran}`, postinstall: `touch ${ran}`, prepare: `touch ${ran}` },
    });
    await r.publish("1.0.0", bytes);
    const unasked = await p.gantry("plugins", "add", "weather", "--registry", r.url);
    expect(unasked).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("PLUGINS_NOT_ACCEPTED") as string,
    });
    expect(unasked.stderr).toMatch(/provides tools/);
    expect(unasked.stderr).toContain("it does not state its sdk level");
    expect(unasked.stderr).toContain("install scripts (preinstall, postinstall, prepare) are not run");
    expect(await readdir(path.join(p.configDir, "node_modules"))).toEqual([]);

    const done = await p.gantry("plugins", "add", "weather", "--registry", r.url, "--yes");
    expect(done).toMatchObject({ code: 0, stdout: "Installed gantry-plugin-weather 1.0.0\n" });
    const lock = JSON.parse(await readFile(path.join(p.configDir, "plugins.lock.json"), "utf8")) as Record<
      string,
      object
    >;
    expect(lock["gantry-plugin-weather"]).toMatchObject({
      version: "1.0.0",
      integrity: expect.stringMatching(/^sha512-.{86}==$/) as string,
      provides: ["tools"],
    });
    const installed = path.join(p.configDir, "node_modules/gantry-plugin-weather/index.js");
    expect((await stat(installed)).mode & 0o777).toBe(0o600);
    expect((await p.gantry("plugins", "list")).stdout).toMatch(
      /^installed and not listed: gantry-plugin-weather$/m,
    );
    for (const name of ["weather", "gantry-plugin-weather"])
      expect((await p.gantry("plugins", "inspect", name)).stdout).toMatch(/^summary +Weather\.$/m);

    await writeFile(
      path.join(p.configDir, "config.toml"),
      'plugins = ["command-plugins", "audit-file", "weather"]\n',
    );
    const listed = (await p.gantry("plugins", "list")).stdout;
    expect([listed.includes("Weather."), listed.includes("installed and not listed")]).toEqual([true, false]);
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

test(
  "SEC-20: every change of bytes asks and shows what changes, from a registry and from a file",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await using r = await registry();
    await r.publish("1.0.0", packageOf({}));
    expect((await p.gantry("plugins", "add", "weather", "--registry", r.url, "--yes")).code).toBe(0);
    const again = await p.gantry("plugins", "add", "weather", "--registry", r.url);
    expect(again).toMatchObject({ code: 0, stdout: "Installed gantry-plugin-weather 1.0.0\n" });

    const other = packageOf({ version: "1.1.0" }, `${codeOf(["tools"])}\n// other\n`);
    await r.publish("1.1.0", other);
    await writeFile(path.join(p.dir, "other.tgz"), other);
    for (const spec of ["weather", "./other.tgz"]) {
      const unasked = await p.gantry("plugins", "add", spec, "--registry", r.url);
      expect(unasked).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("PLUGINS_NOT_ACCEPTED") as string,
      });
      expect(unasked.stderr).toMatch(/in place of 1\.0\.0\n[^]*changed +index\.js\n +changed +package\.json/);
    }
    await r.publish(
      "2.0.0",
      packageOf({ version: "2.0.0", gantry: { provides: ["tools", "routes"] } }, codeOf(["tools", "routes"])),
    );
    expect((await p.gantry("plugins", "add", "weather", "--registry", r.url)).code).toBe(3);
    expect(await readFile(path.join(p.configDir, "plugins.lock.json"), "utf8")).toContain('"1.0.0"');
    expect((await p.gantry("plugins", "add", "weather@1.0.0", "--registry", r.url)).code).toBe(0);
    expect((await p.gantry("plugins", "add", "weather@^1", "--registry", r.url)).stderr).toContain(
      "PLUGINS_PACKAGE",
    );
    expect((await p.gantry("plugins", "add", "weather@9.9.9", "--registry", r.url)).stderr).toContain(
      "PLUGINS_NO_VERSION",
    );
  },
);

test(
  "SEC-20: a package that calls itself another than the one asked for replaces nothing",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await using r = await registry();
    await r.publish("1.0.0", packageOf({ name: "gantry-plugin-sunny" }));
    expect(await p.gantry("plugins", "add", "weather", "--registry", r.url, "--yes")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(
        /`gantry-plugin-weather` was asked for and what came calls itself `gantry-plugin-sunny`.*PLUGINS_OTHER_NAME/,
      ) as string,
    });
    expect(await readdir(path.join(p.configDir, "node_modules"))).toEqual([]);
    expect(existsSync(path.join(p.configDir, "plugins.lock.json"))).toBe(false);
  },
);

test(
  "SEC-20: no code of a package runs while it is added, whatever its manifest says",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    const ran = path.join(p.dir, "ran");
    const code = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(ran)}, ""); ${codeOf(["tools"])}`;
    await writeFile(path.join(p.dir, "marks.tgz"), packageOf({}, code));
    expect((await p.gantry("plugins", "add", "./marks.tgz")).code).toBe(3);
    expect((await p.gantry("plugins", "add", "./marks.tgz", "--yes")).code).toBe(0);
    expect(existsSync(ran)).toBe(false);
  },
);

/** An installed and listed plugin of this code. */
async function listed(p: Place, code?: string): Promise<string> {
  await writeFile(path.join(p.dir, "weather.tgz"), packageOf({}, code));
  expect((await p.gantry("plugins", "add", "./weather.tgz", "--yes")).code).toBe(0);
  await writeFile(
    path.join(p.configDir, "config.toml"),
    'plugins = ["command-plugins", "audit-file", "weather"]\n',
  );
  return path.join(p.configDir, "node_modules/gantry-plugin-weather");
}

test(
  "SEC-20: a package whose bytes are not those of the lock is not loaded, with the file and the cure",
  { timeout: 300_000 },
  async () => {
    const changes: readonly (readonly [string, (folder: string) => Promise<void>])[] = [
      [
        "index.js was changed",
        (folder) => writeFile(path.join(folder, "index.js"), codeOf(["tools"], "evil")),
      ],
      ["extra.js was added", (folder) => writeFile(path.join(folder, "extra.js"), "")],
      ["link.js was added", (folder) => symlink("/etc/passwd", path.join(folder, "link.js"))],
    ];
    for (const [what, change] of changes) {
      await using p = await place();
      const folder = await listed(p);
      expect((await p.gantry("plugins", "list")).stdout).toContain("Weather.");
      await change(folder);
      const refused = await p.gantry("plugins", "list");
      expect(refused.code).toBe(3);
      expect(refused.stderr).toContain(
        `The plugin weather is not what was accepted (${folder}/${what}): run ` +
          `\`gantry plugins add ${path.join(p.dir, "weather.tgz")}\`, or take it off its list`,
      );
      expect(refused.stderr).toContain("[PLUGIN_CHANGED]");
    }
  },
);

test("SEC-20: the command that PLUGIN_CHANGED names mends the plugin", { timeout: 300_000 }, async () => {
  await using p = await place();
  await writeFile(path.join(await listed(p), "index.js"), codeOf(["tools"], "evil"));
  const { stderr } = await p.gantry("plugins", "list");
  const words = /run `gantry ([^`]+)`/.exec(stderr)?.[1]?.split(" ") ?? [];
  expect((await p.gantry(...words, "--yes")).code).toBe(0);
  expect((await p.gantry("plugins", "list")).stdout).toContain("Weather.");
});

test(
  "SEC-20: a package whose code states more than the manifest that was accepted is not loaded",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await listed(p, codeOf(["tools", "routes"]));
    expect(await p.gantry("plugins", "list")).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /its code states provides tools, routes\): take a release whose package\.json states the same.*PLUGIN_CHANGED/,
      ) as string,
    });
  },
);

test(
  "SEC-20: a lock that cannot be read stops the start and says which file",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await listed(p);
    await writeFile(path.join(p.configDir, "plugins.lock.json"), "{");
    expect(await p.gantry("plugins", "list")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/plugins\.lock\.json cannot be read.*PLUGINS_LOCK/) as string,
    });
  },
);

test("SDK-03: a plugin on this machine is not listed before somebody accepts it", async () => {
  await using p = await place();
  await p.gantry("plugins", "new", "tool", "weather");
  const entry = path.join(p.dir, "gantry-plugin-weather/index.ts");
  const config = path.join(p.configDir, "config.toml");
  for (const spec of ["./gantry-plugin-weather", "./gantry-plugin-weather/index.ts"]) {
    const { code, stderr } = await p.gantry("plugins", "add", spec);
    expect([code, existsSync(config)]).toEqual([2, false]);
    expect(stderr).toContain(`${entry} is used where it lies, and nothing is installed\n`);
    expect(stderr).toContain("  provides tools\n");
    const cure = `pass --yes, or add "${entry}" to extra_plugins in ${config}. [PLUGINS_NO_TARBALL]`;
    expect(stderr).toContain(`${spec} was not accepted, so nothing changed: ${cure}\n`);
  }
});

test("SDK-03: an accepted plugin on this machine is written into extra_plugins, and the answer says where", async () => {
  await using p = await place();
  for (const name of ["one", "two"]) {
    await mkdir(path.join(p.dir, name));
    const code = codeOf(["tools"], name).replace('name: "weather"', `name: "${name}"`);
    await writeFile(path.join(p.dir, name, "index.js"), code);
  }
  const config = path.join(p.configDir, "config.toml");
  const entryOf = (name: string): string => path.join(p.dir, name, "index.js");
  for (const name of ["one", "two", "one"])
    expect(await p.gantry("plugins", "add", `./${name}`, "--yes")).toMatchObject({
      code: 0,
      stdout: `Wrote "${entryOf(name)}" into extra_plugins in ${config}\n`,
    });
  expect(await readFile(config, "utf8")).toContain(
    `extra_plugins = ${JSON.stringify([entryOf("one"), entryOf("two")]).replace(",", ", ")}`,
  );
  expect((await p.gantry("plugins", "list")).stdout).toContain(`(${entryOf("two")})`);
});

test("SEC-20: a path at which nothing lies is wrong usage, and nobody's package is blamed for it", async () => {
  await using p = await place();
  for (const spec of ["./x", "./x.tgz"]) {
    const file = path.join(p.dir, spec);
    expect(await p.gantry("plugins", "add", spec)).toMatchObject({
      code: 2,
      stderr: `gantry: ${file} cannot be read (nothing is there): give the path of a tarball, or the name of a package. [PLUGINS_NO_FILE]\n`,
    });
  }
});

test(
  "SDK-03: what is not what it says is refused and nothing of it stays",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await using r = await registry();
    const wrong: readonly [bytes: Buffer, code: string, change?: object][] = [
      [packageOf({}), "PLUGINS_INTEGRITY", { integrity: `sha512-${"A".repeat(86)}==` }],
      [packageOf({}), "PLUGINS_NO_INTEGRITY", { integrity: "sha1-aaaa" }],
      [packageOf({ dependencies: { "left-pad": "1" } }), "PLUGINS_DEPENDENCIES"],
      [packageOf({ gantry: undefined }), "PLUGINS_PACKAGE"],
      [packageOf({ name: "../../evil" }), "PLUGINS_PACKAGE"],
      [packageOf({ exports: "../../../etc/passwd" }), "PLUGINS_PACKAGE"],
      [Buffer.from("no gzip"), "PLUGINS_TARBALL"],
    ];
    for (const [bytes, code, change] of wrong) {
      await r.publish("1.0.0", bytes, change);
      expect(await p.gantry("plugins", "add", "weather", "--registry", r.url, "--yes")).toMatchObject({
        stderr: expect.stringContaining(`[${code}]`) as string,
      });
      expect(await readdir(path.join(p.configDir, "node_modules"))).toEqual([]);
    }
    expect((await p.gantry("plugins", "add", "no-such", "--registry", r.url)).stderr).toContain(
      "PLUGINS_REGISTRY",
    );
  },
);

test("SDK-03: a tarball that could write elsewhere is refused whole", async () => {
  const good: TarEntry = { name: "package/package.json", content: "{}" };
  expect([...(await unpacked(tarball([good]))).keys()]).toEqual(["package.json"]);
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
    await expect(unpacked(tarball([good, bad]))).rejects.toMatchObject({
      code: "PLUGINS_TARBALL",
      exit: 3,
    });
  }
  const whole = tarball([{ ...good, content: "x".repeat(2_000) }]);
  await expect(unpacked(whole.subarray(0, 40))).rejects.toMatchObject({ code: "PLUGINS_TARBALL" });
});

test("SDK-03: nothing is installed where others could change it", async () => {
  await using p = await place();
  const file = path.join(p.dir, "weather.tgz");
  await writeFile(file, packageOf({}));
  const folder = path.join(p.configDir, "node_modules");
  await mkdir(folder);
  await chmod(folder, 0o777);
  expect(await p.gantry("plugins", "add", file, "--yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("others may write there") as string,
  });
  await chmod(folder, 0o700);
  expect((await p.gantry("plugins", "add", file, "--yes")).code).toBe(0);
  await using q = await place();
  await symlink(p.dir, path.join(q.configDir, "node_modules"));
  expect(await q.gantry("plugins", "add", file, "--yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("it is a link") as string,
  });
});

test("SDK-03: where one plugin alone may fill what a package provides, `add` says how it takes another's place", async () => {
  await using p = await place();
  const said = async (provides: readonly string[]): Promise<string> => {
    await writeFile(path.join(p.dir, "weather.tgz"), packageOf({ gantry: { provides } }));
    return (await p.gantry("plugins", "add", "./weather.tgz", "--yes")).stderr;
  };
  expect(await said(["tools"])).not.toContain("without_plugins");
  expect(await said(["history", "tools"])).toMatch(/One plugin alone may fill history: .*`without_plugins`/);
});
