import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, root } from "./helpers/cli.ts";
import { chunk, startModel, type ModelServer } from "./helpers/model.ts";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

function configOf({ provider }: ModelServer, more = ""): string {
  return `default_provider = "${provider}"\ndefault_model = "m"\n${more}\n[providers.custom]\nmax_retries = 0\n`;
}

const shell = (command: string) => ({ calls: [{ name: "shell", args: { command } }] });
/** Streams a first word and then nothing more. */
const slow = {
  raw: (response: import("node:http").ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ content: "Well, " }));
  },
};
const markdown =
  "Some **bold** words.\n\n| Name | Age |\n|---|---|\n| Ann | 30 |\n\n```ts\nconst a = 1;\n```\n\nDone.";

test("AGT-09: an answer is read as Markdown: no mark, fence or bar of a table is left in it", async () => {
  await using model = await startModel(markdown);
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  const said = (await person.until(/Done\.[^]*> $/)).replaceAll("\r", "");
  expect(said).toContain("Some bold words.\n\nName  Age\n────  ───\nAnn   30\n\nconst a = 1;\n\nDone.\n");
  expect(person.bytes()).toContain("\u001b[1mbold\u001b[22m");
});

test("AGT-09: with -m the answer stays as the model wrote it", async () => {
  await using model = await startModel(markdown);
  using home = tempDir(configOf(model));
  expect((await gantry(["agent", "-m", "go"], { dir: home.dir })).out).toBe(`${markdown}\n`);
});

test("AGT-09: a tool call is one line that says what it does", async () => {
  const read = { name: "file_write", args: { path: "notes.md", content: "one\ntwo", mode: undefined } };
  await using model = await startModel({ calls: [read] }, "Written.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent", "--yes"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  const said = await person.until(/Written\./);
  expect(said).toContain("file_write notes.md (content one ⏎ two)\r\n");
  expect(said).not.toMatch(/[{}"]/);
});

test.each<Record<string, string>>([{ TERM: "dumb" }, { NO_COLOR: "1" }])(
  "TTY-06: with %o a whole conversation writes no escape sequence and no carriage return of its own",
  async (env) => {
    await using model = await startModel(shell("echo one > one.txt"), markdown, slow);
    using home = tempDir(configOf(model));
    await using person = talk(["agent"], { dir: home.dir, env });
    await person.until(/> $/);
    person.type("go\r");
    await person.until(/Allow this once\? \[y\/N\] $/);
    person.type("y\r");
    await person.until(/Ann {3}30[^]*Done\.[^]*> $/);
    person.type("slowly\r");
    await person.until(/Well,/);
    person.type("\u0003");
    await person.until(/was stopped\.[^]*> $/);
    person.type("/exit\r");
    expect(await person.ended).toBe(0);
    expect(existsSync(path.join(home.dir, "workspace/one.txt"))).toBe(true);
    expect(person.bytes().split("\u001b")).toHaveLength(1);
    expect(person.bytes().replaceAll("\r\n", "")).not.toContain("\r");
  },
);

test("TTY-06: in a plain terminal lines that are pasted at once are one message", async () => {
  await using model = await startModel("Read.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir, env: { TERM: "dumb" } });
  await person.until(/> $/);
  person.type("one\ntwo\nthree\n");
  await person.until(/Read\.[^]*> $/);
  expect(model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(["one\ntwo\nthree"]);
});

test("TTY-05: Esc stops the turn and gives back what was typed meanwhile", async () => {
  await using model = await startModel(slow, "Read.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("slowly\r");
  await person.until(/Well,/);
  person.type("and this\r");
  await person.until(/and this\s/);
  person.type("\u001b");
  await person.until(/was stopped\.[^]*> and this$/);
  await model.left;
  expect(model.requests).toHaveLength(1);
  person.type(" too\r");
  await person.until(/Read\.[^]*> $/);
  expect(model.requests[1]?.messages.at(-1)?.content).toBe("and this too");
});

test("TTY-05: what is typed while a turn runs is sent when it has ended", async () => {
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const waiting = {
    raw: async (response: import("node:http").ServerResponse) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk({ content: "Wait. " }));
      await held;
      response.end(`${chunk({ content: "Over." }, "stop")}data: [DONE]\n\n`);
    },
  };
  await using model = await startModel(waiting, "Second.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  await person.until(/Wait\./);
  person.type("second\r");
  await person.until(/second\s/);
  go();
  await person.until(/Over\.[^]*Second\.[^]*> $/);
  expect(model.requests[1]?.messages.at(-1)?.content).toBe("second");
});

test("TTY-05: Ctrl-C stops the turn, and pressed again it ends the program", async () => {
  await using model = await startModel(slow);
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("slowly\r");
  await person.until(/Well,/);
  person.type("\u0003");
  await person.until(/was stopped\.[^]*> $/);
  person.type("\u0003");
  expect(await person.ended).toBe(130);
});

test("TTY-05: a key between two Ctrl-C keeps the program", async () => {
  await using model = await startModel("Still here.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("\u0003");
  await person.until(/Ctrl-C again ends it\.\s+> $/);
  person.type("x\u0003");
  person.type("hello\r");
  expect(await person.until(/Still here\./)).toContain("hello");
});

test("TTY-05: /exit during a turn stops it and ends the conversation", async () => {
  await using model = await startModel(slow);
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("slowly\r");
  await person.until(/Well,/);
  person.type("/exit\r");
  await model.left;
  expect(await person.ended).toBe(0);
  expect(person.screen()).not.toMatch(/no command|unknown/i);
});

test("TTY-03: a command behind `!` runs as a call of the shell tool, with its question and its guards", async () => {
  await using model = await startModel();
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("!echo made > made.txt; echo $((40 + 2))\r");
  await person.until(/May shell run\?[^]*Allow this once\? \[y\/N\] $/);
  person.type("y\r");
  await person.until(/42\s[^]*> $/);
  person.type("!sudo id\r");
  await person.until(/shell: refused \([A-Z_]+\)[^]*> $/);
  expect(existsSync(path.join(home.dir, "workspace/made.txt"))).toBe(true);
  expect(model.requests).toEqual([]);
});

test("TTY-03: Tab completes a path behind @ from the workspace and nothing outside it, and a command behind a slash", async () => {
  await using model = await startModel("Seen.");
  using home = tempDir(configOf(model));
  mkdirSync(path.join(home.dir, "workspace/plans"), { recursive: true });
  writeFileSync(path.join(home.dir, "workspace/plans/autumn (draft).md"), "x");
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("read @pl\t");
  await person.until(/@plans\/$/);
  person.type("\t");
  await person.until(/autumn \(draft\)\.md $/);
  person.type("and @../c\t");
  await person.until(/and @\.\.\/c$/);
  person.type("!\r");
  await person.until(/Seen\.[^]*> $/);
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("read @plans/autumn (draft).md and @../c!");
  person.type("/ex\t");
  await person.until(/\/exit $/);
  person.type("\r");
  expect(await person.ended).toBe(0);
});

/**
 * The files that a process has loaded, by what it wrote to `told`; without what their contents add
 * to their names.
 */
function loadedBy(told: string): readonly string[] {
  return readdirSync(told).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(path.join(told, file), "utf8")) as {
      result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => path.basename(url).replace(/-[\w-]{8}\.js$/, ""));
  });
}

test("TTY-01: what reads Markdown and what talks is loaded by a conversation alone, the former by its first message", async () => {
  await using model = await startModel("Hello.", "Hello.");
  const built = readdirSync(path.join(root, "host/dist")).map((file) => file.replace(/-[\w-]{8}\.js$/, ""));
  const ours = ["answer-text", "conversation", "resume-picker", "status-line"];
  expect(ours.filter((name) => !built.includes(name))).toEqual([]);
  const seen = async (args: readonly string[], lines: readonly string[]): Promise<readonly string[]> => {
    using home = tempDir(configOf(model));
    const told = path.join(home.dir, "scripts");
    await using person = talk(args, { dir: home.dir, env: { NODE_V8_COVERAGE: told } });
    for (const line of lines) {
      await person.until(/> $/);
      person.type(line);
    }
    await person.ended;
    return loadedBy(told).filter((name) => ours.includes(name));
  };
  expect(await seen(["agent", "-m", "hi"], [])).toEqual([]);
  expect(await seen(["agent"], ["/exit\r"])).toEqual(["conversation"]);
  const talking = (await seen(["agent"], ["hi\r", "/exit\r"])).toSorted();
  expect(talking).toEqual(["answer-text", "conversation", "status-line"]);
});
