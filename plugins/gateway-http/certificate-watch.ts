import { unwatchFile, watchFile } from "node:fs";
import type { Server } from "node:https";
import type { Logger } from "@gantry/sdk";
import { readTls, tlsPaths } from "./bind.ts";
import type { GatewayConfig } from "./config.ts";

/**
 * Looked at by name, through links, as those who renew certificates swap links; what is written is
 * whole soon after.
 */
const lookMs = 2_000;

/**
 * Serves a renewed certificate without a restart: whenever one of the two files has changed and
 * both belong together, new connections get them. Until then the old ones are served, which is
 * logged. Returns a function that ends the watch.
 */
export function watchCertificate(
  server: Server,
  config: GatewayConfig,
  configDir: string,
  log: Logger,
): () => void {
  const renew = async (): Promise<void> => {
    try {
      const tls = await readTls(config, configDir);
      if (!tls) return;
      server.setSecureContext(tls);
      log.info({}, "The certificate was read again: new connections get it.");
    } catch (error) {
      log.warn({ err: error }, `The certificate before is served on, since ${(error as Error).message}`);
    }
  };
  const onChange = (): void => void renew();
  const paths = tlsPaths(config, configDir);
  for (const path of paths) watchFile(path, { interval: lookMs, persistent: false }, onChange);
  return () => {
    for (const path of paths) unwatchFile(path, onChange);
  };
}
