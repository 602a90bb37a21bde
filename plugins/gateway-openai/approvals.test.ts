import { Approvals, ask } from "@gantry/sdk";
import { expect, test } from "vitest";
import { guard, tool } from "../../test/helpers/plugins.ts";
import { another, start, type OpenAIGateway } from "./openai.test-kit.ts";

const ring = { calls: [{ name: "ring", args: {} }] };
const wait = { "X-Gantry-Approvals": "wait" };

interface Door {
  readonly path: string;
  readonly body: object;
  /** Returns the text of a whole answer. */
  text(json: any): string;
}

const doors: readonly (readonly [string, Door])[] = [
  [
    "a chat completion",
    {
      path: "/v1/chat/completions",
      body: { model: "gantry", messages: [{ role: "user", content: "ring" }] },
      text: (json) => json.choices[0].message.content,
    },
  ],
  [
    "a response",
    {
      path: "/v1/responses",
      body: { model: "gantry", input: "ring" },
      text: (json) => json.output[0].content[0].text,
    },
  ],
];

/** Starts a gateway whose model rings a bell that a person must allow; `rang` counts. */
async function ringing(): Promise<OpenAIGateway & { readonly rang: string[] }> {
  const rang: string[] = [];
  const asking = guard("asking", ({ tool: name }) =>
    name === "ring" ? ask({ code: "LOUD", message: "Bells are loud." }) : undefined,
  );
  const bell = tool("ring", async () => String(rang.push("ring")));
  const gateway = await start([ring, "Done.", ring, "Done."], {}, [asking, bell]);
  return Object.assign(gateway, { rang });
}

/** Decides the one question, by another device than the one that asked. */
async function decide(gateway: OpenAIGateway, decision: string): Promise<void> {
  const { token } = await another(gateway);
  const open = () => gateway.host.slot(Approvals).pending();
  await expect.poll(open).toHaveLength(1);
  const [question] = await open();
  const answer = await gateway.ask(`/api/approvals/${question?.id}`, { body: { decision }, token });
  expect(answer.status).toBe(200);
}

test.each(doors)(
  "OAI-09: %s asks nobody by default, and the model is told of the header",
  async (_, door) => {
    await using gateway = await ringing();
    const { json } = await gateway.ask(door.path, { body: door.body, token: gateway.token });
    expect([door.text(json), gateway.rang]).toEqual(["Done.", []]);
    const told = JSON.stringify(gateway.model.requests[1]?.messages.at(-1)?.parts);
    expect(told).toContain("X-Gantry-Approvals: wait");
  },
);

test.each(doors)("OAI-09: %s waits, if its header says so, for a yes elsewhere", async (_, door) => {
  await using gateway = await ringing();
  const { path, body } = door;
  const waiting = gateway.ask(path, { body, token: gateway.token, headers: wait });
  await decide(gateway, "allow");
  expect([door.text((await waiting).json), gateway.rang]).toEqual(["Done.", ["ring"]]);
});

test.each(doors)(
  "OAI-09: the stream of %s has a comment while it waits, and ends after a no",
  async (_, door) => {
    await using gateway = await ringing();
    const body = { ...door.body, stream: true };
    const asked = { body, token: gateway.token, headers: wait };
    const waiting = gateway.ask(door.path, asked);
    await decide(gateway, "deny");
    const { text } = await waiting;
    expect(text).toMatch(/^: waits for a person, \S+\n\n/m);
    expect(text).toContain("Done.");
    expect(gateway.rang).toEqual([]);
  },
);

test.each(doors)("OAI-09: %s with another value of the header is 400", async (_, door) => {
  await using gateway = await ringing();
  const headers = { "X-Gantry-Approvals": "yes" };
  const { path, body } = door;
  const { status, json } = await gateway.ask(path, { body, token: gateway.token, headers });
  expect([status, json.error.param]).toEqual([400, "X-Gantry-Approvals"]);
  expect(gateway.model.requests).toEqual([]);
});

test("OAI-09: POST /api/chat waits by the same header, and refuses another value with 400", async () => {
  await using gateway = await ringing();
  const asked = { body: { message: "ring" }, token: gateway.token };
  const refused = await gateway.ask("/api/chat", { ...asked, headers: { "X-Gantry-Approvals": "yes" } });
  expect([refused.status, refused.json.error.code]).toEqual([400, "GATEWAY_WAITS"]);
  expect(gateway.model.requests).toEqual([]);
  const waiting = gateway.ask("/api/chat", { ...asked, headers: wait });
  await decide(gateway, "allow");
  expect([(await waiting).json.reply, gateway.rang]).toEqual(["Done.", ["ring"]]);
});

test("OAI-09: POST /api/chat without the header asks nobody", async () => {
  await using gateway = await ringing();
  const { json } = await gateway.ask("/api/chat", { body: { message: "ring" }, token: gateway.token });
  expect([json.reply, gateway.rang]).toEqual(["Done.", []]);
});
