import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import {
  importsOf,
  inCircles,
  isShipped,
  packageOf,
  pluginNames,
  root,
  sourcesIn,
  target,
  type Source,
} from "./helpers/sources.ts";

const sources = sourcesIn("sdk", "host", "plugins");
const shipped = sources.filter(isShipped);
const below = (folder: string, list: readonly Source[] = shipped) =>
  list.filter(({ file }) => file.startsWith(`${folder}/`));

const commandLine = below("host/cli");
/** The host, whose folder holds the command line too. */
const kernel = below("host").filter((source) => !commandLine.includes(source));

/** Each import that breaks the rule, as `file: specifier`. */
function breaking(
  list: readonly Source[],
  isWrong: (specifier: string, source: Source) => boolean,
): readonly string[] {
  return list.flatMap((source) =>
    importsOf(source)
      .filter((specifier) => isWrong(specifier, source))
      .map((specifier) => `${source.file}: ${specifier}`),
  );
}

/** The test kit, which is written for tests and in their terms. */
function isKit(file: string): boolean {
  return file.startsWith("sdk/testing");
}

/** The rooms of the sdk that may touch Node. */
function mayUseNode(file: string): boolean {
  return isKit(file) || file.startsWith("sdk/node/");
}

function isTable(text: string): boolean {
  const lines = text.split("\n");
  return (
    lines.filter((line) => /^\s*(?:[\w"'-]+\s*:|\[|"|'|\S+\s{2,}\S|\/\/|\*)/.test(line)).length >
    lines.length * 0.6
  );
}

/** Returns the packages that a package may import: its dependencies, and types for its build. */
function declared(file: string): ReadonlySet<string> {
  const text = readFileSync(path.join(root, file, "package.json"), "utf8");
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Record<string, object>;
  const types = Object.keys(devDependencies).filter((name) => /[/-]types$/.test(name));
  return new Set([...Object.keys(dependencies), ...types]);
}

test("HST-07: imports are found in whatever way they are written", () => {
  const text = `import a from "a";\nimport type { B } from 'b';\nimport "c";\nexport * from "d";\nexport { e } from "e";\nimport {\n  f,\n  g,\n} from "f";\nconst h = await import("h");\nimport i, { type J } from "@i/j/k";\n`;
  expect(importsOf({ file: "x.ts", text }).toSorted()).toEqual(["@i/j/k", "a", "b", "c", "d", "e", "f", "h"]);
  expect(shipped.flatMap(importsOf).length).toBeGreaterThan(500);
});

test("HST-07: the sdk imports typebox and itself, its kits a reader of markdown and one of event streams; node built-ins only in its room for them, the host only for tests", () => {
  const wrong = breaking(below("sdk"), (specifier, source) => {
    if (specifier.startsWith(".")) return !target(specifier, source).startsWith("sdk/");
    if (specifier === "@gantry/host") return source.file !== "sdk/testing/real-host.ts";
    // Markdown is read by the channel kit alone, on first use.
    if (specifier === "markdown-it") return !source.file.startsWith("sdk/channel-kit/");
    if (specifier === "eventsource-parser") return !source.file.startsWith("sdk/provider-kit/");
    return (
      packageOf(specifier) !== "typebox" &&
      !(mayUseNode(source.file) && packageOf(specifier).startsWith("node:"))
    );
  });
  expect(wrong.filter((line) => !line.endsWith(": node:stream"))).toEqual([]);
  const types = below("sdk")
    .filter(({ file }) => !mayUseNode(file))
    .flatMap(({ text }) => text.match(/^import .* from "node:.*$/gm) ?? []);
  expect(types.every((line) => line.startsWith("import type "))).toBe(true);
});

/** The rooms of the host, each of which may import itself and those before it. */
const rooms = ["plugins", "config", "record", "tools", "turn", "messages", "host", "door"];

function roomOf(file: string): number {
  const [, folder] = /^host\/([a-z]+)\//.exec(file) ?? [];
  return rooms.indexOf(folder ?? (/index/.test(file) ? "door" : "host"));
}

test("HST-08: the rooms of the host depend one way, types counted", () => {
  const wrong = breaking(
    kernel,
    (specifier, source) =>
      specifier.startsWith(".") && roomOf(target(specifier, source)) > roomOf(source.file),
  );
  expect(kernel.filter(({ file }) => roomOf(file) < 0)).toEqual([]);
  expect(wrong).toEqual([]);
});

test("HSE-04: no import leads back to its own file, neither a lazy one nor one of types", () => {
  expect(inCircles(shipped)).toEqual([]);
  const circle = [
    { file: "x/a.ts", text: 'import type { B } from "./b.ts";' },
    { file: "x/b.ts", text: 'const a = await import("./a.ts");' },
    { file: "x/c.ts", text: 'let a: typeof import("./c.ts");\nimport "./a.ts";' },
  ];
  expect(inCircles(circle)).toEqual(["x/a.ts", "x/b.ts"]);
});

test("HST-07: the host imports itself, the sdk and the packages it declares, and no plugin", () => {
  const packages = declared("host");
  const wrong = breaking(kernel, (specifier, source) => {
    if (specifier.startsWith(".")) return !/^host\/(?!cli\/)/.test(target(specifier, source));
    return !packageOf(specifier).startsWith("node:") && !packages.has(packageOf(specifier));
  });
  expect(wrong).toEqual([]);
});

test("HSE-01: no file of the host but its door imports more than 20 others of it", () => {
  const wide = kernel
    .filter(({ file }) => file !== "host/index.ts")
    .map((source) => [source.file, importsOf(source).filter((one) => one.startsWith("."))] as const)
    .filter(([, imports]) => imports.length > 20);
  expect(wide).toEqual([]);
});

test("HSE-01: the host has fewer lines than the first paragraph of README says", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const [, said = ""] = /kernel of fewer than ([\d,]+) lines/.exec(readme) ?? [];
  const lines = kernel.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  expect(Number(said.replace(",", ""))).toBeGreaterThan(lines);
});

test("HSE-01: the command line imports the host by its door, the host nothing of it", () => {
  const packages = declared("host/cli");
  const wrong = breaking(commandLine, (specifier, source) => {
    if (specifier.startsWith(".")) return !target(specifier, source).startsWith("host/cli/");
    if (packageOf(specifier) === "@gantry/host") return specifier !== "@gantry/host";
    return !packageOf(specifier).startsWith("node:") && !packages.has(packageOf(specifier));
  });
  expect(wrong).toEqual([]);
  expect(commandLine.length).toBeGreaterThan(20);
  expect([...declared("host")].filter((name) => /^@gantry\/(?!sdk$)/.test(name))).toEqual([]);
});

/**
 * Helpers that several bundled plugins use are built into each of them, so that no plugin needs
 * another.
 */
const isShared = (file: string): boolean => file.startsWith("plugins/shared/");

/**
 * The doors of the earlier level lead to all places where its names stand now; who checks plugins
 * reads their table.
 */
function isOfLevel2(file: string, { file: from }: Source): boolean {
  if (from.startsWith("plugins/level-2/")) return /^(?:sdk|plugins\/shared)\//.test(file);
  return from === "plugins/command-plugins/moved-names.ts" && file === "plugins/level-2/moved.ts";
}

test.each(["level-2", "shared", ...pluginNames()])(
  "HST-07: %s imports the sdk, typebox, its own folder, plugins/shared and the packages it declares",
  (name) => {
    const packages = declared(`plugins/${name}`);
    const wrong = breaking(below(`plugins/${name}`), (specifier, source) => {
      if (specifier.startsWith(".")) {
        const found = target(specifier, source);
        return !found.startsWith(`plugins/${name}/`) && !isShared(found) && !isOfLevel2(found, source);
      }
      const from = packageOf(specifier);
      return !from.startsWith("node:") && from !== "typebox" && from !== "@gantry/sdk" && !packages.has(from);
    });
    expect(wrong).toEqual([]);
  },
);

const guarded = new Set(
  [
    "child_process",
    "cluster",
    "worker_threads",
    "net",
    "tls",
    "http",
    "https",
    "http2",
    "dgram",
    "dns",
    "sqlite",
    "inspector",
    "vm",
    "wasi",
  ].map((name) => `node:${name}`),
);
/** The kinds whose work it is to start processes and open sockets and databases. */
const trusted = /^plugins\/(?:sandbox|net|gateway|store|service)-/;

test("HST-07: only sandbox-*, net-*, gateway-*, store-* and service-* touch processes, sockets and databases", () => {
  const wrong = breaking(
    below("plugins").filter(({ file }) => !trusted.test(file)),
    (specifier, source) => {
      const from = packageOf(specifier);
      const typesOnly = new RegExp(`import type [^;]*from "${specifier}"`).test(source.text);
      return [...guarded].some((name) => from === name || from.startsWith(`${name}/`)) && !typesOnly;
    },
  );
  expect(wrong).toEqual([]);
});

test("HSE-03: what is shared by plugins is used by two of them, or by one and what builds a release", () => {
  const users = new Map<string, Set<string>>();
  for (const source of [...sources, ...sourcesIn(".ci")])
    for (const specifier of importsOf(source).filter((one) => one.startsWith("."))) {
      const file = target(specifier, source);
      if (isShared(file) && !isShared(source.file))
        users.set(file, (users.get(file) ?? new Set()).add(source.file.split("/").slice(0, 2).join("/")));
    }
  expect([...users].filter(([, folders]) => folders.size < 2)).toEqual([]);
  expect(users.size).toBe(below("plugins/shared").length);
});

test("HSE-03: a room of the sdk holds at most 12 files, and its flat files are doors", () => {
  const rooms = Map.groupBy(below("sdk"), ({ file }) => file.split("/").slice(0, -1).join("/"));
  const kits = /^sdk\/(?:channel-kit|node|testing)/;
  const wide = [...rooms].filter(([room, files]) => !kits.test(room) && files.length > 12);
  expect(wide.map(([room, files]) => `${room}: ${files.length}`)).toEqual([]);
  expect(rooms.get("sdk")?.map(({ file }) => file)).toEqual(["sdk/fill.ts", "sdk/index.ts"]);
});

test("HST-07: nobody reaches around the walls by process.binding, eval or a global fetch", () => {
  const words =
    /\bprocess\.binding\b|\bprocess\.dlopen\b|\beval\(|\bnew Function\(|(?<![.\w])fetch\(|\bnew WebSocket\(|\bcreateRequire\(/;
  const found = below("plugins")
    .filter(({ file }) => !trusted.test(file))
    .flatMap(({ file, text }) =>
      text
        .split("\n")
        .filter((line) => words.test(line.replace(/\/\/.*|\/?\*.*/, "")))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found.filter((line) => !/^\S+ (?:async )?\*?fetch\(/.test(line))).toEqual([]);
});

test.each(pluginNames())(
  "HST-07: delete the folder of %s and nothing else that is shipped mentions it",
  (name) => {
    const word = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
    const mentions = shipped
      .filter(({ file }) => !file.startsWith(`plugins/${name}/`))
      .flatMap(({ file, text }) =>
        text
          .split("\n")
          .filter((line) => word.test(line))
          .map((line) => `${file}: ${line.trim()}`),
      );
    expect(mentions).toEqual([]);
  },
);

test("HST-07: no word of the host or the sdk names a provider, channel or tool that a plugin brings", () => {
  const words =
    /\b(?:chatapp|telegram|discord|slack|genlang|hostedllm|local-[abc]|file_read|file_write|file_list|memory_store|landlock|sqlite|fastify|undici)\b/;
  const found = [...below("host"), ...below("sdk").filter(({ file }) => !isKit(file))].flatMap(
    ({ file, text }) =>
      text
        .split("\n")
        .filter((line) => words.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test("HST-07: one thing, one file: no shipped file goes beyond 240 lines, unless it is a table", () => {
  const long = shipped
    .filter(({ text }) => text.split("\n").length > 240 && !isTable(text))
    .map(({ file, text }) => `${file}: ${text.split("\n").length} lines`);
  expect(long).toEqual([]);
});

test("HST-07: comments are no heap of plans: nothing is left for later in shipped code", () => {
  const found = shipped.flatMap(({ file, text }) =>
    text
      .split("\n")
      .filter((line) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
