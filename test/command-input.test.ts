import { writeFileSync } from "node:fs";
import path from "node:path";
import { SDK_LEVEL } from "@gantry/sdk";
import { userOfTerminal } from "@gantry/sdk/node";
import { expect, test } from "vitest";
import { gantry, startGantry, tempDir } from "./helpers/cli.ts";

/** A directory whose configuration has a plugin with one command. */
function withCommand(facts: string, run: string, before = "") {
  const home = tempDir('extra_plugins = ["./words.js"]\n');
  const command = `{ name: "words", summary: "Words.", ${facts} async run({ input, out, err, signal, interactive, user }) { ${run} } }`;
  const code = `export default { name: "words", sdk: ${SDK_LEVEL}, summary: "Words.",
    provides: [{ id: "commands", many: true, optional: false }],
    setup(host) { ${before} host.provide({ id: "commands", many: true, optional: false }, ${command}); } };`;
  writeFileSync(path.join(home.dir, "words.js"), code);
  return home;
}

test("SDK-20: a command reads its input as lines, whole characters and the last one among them", async () => {
  using home = withCommand("", "for await (const line of input.lines()) out(`<${line}>`); return 0;");
  const { child, ended } = startGantry(["words"], { ...home, input: null });
  const bytes = Buffer.from("one\r\n\nthrée 🙂\nlast");
  const cut = bytes.indexOf("é") + 1;
  child.stdin?.write(bytes.subarray(0, cut));
  // The half of a character was read with the line before it.
  child.stdout?.once("data", () => child.stdin?.end(bytes.subarray(cut)));
  expect(await ended).toMatchObject({ code: 0, out: "<one>\n<>\n<thrée 🙂>\n<last>\n", err: "" });
});

test("SDK-20: a command reads its input as the bytes that came", async () => {
  const read = "const all = []; for await (const piece of input.bytes()) all.push(piece);";
  using home = withCommand("", `${read} out(Buffer.concat(all).toString("hex")); return 0;`);
  expect((await gantry(["words"], { ...home, input: "\u0000\nß" })).out).toBe("000ac39f\n");
});

test("SDK-20: a line of the input that is too long ends the command with a code", async () => {
  const read = "for await (const line of input.lines({ maxLength: 8 })) out(line);";
  using home = withCommand("", `${read} return 0;`);
  for (const input of ["12345678\n123456789\n", "12345678\n123456789"])
    expect(await gantry(["words"], { ...home, input })).toMatchObject({
      code: 2,
      out: "12345678\n",
      err: expect.stringContaining("longer than 8 characters"),
    });
});

test("SDK-20: a command that waits for input ends with its signal", async () => {
  const wait = 'err("waits"); for await (const line of input.lines()) out(line);';
  using home = withCommand("", `${wait} out(String(signal.aborted)); return 0;`);
  const { child, ended } = startGantry(["words"], { ...home, input: null });
  child.stderr?.once("data", () => child.kill("SIGTERM"));
  expect(await ended).toMatchObject({ code: 0, out: "true\n" });
});

test("SDK-20: stdout of a command that owns it holds its lines alone, as they are", async () => {
  const print = 'console.log("printed"); process.stdout.write("written\\n"); out("\u001b[2Jown");';
  using home = withCommand("ownsStdout: true,", `${print} return interactive ? 1 : 0;`);
  const { code, out, err } = await gantry(["words"], home);
  expect([code, out]).toEqual([0, "\u001b[2Jown\n"]);
  expect(err).toBe("printed\nwritten\n");
});

test("SDK-20: a plugin that prints while it starts prints into no command's answer", async () => {
  using home = withCommand("", 'out("{}"); return 0;', 'console.log("hello from setup");');
  for (const words of [["words"], ["tools", "list", "--json"]]) {
    const { out, err } = await gantry(words, home);
    expect([JSON.parse(out), err]).toEqual([expect.anything(), "hello from setup\n"]);
  }
});

test("SDK-14: a command knows whoever sits at the terminal, as the audit names them", async () => {
  using home = withCommand("", "out(user); return 0;");
  expect((await gantry(["words"], home)).out).toBe(`${userOfTerminal()}\n`);
});
