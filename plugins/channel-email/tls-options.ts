import { readFile } from "node:fs/promises";
import type { ConnectionOptions } from "node:tls";
import { errors } from "./errors.ts";

/**
 * Certificates are checked always; authorities of one's own stand in place of those that Node
 * knows. Throws EMAIL_BAD_CA.
 */
export async function tlsOptions(caFile: string | undefined): Promise<ConnectionOptions> {
  if (caFile === undefined) return { minVersion: "TLSv1.2" };
  const own = await readFile(caFile, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw errors.EMAIL_BAD_CA(error.code ?? "unknown");
  });
  if (!own.includes("-----BEGIN CERTIFICATE-----")) throw errors.EMAIL_BAD_CA("it holds no certificate");
  return { minVersion: "TLSv1.2", ca: own };
}
