import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import type { GantryError } from "@gantry/sdk";
import { expandHome } from "@gantry/sdk/node";
import type { GatewayConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { isLoopback } from "./peer.ts";

/** Returns why listening on `host` would leave the door open, or undefined. */
export function openBind(host: string, config: GatewayConfig): GantryError | undefined {
  if (isLoopback(host)) return undefined;
  if (!config.require_pairing)
    return errors.GATEWAY_OPEN_BIND(
      host,
      "pairing",
      "gateway.require_pairing to true, or gateway.host to 127.0.0.1",
    );
  if (config.tls_enabled || config.trusted_proxies.length > 0) return undefined;
  const cure =
    "gateway.tls_enabled with its two files, or gateway.trusted_proxies, or gateway.host to 127.0.0.1";
  return errors.GATEWAY_OPEN_BIND(host, "TLS or a proxy that does it", cure);
}

/** Returns an address as the system takes it. `localhost` is the first of its two addresses. */
export function bindAddress(host: string): string {
  return host.toLowerCase() === "localhost" ? "127.0.0.1" : host.replace(/^\[(.*)\]$/, "$1");
}

/** Returns the address at which the gateway is reached. */
export function urlAt(host: string, port: number, tls: boolean): string {
  const address = bindAddress(host);
  return `${tls ? "https" : "http"}://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

type TlsKey = "tls_cert_path" | "tls_key_path";

export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads the two files and checks that they match; undefined if TLS is off. Throws GATEWAY_TLS_*.
 */
export async function readTls(config: GatewayConfig, configDir: string): Promise<Tls | undefined> {
  if (!config.tls_enabled) return undefined;
  const cert = await readPem("tls_cert_path", config, configDir);
  const key = await readPem("tls_key_path", config, configDir);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw errors.GATEWAY_TLS_INVALID(error);
  }
  return { cert, key };
}

/** Returns the paths of certificate and key. Throws GATEWAY_TLS_PATH. */
export function tlsPaths(config: GatewayConfig, configDir: string): readonly string[] {
  return [pathOf("tls_cert_path", config, configDir), pathOf("tls_key_path", config, configDir)];
}

function pathOf(name: TlsKey, config: GatewayConfig, configDir: string): string {
  const written = config[name];
  if (written === undefined) throw errors.GATEWAY_TLS_PATH(name);
  return resolve(configDir, expandHome(written));
}

async function readPem(name: TlsKey, config: GatewayConfig, configDir: string): Promise<Buffer> {
  const path = pathOf(name, config, configDir);
  try {
    return await readFile(path);
  } catch (error) {
    throw errors.GATEWAY_TLS_UNREADABLE(path, name, (error as NodeJS.ErrnoException).code ?? error);
  }
}

/** Returns the system's error about listening as a sentence with a cure. */
export function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") return errors.GATEWAY_PORT_IN_USE(port);
  return error.syscall === undefined
    ? error
    : errors.GATEWAY_LISTEN_FAILED(`${host}, port ${port}`, error.code ?? error.message);
}
