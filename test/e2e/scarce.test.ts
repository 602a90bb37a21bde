import { createHmac } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { said, startGantry, tempDir } from "../helpers/cli.ts";
import { freePort, Platform, startEchoModel } from "./platform.ts";

const long = process.env["GANTRY_LONG"] !== undefined;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Service {
  readonly platform: Platform;
  readonly port: number;
  readonly lines: () => readonly string[];
}

/** The daemon behind the chat-app, with a model that answers or does what `model` does. */
async function serve(options: {
  readonly provider: string;
  readonly node?: (dir: string) => string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<Service> {
  const platform = new Platform();
  const graph = await platform.start();
  const port = await freePort();
  const home = tempDir(
    [
      `default_provider = "${options.provider}"\ndefault_model = "m"`,
      `[providers.custom]\nmax_retries = 1\nretry_backoff_ms = 10`,
      `[gateway]\nport = ${port}`,
      `[endpoints]\ngraph_url = "${graph}"`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
      `app_secret = "${platform.secret}"`,
    ].join("\n"),
  );
  const { child } = startGantry(["daemon"], {
    dir: home.dir,
    env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1", ...options.env },
    ...(options.node && { node: options.node(home.dir) }),
  });
  let text = "";
  child.stderr?.on("data", (piece: string) => (text += piece));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    platform.stop();
    await wait(50);
    home[Symbol.dispose]();
  });
  await said(child, "stderr", /Gantry is ready/);
  return { platform, port, lines: () => text.split("\n") };
}

/** Node behind a limit of open files. */
function limited(files: number): (dir: string) => string {
  return (dir) => {
    const script = path.join(dir, "node.sh");
    writeFileSync(script, `#!/bin/sh\nulimit -n ${files}\nexec "${process.execPath}" "$@"\n`);
    chmodSync(script, 0o755);
    return script;
  };
}

/** A platform that delivers over so many connections, each message until it is taken. */
function courier(
  { platform, port }: Service,
  connections: number,
): (from: string, word: string) => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  onTestFinished(() => agent.destroy());
  return async (from, word) => {
    const message = { from, id: `id-${word}`, timestamp: "1700000000", type: "text", text: { body: word } };
    const value = { messaging_product: "chat", metadata: {}, messages: [message] };
    const body = JSON.stringify({
      object: "o",
      entry: [{ id: "e", changes: [{ field: "messages", value }] }],
    });
    while (!(await post(agent, port, body, platform.secret))) await wait(50);
  };
}

function post(agent: Agent, port: number, body: string, secret: string): Promise<boolean> {
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  return new Promise((resolve) => {
    const sending = request({ agent, port, host: "127.0.0.1", path: "/chatapp", method: "POST", headers });
    sending.on("response", (response) => {
      response.resume().on("end", () => resolve(response.statusCode === 200));
      response.on("error", () => resolve(false));
    });
    sending.on("error", () => resolve(false)).end(body);
  });
}

/** Connections of a stranger that never say a word, opened again when they are closed. */
function silent(port: number, count: number): void {
  const sockets = new Set<Socket>();
  let over = false;
  const open = (): void => {
    if (over) return;
    const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      setTimeout(open, 100);
    });
  };
  for (let i = 0; i < count; i += 1) open();
  onTestFinished(() => {
    over = true;
    for (const socket of sockets) socket.destroy();
  });
}

test(
  "INB-04: with 256 descriptors a burst of many senders beside a stranger's silent connections is answered whole, and a quiet message after it too",
  { timeout: 600_000 },
  async () => {
    const [people, connections, strangers, rounds] = long ? [200, 60, 110, 20] : [200, 60, 110, 1];
    const model = await startEchoModel(() => 50);
    onTestFinished(() => model.close());
    const service = await serve({ provider: model.provider, node: limited(256) });
    const deliver = courier(service, connections);
    silent(service.port, strangers);
    await wait(200);
    const words: string[] = [];
    const senders = Array.from({ length: people }, async (_, i) => {
      for (let n = 0; n < rounds; n += 1) {
        const word = `message-${i}-${n}`;
        words.push(word);
        await deliver(`49${1_000 + i}`, word);
      }
    });
    await Promise.all(senders);
    const bodies = (): ReadonlySet<string> => new Set(service.platform.replies.map(({ body }) => body));
    const isWhole = (): boolean => {
      const said = bodies();
      return said.size >= words.length && words.every((word) => said.has(`re: ${word}`));
    };
    // Looked through only once there are enough of them: at each reply it would take longer than
    // the answers.
    await service.platform.until(() => service.platform.replies.length >= words.length && isWhole());
    await deliver("4999999", "message-quiet");
    await service.platform.until(() => bodies().has("re: message-quiet"));
    expect(bodies().size).toBe(words.length + 1);
    // The resource that ran out is named, if any did.
    expect(service.lines().filter((line) => line.includes("that cannot be read"))).toEqual([]);
  },
);

/** Tells on stderr what is loaded, from the first line that the service says on. */
const telling = `
import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { process.stderr.write("LOADED " + url + "\\n"); return next(url, context); } });
`;

test(
  "INB-04: once the service is ready nothing more is loaded, whatever fails: model, platform, and what strangers send",
  { timeout: 300_000 },
  async () => {
    const model = await startEchoModel(
      () => 5,
      (word) => (word === "message-bad" ? 400 : undefined),
    );
    onTestFinished(() => model.close());
    const hooks = `--import=data:text/javascript,${encodeURIComponent(telling)}`;
    const service = await serve({ provider: model.provider, env: { NODE_OPTIONS: hooks } });
    const { platform, port } = service;
    await wait(300);
    const before = service.lines().length;
    const deliver = courier(service, 4);
    const base = `http://127.0.0.1:${port}`;

    await deliver("491", "message-fine");
    await platform.until(() => platform.replies.length === 1);
    await deliver("492", "message-bad");
    await platform.until(() => platform.replies.length === 2);
    let refused = 0;
    platform.refuses = () => (refused += 1) < 3;
    await deliver("493", "message-again");
    await platform.until(() => platform.replies.length === 3);
    for (const route of ["/health", "/ready", "/metrics", "/api/chat", "/nothing", "/chatapp"])
      await (await fetch(`${base}${route}`, { method: "GET" })).text();
    await (await fetch(`${base}/chatapp`, { method: "POST", body: "{" })).text();
    await (await fetch(`${base}/pair`, { method: "POST", body: '{"code":"0"}' })).text();
    model.close();
    await deliver("494", "message-away");
    await wait(1_500);
    const loaded = service
      .lines()
      .slice(before)
      .filter((line) => line.startsWith("LOADED"));
    expect(service.lines().some((line) => line.startsWith("LOADED"))).toBe(true);
    expect(loaded).toEqual([]);
    expect(service.lines().some((line) => line.includes("cannot be reached"))).toBe(true);
  },
);
