import { expect, test } from "vitest";
import { kills, killStorm, stormMs } from "../../test/e2e/kill-storm.ts";
import { own, writeTo } from "./email.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, password } from "./mail-sink.test-kit.ts";

const people = [1, 2, 3, 4].map((n) => `person${n}@example.com`);

test.runIf(dovecot.here)(
  `CC-02: EM-08: EM-14: kill -9 at any moment under load loses no mail and keeps each thread's order; what is sent twice has the same id${dovecot.why}`,
  { timeout: stormMs },
  async () => {
    await using sink = await MailSink.start({ withLogin: false });
    await using server = await MailServer.start({ relayPort: sink.port });
    const { expected, firsts, lost, doubled } = await killStorm({
      channel: "email",
      config: [
        "[channels.email]",
        `address = "${own}"\npassword = "${password}"`,
        `imap_host = "localhost"\nimap_port = ${server.ports.imaps}\nimap_tls = "implicit"`,
        `smtp_host = "localhost"\nsmtp_port = ${server.ports.submissions}\nsmtp_tls = "implicit"`,
        `tls_ca_file = "${server.caFile}"\nanswers_per_hour = 100000\nallowed_senders = ["@example.com"]`,
      ].join("\n"),
      people,
      write(from, text) {
        const thread = `thread-of-${from.replace("@", ".")}@mail.example`;
        writeTo(server, { from, text, headers: [`References: <${thread}>`] });
      },
      told: () => sink.mails.map(({ to, shown }) => ({ person: to[0] ?? "", text: shown.text ?? "" })),
    });
    expect(lost).toEqual([]);
    expect(expected.flat().length).toBeGreaterThan(kills * people.length);
    expect(firsts).toEqual(expected);
    // A mail that was under way when the service died may come twice, never with two ids.
    const byText = Map.groupBy(sink.mails, ({ shown }) => shown.text);
    const ids = doubled.map(({ text }) => new Set(byText.get(text)?.map(({ shown }) => shown.messageId)));
    expect(ids.filter(({ size }) => size > 1)).toEqual([]);
    expect(doubled.length).toBeLessThanOrEqual(kills * people.length);
  },
);
