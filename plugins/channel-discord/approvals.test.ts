import { ask, Channels, definePlugin, defineTool, Tools, verbatimParts } from "@gantry/sdk";
import { askingTool, fakeProvider, memoryStore, type AskingTool } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import type { Params } from "./discord-limits.test-kit.ts";
import {
  hall,
  inGuild,
  member,
  owner,
  startDiscord,
  stranger,
  thread,
  type TestDiscord,
} from "./discord.test-kit.ts";
import { shownText } from "./shown-text.test-kit.ts";

const risky = (): AskingTool => askingTool("It is **risky**.");

interface Asked extends AsyncDisposable {
  readonly t: TestDiscord;
  /** How often the tool ran. */
  runs(): number;
  readonly question: Params;
  /** What the presser is told. */
  press(button: string, from?: Params, at?: Params): Promise<string>;
}

/** The owner asked for something in a server, and the question is there. */
async function askedInServer(timeouts: { readonly approval?: number } = {}): Promise<Asked> {
  const tool = risky();
  const model = fakeProvider([{ calls: [{ name: tool.toolName, args: {} }] }, "done"]);
  const t = await startDiscord({
    plugins: [memoryStore(), model, tool.plugin],
    table: { groups: "all" },
    timeouts,
  });
  t.say("do it", inGuild);
  const [question = {}] = await t.api.sent(1);
  const buttons: readonly Params[] = question["components"].flatMap((row: Params) => row["components"]);
  return {
    t,
    runs: () => tool.runs(),
    question,
    async press(button, user = owner, at = {}) {
      const count = t.api.notices.length;
      const custom_id = buttons.find(({ label }) => label === button)?.["custom_id"] ?? button;
      t.api.press({
        channel_id: hall,
        ...inGuildId,
        member: { user },
        message: { id: question["id"] },
        data: { custom_id, component_type: 2 },
        ...at,
      });
      await t.api.until(() => t.api.notices.length > count);
      return t.api.notices.at(-1) as string;
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

const inGuildId = { guild_id: inGuild.guild };
const edits = /^PATCH \/channels\/\d+\/messages\/\d+$/;

/** The id of its question, as people write it. */
function idOf({ question }: Asked): string {
  return /"custom_id":"a:([0-9a-f]{6})/.exec(JSON.stringify(question))?.[1] ?? "";
}

test("DC-13: the question has buttons; the owner's press is taken before any work, lets the tool run, and the buttons go", async () => {
  await using asked = await askedInServer();
  const { t } = asked;
  expect(asked.question["content"]).toContain("It is \\*\\*risky\\*\\*.");
  expect(asked.question["message_reference"]).toMatchObject({ fail_if_not_exists: false });
  expect(await asked.press("Allow")).toBe("Allowed.");
  expect((await t.api.sent(2))[1]?.["content"]).toBe("done");
  await t.api.until(() => t.api.of(edits).length === 1);
  expect(t.api.of(edits)[0]?.body).toMatchObject({
    content: expect.stringMatching(/✔ Allowed\.$/),
    components: [],
    allowed_mentions: { parse: [] },
  });
  const taken = t.api.calls.findIndex(({ what }) => what.startsWith("POST /interactions/"));
  expect(t.api.calls[taken]?.body).toEqual({ type: 6 });
  const told = t.api.calls.findIndex(({ what }) => what.startsWith("POST /webhooks/"));
  expect(taken).toBeLessThan(told);
  expect(t.api.calls[told]?.body).toMatchObject({ flags: 64, content: "Allowed." });
  expect(asked.runs()).toBe(1);
});

test("SDK-21: a question that the host edits loses its buttons and keeps its signs", async () => {
  await using asked = await askedInServer();
  const { t, question } = asked;
  const words = verbatimParts("It was **risky**.");
  const edited = { to: { channel: hall }, id: String(question["id"]), parts: words };
  const sent = await t.host.slot(Channels).get("discord")?.edit?.(edited, AbortSignal.timeout(10_000));
  expect(sent).toMatchObject({ status: "sent" });
  expect(t.api.of(edits)[0]?.body).toMatchObject({
    content: "It was \\*\\*risky\\*\\*.",
    components: [],
  });
  await asked.press("Deny");
});

test("DC-13: a no by button runs nothing and says so in the question", async () => {
  await using asked = await askedInServer();
  expect(await asked.press("Deny")).toBe("Denied.");
  await asked.t.api.sent(2);
  await asked.t.api.until(() => asked.t.api.of(edits).length === 1);
  expect(asked.t.api.of(edits)[0]?.body["content"]).toMatch(/✘ Denied\.$/);
  expect(asked.runs()).toBe(0);
});

test("CC-14: a press of a stranger, of a member, in another place, of a forged button or a second time runs nothing, and each is told", async () => {
  await using asked = await askedInServer();
  expect(await asked.press("Allow", stranger)).toContain("Only an owner");
  expect(await asked.press("Allow", member)).toContain("Only an owner");
  expect(await asked.press("Allow", owner, { channel_id: thread })).toContain("Only an owner");
  expect(await asked.press("a:0000000000000000:allow")).toContain("no longer open");
  expect(await asked.press("drop table")).toContain("does nothing");
  expect(asked.runs()).toBe(0);
  await asked.press("Deny");
  expect(await asked.press("Allow")).toContain("decided already");
  await asked.t.api.sent(2);
  expect(asked.runs()).toBe(0);
});

test("DC-13: CC-14: the owner may decide in words too, and the buttons go then", async () => {
  await using asked = await askedInServer();
  const { t } = asked;
  t.say(`allow ${idOf(asked)}`, inGuild);
  expect((await t.api.sent(2))[1]?.["content"]).toBe("done");
  await t.api.until(() => t.api.of(edits).length === 1);
  expect(t.api.of(edits)[0]?.body["content"]).toMatch(/✔ Allowed\.$/);
  expect(asked.runs()).toBe(1);
});

test("DC-13: a press while the inbox takes no message is answered all the same", async () => {
  await using asked = await askedInServer();
  const { t } = asked;
  // The model waits for the person, so what comes now waits behind it.
  for (let i = 0; i < 20; i += 1) t.say(`more ${i}`, { ...inGuild, author: member });
  expect(await asked.press("Allow")).toBe("Allowed.");
});

test("SEC-19: DC-17: a question that escapes make too long is cut where it says so, and no mark in it is read", async () => {
  const command = `${"||*a*|| ".repeat(300)}\nrm -rf keep`;
  const tool = defineTool({
    name: "shell",
    description: "Runs.",
    input: Type.Object({ command: Type.String() }),
    preview: (args) => args.command,
    run: async () => "ran",
  });
  const asks = definePlugin({
    name: "tool-shown",
    provides: [Tools],
    taps: ["beforeToolCall"],
    setup(host) {
      host.provide(Tools, tool);
      host.hooks.beforeToolCall.tap(() => ask({ code: "ASKING", message: "It asks." }));
    },
  });
  const model = fakeProvider([{ calls: [{ name: "shell", args: { command } }] }, "done"]);
  await using t = await startDiscord({ plugins: [memoryStore(), model, asks] });
  t.say("do it");
  const [{ content } = {}] = await t.api.sent(1);
  const shown = shownText(content);
  expect(shown).toMatch(/^May shell run this\? \(2 lines\)\n\| (?:\|\|\*a\*\|\| )+/);
  expect(shown).toMatch(/\n… cut here: "show [0-9a-f]{6}" shows all 2 lines\.\nIt asks\.$/);
});

test("FLR-29: the owner's bare yes in a server decides nothing; the button does", async () => {
  await using asked = await askedInServer();
  const { t } = asked;
  t.say("yes", inGuild);
  expect((await t.api.sent(2))[1]?.["content"]).toContain(`allow ${idOf(asked)}`);
  expect(asked.runs()).toBe(0);
  expect(await asked.press("Allow")).toBe("Allowed.");
  await t.api.sent(3);
  expect(asked.runs()).toBe(1);
});
