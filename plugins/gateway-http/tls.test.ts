import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { connect as connectTls } from "node:tls";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { certificate, key, otherKey } from "./certificate.test-kit.ts";
import { startGateway } from "./gateway.test-kit.ts";

let configDir: string;
beforeAll(async () => {
  configDir = await mkdtemp(path.join(tmpdir(), "gantry-tls-"));
  await writeFile(path.join(configDir, "cert.pem"), certificate);
  await writeFile(path.join(configDir, "key.pem"), key);
  await writeFile(path.join(configDir, "other.pem"), otherKey);
  await writeFile(path.join(configDir, "text.pem"), "not a certificate");
});
afterAll(() => rm(configDir, { recursive: true }));

test("GW-03: tls_enabled serves https with the two files, found beside the configuration", async () => {
  const files = { tls_enabled: true, tls_cert_path: "cert.pem", tls_key_path: "key.pem" };
  await using gateway = await startGateway({ configDir, gateway: files });
  expect(gateway.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const status = await new Promise((resolve, reject) => {
    request(`${gateway.url}/health`, { ca: certificate, agent: false }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on("error", reject)
      .end();
  });
  expect(status).toBe(200);
  const plain = await new Promise<string>((resolve) => {
    let text = "";
    const socket = connect(gateway.port, "127.0.0.1", () =>
      socket.write("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
    );
    socket.on("data", (data) => (text += data.toString("latin1"))).on("error", () => {});
    socket.on("close", () => resolve(text));
  });
  expect(plain).not.toContain('"status":"ok"');
});

test.each([
  [{ tls_cert_path: "cert.pem" }, "GATEWAY_TLS_PATH", "gateway.tls_key_path is missing"],
  [{ tls_key_path: "key.pem" }, "GATEWAY_TLS_PATH", "gateway.tls_cert_path is missing"],
  [
    { tls_cert_path: "gone.pem", tls_key_path: "key.pem" },
    "GATEWAY_TLS_UNREADABLE",
    "gone.pem in gateway.tls_cert_path cannot be read (ENOENT)",
  ],
  [
    { tls_cert_path: "cert.pem", tls_key_path: "." },
    "GATEWAY_TLS_UNREADABLE",
    "gateway.tls_key_path cannot be read (EISDIR)",
  ],
  [
    { tls_cert_path: "text.pem", tls_key_path: "key.pem" },
    "GATEWAY_TLS_INVALID",
    "are not a certificate and its key",
  ],
  [
    { tls_cert_path: "cert.pem", tls_key_path: "text.pem" },
    "GATEWAY_TLS_INVALID",
    "are not a certificate and its key",
  ],
  [{ tls_cert_path: "cert.pem", tls_key_path: "other.pem" }, "GATEWAY_TLS_INVALID", "key values mismatch"],
])("GW-03: wrong TLS files stop the start with what is wrong (%#)", async (files, code, words) => {
  const started = startGateway({ configDir, gateway: { tls_enabled: true, ...files } });
  await expect(started).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
});

/** Returns the number of the certificate that a new connection gets. */
function served(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    }).on("error", reject);
  });
}

/**
 * Writes a certificate of this number, as whoever renews them does: key and certificate one after
 * the other.
 */
function renew(folder: string, serial: number): void {
  const [keyOut, out] = [path.join(folder, "live.key"), path.join(folder, "live.pem")];
  const ec = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-subj",
    "/CN=localhost",
  ];
  const files = ["-keyout", `${keyOut}.new`, "-out", `${out}.new`];
  execFileSync("openssl", ["req", "-x509", ...ec, ...files, "-days", "2", "-set_serial", String(serial)], {
    stdio: "ignore",
  });
  renameSync(`${keyOut}.new`, keyOut);
  renameSync(`${out}.new`, out);
}

test("OPS-02: a renewed certificate is served without a restart and without a word; one that does not fit is not, and that is said", async () => {
  renew(configDir, 17);
  const files = { tls_enabled: true, tls_cert_path: "live.pem", tls_key_path: "live.key" };
  await using gateway = await startGateway({ configDir, gateway: files });
  expect(await served(gateway.port)).toBe("11");
  renew(configDir, 18);
  await expect.poll(() => served(gateway.port)).toBe("12");
  await writeFile(path.join(configDir, "live.key"), otherKey);
  const said = () => gateway.host.logs.filter(({ level }) => level === "warn").map(({ message }) => message);
  await expect.poll(() => said().join()).toMatch(/The certificate before is served on/);
  expect(await served(gateway.port)).toBe("12");
});
