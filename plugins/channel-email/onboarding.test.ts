import { readFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyPlace, ENTER, gantry, gantryInTerminal, UP } from "../command-onboard/cli.test-kit.ts";
import { own, vouchedFor } from "./email.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { onboarding } from "./onboarding.ts";
import { MailSink, password } from "./mail-sink.test-kit.ts";

const wrong = "not-the-password";

/** Returns the keys of these answers, in order; questions without one get an empty answer. */
function answered(answers: string[]): ReturnType<typeof onboarding.ask> {
  const questions = {
    text: async () => answers.shift() ?? "",
    secret: async () => "x",
    yes: async () => false,
  };
  return onboarding.ask(questions, async () => []);
}

test("FLR-29: onboard makes an owner only of whom a named mail server vouches for", async () => {
  const answers = [own, "imap.example.com", "smtp.example.com", "ada@example.com, bob@example.com"];
  const keys = ["channels.email.authserv_id", "channels.email.owners"];
  const without = await answered([...answers, ""]);
  for (const key of keys) expect(Object.entries(without)).toContainEqual([key, undefined]);
  expect(await answered([...answers, "mx.example.com"])).toMatchObject({
    "channels.email.authserv_id": "mx.example.com",
    "channels.email.owners": ["ada@example.com"],
  });
});

test("CHN-04: onboard sets port and security of each server, so that none of an earlier server stays", async () => {
  const keys = await answered([own, "imap.example.com", "smtp.example.com:587", "ada@example.com"]);
  expect(keys).toMatchObject({ "channels.email.imap_port": 993, "channels.email.smtp_port": 587 });
  for (const key of ["channels.email.imap_tls", "channels.email.smtp_tls"])
    expect(Object.entries(keys)).toContainEqual([key, undefined]);
});

test.runIf(dovecot.here)(
  `CLI-02: CHN-04: onboard sets e-mail up: a wrong password is said before anything is written, the right one is tried on both servers${dovecot.why}`,
  async () => {
    await using sink = await MailSink.start({ withLogin: false });
    await using server = await MailServer.start({ relayPort: sink.port });
    await using place = await emptyPlace();
    const { configDir } = place;
    const file = path.join(configDir, "config.toml");
    await mkdir(configDir, { mode: 0o700 });
    const old = [
      "[channels.email]",
      'address = "old@example.com"\npassword = "revoked-long-ago"',
      'imap_host = "localhost"\nimap_port = 1\nimap_tls = "implicit"',
      'smtp_host = "localhost"\nsmtp_port = 1\nsmtp_tls = "implicit"',
      `tls_ca_file = "${server.caFile}"\n`,
    ].join("\n");
    await writeFile(file, old, { mode: 0o600 });
    const terminal = gantryInTerminal(configDir, [
      "onboard",
      "--provider",
      "demo",
      "--autonomy",
      "supervised",
    ]);
    const answer = async (secret: string, people: () => Promise<void>): Promise<void> => {
      await terminal.answer("The agent's own address", `${own}${ENTER}`);
      await terminal.answer("Password of the mailbox", `${secret}${ENTER}`);
      await terminal.answer("IMAP server", `\u0015localhost:${server.ports.imaps}${ENTER}`);
      await terminal.answer("SMTP server", `\u0015localhost:${server.ports.submissions}${ENTER}`);
      await terminal.see("Who may write?");
      await people();
    };
    await terminal.answer("Which directory", ENTER);
    await terminal.see("Where shall people write");
    await terminal.answer("E-mail", UP + UP + UP + ENTER);
    await answer(wrong, async () => {
      terminal.type(`ada${ENTER}`);
      await terminal.answer(
        "ada is not an address such as ada@example.com",
        `\u0015Ada@Example.com, @example.org${ENTER}`,
      );
    });
    await terminal.answer("Have you sent one?", "n");
    await terminal.answer("Under which name does your mail server", ENTER);
    await terminal.see("refuses");
    await terminal.answer("Keep these answers", "n");
    await answer(password, () => Promise.resolve(terminal.type(`Ada@Example.com, @example.org${ENTER}`)));
    await terminal.answer("Have you sent one?", "y");
    await terminal.see("names a server yet");
    const [subject] = /gantry-[0-9a-f]{16}/.exec(terminal.shown()) ?? [];
    server.deliver(own, `${vouchedFor()}\r\nSubject: ${subject}\r\n\r\nhello\r\n`);
    terminal.type("y");
    await terminal.answer("Under which name does your mail server", ENTER);
    await terminal.see(`localhost:${server.ports.imaps} lets ${own} in`);
    await terminal.see("Write them?");
    expect(await readFile(file, "utf8")).not.toContain(password);
    terminal.type(ENTER);
    await terminal.see("Then: gantry daemon");
    expect(await terminal.ended).toBe(0);
    for (const secret of [wrong, password]) expect(terminal.shown()).not.toContain(secret);

    const text = await readFile(file, "utf8");
    expect(text).toContain(`password = "${password}"`);
    expect(text).toMatch(/allowed_senders = \[ ?"ada@example\.com", "@example\.org" ?\]/);
    expect(text).toMatch(/owners = \[ ?"ada@example\.com" ?\]/);
    expect(text).toContain('authserv_id = "mx.example.com"');
    expect(text).toMatch(new RegExp(`imap_port = ${server.ports.imaps}\\b`));
    expect(text).not.toContain("_tls =");
    // A server may keep a client waiting whose password was wrong before, longer than one look has.
    const rows = async (): Promise<unknown> =>
      JSON.parse((await gantry(configDir, ["channel", "doctor", "--json"])).stdout).rows;
    const lines = [
      lets("email reading", server.ports.imaps),
      lets("email sending by SMTP", server.ports.submissions),
    ];
    await expect.poll(rows).toEqual(expect.arrayContaining(lines));
    expect(sink.mails).toEqual([]);
    const status = await gantry(configDir, ["status"]);
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("email allowlist")]);
  },
);

function lets(what: string, port: number): unknown {
  return expect.objectContaining({
    what,
    state: "ok",
    detail: expect.stringContaining(`localhost:${port} lets `),
  });
}
