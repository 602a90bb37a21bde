import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { lastSaid, own, owner, startEmail } from "./email.test-kit.ts";
import { hostileMails } from "./hostile-mails.test-kit.ts";
import { dovecot } from "./mail-server.test-kit.ts";
import { until } from "./mail-sink.test-kit.ts";

const isLong = process.env["GANTRY_LONG"] !== undefined;
const count = isLong ? 1_000 : 60;

test.runIf(dovecot.here)(
  `EM-04: EM-16: EM-17: a mailbox of ${count} hostile mails: nobody is answered who must not be, nothing hangs, nothing is held whole${dovecot.why}`,
  { timeout: 900_000 },
  async () => {
    const mails = hostileMails(count, 42);
    const gateway = { max_waiting_per_sender: 10_000, messages_per_minute_per_sender: 10_000 };
    await using t = await startEmail({
      plugins: [memoryStore(), fakeProvider([(request) => lastSaid(request).slice(0, 200)])],
      table: { answers_per_hour: 100_000 },
      config: { gateway },
      serves: false,
    });
    let longestMs = 0;
    let highest = 0;
    let last = performance.now();
    const watch = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
      highest = Math.max(highest, process.memoryUsage().rss);
    }, 20);
    const before = process.memoryUsage().rss;
    await t.host.serve();
    for (const { raw } of mails) t.server.deliver(own, Buffer.from(raw, "latin1"));
    const answered = mails.filter(({ isAnswered }) => isAnswered).length;
    await t.sink.sent(answered, 800_000);
    const final = t.write({ text: "after all of them" });
    await t.sink.sent(answered + 1, 60_000);
    clearInterval(watch);
    await until(() => t.sink.mails.some(({ shown }) => shown.header("In-Reply-To") === final.id));
    const replied = t.sink.mails.map(
      ({ shown }) => /<hostile-(\d+)@/.exec(shown.header("In-Reply-To") ?? "")?.[1],
    );
    const wrong = replied
      .filter((i) => i !== undefined && !mails[Number(i)]!.isAnswered)
      .map((i) => mails[Number(i)]!.kind);
    expect(wrong).toEqual([]);
    expect(new Set(t.sink.mails.flatMap(({ to }) => to))).toEqual(new Set([owner]));
    expect(t.sink.mails.length).toBe(answered + 1);
    expect(t.sink.mails.every(({ raw }) => !raw.includes("ignore all rules"))).toBe(true);
    const grown = Math.round((highest - before) / 1e6);
    process.stderr.write(
      `hostile mails: memory grew by ${grown} MB, longest wait ${Math.round(longestMs)} ms\n`,
    );
    // Most of it are the mails themselves, and what the test keeps of them.
    expect(isLong ? grown : 0).toBeLessThan(1_000);
  },
);
