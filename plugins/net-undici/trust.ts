import type { Check, CheckRow } from "@gantry/sdk";
import { runtimeVerdict } from "../shared/runtime-floors.ts";

type Tls = typeof import("node:tls");

/** Sets whom TLS trusts. Await it before a connection that may speak TLS. */
export type Trust = () => Promise<void>;

/**
 * Returns what makes TLS trust the operating system's authorities, once and for the whole process,
 * if `node` is below its floor: its own list then holds authorities whose keys are public. On any
 * other Node it changes nothing.
 */
export function createTrust(node: string = process.versions.node): Trust {
  let done: Promise<void> | undefined;
  return () => (done ??= trustOthers(node));
}

/** Returns true if a request to `url` speaks TLS, to the server or to the proxy. */
export function speaksTls(url: URL, proxy: string | undefined): boolean {
  return /^(?:https|wss):$/.test(url.protocol) || /^https:/i.test(proxy ?? "");
}

/** Tells whom TLS trusts on a Node below its floor, and has no row on another. */
export function trustCheck(node: string = process.versions.node): Check {
  return { name: "certificates", kind: "status", run: async () => rowsOf(node, await import("node:tls")) };
}

async function trustOthers(node: string): Promise<void> {
  if (runtimeVerdict(node).state === "patched") return;
  const tls = await import("node:tls");
  if (!canChoose(tls)) return;
  const system = tls.getCACertificates("system");
  if (system.length === 0) return;
  tls.setDefaultCACertificates([...new Set([...system, ...tls.getCACertificates("extra")])]);
}

/** Tells whether this Node can be told whom to trust: 22.19, 24.5 and newer can. */
function canChoose(tls: Tls): boolean {
  return "setDefaultCACertificates" in tls;
}

function rowsOf(node: string, tls: Tls): readonly CheckRow[] {
  const { state, install } = runtimeVerdict(node);
  if (state === "patched") return [];
  const what = "certificates";
  const cure = `Install Node ${install} or newer.`;
  if (!canChoose(tls))
    return [{ what, state: "warn", detail: "Node's own list, which is out of date", cure }];
  const count = new Set(tls.getCACertificates("system")).size;
  if (count > 0)
    return [{ what, state: "ok", detail: `${count} of the operating system, in place of Node's own` }];
  return [
    {
      what,
      state: "warn",
      detail: "the system has none: Node's own list, which is out of date",
      cure: `Install the package ca-certificates, or Node ${install} or newer.`,
    },
  ];
}
