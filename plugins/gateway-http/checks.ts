import { X509Certificate } from "node:crypto";
import { connect } from "node:net";
import type { CheckRow, People } from "@gantry/sdk";
import { runningRows } from "./ask-ready.ts";
import { bindAddress, openBind, readTls, urlAt } from "./bind.ts";
import type { GatewayConfig } from "./config.ts";
import type { Device, Devices } from "./devices.ts";

const connectMs = 1_000;

/** Checks for `status` what is here, and for `doctor` also what a start would trip over. */
export async function gatewayRows(
  kind: "status" | "doctor",
  config: GatewayConfig,
  configDir: string,
  { devices, people }: { readonly devices: Devices; readonly people: People },
): Promise<readonly CheckRow[]> {
  const rows = [await listening(config), ...(await pairing(config, devices, people))];
  if (kind === "status") return rows;
  return [...rows, bind(config), await tls(config, configDir), ...(await runningRows(config, configDir))];
}

/** Returns a row if the certificate has expired: no client that looks at it comes in. */
export async function readyRows(config: GatewayConfig, configDir: string): Promise<readonly CheckRow[]> {
  const files = await readTls(config, configDir);
  if (!files) return [];
  const { validTo } = new X509Certificate(files.cert);
  if (new Date(validTo).getTime() > Date.now()) return [];
  return [{ what: "certificate", state: "fail", detail: `it expired on ${validTo}`, cure: "Renew it." }];
}

async function listening({ host, port, tls_enabled }: GatewayConfig): Promise<CheckRow> {
  const what = "gateway";
  const at = urlAt(host, port, tls_enabled);
  if (await answers(bindAddress(host), port))
    return { what, state: "ok", detail: `something listens on ${at}` };
  return {
    what,
    state: "warn",
    detail: `nothing listens on ${at}`,
    cure: "start it with `gantry gateway`, `gantry daemon` or `gantry service start`",
  };
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (open: boolean) => () => {
      socket.destroy();
      resolve(open);
    };
    const socket = connect({ host, port, timeout: connectMs })
      .on("connect", end(true))
      .on("error", end(false))
      .on("timeout", end(false));
  });
}

async function pairing(
  { require_pairing }: GatewayConfig,
  devices: Devices,
  people: People,
): Promise<readonly CheckRow[]> {
  const what = "gateway pairing";
  const cure = "set gateway.require_pairing to true";
  const off = "off: whoever reaches this machine's loopback may chat";
  if (!require_pairing) return [{ what, state: "warn", detail: off, cure }];
  const paired = (await devices.list()).filter(({ expires }) => !devices.isOver(expires));
  const { length } = paired;
  const detail = `required; ${length === 1 ? "1 device is" : `${length} devices are`} paired`;
  return [{ what, state: "ok", detail }, ...(length > 0 ? [deciders(paired, people)] : [])];
}

/** So many devices are named. */
const maxNamed = 10;

/** Names the devices that may decide questions. */
function deciders(paired: readonly Device[], people: People): CheckRow {
  const deciding = paired.filter(({ device_id: device, name, may, byId }) =>
    people.may({ device, may, ...(!byId && { name }) }).includes("decide"),
  );
  const more = deciding.length > maxNamed ? ` and ${deciding.length - maxNamed} more` : "";
  const named = deciding.slice(0, maxNamed).map(({ device_id, name }) => `${name} (${device_id})`);
  const detail = deciding.length > 0 ? `${named.join(", ")}${more}` : "no paired device";
  return { what: "gateway may decide", state: "ok", detail };
}

function bind(config: GatewayConfig): CheckRow {
  const refusal = openBind(config.host, config);
  if (!refusal) return { what: "gateway address", state: "ok", detail: config.host };
  return { what: "gateway address", state: "fail", detail: refusal.message };
}

async function tls(config: GatewayConfig, configDir: string): Promise<CheckRow> {
  const what = "gateway tls";
  try {
    return {
      what,
      state: "ok",
      detail: (await readTls(config, configDir)) ? "the certificate and its key fit" : "off",
    };
  } catch (error) {
    return { what, state: "fail", detail: (error as Error).message };
  }
}
