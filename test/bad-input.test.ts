import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { hostCommands } from "@gantry/cli";
import { bin, gantry, said, startGantry, type Ended } from "./helpers/cli.ts";
import { chunk, startModel, type Answer } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** One clear sentence with its code on stderr, and nothing on stdout. */
function sentence({ code, out, err }: Ended): {
  readonly exit: number | null;
  readonly code: string;
  readonly text: string;
} {
  const [, text = "", name = ""] = /^gantry: ([^\n]+) \[([A-Z_]+)\]\n$/.exec(err) ?? [];
  expect([out, text === "" ? err : ""]).toEqual(["", ""]);
  return { exit: code, code: name, text };
}

const agent = ["agent", "-m", "hi"];

test.each<[string, string, string, RegExp]>([
  [
    "broken TOML",
    'default_model = "x',
    "CONFIG_TOML",
    /^Failed to parse config: invalid TOML in .*config\.toml, line 1, column \d+: .+; fix that line/,
  ],
  [
    "an unknown key",
    "[agent]\nmodle = 1\n",
    "CONFIG_UNKNOWN_KEY",
    /config\.toml, line 2: unknown key `agent\.modle` \(did you mean `agent\.model`\?\)\.$/,
  ],
  [
    "a wrong type",
    "default_temperature = 'hot'\n",
    "CONFIG_WRONG_TYPE",
    /config\.toml, line 1: `default_temperature` must be number\.$/,
  ],
  [
    "an address without its scheme",
    "default_provider = 'custom:localhost:1/v1'\n",
    "CONFIG_WRONG_TYPE",
    /write it with http:\/\/ or https:\/\//,
  ],
  [
    "a missing variable",
    "api_key = '${GANTRY_T_NONE}'\n",
    "CONFIG_MISSING_VARIABLE",
    /`api_key` uses \$\{GANTRY_T_NONE\}, which is not set/,
  ],
  ["a missing plugin", "plugins = ['nobody']\n", "PLUGIN_NOT_FOUND", /^The plugin nobody was not found/],
  ["an empty set of plugins", "plugins = []\n", "NO_PROVIDER", /^No provider configured: /],
  [
    "an unknown provider",
    "default_provider = 'nobody'\n",
    "PROVIDER_UNKNOWN",
    /^No plugin serves the provider `nobody`/,
  ],
  ["a provider without its address", "default_provider = 'hostedllm'\n", "", /hosted_url/],
])("CLI-05: %s is one sentence with a code, and exit code 2", async (_, toml, code, text) => {
  using home = tempDir(toml);
  const ended = sentence(await gantry(agent, { dir: home.dir }));
  expect(ended).toEqual({ exit: 2, code: code || ended.code, text: expect.stringMatching(text) });
});

test("CLI-05: a configuration directory that cannot be made or written is said, with exit code 2", async () => {
  using home = tempDir("");
  const below = path.join(home.file, "below");
  for (const args of [agent, ["config", "init"]]) {
    expect(sentence(await gantry(args, { dir: below, cwd: home.dir }))).toMatchObject({
      exit: 2,
      text: expect.stringContaining(below),
    });
  }
  using other = tempDir("");
  mkdirSync(path.join(other.dir, "workspace-parent"));
  writeFileSync(path.join(other.dir, "file"), "");
  writeFileSync(other.file, '[security]\nworkspace_path = "file/workspace"\n');
  expect(sentence(await gantry(agent, { dir: other.dir }))).toMatchObject({
    exit: 2,
    code: "CONFIG_UNWRITABLE",
  });
});

test("CLI-05: a store that cannot be opened is said, with exit code 1, and nothing is lost by trying", async () => {
  using home = tempDir("");
  writeFileSync(path.join(home.dir, "state"), "in the way");
  expect(sentence(await gantry(agent, { dir: home.dir }))).toMatchObject({ exit: 1, code: "STORE_FAILED" });
  expect(readFileSync(path.join(home.dir, "state"), "utf8")).toBe("in the way");
});

/** Returns the end of a turn with a model that answers so, and has so many seconds for it. */
async function answered(answer: Answer, seconds: number = 45): Promise<Ended & { readonly peakMb: number }> {
  await using model = await startModel(answer);
  using home = tempDir(
    `default_provider = "${model.provider}"\ndefault_model = "m"\n[providers.custom]\nmax_retries = 0\ntimeout_seconds = ${seconds}\n`,
  );
  const { child, ended } = startGantry(agent, { dir: home.dir });
  let peakMb = 0;
  const watch = setInterval(() => {
    const status = existsSync(`/proc/${child.pid}/status`)
      ? readFileSync(`/proc/${child.pid}/status`, "utf8")
      : "";
    peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }, 50);
  const result = await ended;
  clearInterval(watch);
  return { ...result, peakMb };
}

const headers = { "content-type": "text/event-stream" };

test.each<[string, Answer, RegExp, seconds?: number]>([
  [
    "garbage",
    { raw: (response) => response.writeHead(200, headers).end("\u0000\u0001 not { json\n\ndata: {]\n\n") },
    /cannot be read|without text/,
  ],
  [
    "a page",
    {
      raw: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>log in</html>"),
    },
    /cannot be read|without text/,
  ],
  ["nothing at all", { raw: () => {} }, /did not answer in 1 s/, 1],
  [
    "an empty answer",
    { raw: (response) => response.writeHead(200, headers).end() },
    /broke off|without text|cannot be read/,
  ],
  [
    "half an answer",
    {
      raw: (response) => (
        response.writeHead(200, headers),
        response.write(chunk({ content: "Well" })),
        setImmediate(() => response.destroy())
      ),
    },
    /broke off/,
  ],
  [
    "JSON of another kind",
    {
      raw: (response) =>
        response.writeHead(200, { "content-type": "application/json" }).end('{"error":null,"choices":5}'),
    },
    /cannot be read|without text/,
  ],
  ["HTTP 500", { raw: (response) => response.writeHead(500).end("boom") }, /failed with HTTP 500/],
  [
    "HTTP 401",
    { raw: (response) => response.writeHead(401).end('{"error":{"message":"bad key"}}') },
    /answered HTTP 401/,
  ],
])("PRV-15: a model that answers %s costs one sentence and exit code 1", async (_, answer, text, seconds) => {
  const { code, err } = await answered(answer, seconds);
  expect([code, err.trim().split("\n")]).toEqual([1, [expect.stringMatching(text)]]);
});

test("PRV-15: a model that never stops talking is cut off, memory bounded", async () => {
  const { code, err, peakMb } = await answered({
    raw: (response) => {
      response.writeHead(200, headers);
      const piece = chunk({ content: "blah ".repeat(2_000) });
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    },
  });
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /sent more than \d+ bytes in one answer and was cut off\. \[PROVIDER_TOO_LARGE\]\n$/,
    ),
  ]);
  expect(peakMb).toBeLessThan(400);
});

test("PRV-15: a model that drips without end is cut off by time", async () => {
  let timer: NodeJS.Timeout | undefined;
  const drips: Answer = {
    raw: (response) => {
      response.writeHead(200, headers);
      timer = setInterval(() => response.write(": still here\n\n"), 100);
    },
  };
  const { code } = await answered(drips, 1);
  clearInterval(timer);
  expect(code).toBe(1);
});

test("CLI-05: an unknown word, an unknown option and a missing argument are wrong usage, with the nearest word and the help to see", async () => {
  using home = tempDir("");
  const run = async (...args: string[]) => sentence(await gantry(args, { dir: home.dir }));
  expect(await run("agnet")).toEqual({
    exit: 2,
    code: "USAGE",
    text: expect.stringMatching(/Unknown command 'agnet'.*agent.*see `gantry --help`/),
  });
  expect(await run("telegram", "people")).toEqual({
    exit: 2,
    code: "WORD_UNCONFIGURED",
    text: expect.stringMatching(/'telegram'.*\[channels\.telegram\].*loads the plugin channel-telegram/),
  });
  expect(await run("agent", "--mesage", "hi")).toMatchObject({
    exit: 2,
    code: "USAGE",
    text: expect.stringMatching(/Unknown option '--mesage'.*`gantry agent --help`/),
  });
  expect(await run("config", "set", "api_key")).toMatchObject({
    exit: 2,
    code: "USAGE",
    text: expect.stringMatching(/Missing required argument 'value'.*`gantry config set --help`/),
  });
  expect(await run("daemon", "too")).toMatchObject({
    exit: 2,
    code: "USAGE",
    text: expect.stringMatching(/got 1: too: see `gantry daemon --help`\.$/),
  });
});

test.each([
  ["no JSON", "bogus", /^Line 3 is not JSON \(.+\): see/],
  ["null", "null", /^Line 3 names no tool: see/],
  ["a number", "5", /^Line 3 names no tool: see/],
  ["no tool in it", '{"args":{}}', /^Line 3 names no tool: see/],
])("CLI-05: a line of policy explain --batch that is %s is named by its number", async (_, line, text) => {
  using home = tempDir("");
  const input = `{"tool":"file_list"}\n\n${line}\n`;
  const ended = await gantry(["policy", "explain", "--batch", "-", "--json"], { dir: home.dir, input });
  expect(JSON.parse(ended.out)).toMatchObject({ decision: "allow" });
  expect(sentence({ ...ended, out: "" })).toEqual({
    exit: 2,
    code: "USAGE",
    text: expect.stringMatching(text),
  });
});

test("CLI-05: policy explain takes a tool or a batch, not both", async () => {
  using home = tempDir("");
  const both = await gantry(["policy", "explain", "shell", "{}", "--batch", "-"], { dir: home.dir });
  expect(sentence(both)).toMatchObject({ exit: 2, code: "USAGE" });
});

test("CLI-05: help of a word is that word's own, by either way of asking; an unknown one is told as such", async () => {
  using home = tempDir();
  const help = (...words: readonly string[]): Promise<Ended> => gantry(words, { dir: home.dir });
  const asked = await help("help", "config", "set");
  expect(asked.out).toContain("Usage: gantry config set ");
  expect(await help("config", "set", "--help")).toEqual(asked);
  expect(sentence(await help("help", "frob"))).toMatchObject({ exit: 2, code: "USAGE" });
});

test("CLI-05: every word of the host and of the bundled plugins has help with exit code 0, and --help lists them all", async () => {
  using home = tempDir("");
  const { code, out } = await gantry(["--help"], { dir: home.dir });
  expect(code).toBe(0);
  const first = [...out.matchAll(/^ {2}([a-z]+)(?= |$)/gm)]
    .map(([, name]) => name as string)
    .filter((name) => name !== "help");
  for (const name of hostCommands.map((word) => word.name.split(" ")[0])) expect(first).toContain(name);
  for (const name of [
    "status",
    "doctor",
    "onboard",
    "gateway",
    "models",
    "service",
    "pair",
    "audit",
    "acp",
    "mcp",
  ])
    expect(first).toContain(name);
  expect(out).toMatch(/^ {2}mcp +list, add,[^]*?serve$/m);
  const helps = await Promise.all(first.map((name) => gantry([name, "--help"], { dir: home.dir })));
  expect(
    helps.map((help, i) => [first[i], help.code, help.err, help.out.startsWith(`Usage: gantry ${first[i]}`)]),
  ).toEqual(first.map((name) => [name, 0, "", true]));
});

test("CLI-05: help is there where the configuration is broken, and says what is broken; other words say so and stop", async () => {
  using home = tempDir("default_temperature = 'hot'\n");
  const help = await gantry(["--help"], { dir: home.dir });
  expect([help.code, help.out, help.err]).toEqual([
    0,
    expect.stringContaining("agent"),
    expect.stringContaining("`default_temperature` must be number"),
  ]);
  expect(await gantry(["inbox", "list"], { dir: home.dir })).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("CONFIG_WRONG_TYPE"),
  });
});

interface Row {
  readonly what: string;
  readonly state: string;
  readonly detail: string;
}

const wrongFiles: readonly (readonly [string, string, readonly RegExp[]])[] = [
  ["a line that is no TOML", "[gateway]\nport = 4567\n[oops\nx = 1\n", [/line 3.*CONFIG_TOML/]],
  [
    "keys that are unknown or of a wrong type",
    'nonsense = 1\ndefault_temperature = "hot"\n[gateway]\nport = 4567\n',
    [/line 1.*`nonsense`/, /line 2.*default_temperature/],
  ],
  [
    "a table for no provider, and a plugin that is not there",
    'extra_plugins = ["./gone.js"]\n[gateway]\nport = 4567\n[providers.openia]\nmax_retries = 1\n',
    [/gone\.js.*PLUGIN_NOT_FOUND/, /config\.toml, line 4: `\[providers\.openia.*PROVIDER_TABLE_UNKNOWN/],
  ],
  [
    "a workspace that cannot be made, and a rule of security whose variable is not set",
    '[gateway]\nport = 4567\n[security]\nworkspace_path = "/dev/null/x"\nallowed_domains = ["${GANTRY_T_NONE}"]\n',
    [/GANTRY_T_NONE.*CONFIG_MISSING_VARIABLE/, /dev\/null\/x.*CONFIG_UNWRITABLE/],
  ],
];

test.each(wrongFiles)(
  "CLI-01: with %s, status and doctor tell that as rows and go on with what is right in the file",
  async (_, toml, told) => {
    using home = tempDir(toml);
    for (const word of ["status", "doctor"]) {
      const { code, out, err } = await gantry([word, "--json"], { dir: home.dir });
      const { ok, rows } = JSON.parse(out) as { ok: boolean; rows: readonly Row[] };
      const wrong = rows.filter(({ what, state }) => what === "configuration" && state === "fail");
      expect([code, ok, err]).toEqual([2, false, ""]);
      expect(wrong.map(({ detail }) => detail)).toEqual(told.map((one) => expect.stringMatching(one)));
      expect(rows.find(({ what }) => what === "gateway")?.detail).toContain(":4567");
    }
  },
);

test("CLI-05: --version prints the version and touches nothing", async () => {
  using home = tempDir();
  const dir = path.join(home.dir, "not-made");
  const { version } = JSON.parse(readFileSync(new URL("../host/package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  for (const flag of ["--version", "-V"])
    expect(await gantry([flag], { dir, cwd: home.dir })).toEqual({ code: 0, out: `${version}\n`, err: "" });
  expect(existsSync(dir)).toBe(false);
});

test("CLI-05: a stack is printed with --debug only", async () => {
  using home = tempDir("default_temperature = 'hot'\n");
  expect((await gantry(agent, { dir: home.dir })).err).not.toMatch(/\n\s+at /);
  expect((await gantry([...agent, "--debug"], { dir: home.dir })).err).toMatch(/\n\s+at /);
  using away = tempDir(
    'default_provider = "custom:http://127.0.0.1:1/v1"\nproviders.custom.max_retries = 0\n',
  );
  const failed = await gantry(agent, { dir: away.dir });
  const debugged = await gantry([...agent, "--debug"], { dir: away.dir });
  for (const { code, err } of [failed, debugged])
    expect([code, err]).toEqual([1, expect.stringContaining("[PROVIDER_REFUSED]")]);
  expect(failed.err).not.toMatch(/\n\s+at /);
  expect(debugged.err).toMatch(/The model gave no answer.*cannot be reached[^]*\n\s+at /);
});

const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find(
  (file) =>
    existsSync(file) && /^v(?:1\d|2[01])\./.test(execFileSync(file, ["--version"], { encoding: "utf8" })),
);

test.skipIf(!oldNode)(
  "CLI-05: a Node that is too old is told so in one sentence, with exit code 2",
  async () => {
    using home = tempDir();
    expect(sentence(await gantry(["agent"], { dir: home.dir, node: oldNode as string }))).toMatchObject({
      exit: 2,
      code: "NODE_TOO_OLD",
      text: expect.stringMatching(
        /^Gantry needs Node 22\.19 or newer and this is \d+\.\d+\.\d+: install a newer Node\.$/,
      ),
    });
  },
);

test("CLI-04: the daemon says when it is ready, stops cleanly on SIGTERM with 0, and a second one is refused meanwhile", async () => {
  using home = tempDir("plugins = ['provider-demo', 'store-sqlite']\n");
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /Gantry is ready/);
  expect(sentence({ ...(await gantry(["daemon"], { dir: home.dir })), out: "" })).toMatchObject({
    exit: 1,
    code: "ALREADY_RUNNING",
    text: expect.stringContaining(String(child.pid)),
  });
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, out: "" });
});

test("CLI-04: a service whose log nobody reads goes on serving", async () => {
  using home = tempDir("");
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  const { child, ended } = startGantry(["gateway", "--port", String(port)], { dir: home.dir });
  child.stdout?.destroy();
  child.stderr?.destroy();
  const health = () => fetch(`http://127.0.0.1:${port}/health`).then(({ status }) => status, String);
  await expect.poll(health).toBe(200);
  expect(await health()).toBe(200);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});

test("CFG-05: what is made in the configuration directory is closed to others", async () => {
  using home = tempDir();
  const dir = path.join(home.dir, "fresh");
  await gantry(agent, { dir, cwd: home.dir });
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  for (const name of ["state", "workspace"]) expect(statSync(path.join(dir, name)).mode & 0o077).toBe(0);
  expect(bin.endsWith("cli.js")).toBe(true);
});
