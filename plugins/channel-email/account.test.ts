import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { lastSaid, own, owner, startEmail, type EmailOptions } from "./email.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, password, until } from "./mail-sink.test-kit.ts";

/** Returns the output of `gantry channel doctor`, on a channel that reads nothing. */
async function doctor(options: EmailOptions): Promise<string> {
  await using t = await startEmail({ serves: false, ...options });
  const rows = await t.check("email");
  return rows.map(({ what, state, detail, cure = "" }) => `${what}: ${state}: ${detail} ${cure}`).join("\n");
}

test.runIf(dovecot.here)(
  `CHN-04: over TLS with an authority of one's own, STARTTLS for sending, and another name for the login${dovecot.why}`,
  async () => {
    await using sink = await MailSink.start({ withLogin: false });
    await using server = await MailServer.start({ relayPort: sink.port });
    const { imaps, submission, submissions } = server.ports;
    const secure = { imap_host: "localhost", imap_port: imaps, imap_tls: "implicit", smtp_host: "localhost" };
    const table = { ...secure, tls_ca_file: server.caFile, username: own, mailbox: "INBOX" };
    const starttls = { ...table, smtp_port: submission, smtp_tls: "starttls" };
    await using t = await startEmail({
      server,
      sink,
      table: starttls,
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "" },
    });
    t.write({ text: "over TLS" });
    await sink.sent(1);
    await t.host.stop();
    const implicit = { ...table, smtp_port: submissions, smtp_tls: "implicit" };
    await using second = await startEmail({
      server,
      sink,
      table: implicit,
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "" },
    });
    second.write({ text: "again" });
    await sink.sent(2);
    expect(server.log).toMatch(/imap-login: Info: Login: .*TLS/);
    expect(server.log).toMatch(/submission-login: Info: Login: .*TLS/);
    expect(server.log).not.toMatch(/Login: .*secured,/);
  },
);

test.runIf(dovecot.here)(
  `EM-12: a wrong password is tried once, not again within a quarter of an hour, and the cure stands in log, status and doctor${dovecot.why}`,
  async () => {
    const store = createMemoryStore();
    const plugins = [memoryStore(store), fakeProvider([lastSaid])];
    await using t = await startEmail({ plugins, table: { password: "wrong-pass-word" } });
    const { server, sink } = t;
    await until(() => t.host.logs.some(({ message }) => message.includes("Login error")));
    expect(JSON.stringify(await t.check("email-status"))).toContain("Login error");
    expect(JSON.stringify(await t.check("email-doctor"))).toContain("password made for apps");
    await t.host.stop();
    const tries = () => server.log.match(/auth failed/g)?.length ?? 0;
    const before = tries();
    await using again = await startEmail({ server, sink, plugins, table: { password: "wrong-pass-word" } });
    await until(() => again.host.logs.some(({ message }) => message.includes("Login error")));
    expect(tries()).toBe(before);
    expect(JSON.stringify([t.host.logs, again.host.logs])).not.toContain("wrong-pass-word");
    await again.host.stop();
    await using right = await startEmail({ server, sink, plugins });
    right.write({ text: "with the right one" });
    await sink.sent(1);
  },
);

test.runIf(dovecot.here)(
  `CHN-04: each thing that is wrong with a server is one sentence with its cure${dovecot.why}`,
  async () => {
    await using sink = await MailSink.start();
    await using server = await MailServer.start({ more: "mail_max_userip_connections = 1" });
    await using open = await MailServer.start({ tls: false });
    const { imaps, imap } = server.ports;
    const on = (table: EmailOptions["table"]) => doctor({ server, sink, table: { ...table } });
    expect(await on({ imap_port: imaps, imap_tls: "implicit" })).toMatch(
      /certificate of .* is not trusted.*tls_ca_file/,
    );
    expect(await on({ imap_port: imap, imap_tls: "implicit" })).toMatch(
      /does not speak TLS from the first byte.*993/,
    );
    expect(await on({ mailbox: "Nowhere" })).toMatch(/has no folder Nowhere.*channels\.email\.mailbox/);
    expect(await on({ imap_port: 1 })).toMatch(
      /email reading: fail: .*ECONNREFUSED.*check the host and port in channels\.email/,
    );
    expect(await on({ imap_host: "nowhere.invalid", imap_tls: "implicit" })).toMatch(
      /email reading: fail: .*nowhere\.invalid.* cannot be reached.*check the host and port in channels\.email/,
    );
    expect(await on({ smtp_port: imap })).toMatch(
      /email sending by SMTP: fail: .*does not greet as a mail server does.*465 for smtp_port/,
    );
    expect(await on({ smtp_tls: "starttls" })).toMatch(/email sending by SMTP: fail: .*offers no STARTTLS/);
    expect(await on({ smtp_port: 1 })).toMatch(/email sending by SMTP: fail: .*refused/);
    expect(await on({ tls_ca_file: "/nowhere.pem" })).toMatch(/tls_ca_file cannot be read/);
    expect(await doctor({ server: open, sink, table: { imap_tls: "starttls" } })).toMatch(
      /offers no STARTTLS/,
    );
    await using t = await startEmail({ server, sink });
    await until(async () => JSON.stringify(await t.check("email-status")).includes("connected for"));
    expect(JSON.stringify(await t.check("email"))).toMatch(/no further connection in.*end other programs/);
  },
);

test.runIf(dovecot.here)(
  `CHN-04: a mailbox that is nearly full is said by doctor${dovecot.why}`,
  async () => {
    const more = [
      "mail_plugins = $mail_plugins quota",
      "protocol imap {\n  mail_plugins = $mail_plugins quota imap_quota\n}",
      "plugin {\n  quota = count:User quota\n  quota_vsizes = yes\n  quota_rule = *:storage=10K\n}",
    ].join("\n");
    await using server = await MailServer.start({ more });
    server.deliver(own, `From: ${owner}\r\nSubject: x\r\n\r\n${"x".repeat(70)}\r\n`.repeat(100));
    expect(await doctor({ server })).toMatch(
      /email quota: fail: \d+ % of the mailbox is used delete old mail/,
    );
  },
);

test.runIf(dovecot.here)(
  `CC-18: a connection that breaks off is made anew, and what came meanwhile is answered${dovecot.why}`,
  async () => {
    await using t = await startEmail();
    t.write({ text: "one" });
    await t.sink.sent(1);
    t.server.dropConnections();
    t.write({ text: "two" });
    expect((await t.sink.sent(2)).length).toBe(2);
  },
);

test("CHN-04: what is set wrongly stops the start with its cure; the variables win over the keys", async () => {
  const bare = { server: MailServer.nowhere(), sink: await MailSink.start(), serves: false };
  const code = (options: EmailOptions) =>
    startEmail({ ...bare, ...options }).then(
      async (t) => (await t.host.stop(), "none"),
      (error: { code?: string }) => error.code,
    );
  expect(await code({ env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "" }, table: { imap_tls: "none" } })).toBe(
    "EMAIL_INSECURE",
  );
  expect(await code({ table: { address: "nobody" } })).toBe("EMAIL_BAD_ADDRESS");
  expect(await code({ env: { SERVICE_EMAIL_PASSWORD: " " } })).toBe("CHANNEL_BLANK");
  expect(
    await code({ env: { SERVICE_EMAIL_PASSWORD: password, SERVICE_EMAIL_IMAP_HOST: "127.0.0.1" } }),
  ).toBe("none");
  await bare.sink[Symbol.asyncDispose]();
});
