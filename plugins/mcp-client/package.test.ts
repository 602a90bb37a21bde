import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { GantryError } from "@gantry/sdk";
import { assert, constantFrom, oneof, property, string, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { gantry, tempDir } from "../../test/helpers/cli.ts";
import { accept, linux, startMcp } from "./mcp.test-kit.ts";
import { packageSpec } from "./package-spec.ts";
import { packageRegistry, smallPackage, wordsPackage, type PackageRegistry } from "./registry.test-kit.ts";

type Ended = Awaited<ReturnType<typeof gantry>>;

interface Place extends AsyncDisposable {
  readonly home: ReturnType<typeof tempDir>;
  readonly registry: PackageRegistry;
  readonly marker: string;
  /** The folder of packages and of what was accepted. */
  readonly mcp: string;
  run(...args: readonly string[]): Promise<Ended>;
  add(spec: string, ...args: readonly string[]): Promise<Ended>;
}

/** A configuration of its own, and a registry with the small server as 1.0.0. */
async function place(): Promise<Place> {
  const home = tempDir();
  const registry = await packageRegistry();
  const marker = path.join(home.dir, "ran");
  wordsPackage(registry);
  smallPackage(registry, "1.0.0", marker);
  const env = { npm_config_cache: path.join(home.dir, "npm-cache"), npm_config_update_notifier: "false" };
  const run = (...args: readonly string[]) => gantry(args, { dir: home.dir, env });
  return {
    home,
    registry,
    marker,
    mcp: path.join(home.dir, "mcp"),
    run,
    add: (spec, ...args) => run("mcp", "add", "small", spec, "--registry", registry.url, ...args),
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

const slow = { timeout: 120_000 };

describe.runIf(linux)("a package of an MCP server", () => {
  test(
    "MCP-03: it is installed with what it needs, and runs behind walls without a fetch",
    slow,
    async () => {
      await using p = await place();
      const added = await p.add("npm:@small/server@1.0.0", "--", "--flag", "x");
      expect(added).toMatchObject({ code: 0 });
      expect(added.err).toMatch(/@small\/server 1\.0\.0 \(2 packages, sha512-/);
      expect(added.err).toContain("install scripts are not run: @small/server");
      expect(existsSync(p.marker)).toBe(false);
      const entry = path.join(p.mcp, "small/node_modules/@small/server/cli.js");
      expect(readFileSync(p.home.file, "utf8")).toContain(`args = ["${entry}", "--flag", "x"]`);
      expect(readdirSync(p.mcp)).toEqual(["small"]);

      const before = p.registry.asked.length;
      expect(await p.run("mcp", "accept", "small", "--yes")).toMatchObject({ code: 0 });
      expect(await p.run("tools", "call", "small_learn", "{}", "--yes")).toMatchObject({ out: "learnt\n" });
      expect(p.registry.asked.length).toBe(before);
    },
  );

  test("MCP-03: the server reads its own folder, and no other of the configuration's", slow, async () => {
    await using p = await place();
    await p.add("npm:@small/server@1.0.0");
    const inside = path.join(p.mcp, "small/node_modules/@small/server");
    const table = { command: process.execPath, args: [path.join(inside, "cli.js")] };
    const servers = { small: { ...table, read_paths: [process.execPath, p.home.dir, p.mcp] } };
    await using t = await startMcp(servers, { configDir: p.home.dir });
    await accept(t, "small");
    const other = path.join(p.mcp, "other");
    writeFileSync(other, "not yours");
    const peek = async (file: string) =>
      (await t.call("small_peek", { path: file }, { approvals: "yes" })).text;
    expect(await peek(path.join(inside, "release.txt"))).toBe("1.0.0");
    for (const file of [other, p.home.file, `${p.mcp}/small.json`])
      expect(await peek(file)).toMatch(/^E(?:ACCES|NOENT|PERM)$/);
    const note = path.join(inside, "note");
    const { text } = await t.call("small_jot", { path: note }, { approvals: "yes" });
    expect(text).toMatch(/^E(?:ACCES|NOENT|PERM|ROFS)$/);
    expect(existsSync(note)).toBe(false);
  });

  test("MCP-03: another version replaces it by a second add and needs to be accepted", slow, async () => {
    await using p = await place();
    await p.add("npm:@small/server@1.0.0", "--", "--flag");
    await p.run("mcp", "accept", "small", "--yes");
    smallPackage(p.registry, "1.1.0", p.marker);
    expect(await p.add("npm:@small/server@1.1.0")).toMatchObject({ code: 0 });
    expect(readFileSync(p.home.file, "utf8")).toContain('cli.js", "--flag"]');
    expect(readdirSync(p.mcp).toSorted()).toEqual(["small", "small.json"]);
    const refused = await p.run("tools", "call", "small_learn", "{}", "--yes");
    expect(refused.err).toContain("[MCP_CHANGED]");
    await p.run("mcp", "accept", "small", "--yes");
    expect(await p.run("tools", "call", "small_learn", "{}", "--yes")).toMatchObject({ out: "learnt\n" });
  });

  test("MCP-03: a changed byte of a package that it needs keeps the server from starting", slow, async () => {
    await using p = await place();
    await p.add("npm:@small/server@1.0.0");
    await p.run("mcp", "accept", "small", "--yes");
    writeFileSync(path.join(p.mcp, "small/node_modules/words/index.js"), "export const words = 2;\n");
    const refused = await p.run("tools", "call", "small_learn", "{}", "--yes");
    expect(refused.err).toContain("[MCP_CHANGED]");
  });

  test("MCP-03: mcp remove takes the package away with the table", slow, async () => {
    await using p = await place();
    await p.add("npm:@small/server@1.0.0");
    await p.run("mcp", "accept", "small", "--yes");
    expect(await p.run("mcp", "remove", "small")).toMatchObject({ code: 0 });
    expect(readdirSync(p.mcp)).toEqual([]);
    expect(readFileSync(p.home.file, "utf8").trim()).toBe("");
  });

  test("MCP-03: what could not be installed whole leaves nothing behind", slow, async () => {
    await using p = await place();
    const { registry } = p;
    registry.publish({ name: "lost", version: "1.0.0", bin: "cli.js", dependencies: { nowhere: "1.0.0" } });
    registry.publish({ name: "plain", version: "1.0.0" }, { "index.js": "" });
    registry.publish({ name: "native", version: "1.0.0", bin: "run" }, { run: "#!/bin/sh\n" });
    registry.publish({
      name: "out",
      version: "1.0.0",
      bin: "../words/index.js",
      dependencies: { words: "1" },
    });
    registry.publish({ name: "weak", version: "1.0.0", bin: "c.js" }, { "c.js": "" }, {});
    const git = { name: "git", version: "1.0.0", bin: "c.js", dependencies: { x: "git+file:///nowhere" } };
    registry.publish(git, { "c.js": "" });
    const codes: string[] = [];
    for (const name of ["lost", "plain", "native", "out", "weak", "git"])
      codes.push(/\[(MCP_\w+)\]/.exec((await p.add(`npm:${name}@1.0.0`)).err)?.[1] ?? "none");
    const refused = "MCP_PACKAGE_REFUSED";
    expect(codes).toEqual(["MCP_NPM", refused, refused, refused, refused, "MCP_NPM"]);
    expect(readdirSync(p.mcp)).toEqual([]);
    expect(existsSync(p.home.file) ? readFileSync(p.home.file, "utf8") : "").not.toContain("small");
  });

  test("MCP-03: a failed second add leaves the version there is", slow, async () => {
    await using p = await place();
    await p.add("npm:@small/server@1.0.0");
    await p.run("mcp", "accept", "small", "--yes");
    expect((await p.add("npm:@small/server@9.9.9")).err).toContain("[MCP_NPM]");
    expect(await p.run("tools", "call", "small_learn", "{}", "--yes")).toMatchObject({ out: "learnt\n" });
  });

  test("MCP-03: a server that was not installed here is not replaced by a package", slow, async () => {
    await using p = await place();
    await p.run("mcp", "add", "small", "https://example.com/mcp");
    expect((await p.add("npm:@small/server@1.0.0")).err).toContain("[MCP_EXISTS]");
    expect(p.registry.asked).toEqual([]);
  });
});

test("MCP-03: a package without an exact version is refused with the cure", async () => {
  using home = tempDir();
  for (const spec of ["npm:server", "npm:server@latest", "npm:server@^1.0.0", "npm:@a/b", "npm:server@1.2"]) {
    const { code, err } = await gantry(["mcp", "add", "small", spec], { dir: home.dir });
    expect([code, err]).toEqual([2, expect.stringMatching(/write npm:NAME@1\.2\.3.*\[MCP_PACKAGE\]/)]);
  }
});

const signs = string({ unit: constantFrom(..."@/ab.12-+^~ \\:") });
const whole = tuple(signs, signs).map(([name, rest]) => `a${name}@1.2.3${rest}`);

function read(text: string): string {
  try {
    const { name, version } = packageSpec(`npm:${text}`)!;
    return `${name} ${version}`;
  } catch (error) {
    return (error as GantryError).code;
  }
}

test("MCP-03: an address of a package is read as one release or refused, whatever it is", () => {
  const isRelease = property(oneof(string(), signs, whole), (text) => {
    const found = read(text);
    const release = /^(?:@[^@/\s]+\/)?[^@/\s:\\^]+ \d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;
    return found === "MCP_PACKAGE" || (release.test(found) && found.replace(" ", "@") === text);
  });
  assert(isRelease);
  expect(read("@a/b@1.2.3-rc.1")).toBe("@a/b 1.2.3-rc.1");
});
