import {
  ask,
  Approvals,
  directMessage,
  Inbox,
  type ApprovalRequest,
  type Plugin,
  type Role,
} from "@gantry/sdk";
import {
  fakeChannel,
  fakeNet,
  fakeProvider,
  memoryStore,
  startTestHost,
  type FakeChannel,
} from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import chatapp from "../plugins/channel-chatapp/index.ts";
import discord from "../plugins/channel-discord/index.ts";
import email from "../plugins/channel-email/index.ts";
import slack from "../plugins/channel-slack/index.ts";
import telegram from "../plugins/channel-telegram/index.ts";
import { startGateway, type TestGateway } from "../plugins/gateway-http/gateway.test-kit.ts";
import slashWords from "../plugins/slash-words/index.ts";
import { gantry, tempDir } from "./helpers/cli.ts";
import { guard, tool } from "./helpers/plugins.ts";

const asking = guard("asking", () => ask({ code: "MAYBE", message: "This changes something." }));

const ringing = { calls: [{ name: "ring", args: {} }] };

interface Doors extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly chat: FakeChannel;
  readonly ran: string[];
  /** The question that is open. */
  question(): Promise<ApprovalRequest>;
  /** Returns the outcomes of the approvals in the audit. */
  approvals(): readonly string[];
}

/** A gateway and a channel of which alice is the owner; the model calls a tool that asks. */
async function doors(people: object = {}, owners: readonly string[] = ["alice"]): Promise<Doors> {
  const ran: string[] = [];
  const chat = fakeChannel("fake", { owners });
  const ring = tool("ring", async ({ user }) => String(ran.push(user)));
  const model = fakeProvider([({ messages: m }) => (m.at(-1)?.role === "tool" ? "done" : ringing)]);
  const plugins = [asking, ring, chat, memoryStore(), model, slashWords];
  const gateway = await startGateway({ plugins, config: { people } });
  return {
    gateway,
    chat,
    ran,
    question: () =>
      vi.waitFor(
        async () => {
          const [open] = await gateway.host.slot(Approvals).pending();
          expect(open).toBeDefined();
          return open as ApprovalRequest;
        },
        { timeout: 30_000 },
      ),
    approvals: () =>
      Map.groupBy(gateway.host.audit, ({ event_type: type }) => type)
        .get("approval")
        ?.map(({ result }) => result) ?? [],
    async [Symbol.asyncDispose]() {
      const approvals = gateway.host.slot(Approvals);
      for (const { id, user, session } of await approvals.pending())
        await approvals.decide(id, "deny", { user, conversation: session, trust: "owner" });
      await gateway.stop();
    },
  };
}

const ada = (role: Role = "owner") => ({ ada: { role, fake: ["alice"], devices: ["phone"] } });

async function device(t: Doors, name: string, may = "talk,decide") {
  const { out } = await t.gateway.word("pair token", [name], { may, json: true });
  return JSON.parse(out) as { readonly token: string; readonly device_id: string };
}

function decide(t: Doors, token: string, id: string, decision = "allow") {
  return t.gateway.ask(`/api/approvals/${id}`, { token, body: { decision } });
}

async function seenBy(t: Doors, token: string): Promise<number> {
  return (await t.gateway.ask("/api/approvals", { token })).json.approvals.length;
}

test("SDK-21: an owner decides on a device, in their name, what a channel asked", async () => {
  await using t = await doors(ada());
  const phone = await device(t, "phone");
  await t.chat.receive({ text: "ring" });
  const { id } = await t.question();
  expect(await seenBy(t, phone.token)).toBe(1);
  expect((await decide(t, phone.token, id)).status).toBe(200);
  await expect.poll(() => t.ran).toEqual(["fake:alice"]);
  expect(t.approvals()).toEqual([`allow by http:${phone.device_id} (ada)`]);
});

test("SDK-21: an owner decides in a channel, by its id, what a device asked", async () => {
  await using t = await doors(ada());
  const { token } = await device(t, "phone", "talk");
  const body = { message: "ring", stream: true };
  const stream = t.gateway.ask("/api/chat", { token, body });
  const { id, person } = await t.question();
  expect(person).toBe("ada");
  await t.chat.receive({ text: "/approve" });
  await t.chat.sentCount(1);
  expect(t.chat.sent[0]?.text).toContain(`/approve ${id.slice(0, 6)}`);
  await t.chat.receive({ text: `allow ${id.slice(0, 6)}` });
  expect((await stream).text).toContain('"decision":"approved"');
  expect(t.approvals()).toEqual(["allow by fake:alice (ada)"]);
});

test("SDK-21: a bare yes in a channel decides nothing that a device asked", async () => {
  await using t = await doors(ada());
  const phone = await device(t, "phone");
  const body = { message: "ring", stream: true };
  const stream = t.gateway.ask("/api/chat", { token: phone.token, body });
  const { id } = await t.question();
  await t.chat.receive({ text: "yes" });
  // It was talk, so its turn asks a question of its own.
  await t.chat.sentCount(1);
  expect(t.ran).toEqual([]);
  const { json } = await t.gateway.ask("/api/approvals", { token: phone.token });
  expect(json.approvals[0]).toMatchObject({ id, device: phone.device_id });
  for (const open of json.approvals) await decide(t, phone.token, open.id, "deny");
  expect((await stream).text).toContain('"decision":"refused"');
});

const bob = { role: "owner", devices: ["laptop"] };

test.each([
  ["a device of nobody", ada(), "tablet"],
  ["a device if there is no table", {}, "phone"],
  ["a device of another owner", { ...ada(), bob }, "laptop"],
])("SDK-21: what a channel asked is not for %s", async (_, people, name) => {
  await using t = await doors(people);
  const { token } = await device(t, name);
  await t.chat.receive({ text: "ring" });
  const { id } = await t.question();
  expect(await seenBy(t, token)).toBe(0);
  expect((await decide(t, token, id)).status).toBe(404);
  expect(t.ran).toEqual([]);
});

test("SDK-21: another device of the same name is nobody's by it", async () => {
  await using t = await doors(ada());
  await device(t, "phone");
  const second = await device(t, "phone");
  await t.chat.receive({ text: "ring" });
  await t.question();
  expect(await seenBy(t, second.token)).toBe(0);
});

test("SDK-21: a device that names itself as another's id is nobody's by it", async () => {
  const id = "d0123456789ab";
  const people = { ada: { role: "owner", fake: ["alice"], devices: [id] } };
  await using t = await doors(people);
  const { token } = await device(t, id);
  await t.chat.receive({ text: "ring" });
  await t.question();
  expect(await seenBy(t, token)).toBe(0);
});

test("SDK-21: a member's device decides and manages nothing, whatever its token says", async () => {
  await using t = await doors(ada("member"));
  const { token } = await device(t, "phone", "talk,read,decide,manage");
  expect((await t.gateway.ask("/api/approvals", { token })).json.error.code).toBe("SCOPE_MISSING");
  expect((await t.gateway.ask("/api/openapi.json", { token })).status).toBe(200);
});

test("SDK-21: a member of [people] is no owner, whatever a channel says of them", async () => {
  await using t = await doors(ada("member"));
  await t.chat.receive({ text: "ring" });
  await t.chat.sentCount(1);
  expect(t.ran).toEqual([]);
  const refused = t.gateway.host.audit.find(({ event_type }) => event_type === "security_refusal");
  expect(refused?.result).toBe("refused: APPROVAL_NO_PERSON");
  await t.chat.receive({ text: "/model other" });
  await t.chat.sentCount(2);
  expect(t.chat.sent[1]?.text).toContain("no command /model for you");
});

test("SDK-21: an owner of [people] is none where the channel does not prove it", async () => {
  await using t = await doors(ada(), []);
  const phone = await device(t, "phone");
  const body = { message: "ring", stream: true };
  const stream = t.gateway.ask("/api/chat", { token: phone.token, body });
  const { id } = await t.question();
  await t.chat.receive({ text: `allow ${id.slice(0, 6)}` });
  await t.chat.sentCount(1);
  expect(t.ran).toEqual([]);
  await decide(t, phone.token, id, "deny");
  await stream;
});

test.each<[string, object, string]>([
  ["an unknown key", { ada: { role: "owner", fke: ["a"] } }, "did you mean `people.ada.fake`?"],
  ["a misspelt own key", { ada: { role: "owner", device: ["a"] } }, "did you mean `people.ada.dev"],
  ["no role", { ada: { fake: ["a"] } }, "misses `role`"],
  ["a role that is none", { ada: { role: "boss" } }, "must be `owner` or `member`"],
  ["one id for a list", { ada: { role: "owner", fake: "a" } }, "must be a list"],
  ["everybody", { ada: { role: "owner", fake: ["*"] } }, "is not an id of fake"],
  ["a name with a blank", { "ada b": { role: "owner" } }, "must have a name of"],
])("SDK-21: [people] with %s stops the start", async (_, people, words) => {
  const plugins = [fakeChannel("fake"), memoryStore(), fakeProvider(["ok"])];
  await expect(startTestHost({ plugins, config: { people } })).rejects.toThrow(words);
});

test("SDK-21: two people who claim one id stop the start, and both are named", async () => {
  const people = { ada: { role: "owner", fake: ["x"] }, bob: { role: "member", fake: ["x"] } };
  const plugins = [fakeChannel("fake"), memoryStore(), fakeProvider(["ok"])];
  await expect(startTestHost({ plugins, config: { people } })).rejects.toMatchObject({
    code: "PEOPLE_TWICE",
    message: expect.stringContaining("both [people.ada] and [people.bob]"),
  });
});

test("SDK-21: a channel that is bundled and not loaded may stand in [people]", async () => {
  using home = tempDir('[people.ada]\nrole = "owner"\ntelegram = [42]\n');
  const { code, err } = await gantry(["agent", "-m", "hi"], { dir: home.dir });
  expect(err).not.toContain("people");
  expect(code).toBe(0);
});

test("SDK-21: config set writes who somebody is, and tells the nearest channel", async () => {
  using home = tempDir("");
  const run = { dir: home.dir };
  expect((await gantry(["config", "set", "people.ada.role", "owner"], run)).code).toBe(0);
  expect((await gantry(["config", "set", "people.ada.telegram", "[42]"], run)).code).toBe(0);
  expect((await gantry(["config", "get", "people.ada.telegram"], run)).out).toContain("42");
  const wrong = await gantry(["config", "set", "people.ada.telegrm", "[42]"], run);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("`people.ada.telegram`")]);
});

const snowflake = "1".repeat(18);
const channels: readonly [string, Plugin, object, string | number, string, string][] = [
  ["telegram", telegram, { channels: { telegram: { bot_token: "1:x" } } }, 42, "42", "@ada"],
  ["discord", discord, { channels: { discord: { bot_token: "x" } } }, snowflake, snowflake, "ada"],
  [
    "slack",
    slack,
    { channels: { slack: { bot_token: "xoxb-1", app_token: "xapp-1" } } },
    "U0123",
    "U0123",
    "ada",
  ],
  [
    "email",
    email,
    {
      channels: {
        email: { address: "a@b.test", password: "x", imap_host: "h.test", smtp_host: "h.test" },
      },
    },
    "Ada@Example.test",
    "ada@example.test",
    "@example.test",
  ],
  [
    "chatapp",
    chatapp,
    {
      channels_config: {
        chatapp: { access_token: "x", phone_number_id: "1", verify_token: "x" },
      },
    },
    "+4917",
    "+4917",
    "4917",
  ],
];

test.each(channels)(
  "SDK-21: whom [people] names is let in on %s, and a stranger is not",
  async (name, plugin, config, written, id) => {
    const people = { ada: { role: "member", [name]: [written] } };
    const plugins = [memoryStore(), fakeNet(), fakeProvider(["ok"]), plugin];
    await using host = await startTestHost({ plugins, config: { ...config, people } });
    const from = async (sender: string) => {
      const said = { channel: name, id: `m-${sender}`, text: "hi", trust: "guest" as const };
      return host.slot(Inbox).receive([directMessage({ ...said, from: sender })]);
    };
    expect(await from(id)).toEqual(["accepted"]);
    expect(await from(`${id}9`)).toEqual(["refused"]);
  },
);

test.each(channels)(
  "SDK-21: what can be no id of %s is not taken for one",
  async (name, plugin, config, _, __, wrong) => {
    const people = { ada: { role: "member", [name]: [wrong] } };
    const plugins = [memoryStore(), fakeNet(), fakeProvider(["ok"]), plugin];
    await expect(startTestHost({ plugins, config: { ...config, people } })).rejects.toThrow(
      `holds \`${wrong}\`, which is not an id of ${name}`,
    );
  },
);
