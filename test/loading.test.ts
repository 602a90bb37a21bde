import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { bin, gantry, said, startGantry } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const dist = path.dirname(bin);

/** Writes files below a directory, their folders too. */
function put(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
}

/** A plugin that, asked by the word `seen`, tells what it sees of the host's own modules. */
const seeing = (name: string, more = ""): string => `
import { Commands, definePlugin, Tools } from "@gantry/sdk";
import { Type } from "typebox";
import { Check } from "typebox/value";
${more}
export default definePlugin({
  name: "${name}",
  config: Type.Object({ size: Type.Integer({ default: 3 }) }),
  provides: [Commands],
  async setup(host) {
    const own = (file) => import(new URL(file, process.env.DIST).href);
    const [sdk, box, value] = await Promise.all([own("sdk.js"), own("typebox.js"), own("typebox-value.js")]);
    const same = sdk.Tools === Tools && box.Type === Type && value.Check === Check;
    host.provide(Commands, { name: "seen-${name}", summary: "test", run: async ({ out }) => (out(JSON.stringify([same, host.config.size])), 0) });
  },
});
`;
const typed = seeing(
  "typed",
  "interface Shape { readonly size: number }\nexport const shape: Shape = { size: 1 };",
)
  .replace("(file)", "(file: string)")
  .replaceAll("process.env.DIST", "process.env.DIST as string");

test("SDK-04: plugins by path and by npm name, built and in TypeScript, see the host's own sdk and typebox", async () => {
  using home = tempDir(
    'plugins = ["./built.js", "./typed.ts", "./enum.ts", "packed", "@me/scoped", "ts-packed"]\n[plugins_config.built]\nsize = 5\n',
  );
  put(home.dir, {
    "built.js": seeing("built"),
    "typed.ts": typed,
    "enum.ts": seeing("enum", "enum Size { Small, Large }\nexport const large: Size = Size.Large;").replace(
      "(file)",
      "(file: string)",
    ),
    "node_modules/gantry-plugin-packed/package.json": '{"type":"module","main":"main.js"}',
    "node_modules/gantry-plugin-packed/main.js": seeing("packed"),
    "node_modules/@me/scoped/package.json": '{"type":"module","exports":{".":{"import":"./dist/x.js"}}}',
    "node_modules/@me/scoped/dist/x.js": seeing("scoped"),
    "node_modules/ts-packed/package.json": '{"type":"module","exports":"./index.ts"}',
    "node_modules/ts-packed/index.ts": seeing(
      "ts-packed",
      'import { more } from "./more.ts";\nexport const one: number = more;',
    ),
    "node_modules/ts-packed/more.ts": "export const more: number = 1;\n",
    "node_modules/@gantry/sdk/package.json": '{"type":"module","main":"index.js"}',
    "node_modules/@gantry/sdk/index.js": "throw new Error('a second sdk');\n",
  });
  const env = { DIST: pathToFileURL(dist + path.sep).href };
  const runs = ["built", "typed", "enum", "packed", "scoped", "ts-packed"].map((name) =>
    gantry([`seen-${name}`], { dir: home.dir, env }),
  );
  const seen = (await Promise.all(runs)).map(({ out, err }) => out + err);
  expect(seen).toEqual(["[true,5]\n", ...Array.from({ length: 5 }, () => "[true,3]\n")]);
});

const leaving = (file: string): string =>
  `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(file)}, "");\n`;

test("CFG-08: nothing is loaded from the working directory, whatever lies there", async () => {
  using home = tempDir('plugins = ["evil"]\n');
  using cwd = tempDir();
  const mark = path.join(cwd.dir, "ran");
  put(cwd.dir, {
    "plugins/evil/index.js": leaving(mark),
    "plugins/evil/package.json": '{"name":"evil"}',
    "evil.js": leaving(mark),
    "node_modules/evil/index.js": leaving(mark),
    "node_modules/evil/package.json": "{}",
    "node_modules/gantry-plugin-evil/index.js": leaving(mark),
    "node_modules/gantry-plugin-evil/package.json": "{}",
    "config.toml": 'plugins = ["./evil.js"]\n',
    ".env": "API_KEY=evil\n",
  });
  const { code, err } = await gantry(["agent", "-m", "hi"], { dir: home.dir, cwd: cwd.dir });
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^gantry: The plugin evil was not found .*\[PLUGIN_NOT_FOUND\]\n$/),
  ]);
  using bare = tempDir();
  expect(await gantry(["agent", "-m", "hi"], { dir: bare.dir, cwd: cwd.dir })).toMatchObject({ code: 0 });
  expect(existsSync(mark)).toBe(false);
});

test("SDK-06: what is not listed is never imported; what is listed is inspected without running its setup", async () => {
  using home = tempDir('plugins = ["command-doctor", "provider-demo", "store-sqlite", "./listed.js"]\n');
  const [unlisted, setUp] = ["unlisted-ran", "setup-ran"].map((name) => path.join(home.dir, name)) as [
    string,
    string,
  ];
  put(home.dir, {
    "unlisted.js": leaving(unlisted),
    "plugins/unlisted/index.js": leaving(unlisted),
    "node_modules/gantry-plugin-unlisted/package.json": '{"type":"module"}',
    "node_modules/gantry-plugin-unlisted/index.js": leaving(unlisted),
    "listed.js": `
      import { writeFileSync } from "node:fs";
      import { definePlugin, optional, Store, Tools } from "@gantry/sdk";
      import { Type } from "typebox";
      export default definePlugin({
        name: "listed", summary: "A test.", table: "plugins_config.mine", config: Type.Object({ city: Type.String({ default: "Rome" }) }),
        needs: { store: optional(Store) }, provides: [Tools], taps: ["onAuditEvent"],
        setup() { writeFileSync(${JSON.stringify(setUp)}, ""); },
      });`,
  });
  const run = (...args: string[]) => gantry(args, { dir: home.dir });
  const inspected = JSON.parse((await run("plugins", "inspect", "listed", "--json")).out);
  expect(inspected).toMatchObject({
    name: "listed",
    from: path.join(home.dir, "listed.js"),
    summary: "A test.",
    sdk: 3,
    needs: ["store?"],
    provides: ["tools"],
    taps: ["onAuditEvent"],
    table: "plugins_config.mine",
    keys: ["plugins_config.mine.city"],
  });
  const { loaded, available } = JSON.parse((await run("plugins", "list", "--json")).out) as {
    loaded: { name: string }[];
    available: string[];
  };
  expect(loaded.map(({ name }) => name)).toEqual([
    "command-doctor",
    "provider-demo",
    "store-sqlite",
    "listed",
  ]);
  expect(available).toContain("gateway-http");
  expect((await run("plugins", "list")).out).toMatch(/listed +A test\. \(\/.*listed\.js\)/);
  expect(JSON.parse((await run("plugins", "inspect", "gateway-http", "--json")).out)).toMatchObject({
    from: "bundled",
    table: "gateway",
  });
  expect(await run("plugins", "inspect", "unlisted")).toMatchObject({
    code: 2,
    err: "gantry: `gantry plugins list` shows no plugin `unlisted`, and a path begins with `./` or `/`: see `gantry plugins inspect --help`. [USAGE]\n",
  });
  expect(existsSync(setUp)).toBe(false);
  await run("doctor");
  expect(existsSync(setUp)).toBe(true);
  expect(existsSync(unlisted)).toBe(false);
});

const plugin = (body: string, name = "mine"): string =>
  `import { definePlugin, Services } from "@gantry/sdk";\nexport default definePlugin({ name: "${name}", ${body} });\n`;

/** Returns the result of listing one plugin file. */
async function loading(text: string, file = "mine.js"): Promise<string> {
  using home = tempDir(`plugins = ["provider-demo", "./${file}"]\n`);
  put(home.dir, { [file]: text });
  const { code, out, err } = await gantry(["agent", "-m", "hi"], { dir: home.dir });
  expect([code, out]).toEqual([/PLUGIN_READY_FAILED|PLUGIN_FAILED_LATER/.test(err) ? 1 : 2, ""]);
  return err.replaceAll(home.dir, "DIR");
}

test.each<[string, string, RegExp]>([
  [
    "throws at import",
    "throw new Error('no key ring');",
    /^gantry: The plugin \.\/mine\.js could not be loaded: no key ring \[PLUGIN_IMPORT_FAILED\]\n$/,
  ],
  [
    "is no JavaScript",
    "const = 1;",
    /^gantry: The plugin \.\/mine\.js could not be loaded: .*\[PLUGIN_IMPORT_FAILED\]\n$/,
  ],
  [
    "imports what is not there",
    'import "left-pad";',
    /^gantry: The plugin \.\/mine\.js could not be loaded: Cannot find package 'left-pad'.*\[PLUGIN_IMPORT_FAILED\]\n$/,
  ],
  [
    "has no default export",
    "export const x = 1;",
    /^gantry: The plugin \.\/mine\.js has no default export made by definePlugin\(\): add one\. \[PLUGIN_NOT_A_PLUGIN\]\n$/,
  ],
  ["exports something else", "export default { name: 'mine' };", /\[PLUGIN_NOT_A_PLUGIN\]\n$/],
  [
    "is of another sdk level",
    "export default { name: 'mine', sdk: 99, setup() {} };",
    /^gantry: The plugin \.\/mine\.js was written for sdk level 99 and this host speaks level 3: install a newer Gantry, .* \[PLUGIN_SDK_MISMATCH\]\n$/,
  ],
  [
    "states its facts wrongly",
    plugin("taps: ['beforeLunch'], setup() {}"),
    /^gantry: The plugin \.\/mine\.js states its facts wrongly: taps names beforeLunch, and the hooks are .*\[PLUGIN_BAD_FACTS\]\n$/,
  ],
  [
    "throws in setup",
    plugin("setup() { throw new Error('no disk'); }"),
    /^gantry: The plugin mine failed in setup: no disk \[PLUGIN_SETUP_FAILED\]\n$/,
  ],
  [
    "rejects in setup with a word",
    plugin("setup: () => Promise.reject('a word')"),
    /^gantry: The plugin mine failed in setup: a word \[PLUGIN_SETUP_FAILED\]\n$/,
  ],
  [
    "throws when it gets ready",
    plugin("setup(host) { host.onReady(() => { throw new Error('no port'); }); }"),
    /^gantry: The plugin mine failed to get ready: no port \[PLUGIN_READY_FAILED\]\n$/,
  ],
  [
    "throws beside its own start",
    plugin("setup(host) { queueMicrotask(() => { throw new Error('too early'); }); }"),
    /^gantry: The plugin mine failed while running: too early \[PLUGIN_FAILED_LATER\]\n$/,
  ],
  [
    "has the name of another",
    plugin("setup() {}", "provider-demo"),
    /^gantry: The plugin provider-demo is listed twice: keep one\. \[PLUGIN_TWICE\]\n$/,
  ],
])(
  "CFG-08: a listed plugin that %s stops the start with one sentence that names it",
  async (_, text, sentence) => {
    expect(await loading(text)).toMatch(sentence);
  },
);

test("CFG-08: TypeScript that is wrong is said as such, with either way of loading", async () => {
  expect(await loading("const x: = 1;", "mine.ts")).toMatch(
    /^gantry: The plugin \.\/mine\.ts could not be loaded: .*\[PLUGIN_IMPORT_FAILED\]\n$/s,
  );
  expect(await loading("enum A { B }\nthrow new Error('from jiti');", "mine.ts")).toMatch(
    /could not be loaded: from jiti \[PLUGIN_IMPORT_FAILED\]\n$/,
  );
});

test.each<[string, string, Record<string, string>, RegExp]>([
  [
    "a path that is not there",
    "./nobody.js",
    {},
    /was not found at .*nobody\.js: check the name, or install it\. \[PLUGIN_NOT_FOUND\]/,
  ],
  [
    "a name with dots",
    "@x/../../y",
    {},
    /was not found: it is neither a package name nor a path.*\[PLUGIN_NOT_FOUND\]/,
  ],
  ["a name with a backslash", "..\\\\y", {}, /it is neither a package name nor a path/],
  [
    "a package whose entry lies outside it",
    "sly",
    { "node_modules/sly/package.json": '{"main":"../../out.js"}', "out.js": "" },
    /it lies outside its own package\. \[PLUGIN_UNSAFE_PATH\]/,
  ],
  [
    "a package without its entry",
    "empty",
    { "node_modules/empty/package.json": "{}" },
    /\[PLUGIN_NOT_FOUND\]/,
  ],
  [
    "a package with a broken package.json",
    "broken",
    { "node_modules/broken/package.json": "{" },
    /The plugin broken .*package\.json.*\[PLUGIN_IMPORT_FAILED\]/,
  ],
  [
    "a folder",
    "./folder",
    { "folder/index.js": "" },
    /The plugin \.\/folder is not loaded from .*folder: it is a folder; name the file in it\. \[PLUGIN_UNSAFE_PATH\]/,
  ],
])("CFG-08: %s is refused", async (_, name, files, sentence) => {
  using home = tempDir(`plugins = ["${name}"]\n`);
  put(home.dir, files);
  const { code, err } = await gantry(["plugins", "list"], { dir: home.dir });
  expect([code, err]).toEqual([2, expect.stringMatching(sentence)]);
});

test("CFG-08: a file that others can write, or in a folder that they can write, is not loaded, also through a link", async () => {
  using home = tempDir('plugins = ["./link.js"]\n');
  put(home.dir, { "open/mine.js": plugin("setup() {}") });
  symlinkSync("open/mine.js", path.join(home.dir, "link.js"));
  const list = () => gantry(["plugins", "list"], { dir: home.dir });
  expect(await list()).toMatchObject({ code: 0 });
  chmodSync(path.join(home.dir, "open"), 0o777);
  expect(await list()).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /open: other users may write it; run `chmod go-w \S+open` and look through its code\. \[PLUGIN_UNSAFE_PATH\]/,
    ),
  });
  chmodSync(path.join(home.dir, "open"), 0o755);
  for (const mode of [0o646, 0o664]) {
    chmodSync(path.join(home.dir, "open/mine.js"), mode);
    expect(await list()).toMatchObject({ code: 2, err: expect.stringContaining("PLUGIN_UNSAFE_PATH") });
  }
});

test("HST-06: a plugin that throws later, each in its own way, is named in the log, and the service and the other plugins go on", async () => {
  using home = tempDir('plugins = ["./bad.js", "./good.js"]\n');
  const ways = [
    "setTimeout(() => { throw new Error('from a timer'); }, 5)",
    "setTimeout(() => { void Promise.reject(new Error('from a promise')); }, 15)",
    "setTimeout(() => { new EventEmitter().emit('error', new Error('from an emitter')); }, 25)",
    "setTimeout(() => { throw 'a word'; }, 35)",
    "setTimeout(() => queueMicrotask(() => { throw new Error('from a microtask'); }), 1)",
  ];
  put(home.dir, {
    "bad.js": `import { EventEmitter } from "node:events";\n${plugin(`setup(host) { host.onReady(() => { ${ways.join("; ")}; }); }`, "bad")}`,
    "good.js": plugin(
      "setup(host) { host.onReady(() => { const timer = setInterval(() => host.log.info({}, 'tick'), 10); host.onDispose(() => clearInterval(timer)); }); }",
      "good",
    ),
  });
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /a word[^]*tick[^]*tick/);
  child.kill("SIGTERM");
  const { code, err } = await ended;
  expect(code).toBe(0);
  const failed = err
    .split("\n")
    .filter((line) => line.includes("PLUGIN_FAILED_LATER"))
    .map((line) => JSON.parse(line) as { plugin: string; msg: string });
  expect(failed.map(({ plugin: name }) => name)).toEqual(ways.map(() => "bad"));
  expect(failed.map(({ msg }) => msg).toSorted()).toEqual(
    ["a word", "from a microtask", "from a promise", "from a timer", "from an emitter"].map(
      (text) => `The plugin bad failed while running: ${text}`,
    ),
  );
});

test("HST-06: during one turn a plugin that throws later costs a line on stderr and not the answer", async () => {
  using home = tempDir('plugins = ["provider-demo", "./bad.js"]\n');
  const body = `taps: ["resolveProvider"], setup(host) {
    host.hooks.resolveProvider.tap(async () => { setImmediate(() => { throw new Error("oops"); }); await new Promise((resolve) => setTimeout(resolve, 20)); });
  }`;
  put(home.dir, { "bad.js": plugin(body, "bad") });
  const { code, out, err } = await gantry(["agent", "-m", "hi"], { dir: home.dir });
  expect([code, err]).toEqual([0, "gantry: error [bad]: The plugin bad failed while running: oops\n"]);
  expect(out).toMatch(/^This is the built-in demo/);
});
