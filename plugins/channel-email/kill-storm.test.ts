import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { freePort, startEchoModel, unbounded } from "../../test/e2e/platform.ts";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { own, writeTo } from "./email.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, password, until } from "./mail-sink.test-kit.ts";

const kills = process.env["GANTRY_LONG"] === undefined ? 3 : 50;
const people = [1, 2, 3, 4].map((n) => `person${n}@example.com`);

test.runIf(dovecot.here)(
  `CC-02: EM-08: EM-14: kill -9 at any moment under load loses no mail and keeps each thread's order; what is sent twice has the same id${dovecot.why}`,
  { timeout: 900_000 },
  async () => {
    await using sink = await MailSink.start({ withLogin: false });
    await using server = await MailServer.start({ relayPort: sink.port });
    const model = await startEchoModel(() => Math.random() * 30);
    using home = tempDir(
      [
        `default_provider = "${model.provider}"`,
        'default_model = "m"',
        `[gateway]\nport = ${await freePort()}\n${unbounded}`,
        "[channels.email]",
        `address = "${own}"\npassword = "${password}"`,
        `imap_host = "localhost"\nimap_port = ${server.ports.imaps}\nimap_tls = "implicit"`,
        `smtp_host = "localhost"\nsmtp_port = ${server.ports.submissions}\nsmtp_tls = "implicit"`,
        `tls_ca_file = "${server.caFile}"\nanswers_per_hour = 100000\nallowed_senders = ["@example.com"]`,
      ].join("\n"),
    );
    const start = async (): Promise<ChildProcess> => {
      const { child } = startGantry(["daemon"], { dir: home.dir });
      await said(child, "stderr", /Gantry is ready/);
      return child;
    };
    const written = new Map<string, string[]>(people.map((from) => [from, []]));
    const over = new AbortController();
    const writer = async (from: string): Promise<void> => {
      for (let n = 0; !over.signal.aborted; n += 1) {
        const word = `message-${from.split("@")[0]}-${n}`;
        written.get(from)?.push(`re: ${word}`);
        writeTo(server, {
          from,
          text: word,
          headers: [`References: <thread-of-${from.split("@")[0]}@mail.example>`],
        });
        await pause(60 + Math.random() * 180);
        // A machine that is slow today gets no more than it can answer.
        while (!over.signal.aborted && unanswered() > 40) await pause(50);
      }
    };
    const told = () => new Set(sink.mails.map(({ shown }) => shown.text));
    const unanswered = () => [...written.values()].flat().length - told().size;
    try {
      let child = await start();
      const writers = people.map(writer);
      for (let i = 0; i < kills; i += 1) {
        await pause(200 + Math.random() * 1_200);
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
        child = await start();
      }
      over.abort();
      await Promise.all(writers);
      await until(() => unanswered() === 0, 600_000);
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    } finally {
      over.abort();
      model.close();
    }
    const all = [...written.values()].flat();
    const byText = Map.groupBy(sink.mails, ({ shown }) => shown.text);
    const doubled = [...byText.values()].filter((same) => same.length > 1);
    const lost = all.filter((word) => !byText.has(word));
    process.stderr.write(
      `kill storm: ${kills} kills, ${all.length} mails, ${lost.length} lost, ${doubled.length} sent twice\n`,
    );
    expect(lost).toEqual([]);
    expect(all.length).toBeGreaterThan(kills * people.length);
    const firsts = people.map((person) => [
      ...new Set(sink.mails.filter(({ to }) => to[0] === person).map(({ shown }) => shown.text)),
    ]);
    expect(firsts).toEqual([...written.values()]);
    // A mail that was under way when the service died may come twice, never with two ids.
    expect(doubled.filter((same) => new Set(same.map(({ shown }) => shown.messageId)).size > 1)).toEqual([]);
    expect(doubled.length).toBeLessThanOrEqual(kills * people.length);
  },
);
