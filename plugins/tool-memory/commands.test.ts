import { Commands, type CommandContext } from "@gantry/sdk";
import { userOfTerminal } from "@gantry/sdk/node";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";

async function start() {
  const t = await startTestHost({ plugins: [plugin, store] });
  const run = async (name: string, args: readonly string[] = [], options: CommandContext["options"] = {}) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await t
      .slot(Commands)
      .get(`memory ${name}`)
      ?.run({
        args,
        options,
        out: (line) => void out.push(line),
        err: (line) => void err.push(line),
        interactive: false,
        signal: AbortSignal.timeout(60_000),
        serve: async () => 1,
      });
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  const remember = (text: string, user = userOfTerminal()) =>
    t.call("memory_store", { text }, { user, approvals: "yes" });
  return Object.assign(t, { run, remember });
}

const day = new Date().toISOString().slice(0, 10);

test("AGT-06: memory list and show print what is remembered of whoever sits there, safe for a terminal", async () => {
  await using t = await start();
  expect(await t.run("list")).toEqual({
    code: 0,
    out: "",
    err: `Nothing is remembered of ${userOfTerminal()}.`,
  });
  await t.remember("Anna likes tea.");
  await t.remember("two\nlines \u001b[2Jand \u202emore");
  await t.remember("of somebody else", "telegram:42");
  expect((await t.run("list")).out).toBe(`2  ${day}  two lines and more\n1  ${day}  Anna likes tea.`);
  expect((await t.run("show", ["2"])).out).toBe("two\nlines and more");
  expect((await t.run("list", [], { user: "telegram:42" })).out).toContain("of somebody else");
});

test("AGT-06: memory edit and forget change that person's memories alone", async () => {
  await using t = await start();
  await t.remember("Anna likes tea.");
  await t.remember("of somebody else", "telegram:42");
  const edited = JSON.parse((await t.run("edit", ["1", "Anna likes coffee."], { json: true })).out);
  expect(edited).toMatchObject({ text: "Anna likes coffee.", replaces: "1" });
  expect((await t.run("list")).out).toBe(`${edited.id}  ${day}  Anna likes coffee.`);
  expect((await t.run("forget", [edited.id])).err).toBe(`Forgot ${edited.id}.`);
  expect((await t.run("list")).out).toBe("");
  expect((await t.run("list", [], { user: "telegram:42", json: true })).out).toContain("of somebody else");
});

test("AGT-06: memory list, show and export answer with JSON", async () => {
  await using t = await start();
  await t.remember("Anna likes tea.");
  const entry = { id: "1", text: "Anna likes tea.", created: expect.stringContaining(day) };
  expect(JSON.parse((await t.run("list", [], { json: true })).out)).toEqual({ memories: [entry] });
  expect(JSON.parse((await t.run("show", ["1"], { json: true })).out)).toEqual(entry);
  expect(JSON.parse((await t.run("export")).out)).toEqual({ user: userOfTerminal(), memories: [entry] });
});

test("AGT-06: an unknown memory, an empty text and what is no user are said with the cure", async () => {
  await using t = await start();
  await t.remember("Anna likes tea.");
  await expect(t.run("show", ["7"])).rejects.toMatchObject({ code: "MEMORY_UNLISTED" });
  await expect(t.run("forget", ["7"])).rejects.toMatchObject({ code: "MEMORY_UNLISTED" });
  await expect(t.run("edit", ["1", " "])).rejects.toMatchObject({ code: "MEMORY_TEXT" });
  await expect(t.run("list", [], { user: "nobody" })).rejects.toMatchObject({ code: "MEMORY_USER" });
});
