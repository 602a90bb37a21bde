import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { proxyTo } from "../net-undici/loopback.test-kit.ts";
import { owner, startEmail } from "./email.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, password } from "./mail-sink.test-kit.ts";

const farAway = { SERVICE_ALLOW_INSECURE_LOOPBACK: "" };

/**
 * Returns the row of `gantry channel doctor` about reading from `host`, which a proxy leads to this
 * port.
 */
async function reading(host: string, port: number, caFile?: string): Promise<string> {
  await using proxy = await proxyTo(port);
  const table = { imap_host: host, imap_port: 143, smtp_host: host, smtp_port: 465, tls_ca_file: caFile };
  await using t = await startEmail({
    server: MailServer.nowhere(),
    serves: false,
    table: caFile === undefined ? { ...table, tls_ca_file: undefined } : table,
    env: { ...farAway, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    keepsEnv: true,
  });
  const rows = await t.check("email");
  expect(proxy.seen.map(({ line }) => line)).toContain(`CONNECT ${host}:143`);
  const { state, detail } = rows.find(({ what }) => what === "email reading")!;
  return `${state}: ${detail}`;
}

test.runIf(dovecot.here)(
  `EM-11: CHN-04: on port 143 mail is read by STARTTLS, over the network and a proxy, and the certificate must be of the host's name${dovecot.why}`,
  async () => {
    await using server = await MailServer.start({ more: "disable_plaintext_auth = yes" });
    const { imap } = server.ports;
    expect(await reading("mail.test", imap, server.caFile)).toMatch(/^ok: mail\.test:143 lets /);
    expect(server.log).toMatch(/imap-login: Info: Login: .*TLS/);
    expect(await reading("other.test", imap, server.caFile)).toMatch(
      /^fail: The certificate of other\.test:143/,
    );
    expect(await reading("127.0.0.2", imap, server.caFile)).toMatch(
      /^fail: The certificate of 127\.0\.0\.2:143/,
    );
    expect(await reading("mail.test", imap)).toMatch(
      /^fail: The certificate of mail\.test:143 is not trusted/,
    );
  },
);

test.runIf(dovecot.here)(
  `EM-11: CHN-04: a mail that comes over STARTTLS is told at once and answered${dovecot.why}`,
  async () => {
    await using sink = await MailSink.start({ withLogin: false });
    await using server = await MailServer.start({
      relayPort: sink.port,
      more: "disable_plaintext_auth = yes",
    });
    const { imap, submission } = server.ports;
    const secure = {
      imap_tls: "starttls",
      smtp_tls: "starttls",
      imap_host: "localhost",
      smtp_host: "localhost",
    };
    const table = { ...secure, imap_port: imap, smtp_port: submission, tls_ca_file: server.caFile };
    await using t = await startEmail({ server, sink, table, env: farAway });
    for (const n of [1, 2]) {
      t.write({ text: "over STARTTLS" });
      await sink.sent(n);
    }
    t.server.dropConnections();
    t.write({ text: "after it broke off" });
    await sink.sent(3);
    expect(sink.mails.map(({ to }) => to)).toEqual([[owner], [owner], [owner]]);
  },
);

const capable = "* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN] ready";

/** Answers in the server's place, as somebody on the way would; returns what was said to them. */
async function between(greeting: string, answer: (tag: string, word: string) => string): Promise<string> {
  const heard: Buffer[] = [];
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.write(`${greeting}\r\n`);
    socket.on("data", (bytes) => {
      heard.push(bytes);
      const [, tag = "*", word = ""] = /^(\S+) (\S+)/.exec(String(bytes)) ?? [];
      socket.write(answer(tag, word.trim().toUpperCase()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const said = await reading("mail.test", (server.address() as AddressInfo).port);
  server.close();
  expect(said).toMatch(/^fail: mail\.test:143 offers no STARTTLS/);
  return `${said}\n${Buffer.concat(heard).toString("latin1")}`;
}

test.each([
  ["offers none", "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready", (tag: string) => `${tag} OK done\r\n`],
  [
    "says that the login is done",
    "* PREAUTH [CAPABILITY IMAP4rev1] welcome",
    (tag: string) => `${tag} OK done\r\n`,
  ],
  [
    "refuses it",
    capable,
    (tag: string, word: string) => `${tag} ${word === "STARTTLS" ? "NO" : "OK"} done\r\n`,
  ],
  [
    "slips an answer in before TLS",
    capable,
    (tag: string, word: string) =>
      `${tag} OK done\r\n${word === "STARTTLS" ? "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n" : ""}`,
  ],
])(
  "EM-11: CHN-04: a server that %s is told no login where STARTTLS is demanded",
  async (_how, greeting, answer) => {
    const seen = await between(greeting, answer);
    expect(seen).not.toMatch(/\bLOGIN\b|AUTHENTICATE/i);
    for (const secret of [password, Buffer.from(`\0agent@example.com\0${password}`).toString("base64")])
      expect(seen).not.toContain(secret);
  },
);
