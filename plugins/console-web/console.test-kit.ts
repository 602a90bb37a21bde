import type { Plugin } from "@gantry/sdk";
import { fakeChannel, type FakeChannel } from "@gantry/sdk/testing";
import alerts from "../alert-owner/index.ts";
import agents from "../agent-routes/index.ts";
import askWords from "../ask-words/index.ts";
import audit from "../audit-file/index.ts";
import doctor from "../command-doctor/index.ts";
import plugins from "../command-plugins/index.ts";
import sessions from "../command-sessions/index.ts";
import { startGateway, type TestGateway } from "../gateway-http/gateway.test-kit.ts";
import jobs from "../scheduled-jobs/index.ts";
import store from "../store-sqlite/index.ts";
import usage from "../usage-ledger/index.ts";
import consoleWeb from "./index.ts";
import { painter } from "./painter.test-kit.ts";
import { ToldModel, toldProvider, type Answers } from "./told-model.test-kit.ts";

export interface ConsoleKit extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly model: ToldModel;
  readonly telegram: FakeChannel;
  /** What the tool `paint` has done. */
  readonly ran: string[];
}

export interface ConsoleOptions {
  readonly answers?: Answers;
  readonly config?: object;
  /** Plugins beside those that the console's views ask. */
  readonly plugins?: readonly Plugin[];
}

const views = [alerts, agents, askWords, audit, consoleWeb, doctor, jobs, plugins, sessions, store, usage];

/** Starts a gateway with the console, a store on disk, a model, a tool that asks, and a channel. */
export async function startConsole({
  answers = {},
  config = {},
  plugins: more = [],
}: ConsoleOptions = {}): Promise<ConsoleKit> {
  const model = new ToldModel();
  const telegram = fakeChannel("telegram", { owners: ["42"] });
  const ran: string[] = [];
  const gateway = await startGateway({
    plugins: [...views, telegram, toldProvider(model, answers), ...painter(ran), ...more],
    gateway: { requests_per_minute: 100_000 },
    config: { people: { me: { role: "owner", telegram: ["42"], devices: ["mine"] } }, ...config },
  });
  return { gateway, model, telegram, ran, [Symbol.asyncDispose]: () => gateway.stop() };
}

export interface Device {
  readonly token: string;
  readonly device_id: string;
}

/** Makes a token for these scopes. */
export async function tokenFor({ gateway }: ConsoleKit, may: string): Promise<Device> {
  const { out } = await gateway.word("pair token", [may], { may, json: true });
  return JSON.parse(out) as Device;
}
