import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { freePort } from "../../test/e2e/platform.ts";
import { startModel, type Answer } from "../../test/helpers/model.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import { owner, sayTo } from "./telegram.test-kit.ts";

interface Service {
  readonly api: FakeBotApi;
  readonly dir: string;
  /** The address of the gateway. */
  readonly url: string;
  /** The file that is asked about, undefined while it is not there. */
  written(name?: string): string | undefined;
  /** The owner asks for a file; resolves once the question is noted as delivered. */
  ask(): Promise<void>;
  /** The text of the message with this number, from 1, once it was sent. */
  sent(number: number): Promise<string>;
  /** Presses a button of the message with this number; the notice that the presser is shown. */
  press(number: number, button: "Allow" | "Deny"): Promise<string>;
  start(): Promise<void>;
  /** Ends the process at once, as a crash does. */
  kill(): Promise<void>;
  /** Ends the process as a service manager does. */
  stop(): Promise<void>;
}

const write = (name: string): Answer => ({
  calls: [{ name: "file_write", args: { path: name, content: `about ${name}` } }],
});

/** The daemon with Telegram's fake server, whose model gives these answers. */
async function serve(...answers: readonly Answer[]): Promise<Service> {
  const model = await startModel(...answers);
  const api = await FakeBotApi.start();
  const port = await freePort();
  const home = tempDir(
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"\n[agent]\nprogress_seconds = 0`,
      `[security]\nworkspace_path = "work"\n[gateway]\nport = ${port}`,
      `[endpoints]\ntelegram_url = "${api.url}"`,
      `[channels.telegram]\nbot_token = "${token}"`,
      `allowed_user_ids = [${owner.id}]\nowners = [${owner.id}]`,
      `[people.ada]\nrole = "owner"\ntelegram = [${owner.id}]\ndevices = ["phone"]`,
    ].join("\n"),
  );
  const workspace = path.join(home.dir, "work");
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    child = undefined;
    if (!ending) return;
    const closed = new Promise((resolve) => ending.once("close", resolve));
    ending.kill(signal);
    await closed;
  };
  onTestFinished(async () => {
    await end("SIGKILL");
    await model[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  const start = async (): Promise<void> => {
    const run = { dir: home.dir, env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" } };
    ({ child } = startGantry(["daemon"], run));
    await said(child, "stderr", /Gantry is ready/);
  };
  await start();
  return {
    api,
    dir: home.dir,
    url: `http://127.0.0.1:${port}`,
    written(name = "a.txt") {
      const file = path.join(workspace, name);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    async ask() {
      sayTo(api, "write it");
      expect((await api.sent(1))[0]?.["text"]).toContain("May file_write run this?");
      using store = new DatabaseSync(path.join(home.dir, "state/gantry.db"), { readOnly: true });
      const noted = store.prepare("SELECT key FROM named WHERE key LIKE '%/delivered'");
      await expect.poll(() => noted.all()).toHaveLength(1);
    },
    sent: async (number) => (await api.sent(number))[number - 1]?.["text"] as string,
    press: (number, button) => press(api, number, button),
    start,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

/** Messages that the fake server takes are numbered from here. */
const firstMessage = 5_000;

async function press(api: FakeBotApi, number: number, button: string): Promise<string> {
  const question = (await api.sent(number))[number - 1];
  const rows: { text: string; callback_data: string }[] = question?.["reply_markup"].inline_keyboard.flat();
  const data = rows.find(({ text }) => text === button)?.callback_data;
  const chat = { id: owner.id, type: "private" };
  const id = api.press({ from: owner, message: { message_id: firstMessage + number, date: 1, chat }, data });
  const answer = () => api.of("answerCallbackQuery").find(({ params }) => params["callback_query_id"] === id);
  await api.until(() => answer() !== undefined);
  return answer()?.params["text"] as string;
}

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
