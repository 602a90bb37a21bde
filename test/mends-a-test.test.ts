import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Service, serveWith } from "../plugins/channel-telegram/killed.test-kit.ts";
import { sayTo } from "../plugins/channel-telegram/telegram.test-kit.ts";
import { gantry } from "./helpers/cli.ts";
import { startModel, type ModelServer } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** Makes a repository with a test that fails, for a reason that has to be found. */
function repository(folder: string): string {
  mkdirSync(path.join(folder, "src"), { recursive: true });
  mkdirSync(path.join(folder, "node_modules/other"), { recursive: true });
  writeFileSync(path.join(folder, ".gitignore"), "node_modules/\n");
  writeFileSync(path.join(folder, "node_modules/other/sum.js"), "export function sum() {}\n");
  writeFileSync(
    path.join(folder, "src/sum.mjs"),
    "export function sum(numbers) {\r\n\tlet total = 1;\r\n\tfor (const one of numbers) total += one;\r\n\treturn total;\r\n}\r\n",
  );
  writeFileSync(
    path.join(folder, "check.mjs"),
    'import { sum } from "./src/sum.mjs";\nif (sum([1, 2]) !== 3) throw new Error(`sum is ${sum([1, 2])}`);\nconsole.log("all is well");\n',
  );
  return folder;
}

/**
 * The steps of a model that fixes a test: run, search, edit as it remembers the text, run again.
 */
function script(program: string) {
  return [
    { calls: [{ name: "shell", args: { command: `${program} check.mjs` } }] },
    { calls: [{ name: "file_search", args: { pattern: "function sum", context: 4 } }] },
    {
      calls: [
        {
          name: "file_edit",
          args: {
            path: "src/sum.mjs",
            old: "export function sum(numbers) {\n  let total = 1;\n",
            new: "export function sum(numbers) {\n  let total = 0;\n",
          },
        },
      ],
    },
    { calls: [{ name: "shell", args: { command: `${program} check.mjs` } }] },
    "The test passes now.",
  ];
}

/** Returns what the tools gave to the model. */
function results(model: ModelServer): readonly string[] {
  const messages = model.requests.at(-1)?.messages ?? [];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

const sandbox = `[security.sandboxing]
allowed_read_paths = ["/usr", "/lib", "/lib64", "/bin", "$WORKSPACE", "${path.dirname(process.execPath)}"]
# Node reserves more than it uses.
[runtime]
max_memory_mb = 8192`;

const mended =
  "export function sum(numbers) {\r\n\tlet total = 0;\r\n\tfor (const one of numbers) total += one;\r\n\treturn total;\r\n}\r\n";

test.each([
  ["semi-autonomous", 3],
  ["autonomous", 0],
])("AGT-08: a failing test is mended in %s with at most %i questions", async (level, questions) => {
  await using model = await startModel(...script(process.execPath));
  using home = tempDir(
    `default_provider = "${model.provider}"\ndefault_model = "m"\n[agent]\nautonomy_level = "${level}"\n${sandbox}\n`,
  );
  const folder = repository(path.join(home.dir, "workspace"));
  const args = ["agent", "-m", "mend the test", ...(questions > 0 ? ["--yes"] : [])];
  const { code, out } = await gantry(args, { dir: home.dir });
  expect([code, out]).toEqual([0, "The test passes now.\n"]);

  const [failed, found, edited, passed] = results(model);
  expect([failed, found, edited, passed]).toEqual([
    expect.stringContaining("sum is 4"),
    expect.stringContaining("let total = 1;"),
    expect.stringContaining("Replaced one place in src/sum.mjs"),
    expect.stringContaining("all is well"),
  ]);
  expect(found).not.toContain("node_modules");
  expect(readFileSync(path.join(folder, "src/sum.mjs"), "utf8")).toBe(mended);
  const audit = readFileSync(path.join(home.dir, "audit.jsonl"), "utf8").trim().split("\n");
  const asked = audit.filter(
    (line) => (JSON.parse(line) as { event_type: string }).event_type === "approval",
  );
  expect(asked.length).toBe(questions);
});

/** Says something at a door, allows what is asked, resolves to the answer and the questions. */
type Door = (service: Service, message: string) => Promise<readonly [answer: string, asked: string[]]>;

const overHttp: Door = async ({ dir, url }, message) => {
  const token = (await gantry(["pair", "token"], { dir })).out.trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = (to: string, body: object) =>
    fetch(`${url}/api/${to}`, { method: "POST", headers, body: JSON.stringify(body) });
  const { body } = await post("chat", { message, stream: true });
  let events = "";
  const asked: string[] = [];
  for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    events += piece;
    for (const [whole, id] of events.matchAll(/event: approval_request\ndata: .*?"id":"([^"]+)".*\n\n/g)) {
      events = events.replace(whole, "");
      asked.push(whole);
      expect((await post(`approvals/${id}`, { decision: "allow" })).status).toBe(200);
    }
  }
  return [/event: done\ndata: .*?"reply":"([^"]*)"/.exec(events)?.[1] ?? events, asked];
};

const inTelegram: Door = async (service, message) => {
  const asked: string[] = [];
  sayTo(service.api, message);
  for (let number = 1; ; number += 1) {
    const text = await service.sent(number);
    if (!text.includes("run this?")) return [text, asked];
    asked.push(text);
    await service.press(number, "Allow");
  }
};

const doors: readonly [string, Door][] = [
  ["over HTTP", overHttp],
  ["in Telegram", inTelegram],
];

test.for(
  doors.flatMap(([where, door]) => [
    [where, "semi-autonomous", 3, door] as const,
    [where, "autonomous", 0, door] as const,
  ]),
)("AGT-08: %s a failing test is mended, %s, with at most %i questions", async ([, level, most, door]) => {
  const agent = `autonomy_level = "${level}"`;
  const service = await serveWith({ agent, security: sandbox }, ...script(process.execPath));
  const folder = repository(path.join(service.dir, "work"));
  const [answer, asked] = await door(service, "mend the test");
  expect([answer, asked.length]).toEqual(["The test passes now.", most]);
  expect(readFileSync(path.join(folder, "src/sum.mjs"), "utf8")).toBe(mended);
});

const shell = (command: string) => ({ calls: [{ name: "shell", args: { command } }] });

test.runIf(process.platform === "linux").for(doors)(
  "AGT-08: %s a failing test is mended with try_first and one question",
  async ([, door], { skip }) => {
    const check = `${process.execPath} check.mjs`;
    const mending = `sed -i 's/total = 1/total = 0/' src/sum.mjs && ${check}`;
    const service = await serveWith(
      { agent: "try_first = true", security: `runs = "view"\nallow = ["shell: ${check}"]\n${sandbox}` },
      shell(check),
      shell(mending),
      "The test passes now.",
    );
    const folder = repository(path.join(service.dir, "work"));
    const [answer, asked] = await door(service, "mend the test");
    const [, why] = /Not tried first: ([^"\\\n]*)/.exec(asked.join("")) ?? [];
    if (why !== undefined) skip(why);
    expect([answer, asked.length]).toEqual(["The test passes now.", 1]);
    expect(asked[0]).toContain("all is well");
    expect(readFileSync(path.join(folder, "src/sum.mjs"), "utf8")).toBe(mended);
  },
);
