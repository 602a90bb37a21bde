import { SDK_LEVEL } from "@gantry/sdk";
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { jsonSchema } from "../host/cli/config/json-schema.ts";
import { leaves } from "../host/cli/config/leaves.ts";
import { startingFile } from "../host/cli/starting-file.ts";
import { effective } from "../host/cli/config/effective.ts";
import { Installation } from "../host/cli/installation.ts";
import { gantry, root } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

interface Problem {
  readonly code: string;
  readonly message: string;
}

/** Returns the faults of a file, in the words of the errors; the file's name is cut out. */
async function wrong(toml: string): Promise<readonly string[]> {
  return told(toml, (installation) => installation.open());
}

/** The same, once the plugins have said what they offer. */
async function wrongAtStart(toml: string): Promise<readonly string[]> {
  return told(toml, async (installation) => {
    const host = await installation.start(() => {}, { debug: false, ready: false });
    await host.stop();
  });
}

async function told(
  toml: string,
  read: (installation: Installation) => Promise<unknown>,
): Promise<readonly string[]> {
  using home = tempDir(toml);
  const error = (await read(new Installation(home.dir)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as (Problem & { all?: readonly Problem[] }) | undefined;
  return (error?.all ?? (error ? [error] : [])).map(
    ({ code, message }) => `${code} ${message.replaceAll(home.file, "config.toml")}`,
  );
}

async function valueOf(toml: string, key: string): Promise<unknown> {
  using home = tempDir(toml);
  return effective((await new Installation(home.dir).open()).config, key);
}

test.each(["default_provider = ", "[agent]\nprovider = ", "[reliability]\nfallback_providers = "])(
  "CFG-01: a provider address without http:// or https:// is refused with the cure (%j)",
  async (place) => {
    const line = place.includes("\n") ? 2 : 1;
    for (const id of [
      "custom:localhost:8080/v1",
      "messages-custom:host",
      "custom:",
      "custom:ftp://host",
      "custom:http://",
      "custom:http:///v1",
    ]) {
      const literal = place.includes("fallback") ? `["demo", "${id}"]` : `"${id}"`;
      const [found, ...more] = await wrongAtStart(`${place}${literal}\n`);
      expect(found).toMatch(
        new RegExp(
          `^CONFIG_WRONG_TYPE config.toml, line ${line}: \`[a-z._]+\` is wrong: .*write it with http:// or https://`,
        ),
      );
      expect(more).toEqual([]);
    }
    for (const id of [
      "demo",
      "local-a",
      "gemini",
      "custom:http://localhost:8080/v1",
      "messages-custom:https://host",
    ]) {
      const literal = place.includes("fallback") ? `["${id}"]` : `"${id}"`;
      expect(await wrongAtStart(`${place}${literal}\n`)).toEqual([]);
    }
  },
);

test("CFG-01: a password in an address that is refused is not printed", async () => {
  for (const id of [
    "custom:user:hunter2@host/v1",
    "custom:https//user:hunter2@host",
    "custom:ftp://user:hunter2@host",
    "custom:httpx://:hunter2@host",
  ]) {
    const [found] = await wrongAtStart(`default_provider = "${id}"\n`);
    expect(found).toMatch(/^CONFIG_WRONG_TYPE(?!.*hunter2)/);
  }
});

const file = (api: string) => `default_provider = "custom:http://localhost:1/v1"\nprovider_api = "${api}"\n`;

test("CFG-02: provider_api takes chat-completions and responses, and nothing else", async () => {
  expect(await wrong(file("chat-completions"))).toEqual([]);
  expect(await wrong(file("responses"))).toEqual([]);
  const found = await wrong(file("messages"));
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(
    /^CONFIG_WRONG_TYPE config.toml, line 2: `provider_api` must be .*chat-completions.*responses/,
  );
});

test("CFG-03: an unknown key is an error with file, line, key and the nearest known one", async () => {
  expect(await wrong('# hello\n\n[security]\nworkspace_pth = "w"\n')).toEqual([
    "CONFIG_UNKNOWN_KEY config.toml, line 4: unknown key `security.workspace_pth` (did you mean `security.workspace_path`?).",
  ]);
  expect(await wrong("[securty]\nshell_enabled = true\n")).toEqual([
    "CONFIG_UNKNOWN_KEY config.toml, line 1: unknown key `securty` (did you mean `security`?).",
  ]);
  expect(await wrong("[memory]\nzzzzzzzzzzzz = 1\n")).toEqual([
    expect.stringMatching(/unknown key `memory.zzzzzzzzzzzz`: the keys there are `max_/),
  ]);
  // A table that loads its plugin may stand there too.
  expect(await wrong("chanels = 1\n")).toEqual([expect.stringContaining("(did you mean `channels`?)")]);
  expect(await wrong("frobnicate = 1\n")).toEqual([
    expect.stringMatching(/: the keys there are (?=.*`channels`)(?=.*`channels_config`)(?=.*`peripherals`)/),
  ]);
});

test("CFG-03: an unknown key is found in dotted keys, inline tables, nested tables and tables of free names", async () => {
  expect(await wrong("agent.modle = 'x'\n")).toEqual([
    expect.stringMatching(/line 1: unknown key `agent.modle` \(did you mean `agent.model`/),
  ]);
  expect(await wrong("\nagent = { modle = 'x' }\n")).toEqual([
    expect.stringMatching(/line 2: unknown key `agent.modle`/),
  ]);
  expect(await wrong("[security.audit]\nenabledd = true\n")).toEqual([
    expect.stringMatching(/`security.audit.enabledd` \(did you mean `security.audit.enabled`/),
  ]);
  expect(await wrong("[providers.local-a]\ntimeout_second = 3\n")).toEqual([
    expect.stringMatching(
      /line 2: unknown key `providers.local-a.timeout_second` \(did you mean `providers.local-a.timeout_seconds`/,
    ),
  ]);
});

test("CFG-03: a misspelt table of a plugin that its table would load is told as misspelt", async () => {
  expect(await wrong("[channels_config.chatap]\naccess_token = 'x'\n")).toEqual([
    "CONFIG_UNKNOWN_KEY config.toml, line 1: unknown key `channels_config.chatap` (did you mean `channels_config.chatapp`?).",
  ]);
});

test("CFG-03: a wrong type says what was expected; a value out of bounds likewise", async () => {
  const file =
    'default_temperature = "hot"\n[agent]\nmax_tool_iterations = 0\n[tools]\nmax_output_bytes = 1.5\n[security]\nallowed_domains = "a.example"\n';
  expect((await wrong(file)).toSorted()).toEqual([
    "CONFIG_WRONG_TYPE config.toml, line 1: `default_temperature` must be number.",
    "CONFIG_WRONG_TYPE config.toml, line 3: `agent.max_tool_iterations` must be >= 1.",
    "CONFIG_WRONG_TYPE config.toml, line 5: `tools.max_output_bytes` must be integer.",
    'CONFIG_WRONG_TYPE config.toml, line 7: `security.allowed_domains` must be a list, as in ["one","two"].',
  ]);
  expect(
    (
      await wrong("[gateway]\nhost = 'not a host'\ntrusted_proxies = ['nope']\nallowed_hosts = 'a.example'\n")
    ).toSorted(),
  ).toEqual([
    'CONFIG_WRONG_TYPE config.toml, line 2: `gateway.host` must be written as in "127.0.0.1".',
    'CONFIG_WRONG_TYPE config.toml, line 3: `gateway.trusted_proxies.0` must be written as in "10.0.0.0/8".',
    'CONFIG_WRONG_TYPE config.toml, line 4: `gateway.allowed_hosts` must be a list, as in ["gantry.example"].',
  ]);
  expect(await wrong("[channels_config.chatapp]\nallowed_numbers = '+49'\n")).toContain(
    'CONFIG_WRONG_TYPE config.toml, line 2: `channels_config.chatapp.allowed_numbers` must be a list, as in ["+491701234567"].',
  );
  expect(await wrong("agent = 5\n")).toEqual([
    "CONFIG_WRONG_TYPE config.toml, line 1: `agent` must be a table.",
  ]);
  // Several plugins read this table, and each fills in its defaults.
  for (const value of ["[]", "[1]", "2026-01-01"]) {
    expect(await wrong(`security = ${value}\n`)).toEqual([
      "CONFIG_WRONG_TYPE config.toml, line 1: `security` must be a table.",
    ]);
  }
  expect(await wrong("[[agent]]\nmodel = 'x'\n")).toEqual([
    "CONFIG_WRONG_TYPE config.toml, line 1: `agent` must be a table.",
  ]);
  expect(await wrong("[providers]\nlocal-a = 5\n")).toEqual([
    expect.stringMatching(/`providers.local-a` must be a table/),
  ]);
  expect(await wrong("[providers.local-a]\nmax_retries = 11\n")).toEqual([
    expect.stringMatching(/line 2: `providers.local-a.max_retries` must be <= 10/),
  ]);
});

test("CFG-03: several errors are told at once, each with its own code, what could not be loaded first", async () => {
  using home = tempDir(
    'plugins = ["nobody"]\ndefault_temperature = "hot"\nfoo = 1\napi_key = "${NOT_THERE_1}"\n',
  );
  const { code, err } = await gantry(["agent", "-m", "x"], { dir: home.dir });
  expect(code).toBe(2);
  expect(
    err
      .trim()
      .split("\n")
      .map((line) => /\[([A-Z_]+)\]$/.exec(line)?.[1]),
  ).toEqual(
    [
      "CONFIG_MISSING_VARIABLE",
      "PLUGIN_NOT_FOUND",
      "CONFIG_UNLISTED_PLUGIN",
      "CONFIG_UNKNOWN_KEY",
      "CONFIG_WRONG_TYPE",
    ].toSorted((a, b) => err.indexOf(a) - err.indexOf(b)),
  );
  expect(err.split("\n")[0]).toMatch(/CONFIG_MISSING_VARIABLE|PLUGIN_NOT_FOUND/);
});

test("CFG-04: ${NAME} comes from the environment, in strings, lists and tables, several in one string", async () => {
  process.env["GANTRY_T_A"] = "one";
  process.env["GANTRY_T_B"] = "";
  const file =
    'default_model = "${GANTRY_T_A}-${GANTRY_T_B}-${GANTRY_T_A}"\n[security]\nallowed_domains = ["${GANTRY_T_A}.example", "$HOME", "$${GANTRY_T_A}"]\n';
  expect(await valueOf(file, "default_model")).toBe("one--one");
  expect(await valueOf(file, "security.allowed_domains")).toEqual(["one.example", "$HOME", "$one"]);
});

test("FLR-36: a variable that is a secret by its name is sent to no model and stands in no address", async () => {
  process.env["GANTRY_T_SECRET_KEY"] = "sk-CANARY";
  const found = await wrong(
    [
      'api_key = "${GANTRY_T_SECRET_KEY}"',
      'default_model = "m-${GANTRY_T_SECRET_KEY}"',
      'default_provider = "custom:https://evil.example/${GANTRY_T_SECRET_KEY}"',
      "[agent]",
      'instructions = "Say ${GANTRY_T_SECRET_KEY}"',
    ].join("\n"),
  );
  expect(found.map((line) => line.replace(/ which .*/, ""))).toEqual([
    "CONFIG_SECRET_VARIABLE config.toml, line 2: `default_model` uses ${GANTRY_T_SECRET_KEY}, a secret by its name,",
    "CONFIG_SECRET_VARIABLE config.toml, line 3: `default_provider` uses ${GANTRY_T_SECRET_KEY}, a secret by its name,",
    "CONFIG_SECRET_VARIABLE config.toml, line 5: `agent.instructions` uses ${GANTRY_T_SECRET_KEY}, a secret by its name,",
  ]);
  expect(found.join()).not.toContain("CANARY");
});

test("CFG-04: every missing variable is named, with the line and the key, and nothing else is complained about", async () => {
  expect(
    await wrong('api_key = "${GANTRY_T_NONE}"\n[security]\nallowed_domains = ["a", "${GANTRY_T_NIL}"]\n'),
  ).toEqual([
    "CONFIG_MISSING_VARIABLE config.toml, line 1: `api_key` uses ${GANTRY_T_NONE}, which is not set: set the variable or write the value.",
    "CONFIG_MISSING_VARIABLE config.toml, line 3: `security.allowed_domains` uses ${GANTRY_T_NIL}, which is not set: set the variable or write the value.",
  ]);
});

test("CFG-04: a key of the file is no place for a variable, and a value from the environment is not read again", async () => {
  process.env["GANTRY_T_C"] = "${GANTRY_T_NONE}";
  expect(await valueOf('default_model = "${GANTRY_T_C}"\n', "default_model")).toBe("${GANTRY_T_NONE}");
});

test("CFG-06: a file that is no TOML is an error with line, column and what is wrong there; so is a directory in its place", async () => {
  expect(await wrong('default_model = "x"\n[agent\nmodel = 1\n')).toEqual([
    expect.stringMatching(
      /^CONFIG_TOML Failed to parse config: invalid TOML in config.toml, line 2, column \d+: .+; fix that line, or move the file away/,
    ),
  ]);
  expect(await wrong("a = 1\na = 2\n")).toEqual([expect.stringMatching(/line 2, column/)]);
  using home = tempDir();
  await expect(new Installation(path.join(home.dir, "none")).open("")).resolves.toBeDefined();
  using other = tempDir();
  (await import("node:fs")).mkdirSync(other.file);
  await expect(new Installation(other.dir).open()).rejects.toMatchObject({ code: "CONFIG_UNREADABLE" });
});

test("CFG-06: odd but valid files are read: a byte order mark, Windows line ends, quoted and escaped keys", async () => {
  expect(
    await valueOf(
      '\uFEFFdefault_model = "x"\r\n[agent]\r\nmax_tool_iterations = 3\r\n',
      "agent.max_tool_iterations",
    ),
  ).toBe(3);
  expect(await valueOf('"default\\u005Fmodel" = "x"\n', "default_model")).toBe("x");
  expect(await wrong('"\\U0001F600" = 1\n')).toEqual([expect.stringMatching(/line 1: unknown key `😀`/)]);
});

test("CFG-08: with plugins left out, the base set is loaded and every plugin whose own table stands in the file", async () => {
  using home = tempDir("");
  const base = (await new Installation(home.dir).open()).plugins.map(({ plugin }) => plugin.name);
  expect(base).toContain("store-sqlite");
  expect(base).not.toContain("channel-chatapp");
  using more = tempDir('[channels_config.chatapp]\nallowed_numbers = ["*"]\n');
  const { plugins } = await new Installation(more.dir).open();
  expect(plugins.map(({ plugin }) => plugin.name)).toEqual([...base, "channel-chatapp"].toSorted());
});

test("CFG-08: with plugins given, exactly those are loaded; one that is listed twice, or none at all, is said", async () => {
  using home = tempDir('plugins = ["provider-demo", "tool-memory", "store-sqlite"]\n');
  const { plugins } = await new Installation(home.dir).open();
  expect(plugins.map(({ plugin }) => plugin.name)).toEqual(["provider-demo", "tool-memory", "store-sqlite"]);
  expect(await wrong('plugins = ["provider-demo", "provider-demo"]\n')).toEqual([
    "PLUGIN_TWICE The plugin provider-demo is listed twice: keep one.",
  ]);
  expect(await wrong("plugins = []\n")).toEqual([]);
  expect(await wrong("plugins = [1]\n")).toEqual([
    expect.stringMatching(/`plugins` must be string|`plugins.0` must be string/),
  ]);
});

test("SDK-13: extra_plugins adds to the base set and to a list, and one name counts once", async () => {
  const hello = `export default { name: "hello", sdk: ${SDK_LEVEL}, setup() {} };`;
  const named = async (toml: string): Promise<readonly string[]> => {
    using home = tempDir(toml);
    writeFileSync(path.join(home.dir, "hello.js"), hello);
    const { out } = await gantry(["plugins", "list", "--json"], home);
    return (JSON.parse(out) as { loaded: { name: string }[] }).loaded.map(({ name }) => name);
  };
  const base = await named("");
  expect(await named('extra_plugins = ["./hello.js"]\n')).toEqual([...base, "hello"]);
  expect(await named('plugins = ["provider-demo"]\nextra_plugins = ["./hello.js"]\n')).toEqual([
    "provider-demo",
    "hello",
  ]);
  using extra = tempDir('extra_plugins = ["./hello.js"]\n');
  writeFileSync(path.join(extra.dir, "hello.js"), hello);
  const listed = await gantry(["config", "get", "plugins", "--json"], extra);
  expect(JSON.parse(listed.out)).toEqual(base);
  using twice = tempDir('plugins = ["provider-demo"]\nextra_plugins = ["provider-demo"]\n');
  expect(await gantry(["plugins", "list"], twice)).toMatchObject({
    code: 2,
    err: expect.stringContaining("PLUGIN_TWICE"),
  });
});

test("SDK-13: a list that names what the base set or a table loads is told so, not that the file says it twice", async () => {
  expect(await wrong('extra_plugins = ["gateway-openai"]\n')).toEqual([
    "PLUGIN_IN_BASE The plugin gateway-openai stands in extra_plugins and is loaded without it, since it is one of the base set or has a table in the file: take it off the list.",
  ]);
  expect(await wrong('optional_plugins = ["guard-limits"]\n')).toEqual([
    expect.stringContaining("guard-limits stands in optional_plugins and is loaded without it"),
  ]);
});

test("CFG-03: an unknown table with a dotted header is told by the header's line", async () => {
  expect(await wrong('# mine\n[mpc.servers.x]\ncommand = "x"\n')).toEqual([
    expect.stringContaining("line 2: unknown key `mpc`"),
  ]);
});

test("SDK-13: without_plugins leaves bundled plugins out, and what stands in another list too or is no bundled one is refused", async () => {
  using home = tempDir('without_plugins = ["store-sqlite", "tool-web"]\n');
  const { out } = await gantry(["plugins", "list", "--json"], home);
  const { loaded, available } = JSON.parse(out) as { loaded: { name: string }[]; available: string[] };
  const names = loaded.map(({ name }) => name);
  expect([names.includes("tool-files"), names.includes("store-sqlite"), names.includes("tool-web")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(available).toEqual(expect.arrayContaining(["store-sqlite", "tool-web"]));
  expect(JSON.parse((await gantry(["config", "get", "plugins", "--json"], home)).out)).toEqual(names);
  for (const list of ["plugins", "extra_plugins"])
    expect(await wrong(`${list} = ["tool-web"]\nwithout_plugins = ["tool-web"]\n`)).toEqual([
      "PLUGIN_TWICE The plugin tool-web is listed twice: keep one.",
    ]);
  expect(await wrong('without_plugins = ["tool-wbe"]\n')).toEqual([
    "PLUGIN_NOT_BUNDLED The plugin tool-wbe stands in without_plugins and none of that name comes with Gantry (did you mean `tool-web`?): see `gantry plugins list`, or take it off the list.",
  ]);
  expect(await wrong('without_plugins = ["gateway-http"]\n[gateway]\nport = 4000\n')).toEqual([
    'CONFIG_UNLISTED_PLUGIN config.toml, line 3: `gateway.port` belongs to the plugin gateway-http, which is not listed: take "gateway-http" out of `without_plugins`, or take this out of the file.',
  ]);
});

test("HST-05: where a slot stays empty, what comes with Gantry and fills it is named", async () => {
  using home = tempDir('plugins = ["command-sessions"]\n');
  expect((await gantry(["sessions", "list"], home)).err).toContain(
    "The plugin command-sessions needs the slot store and no plugin fills it: list store-postgres or store-sqlite, which comes with Gantry.",
  );
});

test("SDK-13: without an optional plugin that cannot be loaded the service starts and says so; one that guards is refused", async () => {
  using home = tempDir('optional_plugins = ["./gone.js", "./broken.js", "./throws.js"]\n');
  writeFileSync(path.join(home.dir, "broken.js"), "this is no JavaScript");
  const throwing = `export default { name: "throws", sdk: ${SDK_LEVEL}, setup() { throw new Error("no"); } };`;
  writeFileSync(path.join(home.dir, "throws.js"), throwing);
  const turn = await gantry(["agent", "-m", "hello"], home);
  expect([turn.code, turn.err.match(/PLUGIN_LEFT_OUT|left out/g)?.length]).toEqual([0, 3]);
  const { out } = await gantry(["status"], home);
  expect(out).toMatch(/plugin \.\/gone\.js.*optional and could not be loaded/);
  using guarded = tempDir('optional_plugins = ["./guard.js"]\n');
  const guard = `export default { name: "guard-x", sdk: ${SDK_LEVEL}, taps: ["beforeToolCall"], setup() {} };`;
  writeFileSync(path.join(guarded.dir, "guard.js"), guard);
  expect(await gantry(["agent", "-m", "hello"], guarded)).toMatchObject({
    code: 2,
    err: expect.stringContaining("PLUGIN_OPTIONAL_GUARD"),
  });
});

test("SDK-13: a start that stops says why an optional plugin is left out, no more", async () => {
  const lists = 'optional_plugins = ["./soft.js"]\nextra_plugins = ["./hard.js"]\n';
  using home = tempDir(lists);
  writeFileSync(path.join(home.dir, "soft.js"), "this is no JavaScript");
  const throwing = 'setup() { throw new Error("the hard one"); }';
  const hard = `export default { name: "hard", sdk: ${SDK_LEVEL}, ${throwing} };`;
  writeFileSync(path.join(home.dir, "hard.js"), hard);
  const { code, err } = await gantry(["agent", "-m", "hello"], home);
  expect(code).not.toBe(0);
  expect(err).toContain("The plugin ./soft.js is left out, as optional_plugins allows: ");
  expect(err).toContain("the hard one");
  expect(err).not.toContain("goes on");
});

test("CFG-08: a table of a bundled plugin that is not listed stops the start and says which name to add", async () => {
  expect(await wrong('plugins = ["provider-demo"]\n[gateway]\nport = 4000\n')).toEqual([
    'CONFIG_UNLISTED_PLUGIN config.toml, line 3: `gateway.port` belongs to the plugin gateway-http, which is not listed: add "gateway-http" to `plugins`, or take this out of the file.',
  ]);
  expect(
    await wrong('plugins = ["provider-demo"]\n[channels_config.chatapp]\nallowed_numbers = []\n'),
  ).toEqual([expect.stringMatching(/^CONFIG_UNLISTED_PLUGIN .* belongs to the plugin channel-chatapp/)]);
  expect(await wrong('[endpoints]\ngraph_url = "https://graph.example.com"\n')).toEqual([
    expect.stringMatching(
      /belongs to the plugin channel-chatapp, which is not listed: fill the plugin's own table, which loads it, or take this out of the file\.$/,
    ),
  ]);
});

test("CFG-08: a listed plugin that is nowhere stops the start, and its keys are not blamed too", async () => {
  expect(await wrong('plugins = ["weather"]\n[plugins_config.weather]\ncity = "Rome"\n')).toEqual([
    expect.stringMatching(
      /^PLUGIN_NOT_FOUND The plugin weather was not found among the bundled ones nor in .*node_modules/,
    ),
  ]);
});

test("CFG-05: config init's file changes nothing, and with every comment taken away it holds the defaults", async () => {
  using home = tempDir("");
  const session = new Installation(home.dir);
  const schema = await session.wholeSchema();
  const text = startingFile(schema, new Set(["host"]));
  expect(Object.values(parse(text)).every((value) => typeof value === "object")).toBe(true);
  const { config } = await session.open();
  const live = text
    .replace(/^# (\[?[a-z_.]+(?: = .+|\]))$/gm, "$1")
    .replace(/^# .*$/gm, "")
    .replace(/^[a-z_]+ = $/gm, "");
  const tree = parse(live.replace(/^\[.*<id>\][^[]*/gm, ""));
  for (const { key, leaf } of leaves(schema)) {
    const { default: initial } = leaf.schema as { default?: unknown };
    const written = key
      .split(".")
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], tree);
    expect([key, written]).toEqual([key, initial]);
    expect([key, initial === undefined ? undefined : (effective(config, key) ?? initial)]).toEqual([
      key,
      initial,
    ]);
  }
});

const good: readonly string[] = [
  "",
  'default_provider = "custom:http://localhost:8080/v1"\ndefault_model = "m"\ndefault_temperature = 0\n',
  '[providers.local-a]\napi_key = "k"\n[providers."my.server"]\nmax_retries = 0\n',
  '[channels_config.chatapp]\naccess_token = "a"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["+491"]\n',
  '[security]\nshell_enabled = false\n[security.audit]\nlog_retention_days = 7\n[gateway]\nport = 4000\n[agent]\nautonomy_level = "supervised"\n',
];
const bad: readonly string[] = [
  "nonsense = 1\n",
  'default_temperature = "hot"\n',
  "default_temperature = 3\n",
  "[providers.local-a]\nmax_retry = 1\n",
  "[providers.local-a]\nmax_retries = -1\n",
  "[gateway]\nport = 70000\n",
  '[agent]\nautonomy_level = "reckless"\n',
  "[security.audit]\nenable = true\n",
  'plugins = "provider-demo"\n',
];

test("CFG-09: config schema is a JSON Schema that an independent validator takes, and that accepts and rejects what the start does", async () => {
  using home = tempDir("");
  const schema = JSON.parse((await gantry(["config", "schema"], { dir: home.dir })).out);
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
  for (const toml of good) expect([toml, validate(parse(toml)), await wrong(toml)]).toEqual([toml, true, []]);
  for (const toml of bad)
    expect([toml, validate(parse(toml)), (await wrong(toml)).length > 0]).toEqual([toml, false, true]);
  expect(schema).toEqual(
    JSON.parse(JSON.stringify(jsonSchema(await new Installation(home.dir).wholeSchema()))),
  );
});

test("CFG-07: [providers.<id>] is filled with its defaults under every name", async () => {
  const file = '[providers.local-a]\napi_key = "k"\n';
  expect(await valueOf(file, "providers.local-a")).toEqual({
    api_key: "k",
    send_temperature: true,
    max_retries: 2,
    retry_backoff_ms: 500,
    timeout_seconds: 120,
  });
});

test("CFG-05: config init writes a file that only its owner can read, and never overwrites one", async () => {
  using home = tempDir();
  const first = await gantry(["config", "init"], { dir: home.dir });
  expect(first).toEqual({ code: 0, out: `Wrote ${home.file}\n`, err: "" });
  const text = readFileSync(home.file, "utf8");
  expect((await import("node:fs")).statSync(home.file).mode & 0o777).toBe(0o600);
  const second = await gantry(["config", "init"], { dir: home.dir });
  expect([second.code, second.err]).toEqual([
    2,
    `gantry: ${home.file} is already there and is never overwritten: edit it, or move it away first. [CONFIG_EXISTS]\n`,
  ]);
  expect(readFileSync(home.file, "utf8")).toBe(text);
});

test("CFG-05: config get prints values with defaults filled in, masks secrets and shows them when told to", async () => {
  using home = tempDir('api_key = "sk-12345"\n[providers.local-a]\napi_key = "sk-67890"\n');
  const get = async (...args: string[]) => gantry(["config", "get", ...args], { dir: home.dir });
  expect(await get("agent.max_tool_iterations")).toEqual({ code: 0, out: "20\n", err: "" });
  expect((await get("security.auto_approve_tools", "--json")).out).toBe(
    '["file_read","file_list","file_search","file_find","memory_recall","tool_search","send_file","skill","goal_verdict"]\n',
  );
  expect((await get("api_key")).out).toBe("********\n");
  // A table that several plugins read is shown whole.
  expect(parse((await get("security")).out)).toMatchObject({
    shell_enabled: true,
    redact_pii: true,
    audit: { log_retention_days: 30 },
  });
  expect((await get("providers")).out).not.toContain("sk-");
  expect((await get("providers.local-a.api_key", "--show-secret")).out).toBe("sk-67890\n");
  expect(await get("agent.modle")).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining(
      "(did you mean `agent.model`?): `gantry config schema` lists them all. [CONFIG_NO_KEY]",
    ),
  });
  expect(await get("default_model.deeper")).toMatchObject({
    code: 2,
    err: expect.stringContaining("CONFIG_NO_KEY"),
  });
});

test("CFG-05: config get hides the password inside an address", async () => {
  using home = tempDir('default_provider = "custom:https://me:hunter2@host/v1?key=hunter3"\n');
  const { out } = await gantry(["config", "get", "default_provider"], { dir: home.dir });
  expect(out).toBe("custom:https://***@host/v1?***\n");
});

test("CFG-05: config set changes one line, says what it set, never echoes a secret, and records the change", async () => {
  using home = tempDir("# mine\ndefault_model = 'old' # why\n");
  const set = await gantry(["config", "set", "default_model", "new"], { dir: home.dir });
  expect(set).toEqual({ code: 0, out: `Set default_model = "new" in ${home.file}\n`, err: "" });
  expect(readFileSync(home.file, "utf8")).toBe('# mine\ndefault_model = "new" # why\n');
  const secret = await gantry(["config", "set", "providers.local-a.api_key", "12345678"], { dir: home.dir });
  expect([secret.code, secret.out + secret.err]).toEqual([0, expect.not.stringContaining("12345678")]);
  expect(parse(readFileSync(home.file, "utf8"))).toMatchObject({
    providers: { "local-a": { api_key: "12345678" } },
  });
  const audit = readFileSync(path.join(home.dir, "audit.jsonl"), "utf8");
  expect(
    audit
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { event_type: "config_change", args: { keys: ["default_model"] } },
    { event_type: "config_change", args: { keys: ["providers.local-a.api_key"] } },
  ]);
  expect(audit).not.toContain("12345678");
});

test("CFG-05: config set validates first: what would not start is not written", async () => {
  using home = tempDir("# mine\n");
  const set = (...args: string[]) => gantry(["config", "set", ...args], { dir: home.dir });
  expect(await set("agent.max_tool_iterations", "0")).toMatchObject({
    code: 2,
    err: expect.stringContaining("`agent.max_tool_iterations` must be >= 1."),
  });
  expect(await set("agent.max_tool_iterations", "many")).toMatchObject({
    code: 2,
    err: expect.stringContaining("must be integer"),
  });
  expect(await set("default_provider", "custom:host")).toMatchObject({
    code: 2,
    err: expect.stringContaining("http:// or https://"),
  });
  expect(await set("plugins", '["nobody"]')).toMatchObject({
    code: 2,
    err: expect.stringContaining("PLUGIN_NOT_FOUND"),
  });
  expect(await set("security.blocked_commands", '[""]')).toMatchObject({
    code: 2,
    err: expect.stringContaining("COMMAND_BAD_ENTRY"),
  });
  expect(await set("security.pii_patterns", '["("]')).toMatchObject({
    code: 2,
    err: expect.stringContaining("PII_BAD_PATTERN"),
  });
  expect(await set("nonsense", "1")).toMatchObject({
    code: 2,
    err: expect.stringContaining("CONFIG_NO_KEY"),
  });
  expect(await set("security", "{}")).toMatchObject({
    code: 2,
    err: expect.stringContaining("CONFIG_NO_KEY"),
  });
  expect(readFileSync(home.file, "utf8")).toBe("# mine\n");
});

test("CFG-05: config set mends the very value that keeps the service from starting, and records it", async () => {
  const mends = [
    [
      "agent.max_tool_iterations",
      "5",
      "[agent]\nmax_tool_iterations = 0 # none\n",
      "[agent]\nmax_tool_iterations = 5 # none\n",
    ],
    [
      "security.workspace_path",
      "~",
      '[security]\nworkspace_path = "/dev/null"\n',
      '[security]\nworkspace_path = "~"\n',
    ],
  ] as const;
  for (const [key, value, before, after] of mends) {
    using home = tempDir(before);
    expect(await gantry(["config", "set", key, value], { dir: home.dir })).toMatchObject({
      code: 0,
      err: "",
    });
    expect(readFileSync(home.file, "utf8")).toBe(after);
    const audit = readFileSync(path.join(home.dir, "audit.jsonl"), "utf8");
    expect(JSON.parse(audit)).toMatchObject({ event_type: "config_change", args: { keys: [key] } });
  }
});

test("CFG-05: config set knows the keys of a plugin that is loaded, whoever wrote it", async () => {
  using home = tempDir('extra_plugins = ["./desk.js"]\n');
  const code = `import { Type } from "typebox";
export default { name: "desk", sdk: ${SDK_LEVEL}, config: Type.Object({ line: Type.Integer({ default: 1 }) }), setup() {} };`;
  writeFileSync(path.join(home.dir, "desk.js"), code);
  const set = await gantry(["config", "set", "plugins_config.desk.line", "7"], home);
  expect([set.code, set.err]).toEqual([0, ""]);
  expect((await gantry(["config", "get", "plugins_config.desk.line"], home)).out).toBe("7\n");
});

test("CFG-05: config set says what else keeps the file from loading, and writes nothing then", async () => {
  const text = 'plugins = ["nobody"]\n[agent]\nmax_tool_iterations = 0\n';
  using home = tempDir(text);
  const { code, err } = await gantry(["config", "set", "agent.max_tool_iterations", "5"], { dir: home.dir });
  expect([code, err]).toEqual([2, expect.stringMatching(/^[^\n]*PLUGIN_NOT_FOUND\]\n$/)]);
  expect(readFileSync(home.file, "utf8")).toBe(text);
});

test("CFG-05: keys that only work together are set together, and a key without a value is told", async () => {
  using home = tempDir("");
  const set = (...words: string[]) => gantry(["config", "set", ...words], { dir: home.dir });
  const table = "channels_config.chatapp";
  expect(await set(`${table}.access_token`, "t")).toMatchObject({
    code: 2,
    err: expect.stringContaining("CHANNEL_MISSING"),
  });
  expect(await set(`${table}.access_token`, "t", `${table}.phone_number_id`)).toMatchObject({
    code: 2,
    err: expect.stringContaining("has no value"),
  });
  expect(readFileSync(home.file, "utf8")).toBe("");
  const words = [
    "access_token",
    "t",
    "phone_number_id",
    "1",
    "verify_token",
    "v",
    "allowed_numbers",
    '["*"]',
  ];
  const { code, out } = await set(...words.map((word, i) => (i % 2 === 0 ? `${table}.${word}` : word)));
  expect([code, out.split("\n").length]).toEqual([0, 5]);
  const all = { access_token: "t", phone_number_id: "1", verify_token: "v", allowed_numbers: ["*"] };
  expect(parse(readFileSync(home.file, "utf8"))).toEqual({ channels_config: { chatapp: all } });
});

test("CFG-06: a directory that no file system can hold is told at once", async () => {
  expect(await gantry(["config", "init"], { dir: "/proc/none", cwd: root })).toMatchObject({
    code: 2,
    err: expect.stringContaining("CONFIG_UNWRITABLE"),
  });
});

test("CFG-05: of several config set at the same time each is kept, and a lock that a killed one left holds up nobody", async () => {
  using home = tempDir("# mine\n");
  writeFileSync(`${home.file}.lock`, "999999999 1");
  const ids = ["groq", "local-a", "mistral", "openai"];
  const all = await Promise.all(
    ids.map((id) => gantry(["config", "set", `providers.${id}.max_retries`, "1"], { dir: home.dir })),
  );
  expect(all.map(({ code, err }) => [code, err])).toEqual(ids.map(() => [0, ""]));
  const providers = Object.fromEntries(ids.map((id) => [id, { max_retries: 1 }]));
  expect(parse(readFileSync(home.file, "utf8"))).toEqual({ providers });
  expect(readdirSync(home.dir).filter((name) => name.startsWith("config.toml"))).toEqual(["config.toml"]);
});

test("CFG-05: config set follows a link to the file and leaves it one", async () => {
  using home = tempDir();
  const real = path.join(home.dir, "kept-elsewhere.toml");
  writeFileSync(real, "# mine\n");
  symlinkSync(real, home.file);
  expect(await gantry(["config", "set", "default_model", "m"], { dir: home.dir })).toMatchObject({ code: 0 });
  expect([readFileSync(real, "utf8"), lstatSync(home.file).isSymbolicLink()]).toEqual([
    '# mine\ndefault_model = "m"\n',
    true,
  ]);
});

test("CFG-06: a file that is not UTF-8 is an error with line and column, and config set does not touch it", async () => {
  using home = tempDir();
  const text = Buffer.from("# first\n# f\u00fcr mich\n", "latin1");
  writeFileSync(home.file, text);
  expect(await gantry(["config", "set", "default_model", "m"], { dir: home.dir })).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /^gantry: Failed to parse config: invalid TOML in \S+, line 2, column 4: it is not UTF-8; fix that line/,
    ),
  });
  expect(readFileSync(home.file)).toEqual(text);
});

test("CFG-06: config get and set without a file say where it is missed and what to run", async () => {
  using home = tempDir();
  for (const words of [
    ["get", "api_key"],
    ["set", "api_key", "x"],
  ]) {
    expect(await gantry(["config", ...words], { dir: home.dir })).toEqual({
      code: 2,
      out: "",
      err: `gantry: Config file not found at ${home.file}: run \`gantry config init\`. [CONFIG_MISSING]\n`,
    });
  }
});
