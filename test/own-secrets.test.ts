import { definePlugin, type Plugin, type TurnEvent } from "@gantry/sdk";
import { isSecret, masked } from "@gantry/sdk/fill";
import { createMemoryStore, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { assert, asyncProperty, integer } from "fast-check";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { ownSecrets } from "../host/record/own-secrets.ts";
import { redactor, tool } from "./helpers/plugins.ts";

const reads = definePlugin({
  name: "reads-key",
  table: "",
  config: Type.Object({ api_key: Type.String(), server: Type.Optional(Type.String()) }),
  setup() {},
});

/** A model that says the text in pieces of so many units. */
function inPieces(text: string, size: number): Plugin {
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return definePlugin({
    name: "provider-pieces",
    taps: ["resolveProvider"],
    setup: (host) =>
      host.hooks.resolveProvider.tap(() => ({
        name: "pieces",
        capabilities: { nativeToolCalling: true, vision: false, streaming: true },
        async *chat() {
          for (const piece of pieces) yield { type: "text", text: piece } as const;
          yield { type: "stop", reason: "EndTurn" } as const;
        },
      })),
  });
}

test("SEC-09: an own secret is removed as it is, and as addresses and forms hold it, in either case of the hex digits", async () => {
  const key = "p@ss/w0rd!+ü=99";
  const inUrl = encodeURIComponent(key);
  const inForm = new URLSearchParams({ key }).toString().slice(4);
  const forms = [key, inUrl, inUrl.toLowerCase().replace("p%40", "p%40"), inForm];
  expect(new Set(forms).size).toBe(4);
  const config = { api_key: key, server: "http://me:gehe%21m-1234@host/" };
  const said = [...forms, "gehe%21m-1234", "gehe!m-1234"].map((form) => `see ${form} there`);
  await using t = await startTestHost({ plugins: [fakeProvider([said.join(" ")]), reads], config });
  const { reply } = await t.ask("go");
  expect(reply).toBe(said.map(() => "see [redacted secret] there").join(" "));
});

test("SEC-09: an own secret goes neither to the model nor into the session, whoever says it", async () => {
  const key = "sk-0123456789abcdefghij";
  const tell = tool("tell", async () => `it is ${key}`);
  const model = fakeProvider([
    { text: `I use ${key}`, calls: [{ name: "tell", args: {} }] },
    "done",
    "again",
  ]);
  const store = createMemoryStore();
  const plugins = [reads, tell, model, memoryStore(store)];
  await using t = await startTestHost({ plugins, config: { api_key: key } });
  await t.ask(`mine is ${key}`);
  await t.ask("go on");
  const asked = JSON.stringify(model.requests.map(({ messages }) => messages));
  const kept = JSON.stringify(await store.sessions.recent("test", 9));
  for (const text of [asked, kept]) {
    expect(text).not.toContain(key);
    for (const words of ["mine is", "I use", "it is"]) expect(text).toContain(`${words} [redacted secret]`);
  }
});

test("SEC-09: a secret that is longer than any word is not shown in part, whatever pieces it comes in", async () => {
  const key = Array.from({ length: 150 }, (_, i) => `k${i}`).join("");
  expect(key.length).toBeGreaterThan(256);
  const deltas: string[] = [];
  const config = { api_key: key };
  const model = inPieces(`${key.slice(0, 290)} ${key} end`, 7);
  await using t = await startTestHost({ plugins: [model, reads], config });
  const onEvent = (event: TurnEvent): void => void (event.type === "delta" && deltas.push(event.text));
  await t.ask("go", { onEvent });
  expect(deltas.join("")).toBe(`${key.slice(0, 290)} [redacted secret] end`);
});

test("SEC-09: a stream that is redacted never cuts a sign in two, whatever pieces it comes in", async () => {
  await assert(
    asyncProperty(integer({ min: 1, max: 9 }), integer({ min: 0, max: 3 }), async (size, ahead) => {
      const text = "x".repeat(ahead) + "\u{1F600}".repeat(300);
      await using t = await startTestHost({
        plugins: [inPieces(text, size), redactor(/never said/g)],
        config: { security: { redact_for_owner: true } },
      });
      const shown: string[] = [];
      await t.ask("go", { onEvent: (event) => void (event.type === "delta" && shown.push(event.text)) });
      expect(shown.length).toBeGreaterThan(1);
      expect(shown.filter((piece) => !piece.isWellFormed())).toEqual([]);
      expect(shown.join("")).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test("SEC-09: one rule says what a secret's name is, however it is written", () => {
  const secret = [
    "api_key",
    "API_KEYS",
    "botToken",
    "bot_tokens",
    "PGPASSWORD",
    "passwords",
    "apikey",
    "appSecret",
    "Authorization",
    "Cookie",
  ];
  const plain = [
    "monkey",
    "keyboard",
    "token_url",
    "tokens_per_day",
    "secret_files",
    "model",
    "passwordless",
    "cookies_path",
  ];
  for (const key of secret) expect([key, isSecret(key), isSecret(`a.b.${key}`)]).toEqual([key, true, true]);
  for (const key of plain) expect([key, isSecret(key)]).toEqual([key, false]);
  expect(masked("channels.x", { bot_tokens: ["a", ""], url: "http://u:p@h/?q" })).toEqual({
    bot_tokens: ["********", ""],
    url: "http://***@h/?***",
  });
});

test("SEC-09: what stands under a table of headers is a secret, whatever its key is named", async () => {
  const value = "0123456789abcdef0123";
  const hidden = "********";
  const servers = { far: { headers: { "X-Team": value }, url: "https://far.example" } };
  expect(masked("mcp.servers", servers)).toEqual({
    far: { headers: { "X-Team": hidden }, url: "https://far.example" },
  });
  expect(masked("telemetry.headers", { "x.team": value })).toEqual({ "x.team": hidden });
  expect(masked("telemetry.headers.x-team", value)).toBe(hidden);
  const own = ownSecrets([{ telemetry: { headers: { "x-team": value } } }], {});
  expect(own?.redact(`sent ${value}`)).toBe("sent [redacted secret]");
});
