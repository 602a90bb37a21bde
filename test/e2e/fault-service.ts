import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { certificate, key } from "../../plugins/gateway-http/certificate.test-kit.ts";
import { said, startGantry } from "../helpers/cli.ts";
import { freePort, Platform, startEchoModel } from "./platform.ts";
import { clockOf } from "./settable-clock.ts";

/**
 * As it is by default, held to half a minute; else quicker, and to nothing. One address may see the
 * metrics once a second.
 */
const long = process.env["GANTRY_LONG"] !== undefined;
export const patience = { timeout: long ? 30_000 : 150_000, interval: 1_500 };

/** A channel on which the owner wrote once, and which writes down what it is to send. */
const deskPlugin = (file: string): string => `
import { appendFileSync } from "node:fs";
import { Channels, definePlugin, directMessage, Inbox, Services, textOf } from "@gantry/sdk";
export default definePlugin({
  name: "channel-desk",
  needs: { inbox: Inbox },
  provides: [Channels, Services],
  setup(host) {
    host.provide(Channels, {
      name: "desk",
      async send({ parts }) {
        appendFileSync(${JSON.stringify(file)}, textOf(parts) + "\\n");
        return { status: "sent" };
      },
    });
    const hello = directMessage({ channel: "desk", id: "1", from: "ada", text: "message-hello", trust: "owner" });
    host.provide(Services, {
      name: "desk",
      start: async () => void (await host.needs.inbox.receive([hello])),
      stop: async () => {},
    });
  },
});
`;

/** A daemon that faults befall. */
export interface Service {
  readonly platform: Platform;
  readonly base: string;
  /** While it is true the model fails. */
  readonly model: { isAway: boolean };
  /** The environment that it is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** The lines that the log and the owner got, so far. */
  log(): string;
  told(): string;
  stop(): Promise<void>;
}

/** The daemon with its configuration directory in `dir`, on TLS, and with what it talks to. */
export async function serve(dir: string, home: string): Promise<Service> {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  const platform = new Platform();
  const graph = await platform.start();
  const model = { isAway: false };
  const echo = await startEchoModel(
    () => 0,
    () => (model.isAway ? 503 : undefined),
  );
  const port = await freePort();
  const desk = path.join(home, "told");
  const tls = (name: string, text: string): string => {
    writeFileSync(path.join(home, name), text, { mode: 0o600 });
    return path.join(home, name);
  };
  writeFileSync(path.join(dir, "desk.js"), deskPlugin(desk));
  writeFileSync(
    path.join(dir, "config.toml"),
    [
      `default_provider = "${echo.provider}"\ndefault_model = "m"\nextra_plugins = ["./desk.js"]`,
      `[providers.custom]\nmax_retries = 0\n[metrics]\nopen = true`,
      `[alerts]\nevery_seconds = ${long ? 10 : 1}`,
      `[gateway]\nport = ${port}\ntls_enabled = true`,
      `tls_cert_path = "${tls("cert.pem", certificate)}"\ntls_key_path = "${tls("key.pem", key)}"`,
      `[endpoints]\ngraph_url = "${graph}"`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
      `app_secret = "${platform.secret}"`,
    ].join("\n"),
    { mode: 0o600 },
  );
  const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1", NODE_OPTIONS: clockOf(path.join(home, "clock")) };
  const { child, ended } = startGantry(["daemon"], { dir, env });
  let text = "";
  child.stderr?.on("data", (piece: string) => (text += piece));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    platform.stop();
    echo.close();
  };
  onTestFinished(stop);
  await said(child, "stderr", /Gantry is ready/);
  const told = (): string => (existsSync(desk) ? readFileSync(desk, "utf8") : "");
  await vi.waitFor(() => expect(told()).toContain("re: message-hello"), patience);
  return { platform, base: `https://127.0.0.1:${port}`, model, env, log: () => text, told, stop };
}

export interface Fault {
  /** The parts that it is told as, one of them at least. */
  readonly part: string;
  /** 503, or 200 with a warning; either where that changes meanwhile. */
  readonly ready?: 200 | 503;
  begin(service: Service): void | Promise<void>;
  end(service: Service): void | Promise<void>;
}

/**
 * That a fault is told in all four places while it lasts; gives what sees to it that its end is
 * told there too.
 */
export async function isTold(
  service: Service,
  { part, ready: given, begin }: Omit<Fault, "end">,
): Promise<() => Promise<void>> {
  const ready = async (): Promise<readonly unknown[]> => {
    const answer = await fetch(`${service.base}/ready`);
    const { parts, warnings } = (await answer.json()) as Record<"parts" | "warnings", readonly string[]>;
    return [answer.status, [...parts, ...warnings].includes(part)];
  };
  // Asked last of all: it answers sixty times a minute.
  const metrics = async (): Promise<string> => (await fetch(`${service.base}/metrics`)).text();
  const [log, told] = [service.log().length, service.told().length];
  const since = (): readonly string[] => [service.log().slice(log), service.told().slice(told)];
  await begin(service);
  await vi.waitFor(async () => {
    for (const text of since()) expect(text).toContain(`Alert: ${part}: `);
    const [status, isNamed] = await ready();
    expect([status, isNamed]).toEqual([given ?? status, true]);
    const text = await metrics();
    expect(text).toContain(`gantry_trouble{part="${part}"} 1`);
    expect(text).toContain(`gantry_ready ${status === 200 ? 1 : 0}`);
    expect(text).toContain("gantry_alerts_total{part=");
  }, patience);
  return async () => {
    await vi.waitFor(async () => {
      for (const text of since()) expect(text).toContain(`Over: ${part} works again.`);
      expect(await ready()).toEqual([200, false]);
      const text = await metrics();
      expect(text).not.toContain(`gantry_trouble{part="${part}"} 1`);
      expect(text).toContain("gantry_ready 1");
    }, patience);
  };
}
