import type { Check, CheckRow } from "@gantry/sdk";
import { runtimeVerdict } from "@gantry/sdk/node";

type Tls = typeof import("node:tls");

/** Roots that Mozilla withdrew on 20 Oct 2026. What they signed holds their names too. */
const withdrawn = ["emSign ECC Root CA - G3", "emSign Root CA - C1", "emSign ECC Root CA - C3"];

/** Sets whom TLS trusts. Await it before a connection that may speak TLS. */
export type Trust = () => Promise<void>;

/**
 * Returns what makes TLS trust the operating system's authorities, once and for the whole process,
 * if `node` is below its floor: its own list then holds authorities whose keys are public. On any
 * other Node it changes nothing.
 */
export function createTrust(node: string = process.versions.node): Trust {
  if (runtimeVerdict(node).state === "patched") return async () => {};
  let done: Promise<void> | undefined;
  return () => (done ??= trustOthers());
}

/** Whether a request to `url` speaks TLS, to the server or to the proxy. */
export function speaksTls(url: URL, proxy: string | undefined): boolean {
  return /^(?:https|wss):$/.test(url.protocol) || /^https:/i.test(proxy ?? "");
}

/** Tells whom TLS trusts on a Node below its floor, and has no row on another. */
export function trustCheck(node: string = process.versions.node): Check {
  return { name: "certificates", kind: "status", run: async () => rowsOf(node, await import("node:tls")) };
}

async function trustOthers(): Promise<void> {
  const tls = await import("node:tls");
  if (!canChoose(tls)) return;
  const system = tls.getCACertificates("system");
  const chosen = system.length > 0 ? system : tls.getCACertificates("bundled");
  const all = new Set([...chosen, ...tls.getCACertificates("extra")]);
  tls.setDefaultCACertificates([...all].filter((one) => !isWithdrawn(one)));
}

/** Tells whether this Node can be told whom to trust: 22.19, 24.5 and newer can. */
function canChoose(tls: Tls): boolean {
  return "setDefaultCACertificates" in tls;
}

function isWithdrawn(pem: string): boolean {
  const der = Buffer.from(pem.replace(/-----[^-]*-----/g, ""), "base64");
  return withdrawn.some((name) => der.includes(name));
}

function rowsOf(node: string, tls: Tls): readonly CheckRow[] {
  const { state, install } = runtimeVerdict(node);
  if (state === "patched") return [];
  const what = "certificates";
  const cure = `Install Node ${install} or newer.`;
  if (!canChoose(tls))
    return [{ what, state: "warn", detail: "Node's own list, with authorities that are withdrawn", cure }];
  const count = new Set(tls.getCACertificates("system")).size;
  if (count > 0)
    return [{ what, state: "ok", detail: `${count} of the operating system, in place of Node's own` }];
  return [
    {
      what,
      state: "warn",
      detail: "the system has none: Node's own, without three withdrawn",
      cure: `Install the package ca-certificates, or Node ${install} or newer.`,
    },
  ];
}
