import { readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, expect, test } from "vitest";
import { gantry } from "../../test/helpers/cli.ts";
import { type Service, firstMessage, serve, serveWith, write } from "./killed.test-kit.ts";
import { sayTo } from "./telegram.test-kit.ts";

test("SDK-21: after a kill the press on the old button decides, and nothing is asked twice", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), "done");
  await service.ask();
  await service.kill();
  await service.start();
  expect(await service.press(1, "Allow")).toBe("Allowed.");
  expect(await service.sent(2)).toBe("done");
  expect(service.written()).toBe("about a.txt");
});

test("SDK-21: a question survives an ordinary stop and start", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), "done");
  await service.ask();
  await service.stop();
  expect(service.api.of("editMessageText")).toEqual([]);
  await service.start();
  expect(await service.press(1, "Allow")).toBe("Allowed.");
  expect([await service.sent(2), service.written()]).toEqual(["done", "about a.txt"]);
});

test("SDK-21: after a restart an owner decides on a device what Telegram asked before", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), "done");
  const { out } = await gantry(["pair", "token", "phone", "--json"], { dir: service.dir });
  const { token: phone, device_id } = JSON.parse(out);
  const headers = { authorization: `Bearer ${phone}`, "content-type": "application/json" };
  await service.ask();
  await service.kill();
  await service.start();
  const open = await fetch(`${service.url}/api/approvals`, { headers });
  const { approvals } = (await open.json()) as { readonly approvals: readonly { id: string }[] };
  expect(approvals).toHaveLength(1);
  const body = JSON.stringify({ decision: "allow" });
  const decide = () =>
    fetch(`${service.url}/api/approvals/${approvals[0]?.id}`, { method: "POST", headers, body });
  expect((await decide()).status).toBe(200);
  expect([await service.sent(2), service.written()]).toEqual(["done", "about a.txt"]);
  const by = `http:${device_id} (ada)`;
  expect(await (await decide()).text()).toContain(`already decided by ${by}`);
  expect(readFileSync(path.join(service.dir, "audit.jsonl"), "utf8")).toContain(`allow by ${by}`);
  expect(await service.press(1, "Allow")).toBe(`This was decided already: allowed by ${by}.`);
});

test("SDK-21: a yes to a turn that was killed counts for no other message", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), "done");
  const { out } = await gantry(["pair", "token", "phone", "--json"], { dir: service.dir });
  const { token: phone } = JSON.parse(out);
  const headers = { authorization: `Bearer ${phone}`, "content-type": "application/json" };
  /** Says something over HTTP; returns the id of the question that its turn asks. */
  const asked = async (message: string): Promise<string | undefined> => {
    const body = JSON.stringify({ message, session_id: "one", stream: true });
    const reply = await fetch(`${service.url}/api/chat`, { method: "POST", headers, body });
    let said = "";
    for await (const piece of reply.body ?? []) {
      said += new TextDecoder().decode(piece);
      const [, id] = /approval_request\n.*"id":"([0-9a-f]{16})"/.exec(said) ?? [];
      if (id !== undefined) return id;
    }
    return undefined;
  };
  const first = await asked("write it");
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  await service.kill();
  await service.start();
  const body = JSON.stringify({ decision: "allow" });
  await fetch(`${service.url}/api/approvals/${first}`, { method: "POST", headers, body });
  const second = await asked("something else");
  expect(second).toMatch(/^[0-9a-f]{16}$/);
  expect([second === first, service.written()]).toEqual([false, undefined]);
});

test("SDK-21: a press that came while the service was down decides", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), "done");
  await service.ask();
  await service.kill();
  const pressed = service.press(1, "Allow");
  await service.start();
  expect(await pressed).toBe("Allowed.");
  expect([await service.sent(2), service.written()]).toEqual(["done", "about a.txt"]);
});

test("SDK-21: a question that was taken up is settled in its old message", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), "done");
  await service.ask();
  const id =
    /a:([0-9a-f]{6})/.exec(JSON.stringify((await service.api.sent(1))[0]?.["reply_markup"]))?.[1] ?? "";
  await service.kill();
  await service.start();
  sayTo(service.api, `deny ${id}`);
  expect([await service.sent(2), service.written()]).toEqual(["done", undefined]);
  await service.api.until(() => service.api.of("editMessageText").length > 0);
  expect(service.api.of("editMessageText")[0]?.params).toMatchObject({
    message_id: firstMessage + 1,
    text: expect.stringMatching(/✘ Denied\.$/) as string,
  });
});

test("SDK-21: an old yes counts once: the same call again is asked again", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), write("a.txt"), "done");
  await service.ask();
  await service.kill();
  await service.start();
  await service.press(1, "Allow");
  expect(await service.sent(2)).toContain("May file_write run this?");
  expect(await service.press(1, "Allow")).toBe("This was decided already: allowed by you.");
  await service.press(2, "Deny");
  expect(await service.sent(3)).toBe("done");
});

test("SDK-21: the old button of a call that has changed says so, and allows nothing", async () => {
  const service = await serve(write("a.txt"), write("b.txt"), "done");
  await service.ask();
  await service.kill();
  await service.start();
  expect(await service.sent(2)).toContain("b.txt");
  expect(await service.press(1, "Allow")).toContain("The agent asks for another call now.");
  await service.press(2, "Deny");
  expect(await service.sent(3)).toBe("done");
  expect([service.written("a.txt"), service.written("b.txt")]).toEqual([undefined, undefined]);
});

test("SDK-21: the old button of a call that is not made any more says so", async () => {
  const service = await serve(write("a.txt"), "never mind");
  await service.ask();
  await service.kill();
  await service.start();
  expect(await service.sent(2)).toBe("never mind");
  expect(await service.press(1, "Allow")).toContain("The call is not made any more.");
});

test("FLR-07: after `config reload` the id of a question of before decides in words", async () => {
  const service = await serve(write("a.txt"), "done");
  await service.ask();
  const [question] = await service.api.sent(1);
  const id = /a:([0-9a-f]{6})/.exec(JSON.stringify(question?.["reply_markup"]))?.[1] ?? "";
  expect(await gantry(["config", "reload"], { dir: service.dir })).toMatchObject({ code: 0 });
  sayTo(service.api, `allow ${id}`);
  expect([await service.sent(2), service.written()]).toEqual(["done", "about a.txt"]);
});

test("FLR-07: after `config reload` a stop waits for no question of before, which stays open", async () => {
  const service = await serve(write("a.txt"), write("a.txt"), "done");
  await service.ask();
  expect(await gantry(["config", "reload"], { dir: service.dir })).toMatchObject({ code: 0 });
  await service.stop();
  await service.start();
  expect(await service.press(1, "Allow")).toBe("Allowed.");
  expect([await service.sent(2), service.written()]).toEqual(["done", "about a.txt"]);
});

test("FLR-07: after `config reload` the press on a question of before decides", async () => {
  const service = await serve(write("a.txt"), "done");
  await service.ask();
  expect(await gantry(["config", "reload"], { dir: service.dir })).toMatchObject({ code: 0 });
  expect(await service.press(1, "Allow")).toBe("Allowed.");
  expect([await service.sent(2), service.written()]).toEqual(["done", "about a.txt"]);
});

test("FLR-08: an answer that was under way when the process was killed comes once more, marked", async () => {
  const service = await serve("hello");
  service.api.failures.push({ method: "sendMessage", how: "silent" });
  sayTo(service.api, "hi");
  await service.api.sent(1);
  await service.kill();
  await service.start();
  await service.sent(2);
  const texts = service.api.of("sendMessage").map(({ params }) => params["text"]);
  expect(texts).toEqual(["hello", "(Sent again, as it may not have arrived.)\nhello"]);
});

/** Says another thing each time it runs. */
const counting = { calls: [{ name: "shell", args: { command: "date +%N >> log; cat log" } }] };
const tries = { agent: "try_first = true", security: 'runs = "view"' };

/**
 * Returns what the first question says that a command said; skips where the system has no views.
 */
async function shownBy(service: Service, { skip }: TestContext): Promise<string | undefined> {
  await service.ask("shell");
  const question = await service.sent(1);
  const [, why] = /^Not tried first: (.*)$/m.exec(question) ?? [];
  if (why !== undefined) skip(why);
  return /^\| {3}> (.*)$/m.exec(question)?.[1];
}

test("RUN-04: after a kill the press on the old button makes the very run real that was shown", async (at) => {
  const service = await serveWith(tries, counting, counting, "done");
  const shown = await shownBy(service, at);
  await service.kill();
  expect(service.written("log")).toBe(undefined);
  await service.start();
  expect(await service.press(1, "Allow")).toBe("Allowed.");
  expect(await service.sent(2)).toBe("done");
  expect([shown, service.written("log")]).toEqual([expect.stringMatching(/^\d+$/), `${shown}\n`]);
});

test("RUN-04: after an ordinary stop a no leaves nothing of what was tried before", async (at) => {
  const service = await serveWith(tries, counting, counting, "done");
  await shownBy(service, at);
  await service.stop();
  await service.start();
  expect(await service.press(1, "Deny")).toBe("Denied.");
  expect([await service.sent(2), service.written("log")]).toEqual(["done", undefined]);
});

test("RUN-04: after `config reload` a yes makes real what was tried before", async (at) => {
  const service = await serveWith(tries, counting, "done");
  const shown = await shownBy(service, at);
  expect(await gantry(["config", "reload"], { dir: service.dir })).toMatchObject({ code: 0 });
  expect(await service.press(1, "Allow")).toBe("Allowed.");
  expect([await service.sent(2), service.written("log")]).toEqual(["done", `${shown}\n`]);
});
