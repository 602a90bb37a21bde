import { definePlugin, directMessage, Observers, type Inbox, type Plugin } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { gate, tool } from "../../test/helpers/plugins.ts";
import { startGateway, type TestGateway } from "../gateway-http/gateway.test-kit.ts";
import { startConsole, tokenFor } from "./console.test-kit.ts";
import consoleWeb from "./index.ts";
import { TurnLogs } from "./turn-logs.ts";

const call = (name: string) => ({ calls: [{ name, args: {} }] });
const never = () => new Promise<never>(() => {});

/** Opens once a turn has ended. */
function endOfTurn() {
  const ended = gate();
  const plugin = definePlugin({
    name: "observer-ends",
    provides: [Observers],
    setup: (host) => host.provide(Observers, { name: "ends", turnEnded: () => ended.open() }),
  });
  return { ended: ended.opened, plugin };
}

async function startTurns(model: Plugin, ...more: readonly Plugin[]): Promise<TestGateway> {
  return startGateway({ plugins: [memoryStore(), model, consoleWeb, ...more] });
}

test("GW-02: a turn that a page left takes no further call once its device is revoked", async () => {
  const hung: string[] = [];
  const held: { revoke?: () => Promise<unknown> } = {};
  const leave = tool("leave", async () => {
    await held.revoke?.();
    return "gone";
  });
  const hang = tool("hang", async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    hung.push("cut");
    return "";
  });
  const { ended, plugin } = endOfTurn();
  const model = fakeProvider([call("leave"), call("hang"), "Never said."]);
  await using gateway = await startTurns(model, leave, hang, plugin);
  const { token, device_id } = await gateway.pair();
  held.revoke = () => gateway.word("pair revoke", [device_id]);
  await gateway.ask("/api/turns", { body: { message: "go" }, token });
  await ended;
  expect(model.requests).toHaveLength(2);
});

test("GW-02: a turn that waits for its model ends within 15 s of its device's revocation", async () => {
  const [begun, end] = [gate(), gate()];
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
    end.open();
  });
  const slow = () => {
    begun.open();
    return { text: "Late.", after: end.opened };
  };
  const { ended, plugin } = endOfTurn();
  const model = fakeProvider([slow]);
  await using gateway = await startTurns(model, plugin);
  const { token, device_id } = await gateway.pair();
  await gateway.ask("/api/turns", { body: { message: "go" }, token });
  await begun.opened;
  await gateway.word("pair revoke", [device_id]);
  vi.advanceTimersByTime(15_000);
  await ended;
  expect(model.requests).toHaveLength(1);
});

test("WEB-03: of one device at most 256 turns run at a time, and of another one more", () => {
  const logs = new TurnLogs({ prompt: never } as Partial<Inbox> as Inbox, new Map());
  const message = directMessage({ channel: "http", id: "1", from: "one", text: "go" });
  const begin = (user: string, at: number) =>
    logs.begin(`${user} ${at}`, user, message, { text: "go", files: [] });
  for (let at = 0; at < 256; at += 1) begin("http:one", at);
  expect(() => begin("http:one", 256)).toThrow(expect.objectContaining({ code: "CONSOLE_TURNS" }));
  begin("http:other", 0);
  expect([logs.running("http:one").length, logs.running("http:other").length]).toEqual([256, 1]);
});

test("WEB-03: a turn of another device in the same session leaves the log of the first", async () => {
  await using kit = await startConsole();
  const [{ token: one }, { token: other }] = [await tokenFor(kit, "talk"), await tokenFor(kit, "talk")];
  const { ask } = kit.gateway;
  const body = { message: "slowly", session_id: "s" };
  await ask("/api/turns", { body, token: one });
  await kit.model.begun;
  const refused = await ask("/api/turns", { body, token: other });
  expect([refused.status, refused.json.error.code]).toEqual([409, "CONSOLE_TURN_RUNS"]);
  kit.model.say("Mine.");
  kit.model.end();
  const events = "/api/turns/events?session=s";
  const first = await ask(events, { token: one });
  await ask("/api/turns", { body: { message: "hello", session_id: "s" }, token: other });
  expect((await ask(events, { token: one })).text).toBe(first.text);
  expect((await ask(events, { token: other })).text).not.toContain("Mine.");
});

test("WEB-03: the files of one device push out none of another's", async () => {
  await using kit = await startConsole();
  const [{ token: one }, { token: other }] = [await tokenFor(kit, "talk"), await tokenFor(kit, "talk")];
  const { ask } = kit.gateway;
  const send = async (bytes: string, token: string) =>
    (await ask("/api/uploads", { body: bytes, token })).json.id as string;
  const kept = await send("kept", one);
  const first = await send("first", other);
  for (let at = 0; at < 100; at += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => send(`file ${at + i}`, other)));
  const use = (id: string, token: string) => ask("/api/turns", { body: { message: "", files: [id] }, token });
  expect((await use(kept, one)).status).toBe(200);
  expect((await use(first, other)).json.error.code).toBe("CONSOLE_NO_UPLOAD");
});

test("WEB-11: of the texts of one request, the form of 60,000 characters is read", async () => {
  await using kit = await startConsole();
  const { token } = await tokenFor(kit, "talk");
  const trees = async (texts: readonly string[]): Promise<readonly unknown[]> =>
    (await kit.gateway.ask("/api/markdown", { body: { texts }, token })).json.trees;
  const long = `*a*${"a".repeat(19_997)}`;
  const read = [["p", ["em", "a"], "a".repeat(19_997)]];
  const shown = [["pre", "*a*"]];
  expect(await trees([long, long, long, "*a*"])).toEqual([read, read, read, shown]);
  expect(await trees([`${long}a`, "*a*"])).toEqual([[["pre", `${long}a`]], [["p", ["em", "a"]]]]);
});
