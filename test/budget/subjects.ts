import { once } from "node:events";
import http from "node:http";
import { startModelServer } from "../bench/model-server.ts";
import { freePort, Platform } from "../e2e/platform.ts";
import { bin, gantry, said, tempDir } from "../helpers/cli.ts";
import { CountedProcess, type Told } from "./counted-process.ts";
import { between, beyond, traced, usual, type Counts } from "./counts.ts";

const nothing: Told = { heap: 0, modules: {}, builtins: [], statements: {} };
const starts = 4;
const warmUps = 25;
const turns = 31;

/** The counts of each piece of work that has a budget, by its name. */
export async function countAll(): Promise<Readonly<Record<string, Counts>>> {
  return { ...(await countShellTurn()), ...(await countService()) };
}

/**
 * One turn from the shell beyond what a Node costs that does nothing, with a cache of compiled code
 * that is warm.
 */
async function countShellTurn(): Promise<Readonly<Record<string, Counts>>> {
  const model = await startModelServer();
  using home = tempDir(`default_provider = "custom:${model.url}"\ndefault_model = "m"\n`);
  try {
    const once = async (args: readonly string[]): Promise<Counts> => {
      const counted = new CountedProcess(args, home.dir);
      const counts = between(nothing, await counted.ended());
      const [lines] = counted.traced();
      return { ...counts, ...(lines && traced(lines, home.dir)) };
    };
    const many = async (args: readonly string[]): Promise<Counts> => {
      const all: Counts[] = [];
      // The first ones make the store and fill the cache.
      for (let i = -2; i < starts; i += 1) all.push(await once(args));
      return usual(all.slice(2));
    };
    return { "turn from the shell": beyond(await many([bin, "agent", "-m", "hi"]), await many(["-e", "0"])) };
  } finally {
    model.close();
  }
}

/**
 * A service that gets ready, a chat turn over HTTP, and a message of the chat-app channel from
 * webhook to answer.
 */
async function countService(): Promise<Readonly<Record<string, Counts>>> {
  const model = await startModelServer();
  const platform = new Platform();
  const port = await freePort();
  using home = tempDir(configuration(model.url, await platform.start(), port));
  const service = new CountedProcess([bin, "daemon"], home.dir);
  const base = `http://127.0.0.1:${port}`;
  try {
    await said(service.child, "stderr", /Gantry is ready/);
    const ready = await service.told();
    const { out: code } = await gantry(["pair", "new"], { dir: home.dir });
    const { token } = JSON.parse(await post(`${base}/pair`, { code: code.trim() }, 0)) as { token: string };
    const chat = (i: number): Promise<unknown> => post(`${base}/api/chat`, { message: "hi" }, i, token);
    const webhook = async (i: number): Promise<void> => {
      if (!(await platform.deliver(base, `490${i}`, `id-${i}`, "hi")))
        throw new Error("no 200 for a webhook");
      await platform.until(() => platform.replies.length === i + 1);
    };
    const chats = await tellings(service, chat);
    const webhooks = await tellings(service, webhook);
    const parts = service.traced();
    const countsOf = (told: readonly Told[], firstPart: number): Counts =>
      usual(
        told.slice(1).map((after, i) => {
          const lines = parts[firstPart + i];
          return { ...between(told[i] as Told, after), ...(lines && traced(lines, home.dir)) };
        }),
      );
    // The first mark stands when the service was ready, and one before the first turn that counts.
    return {
      "service getting ready": countsOf([nothing, ready], 0),
      "chat turn over HTTP": countsOf(chats, 2),
      "message of the chat-app channel": countsOf(webhooks, 2 + chats.length),
    };
  } finally {
    service.child.kill("SIGTERM");
    await once(service.child, "close");
    platform.stop();
    model.close();
  }
}

function configuration(model: string, graph: string, port: number): string {
  return [
    `default_provider = "custom:${model}"\ndefault_model = "m"\n[gateway]\nport = ${port}`,
    `[endpoints]\ngraph_url = "${graph}"`,
    '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"',
    `allowed_numbers = ["*"]\napp_secret = "${new Platform().secret}"\n`,
  ].join("\n");
}

/** Returns the reports of the process before the first and after each of the turns that count. */
async function tellings(
  service: CountedProcess,
  turn: (i: number) => Promise<unknown>,
): Promise<readonly Told[]> {
  for (let i = 0; i < warmUps; i += 1) await turn(i);
  const told = [await service.told()];
  for (let i = warmUps; i < warmUps + turns; i += 1) {
    await turn(i);
    told.push(await service.told());
  }
  return told;
}

/** The text of the answer; from an address of its own, so that none meets its limit. */
async function post(url: string, body: object, i: number, token?: string): Promise<string> {
  const request = http.request(url, {
    method: "POST",
    localAddress: `127.0.1.${i + 1}`,
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
  });
  const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
  request.end(JSON.stringify(body));
  const [response] = await answered;
  const text = (await response.setEncoding("utf8").toArray()).join("");
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${text}`);
  return text;
}
