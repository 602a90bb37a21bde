import type { Decoy } from "@gantry/sdk/node";
import { GATHER_CANDIDATES } from "./webdriver-scripts.ts";
import type { WebDriverCalls } from "./webdriver-calls.ts";

/**
 * Sends the browser where the proxy lets nobody go, as a page might; returns what went past the
 * proxy, undefined if nothing did.
 */
export async function pastTheProxy(calls: WebDriverCalls, decoy: Decoy): Promise<string | undefined> {
  const { tcpPort, udpPort } = decoy;
  await calls.patiently(() => calls.call("POST", "/url", { url: `http://127.0.0.1:${tcpPort}/` }));
  let found = "";
  const problem = await calls.patiently(async () => {
    const script = { script: GATHER_CANDIDATES, args: [udpPort, tcpPort] };
    found = String(await calls.call("POST", "/execute/async", script));
  });
  await calls.call("POST", "/url", { url: "about:blank" });
  calls.takeNotes();
  if (decoy.connections > 0) return "it connects to this machine past it";
  if (decoy.datagrams > 0 || found === "udp") return "its WebRTC sends datagrams past it";
  return found === "none" ? undefined : `its WebRTC could not be judged: ${problem ?? found}`;
}
