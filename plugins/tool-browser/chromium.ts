import { existsSync } from "node:fs";
import type { Sandbox } from "@gantry/sdk";
import { Cdp } from "./cdp.ts";
import { ChromiumBrowser } from "./chromium-browser.ts";
import { errors } from "./errors.ts";

/** The programs themselves: the scripts around them read files that the walls do not grant. */
const PROGRAMS = [
  "/usr/lib/chromium/chromium",
  "/usr/lib/chromium-browser/chromium-browser",
  "/usr/lib64/chromium-browser/chromium-browser",
  "/opt/google/chrome/chrome",
  "/usr/bin/chromium",
];
/** A page takes more than a command; threads count as processes. */
const LIMITS = {
  max_memory_mb: 2_048,
  max_processes: 512,
  max_file_descriptors: 1_024,
  max_cpu_percent: 200,
};
const PIPES = 2;

/**
 * Its own sandbox needs what the walls refuse, and they stand in for it; one process draws for all.
 * Nothing is looked up, sent or opened but by way of the proxy, loopback included.
 */
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--no-zygote",
  "--in-process-gpu",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-site-isolation-trials",
  "--disable-features=IsolateOrigins,site-per-process,MediaRouter,OptimizationHints,Translate,HttpsUpgrades,AutofillServerCommunication",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-sync",
  "--disable-quic",
  "--disable-breakpad",
  "--disable-crash-reporter",
  "--disable-client-side-phishing-detection",
  "--disable-default-apps",
  "--metrics-recording-only",
  "--no-pings",
  "--noerrdialogs",
  "--mute-audio",
  "--password-store=basic",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--dns-prefetch-disable",
  "--window-size=1280,900",
  "--remote-debugging-pipe",
  "--proxy-bypass-list=<-loopback>",
];

export interface ChromiumOptions {
  readonly sandbox: Sandbox | undefined;
  readonly path: string | undefined;
  readonly domains: readonly string[];
  /** An absolute folder; undefined: nothing is downloaded. */
  readonly downloads: string | undefined;
  readonly timeoutMs: number;
}

/** Throws `BROWSER_MISSING`. */
export function findChromium(path: string | undefined): string {
  const places = path === undefined ? PROGRAMS : [path];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw errors.BROWSER_MISSING(places.join(", "));
  return found;
}

/** A Chromium of its own behind the walls, with a profile that goes with it. */
export async function startChromium(options: ChromiumOptions, signal: AbortSignal): Promise<ChromiumBrowser> {
  const { sandbox, path, domains, downloads, timeoutMs } = options;
  if (!sandbox) throw errors.BROWSER_NEEDS("starts programs behind walls");
  const program = findChromium(path);
  const process = await sandbox.open({
    argv: [
      "/bin/sh",
      "-c",
      'exec "$0" "$@" --proxy-server="${http_proxy##*@}" --user-data-dir="$HOME/profile" about:blank',
      program,
      ...FLAGS,
    ],
    pipes: PIPES,
    read: ["/etc/fonts", "/var/cache/fontconfig", ...(path === undefined ? [] : [path])],
    ...(downloads !== undefined && { write: [downloads] }),
    domains,
    limits: LIMITS,
    signal,
  });
  process.stdout.resume();
  let said = "";
  process.stderr.on("data", (piece: Buffer) => (said = (said + piece.toString("latin1")).slice(-2_000)));
  const cdp = new Cdp(process, timeoutMs * 2);
  try {
    return await ChromiumBrowser.attach(cdp, { proxy: process.proxy, downloads, timeoutMs }, process);
  } catch (error) {
    await process.close();
    signal.throwIfAborted();
    throw errors.BROWSER_STARTED_NOT(said.trim().split("\n").at(-1)?.slice(-300) || error);
  }
}
