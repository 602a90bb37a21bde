import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished } from "vitest";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { freePort } from "../../test/e2e/platform.ts";
import { startModel, type Answer } from "../../test/helpers/model.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import { owner, sayTo } from "./telegram.test-kit.ts";

export interface Service {
  readonly api: FakeBotApi;
  readonly dir: string;
  /** The address of the gateway. */
  readonly url: string;
  /** The file that is asked about, undefined while it is not there. */
  written(name?: string): string | undefined;
  /**
   * The owner asks for something; resolves once the question, for a file by default, is noted as
   * delivered.
   */
  ask(tool?: string): Promise<void>;
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

export const write = (name: string): Answer => ({
  calls: [{ name: "file_write", args: { path: name, content: `about ${name}` } }],
});

/** The daemon with Telegram's fake server, whose model gives these answers. */
export const serve = (...answers: readonly Answer[]): Promise<Service> => serveWith({}, ...answers);

interface Settings {
  /** Further lines of `[agent]`. */
  readonly agent?: string;
  /** Further lines of `[security]`. */
  readonly security?: string;
}

/** The same, with further settings. */
export async function serveWith(
  { agent = "", security = "" }: Settings,
  ...answers: readonly Answer[]
): Promise<Service> {
  const model = await startModel(...answers);
  const api = await FakeBotApi.start();
  const port = await freePort();
  const home = tempDir(
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"\n[agent]\nprogress_seconds = 0\n${agent}`,
      `[security]\nworkspace_path = "work"\n${security}\n[gateway]\nport = ${port}`,
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
    async ask(tool = "file_write") {
      sayTo(api, "write it");
      expect((await api.sent(1))[0]?.["text"]).toContain(`May ${tool} run this?`);
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
export const firstMessage = 5_000;

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
