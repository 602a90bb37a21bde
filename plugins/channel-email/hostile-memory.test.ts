import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { freePort, startEchoModel, unbounded } from "../../test/e2e/platform.ts";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { own, owner, writeTo } from "./email.test-kit.ts";
import { hostileMails } from "./hostile-mails.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, password, until } from "./mail-sink.test-kit.ts";

const count = Number(process.env["GANTRY_MAILS"] ?? 1_000);
/**
 * Beyond what the idle service holds: two copies of the largest file that is kept, its text, and
 * what waits for the collector.
 */
const maxGrownMb = 250;

/** Megabytes that a process holds now, and held at most. */
function memoryOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mb = (key: string): number =>
    Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
  return { now: mb("VmRSS"), most: mb("VmHWM") };
}

test.runIf(dovecot.here && process.platform === "linux")(
  `EM-16: EM-17: the service reads ${count} hostile mails, of which some are 30 MB, within bounded memory${dovecot.why}`,
  { timeout: 1_800_000 },
  async () => {
    await using sink = await MailSink.start({ withLogin: false });
    await using server = await MailServer.start({ relayPort: sink.port });
    const model = await startEchoModel(() => 0);
    using home = tempDir(
      [
        `default_provider = "${model.provider}"\ndefault_model = "m"`,
        `[gateway]\nport = ${await freePort()}\n${unbounded}`,
        `[channels.email]\naddress = "${own}"\npassword = "${password}"`,
        `imap_host = "localhost"\nimap_port = ${server.ports.imaps}\nimap_tls = "implicit"`,
        `smtp_host = "localhost"\nsmtp_port = ${server.ports.submissions}\nsmtp_tls = "implicit"`,
        `tls_ca_file = "${server.caFile}"\nanswers_per_hour = 100000\nallowed_senders = ["${owner}"]`,
      ].join("\n"),
    );
    const { child, ended } = startGantry(["daemon"], { dir: home.dir });
    try {
      await said(child, "stderr", /channel email is connected/);
      const idle = memoryOf(child.pid!);
      const mails = hostileMails(count, 42);
      for (const { raw } of mails) server.deliver(own, Buffer.from(raw, "latin1"));
      const last = writeTo(server, { text: "message-last" });
      const isAnswered = () => sink.mails.some(({ shown }) => shown.header("In-Reply-To") === last.id);
      await until(() => isAnswered() || child.exitCode !== null, 1_500_000);
      expect(child.exitCode).toBeNull();
      const { now, most } = memoryOf(child.pid!);
      process.stderr.write(
        `hostile mails: ${count}, idle ${idle.now} MB, most ${most} MB, at the end ${now} MB\n`,
      );
      expect(most - idle.now).toBeLessThan(maxGrownMb);
    } finally {
      child.kill("SIGTERM");
      await ended;
      model.close();
    }
  },
);
