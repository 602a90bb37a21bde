import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { FakeBotApi, token } from "../../plugins/channel-telegram/fake-bot-api.test-kit.ts";
import { owner, sayTo } from "../../plugins/channel-telegram/telegram.test-kit.ts";
import { said, startGantry } from "../helpers/cli.ts";
import { reply } from "../helpers/model.ts";
import { freePort, Platform } from "./platform.ts";

/** The channel of the owner's Telegram. */
export const telegramTable = `[channels.telegram]\nbot_token = "${token}"\nallowed_user_ids = [${owner.id}]`;

/** A model that answers every request in one way, until it is told another. */
export class HeldModel {
  /** A status that it fails with; `hangs`: it takes requests and says nothing. */
  fault: number | "hangs" | undefined;
  #server: Server | undefined;
  #port = 0;

  /** Listens, on the port of the first time. */
  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      request.resume().on("end", () => this.#answer(response));
    });
    await new Promise<void>((resolve) => this.#server!.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** From here on connections are refused. */
  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  get provider(): string {
    return `custom:http://127.0.0.1:${this.#port}/v1`;
  }

  #answer(response: ServerResponse): void {
    if (this.fault === "hangs") return;
    if (this.fault !== undefined) response.writeHead(this.fault).end();
    else reply(response, "fine");
  }
}

/** An alert or an end that the owner was sent. */
export interface Told {
  readonly text: string;
  /** Unix ms. */
  readonly at: number;
}

export interface Held {
  readonly dir: string;
  readonly pid: number;
  readonly model: HeldModel;
  /** The platform of the chat-app, on which members write, and the owner by default. */
  readonly platform: Platform;
  /** The owner's Telegram, if they write there. */
  readonly telegram: FakeBotApi;
  told(): readonly Told[];
  log(): string;
  /** A member writes; what the platform is told of it counts for nothing. */
  write(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface HeldOptions {
  readonly dir: string;
  /** The channel on which the owner writes once, and is told. */
  readonly owner: "chatapp" | "telegram";
  /** Further configuration: tables of their own, and what stands in `[endpoints]`. */
  readonly tables?: string;
  readonly endpoints?: string;
}

/** A daemon as it is by default, on which an owner wrote once. */
export async function serveHeld({
  dir,
  owner: door,
  tables = "",
  endpoints = "",
}: HeldOptions): Promise<Held> {
  const platform = new Platform();
  const graph = await platform.start();
  const telegram = await FakeBotApi.start();
  const model = new HeldModel();
  await model.start();
  const port = await freePort();
  const isTold = door === "telegram";
  writeFileSync(
    path.join(dir, "config.toml"),
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"\n[gateway]\nport = ${port}`,
      `[endpoints]\ngraph_url = "${graph}"\n${isTold || tables === telegramTable ? `telegram_url = "${telegram.url}"` : endpoints}`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"',
      `allowed_numbers = ["*"]\nowners = ["+491"]\napp_secret = "${platform.secret}"`,
      isTold ? telegramTable : "",
      tables,
    ].join("\n"),
    { mode: 0o600 },
  );
  const { child, ended } = startGantry(["daemon"], { dir, env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" } });
  let text = "";
  child.stderr?.on("data", (piece: string) => (text += piece));
  await said(child, "stderr", /Gantry is ready/);
  const base = `http://127.0.0.1:${port}`;
  let number = 0;
  const write = (from: string): Promise<boolean> => {
    number += 1;
    return platform.deliver(base, from, `id-${number}`, `message-${number}`);
  };
  const sent = (): readonly Told[] =>
    isTold
      ? telegram.of("sendMessage").map(({ params, at }) => ({ text: String(params["text"]), at }))
      : platform.replies
          .filter(({ to }) => to === "491")
          .map(({ body, at }) => ({ text: body, at: performance.timeOrigin + at }));
  if (isTold) sayTo(telegram, "hello");
  else await write("491");
  if (isTold) await telegram.sent(1);
  else await platform.until(() => platform.replies.length > 0);
  return {
    dir,
    pid: child.pid!,
    model,
    platform,
    telegram,
    told: () => sent().filter((one) => /^(?:Alert|Over): /.test(one.text)),
    log: () => text,
    write: () => write("492"),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      platform.stop();
      model.stop();
      await telegram[Symbol.asyncDispose]();
    },
  };
}
