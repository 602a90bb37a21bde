import { definePlugin, defineTool, Media, Store, Tools } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "./gateway.test-kit.ts";

const bytes = Buffer.from("<svg onload=alert(1)>");

/** A tool that hands these bytes over as what is asked for. */
const hands = definePlugin({
  name: "tool-hands",
  needs: { media: Media },
  provides: [Tools],
  setup(host) {
    const hand = defineTool({
      name: "hand",
      description: "Hands something over.",
      input: Type.Object({ mime: Type.String() }),
      async run({ args: { mime } }) {
        const facts = { mime, name: "plan (1).svg", alt: "The plan" };
        const media = await host.needs.media.put(bytes, facts);
        return { parts: [{ type: "media", media, forPerson: true }], failed: false };
      },
    });
    host.provide(Tools, hand);
  },
});

function start(mime: string = "image/png"): Promise<TestGateway> {
  const model = fakeProvider([{ calls: [{ name: "hand", args: { mime } }] }, "Here."]);
  return startGateway({ plugins: [memoryStore(), model, hands] });
}

async function pairFor(gateway: TestGateway, may: string) {
  const code = (await gateway.word("pair new", [], { may })).out.trim();
  return (await gateway.ask("/pair", { body: { code } })).json as { token: string; device_id: string };
}

async function handedOver(gateway: TestGateway, token: string) {
  const { json } = await gateway.ask("/api/chat", { token, body: { message: "show", session_id: "s" } });
  return json.files[0];
}

test("FLR-19: /api/chat names what was handed over, with an address that gives its bytes", async () => {
  await using gateway = await start();
  const { token } = await gateway.pair();
  const file = await handedOver(gateway, token);
  const facts = { mime: "image/png", bytes: bytes.length, name: "plan (1).svg", alt: "The plan" };
  expect(file).toEqual({ ...facts, id: expect.any(String), url: `/api/media/${file.id}?session=s` });
  const got = await gateway.ask(file.url, { token });
  expect([got.status, got.text, got.headers["content-type"]]).toEqual([200, String(bytes), "image/png"]);
});

test("FLR-19: the stream of /api/chat names it when it is handed over and with the answer", async () => {
  await using gateway = await start();
  const { token } = await gateway.pair();
  const body = { message: "show", session_id: "s", stream: true };
  const { text } = await gateway.ask("/api/chat", { token, body });
  const named = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].flatMap(([, event, data = ""]) =>
    JSON.parse(data).files ? [event] : [],
  );
  expect(named).toEqual(["tool_result", "done"]);
});

test("FLR-19: a file's address gives nothing to a token that may not read its session", async () => {
  await using gateway = await start();
  const { token } = await gateway.pair();
  const { url } = await handedOver(gateway, token);
  const other = await pairFor(gateway, "talk");
  const got = await gateway.ask(url, { token: other.token });
  expect([got.status, got.json.error.code]).toEqual([404, "GATEWAY_MEDIA_UNKNOWN"]);
  expect((await gateway.ask(url)).status).toBe(401);
});

test("FLR-19: a session that is shared, or a token that reads every session, gets the file", async () => {
  await using gateway = await start();
  const { token } = await gateway.pair();
  const { url } = await handedOver(gateway, token);
  const reader = await pairFor(gateway, "talk,read");
  expect((await gateway.ask(url, { token: reader.token })).status).toBe(200);
  const other = await pairFor(gateway, "talk");
  await gateway.host.slot(Store).sessions.share("s", `http:${other.device_id}`);
  expect((await gateway.ask(url, { token: other.token })).status).toBe(200);
});

test("FLR-19: a file of another session is not there, whatever its id", async () => {
  await using gateway = await start();
  const { token } = await gateway.pair();
  const { id } = await handedOver(gateway, token);
  await gateway.ask("/api/chat", { token, body: { message: "hi", session_id: "t" } });
  for (const url of [`/api/media/${id}?session=none`, `/api/media/${"0".repeat(64)}?session=s`])
    expect((await gateway.ask(url, { token })).status).toBe(404);
});

test("FLR-19: what could run in a browser is saved, never shown", async () => {
  await using gateway = await start("image/svg+xml");
  const { token } = await gateway.pair();
  const { headers } = await gateway.ask((await handedOver(gateway, token)).url, { token });
  expect(headers["content-disposition"]).toBe("attachment; filename*=UTF-8''plan%20%281%29.svg");
  expect(headers["content-security-policy"]).toContain("sandbox");
});
