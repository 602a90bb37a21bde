import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bin, environment, gantry, startGantry } from "./helpers/cli.ts";
import { chunk, startModel, type ModelServer } from "./helpers/model.ts";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** A configuration that asks this model server, and nobody twice. */
function configOf({ provider }: ModelServer, more = ""): string {
  return `default_provider = "${provider}"\ndefault_model = "m"\n${more}\n[providers.custom]\nmax_retries = 0\n`;
}

/** Streams a first word and then nothing more. */
const slow = {
  raw: (response: import("node:http").ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ content: "Well, " }));
  },
};
const shell = (command: string) => ({ calls: [{ name: "shell", args: { command } }] });

/** True while a process runs whose command line holds `text`. */
function runs(text: string): boolean {
  return readdirSync("/proc").some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        Number(pid) !== process.pid &&
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
      );
    } catch {
      return false;
    }
  });
}

/** Puts a file into the workspace before its first use. */
function put(dir: string, name: string, text: string): void {
  mkdirSync(path.join(dir, "workspace"), { recursive: true });
  writeFileSync(path.join(dir, "workspace", name), text);
}

/** Returns the files that tools have made in the workspace. */
function filesOf(dir: string): readonly string[] {
  return readdirSync(path.join(dir, "workspace")).filter((name) => !name.startsWith("."));
}

/** Every call of the last request has its result, right behind it. */
function isWhole(model: ModelServer): boolean {
  const messages = (model.requests.at(-1)?.messages ?? []) as readonly {
    role: string;
    tool_calls?: { id: string }[];
    tool_call_id?: string;
  }[];
  return messages.every(({ tool_calls = [] }, i) =>
    tool_calls.every(({ id }, n) => messages[i + 1 + n]?.tool_call_id === id),
  );
}

test("CLI-05: what `config init` writes, and a table without keys, change nothing for `agent`; a wrong key there is named as such", async () => {
  using home = tempDir();
  expect(await gantry(["config", "init"], { dir: home.dir })).toMatchObject({ code: 0 });
  expect(await gantry(["agent", "-m", "hi"], { dir: home.dir })).toMatchObject({ code: 0, err: "" });
  writeFileSync(path.join(home.dir, "config.toml"), "[gateway]\nprot = 1\n");
  const { code, err } = await gantry(["agent", "-m", "hi"], { dir: home.dir });
  expect([code, err]).toEqual([
    2,
    expect.stringContaining("unknown key `gateway.prot` (did you mean `gateway.port`?)"),
  ]);
});

test("AGT-01: agent -m prints the answer on stdout and nothing else there", async () => {
  await using model = await startModel("Hello there.");
  using home = tempDir(configOf(model));
  expect(await gantry(["agent", "-m", "hi"], { dir: home.dir })).toEqual({
    code: 0,
    out: "Hello there.\n",
    err: "",
  });
  expect(model.requests[0]?.messages.at(-1)).toEqual({ role: "user", content: "hi" });
});

test("AGT-01: --json prints one object with the answer, who served it, the usage and the calls", async () => {
  await using model = await startModel({ calls: [{ name: "file_list", args: {} }] }, "Empty.");
  using home = tempDir(configOf(model));
  const { code, out, err } = await gantry(["agent", "-m", "list", "--json", "--session", "s1"], {
    dir: home.dir,
  });
  expect([code, err]).toEqual([0, ""]);
  expect(JSON.parse(out)).toEqual({
    reply: "Empty.",
    session_id: "s1",
    provider: model.provider,
    model: "m",
    stop_reason: "EndTurn",
    usage: { input_tokens: 20, output_tokens: 10, cached_tokens: 0, reasoning_tokens: 0 },
    tool_calls: [{ tool: "file_list", decision: "allowed" }],
  });
});

test("AGT-01: --session continues a conversation in another process; --provider and --model go before the configuration", async () => {
  await using model = await startModel("First.", "Second.");
  using home = tempDir("default_provider = 'demo'\n");
  const args = ["--session", "s1", "--provider", model.provider, "--model", "other"];
  await gantry(["agent", "-m", "one", ...args], { dir: home.dir });
  await gantry(["agent", "-m", "two", ...args], { dir: home.dir });
  expect(model.requests[1]?.messages.map(({ content }) => content).slice(1)).toEqual([
    "one",
    "First.",
    "two",
  ]);
  expect(model.requests[1]?.model).toBe("other");
});

test("AGT-01: without a message and without a terminal, and with --json alone, the cure is said", async () => {
  using home = tempDir("");
  expect(await gantry(["agent"], { dir: home.dir })).toEqual({
    code: 2,
    out: "",
    err: "gantry: There is no terminal to talk in: pass a message with -m: see `gantry agent --help`. [USAGE]\n",
  });
  expect(await gantry(["agent", "--json"], { dir: home.dir })).toMatchObject({
    code: 2,
    err: expect.stringContaining("--json needs a message with -m"),
  });
  expect(await gantry(["agent", "-m", "hi", "--watch"], { dir: home.dir })).toMatchObject({
    code: 2,
    err: expect.stringContaining("--watch is for a conversation and -m is one turn"),
  });
});

test("CLI-05: what needs a person is refused without one, with exit code 3; --yes lets it run; what is refused stays refused", async () => {
  await using model = await startModel(
    shell("echo made > made.txt"),
    "Done.",
    shell("echo made > made.txt"),
    "Done.",
    shell("sudo id"),
    "No.",
  );
  using home = tempDir(configOf(model));
  const made = path.join(home.dir, "workspace/made.txt");
  const first = await gantry(["agent", "-m", "go", "--json"], { dir: home.dir });
  expect([first.code, JSON.parse(first.out).tool_calls]).toEqual([
    3,
    [{ tool: "shell", decision: "refused", code: "APPROVAL_NO_PERSON" }],
  ]);
  expect(existsSync(made)).toBe(false);
  const second = await gantry(["agent", "-m", "go", "--yes", "--json"], { dir: home.dir });
  expect([second.code, JSON.parse(second.out).tool_calls]).toEqual([
    0,
    [{ tool: "shell", decision: "approved" }],
  ]);
  expect(existsSync(made)).toBe(true);
  const third = await gantry(["agent", "-m", "go", "--yes", "--json"], { dir: home.dir });
  expect([third.code, JSON.parse(third.out).tool_calls[0].decision]).toEqual([3, "refused"]);
  expect(JSON.stringify(model.requests.at(-1))).toContain("Command blocked by security policy");
});

test("AGT-05: Ctrl-C during a slow model ends with 130, the request is dropped, and the session is whole afterwards", async () => {
  await using model = await startModel(slow, "Again.");
  using home = tempDir(configOf(model));
  const { child, ended } = startGantry(["agent", "-m", "first", "--session", "s1"], { dir: home.dir });
  await model.asked(1);
  child.kill("SIGINT");
  const { code, err } = await ended;
  await model.left;
  expect([code, err]).toEqual([130, expect.stringMatching(/cancelled\. \[\w+_CANCELLED\]\n$/)]);
  expect(await gantry(["agent", "-m", "second", "--session", "s1"], { dir: home.dir })).toMatchObject({
    code: 0,
    out: "Again.\n",
  });
  expect(isWhole(model)).toBe(true);
});

test("AGT-05: Ctrl-C during a tool ends the tool with 130, starts no other, and the session is whole afterwards", async () => {
  const sleep = "sleep 31.4159";
  await using model = await startModel(
    {
      calls: [
        { name: "shell", args: { command: sleep } },
        { name: "file_write", args: { path: "second.txt", content: "x" } },
      ],
    },
    "Again.",
  );
  using home = tempDir(configOf(model));
  const { child, ended } = startGantry(["agent", "-m", "first", "--session", "s1", "--yes"], {
    dir: home.dir,
  });
  await expect.poll(() => runs("31.4159")).toBe(true);
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  // It ends long before it would by itself.
  await expect.poll(() => runs("31.4159"), { timeout: 15_000 }).toBe(false);
  expect(existsSync(path.join(home.dir, "workspace/second.txt"))).toBe(false);
  expect(await gantry(["agent", "-m", "second", "--session", "s1"], { dir: home.dir })).toMatchObject({
    code: 0,
    out: "Again.\n",
  });
  expect(isWhole(model)).toBe(true);
  expect(model.requests).toHaveLength(2);
});

test("AGT-01: a conversation in a terminal streams answers, keeps its history, starts anew with /new and ends with /exit", async () => {
  await using model = await startModel("Hello, friend.", "Again.", "New.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("one\r");
  await person.until(/Hello, friend\.\r\n/);
  await person.until(/> $/);
  person.type("\u001b[A!\r");
  await person.until(/Again\./);
  expect(model.requests[1]?.messages.map(({ content }) => content).slice(1)).toEqual([
    "one",
    "Hello, friend.",
    "one!",
  ]);
  await person.until(/> $/);
  person.type("/new\r");
  await person.until(/A new conversation begins\. What was before: \/resume \w{8}\r\n[^]*> $/);
  person.type("two\r");
  await person.until(/New\./);
  expect(model.requests[2]?.messages).toHaveLength(2);
  await person.until(/> $/);
  person.type("/exit\r");
  expect(await person.ended).toBe(0);
});

test("TTY-04: a paste of 10,000 lines is one message, sent by Enter alone; what is pasted never answers a question", async () => {
  await using model = await startModel("Read.", shell("echo one > one.txt"), "Refused.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join("\r");
  person.type(`look at \u001b[200~${lines}\u001b[201~ please`);
  await person.until(/look at \[pasted text 1, 10000 lines\] please/);
  expect(model.requests).toHaveLength(0);
  person.type("\r");
  await person.until(/Read\.[^]*> $/);
  expect(model.requests[0]?.messages.at(-1)?.content).toBe(`look at ${lines.replaceAll("\r", "\n")} please`);
  person.type("run it\r");
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("\u001b[200~y\r\u001b[201~\r");
  await person.until(/Answer y or n; Enter is a no\.\s+Allow this once\? \[y\/N\] $/);
  expect(model.requests).toHaveLength(2);
  person.type("n\r");
  await person.until(/APPROVAL_DENIED[^]*Refused\./);
});

test("TTY-04: several lines are typed with a backslash or Alt-Enter; Ctrl-C clears what is half typed, and pressed twice it ends", async () => {
  await using model = await startModel("Three lines.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("not this");
  await person.until(/not this/);
  person.type("\u0003");
  person.type("one\\\r");
  await person.until(/… $/);
  person.type("two\u001b\r");
  await person.until(/… $/);
  person.type("three\r");
  await person.until(/Three lines\.[^]*> $/);
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("one\ntwo\nthree");
  person.type("\u0003");
  await person.until(/Ctrl-C again ends it\.\s+> $/);
  person.type("\u0003");
  expect(await person.ended).toBe(130);
});

test("TTY-04: what was typed is there in the next run, private, without the answers to questions", async () => {
  await using model = await startModel(shell("echo one > one.txt"), "Refused.", "Again.");
  using home = tempDir(configOf(model));
  {
    await using person = talk(["agent"], { dir: home.dir });
    await person.until(/> $/);
    person.type("a first thing\r");
    await person.until(/Allow this once\? \[y\/N\] $/);
    person.type("n\r");
    await person.until(/Refused\.[^]*> $/);
    person.type("/exit\r");
    await person.ended;
  }
  const file = path.join(home.dir, "state", "terminal-history");
  expect(readFileSync(file, "utf8")).toBe("/exit\na first thing\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await using again = talk(["agent"], { dir: home.dir });
  await again.until(/> $/);
  again.type("\u001b[A\u001b[A\r");
  await again.until(/Again\./);
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe("a first thing");
});

test("TTY-02: a command works while an answer is made and while a question is open", async () => {
  await using model = await startModel(shell("echo one > one.txt"), "Refused.", slow);
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("/help\r");
  await person.until(/\/undo - [^]*Allow this once\? \[y\/N\] $/);
  person.type("/deny\r");
  await person.until(/shell: denied\.[^]*Refused\.[^]*> $/);
  person.type("slowly\r");
  await person.until(/Well,/);
  person.type("/stop\r");
  await person.until(/Done\.[^]*> $/);
  expect(model.requests).toHaveLength(3);
});

test("AGT-12: the message may be given behind the word, piped in, or be - for stdin", async () => {
  await using model = await startModel("ok");
  using home = tempDir(configOf(model));
  const { dir } = home;
  expect((await gantry(["agent", "what", "is", "this"], { dir })).out).toBe("ok\n");
  expect((await gantry(["agent"], { dir, input: "piped\nin" })).out).toBe("ok\n");
  expect((await gantry(["agent", "-m", "-"], { dir, input: "dash" })).out).toBe("ok\n");
  const said = model.requests.map(({ messages }) => messages.at(-1)?.content);
  expect(said).toEqual(["what is this", "piped\nin", "dash"]);
  for (const args of [
    ["-m", "a", "b"],
    ["-m", ""],
    ["-m", "a", "--session", ""],
    ["-m", "a", "--model", ""],
  ])
    expect(await gantry(["agent", ...args], { dir })).toMatchObject({ code: 2, out: "" });
});

test("AGT-12: --continue goes on with the last conversation, --resume with one that is there", async () => {
  await using model = await startModel("one", "two", "three");
  using home = tempDir(configOf(model));
  const { dir } = home;
  expect(await gantry(["agent", "-m", "a", "--continue"], { dir })).toMatchObject({ code: 2 });
  await gantry(["agent", "-m", "first", "--session", "s1"], { dir });
  await gantry(["agent", "-m", "second", "--continue"], { dir });
  await gantry(["agent", "-m", "third", "--resume", "s1"], { dir });
  const third = model.requests[2]?.messages.map(({ content }) => content).slice(1);
  expect(third).toEqual(["first", "one", "second", "two", "third"]);
  expect((await gantry(["agent", "-m", "x", "--resume", "s2"], { dir })).err).toContain(
    "There is no conversation s2",
  );
  expect(JSON.parse((await gantry(["sessions", "list", "--json"], { dir })).out)).toMatchObject([
    { id: "s1", turns: 3 },
  ]);
  expect((await gantry(["usage", "--by", "model", "--json"], { dir })).out).toContain('"requests":3');
});

test("AGT-12: --json-stream prints the turn as lines of JSON, the whole answer last", async () => {
  await using model = await startModel({ calls: [{ name: "file_list", args: {} }] }, "Empty.");
  using home = tempDir(configOf(model));
  const { out, code } = await gantry(["agent", "-m", "list", "--json-stream"], { dir: home.dir });
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([code, events.map(({ type }) => type)]).toEqual([
    0,
    ["thinking", "tool_call", "tool_result", "thinking", "delta", "done"],
  ]);
  expect(events.at(-1)).toMatchObject({ reply: "Empty.", tool_calls: [{ decision: "allowed" }] });
});

test("AGT-01: Ctrl-D at the prompt ends the conversation", async () => {
  using home = tempDir("");
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("\u0004");
  expect(await person.ended).toBe(0);
});

test("SEC-02: in a terminal an approval is asked in place and shows exactly what will run; only y lets it", async () => {
  await using model = await startModel(
    shell("echo one > one.txt"),
    "Refused.",
    shell("echo two > two.txt"),
    "Made.",
  );
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  const asked = await person.until(/Allow this once\? \[y\/N\] $/);
  expect(asked).toContain("May shell run?\r\n  | echo one > one.txt\r\n");
  person.type("\r");
  await person.until(/APPROVAL_DENIED[^]*Refused\./);
  await person.until(/> $/);
  person.type("second\r");
  await person.until(/echo two > two\.txt[^]*Allow this once\? \[y\/N\] $/);
  person.type("y\r");
  await person.until(/Made\./);
  expect(filesOf(home.dir)).toEqual(["two.txt"]);
});

test("SEC-19: in a terminal a long question is cut with its size beside the prompt, and v shows it whole", async () => {
  const lines = Array.from({ length: 66 }, (_, i) => (i === 60 ? "rm -rf ./*" : `echo ${i}`));
  await using model = await startModel(shell(lines.join("\n")), "Refused.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  const asked = await person.until(/Allow this once\? \[y\/N\] $/);
  expect(asked).toContain("  | echo 0\r\n");
  expect(asked).not.toContain("rm -rf");
  expect(asked).toMatch(/… \d+ more lines[^]*66 lines, 66 commands\.[^]*v shows all of it\./);
  person.type("v\r");
  const whole = await person.until(/66 lines, 66 commands\.[^]*Allow this once\? \[y\/N\] $/);
  expect(whole).toContain("  | rm -rf ./*\r\n");
  person.type("\r");
  await person.until(/APPROVAL_DENIED[^]*Refused\./);
});

test("SEC-19: in a terminal a question of wide signs is cut to the rows that they take", async () => {
  await using model = await startModel(shell(`echo ${"漢".repeat(2_200)}`), "Refused.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  const asked = await person.until(/Allow this once\? \[y\/N\] $/);
  const [, shown = ""] = /\| (echo 漢[^…]*)…/.exec(asked.replace(/[\r\n]/g, "")) ?? [];
  const rows = Math.ceil((shown.length * 2 - "echo ".length) / (200 - "  | ".length));
  expect(rows).toBeGreaterThan(18);
  expect(rows).toBeLessThan(21);
  person.type("\r");
  await person.until(/Refused\./);
});

test("SEC-14: in a terminal `a` allows the same command for the rest of the conversation, and /new ends that", async () => {
  const touch = shell("echo one > one.txt");
  await using model = await startModel(touch, "First.", touch, "Second.", touch, "Third.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  const asked = await person.until(/Allow this once\? \[y\/N\] $/);
  expect(asked).toContain("t allows it for this conversation: shell this very command line.");
  person.type("a\r");
  await person.until(/First\.[^]*> $/);
  person.type("second\r");
  expect(await person.until(/Second\.[^]*> $/)).not.toContain("Allow this once?");
  person.type("/new\r");
  await person.until(/A new conversation begins[^]*> $/);
  person.type("third\r");
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("n\r");
  await person.until(/Third\./);
});

test("SEC-19: before a file is changed the terminal shows the change", async () => {
  const write = { calls: [{ name: "file_write", args: { path: "a.txt", content: "one\nthree\n" } }] };
  await using model = await startModel(write, "Done.");
  using home = tempDir(configOf(model));
  put(home.dir, "a.txt", "one\ntwo\n");
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  const asked = await person.until(/Allow this once\? \[y\/N\] $/);
  expect(asked).toContain("  |  one\r\n  | -two\r\n  | +three\r\n");
  person.type("y\r");
  await person.until(/Done\./);
});

test("SEC-02: what was typed before an approval was asked does not answer it", async () => {
  await using model = await startModel(
    { calls: [{ name: "shell", args: { command: "echo one > one.txt" } }] },
    "Done.",
  );
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\ry\ry\r");
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("n\r");
  await person.until(/APPROVAL_DENIED/);
  expect(filesOf(home.dir)).toEqual([]);
});

test("SEC-02: two calls that ask at the same time are asked one after the other, and each gets its own answer", async () => {
  const calls = ["a.txt", "b.txt"].map((name) => ({ name: "file_read", args: { path: name } }));
  await using model = await startModel({ calls }, "Done.");
  using home = tempDir(configOf(model, '[agent]\nautonomy_level = "supervised"'));
  for (const name of ["a.txt", "b.txt"]) put(home.dir, name, `I am ${name}`);
  await using person = talk(["agent", "-m", "read both"], { dir: home.dir });
  const asked = async () =>
    /\| file_read \{"path":"(\w\.txt)"\}/.exec(
      await person.until(/\| file_read [^]*Allow this once\? \[y\/N\] /),
    )?.[1];
  const first = await asked();
  person.type("n\r");
  const second = await asked();
  person.type("y\r");
  await person.until(/Done\./);
  expect([first, second].toSorted()).toEqual(["a.txt", "b.txt"]);
  const results = JSON.stringify(model.requests[1]?.messages.filter(({ role }) => role === "tool"));
  expect([results.includes(`I am ${first}`), results.includes(`I am ${second}`)]).toEqual([false, true]);
  expect(await person.ended).toBe(0);
});

test("SEC-02: Ctrl-C at an approval stops the turn, and the conversation goes on; Ctrl-D at one is a no", async () => {
  await using model = await startModel(
    shell("echo one > one.txt"),
    "Still here.",
    shell("echo two > two.txt"),
    "Bye.",
  );
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("\u0003");
  await person.until(/TURN_CANCELLED[^]*> $/);
  person.type("and now?\r");
  await person.until(/Still here\.[^]*> $/);
  expect(isWhole(model)).toBe(true);
  person.type("third\r");
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("\u0004");
  expect(await person.ended).toBe(0);
  expect(filesOf(home.dir)).toEqual([]);
});

test("SEC-02: Ctrl-D at one of several approvals of a single message denies them all, and the turn ends", async () => {
  const calls = ["a.txt", "b.txt"].map((name) => ({ name: "file_read", args: { path: name } }));
  await using model = await startModel({ calls }, "Done.");
  using home = tempDir(configOf(model, '[agent]\nautonomy_level = "supervised"'));
  await using person = talk(["agent", "-m", "read both"], { dir: home.dir });
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("\u0004");
  await person.until(/Done\./);
  expect(await person.ended).toBe(3);
});

test("AGT-05: Ctrl-C in a conversation stops the answer and not the program; a spinner shows while the model thinks", async () => {
  const silent = { raw: () => {} };
  await using model = await startModel(silent, "Back again.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  await person.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] thinking/);
  await model.asked(1);
  person.type("\u0003");
  await model.left;
  await person.until(/The answer was stopped\.[^]*> $/);
  person.type("second\r");
  await person.until(/Back again\./);
  await person.until(/> $/);
  person.type("\u0003\u0003");
  expect(await person.ended).toBe(130);
});

test("AGT-05: a signal to end during an answer of a conversation stops both, with 130", async () => {
  await using model = await startModel({ raw: () => {} });
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  await model.asked(1);
  person.signal("SIGTERM");
  await model.left;
  expect(await person.ended).toBe(130);
});

test("AGT-01: a conversation that was suspended with Ctrl-Z goes on when it is brought back", async () => {
  await using model = await startModel("Still here.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("\u001a");
  await expect.poll(() => (person.signal("SIGCONT"), person.screen())).toMatch(/> > $/);
  person.type("hello\r");
  await person.until(/Still here\.[^]*> $/);
  person.type("/exit\r");
  expect(await person.ended).toBe(0);
});

test("AGT-01: --json in a terminal asks in place too, and prints the object alone on stdout", async () => {
  await using model = await startModel(shell("true"), "Ran.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent", "-m", "go", "--json"], { dir: home.dir });
  await person.until(/Allow this once\? \[y\/N\] $/);
  person.type("y\r");
  const object =
    (await person.until(/\{.*\}\r\n/)).split(/[\r\n]/).find((line) => line.startsWith("{")) ?? "";
  expect(JSON.parse(object)).toMatchObject({
    reply: "Ran.",
    tool_calls: [{ tool: "shell", decision: "approved" }],
  });
  expect(person.screen().split("Ran.")).toHaveLength(2);
  expect(await person.ended).toBe(0);
});

test("SEC-09: text of the model cannot move the terminal's cursor or hide what stands there", async () => {
  await using model = await startModel("a\u001b[2Kb\u0007c\u202ed");
  using home = tempDir(configOf(model));
  const { out } = await gantry(["agent", "-m", "go"], { dir: home.dir });
  expect(out).toBe("a\\u001b[2Kb\\u0007c\\u202ed\n");
});

test("AGT-01: signs that scripts and emoji are joined with are printed as they are", async () => {
  await using model = await startModel("می‌خواهم 👨‍👩‍👧 ok");
  using home = tempDir(configOf(model));
  expect((await gantry(["agent", "-m", "go"], { dir: home.dir })).out).toBe("می‌خواهم 👨‍👩‍👧 ok\n");
});

test("AGT-01: who stops reading the answer ends the program quietly", async () => {
  await using model = await startModel("word ".repeat(50_000));
  using home = tempDir(configOf(model));
  const { child, ended } = startGantry(["agent", "-m", "go"], { dir: home.dir });
  child.stdout?.once("data", () => child.stdout?.destroy());
  expect(await ended).toMatchObject({ code: 0, err: "" });
});

test("AGT-01: who reads slowly gets the whole answer", async () => {
  await using model = await startModel("word ".repeat(100_000));
  using home = tempDir(configOf(model));
  const shell = spawn("/bin/sh", ["-c", 'exec "$0" "$1" agent -m go', process.execPath, bin], {
    env: environment({ dir: home.dir }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(shell, "exit");
  await once(shell.stdout, "readable");
  // By then a program that does not wait for its reader has gone.
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000))]);
  let length = 0;
  for await (const piece of shell.stdout) length += (piece as Buffer).length;
  expect([length, await ended]).toEqual([500_001, [0, null]]);
});

test("AGT-01: an answer that cannot be written, as on a full disk, is not taken for one that was", async () => {
  using home = tempDir("");
  for (const words of ["agent -m hi", "status", "config schema"]) {
    const shell = spawnSync("/bin/sh", ["-c", `exec "$0" "$1" ${words} >/dev/full`, process.execPath, bin], {
      env: environment({ dir: home.dir }),
      encoding: "utf8",
    });
    expect([shell.status, shell.stderr]).toEqual([
      1,
      "gantry: The output could not be written: ENOSPC. [FILE_FAILED]\n",
    ]);
  }
});

test("AGT-01: --json has every key of the answer, also where no model is named", async () => {
  using home = tempDir("");
  const { out } = await gantry(["agent", "-m", "hi", "--json"], { dir: home.dir });
  expect(JSON.parse(out)).toMatchObject({ provider: "demo", model: null });
});

test("HST-07: the workspace's own files configure nothing: a .env and a config.toml there are only files", async () => {
  await using model = await startModel("Hi.");
  using home = tempDir(configOf(model));
  writeFileSync(path.join(home.dir, ".env"), "SERVICE_API_KEY=stolen\n");
  await gantry(["agent", "-m", "go"], { dir: home.dir });
  expect(JSON.stringify(model.requests)).not.toContain("stolen");
});

test("CLI-05: whatever a later start loads of Gantry is taken from the cache of compiled code", async () => {
  using home = tempDir();
  const turn = () =>
    gantry(["agent", "-m", "hello"], { dir: home.dir, env: { NODE_DEBUG_NATIVE: "COMPILE_CACHE" } });
  await turn();
  const { out, err } = await turn();
  const said = `${out}\n${err}`;
  const accepted = [...said.matchAll(/cache for \w+ \S*\/(\S+?)(?:-[\w-]{8})?\.js was accepted/g)];
  expect(accepted.map(([, file]) => file)).toEqual(expect.arrayContaining(["host", "sdk", "command-line"]));
  expect(said).not.toMatch(/skip persisting.* not|was rejected/);
});

test("SEC-12: what a command tells of things from outside moves no cursor and wipes no line of a terminal; a pipe gets it as it is", async () => {
  using home = tempDir('extra_plugins = ["./loud.js"]');
  const told = "kept\u001b[1A\u001b[2K\u202egone \u001b[31mred\u001b[39m";
  writeFileSync(
    path.join(home.dir, "loud.js"),
    `import { Commands, definePlugin } from "@gantry/sdk";
export default definePlugin({
  name: "command-loud",
  provides: [Commands],
  setup(host) {
    const run = async ({ out }) => (out(${JSON.stringify(told)}), 0);
    host.provide(Commands, { name: "loud", summary: "Tells.", run });
  },
});
`,
  );
  await using terminal = talk(["loud"], { dir: home.dir });
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen()).toContain("kept\\u001b[1A\\u001b[2K\\u202egone red");
  expect((await gantry(["loud"], { dir: home.dir })).out).toBe(`${told}\n`);
});
