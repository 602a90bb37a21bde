import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { freePort, startEchoModel } from "../../test/e2e/platform.ts";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { appToken, botToken } from "./fake-slack.test-kit.ts";
import { directOf, sayTo, seenOf, startWorkspace } from "./slack.test-kit.ts";

const kills = process.env["GANTRY_LONG"] === undefined ? 4 : 50;
const people = [1, 2, 3, 4, 5].map((n) => `UPERSON${n}`);

test(
  "CC-02: SL-02: SL-10: SL-14: kill -9 at any moment under load loses no message, keeps each person's order and doubles none",
  { timeout: 900_000 },
  async () => {
    await using api = await startWorkspace();
    const model = await startEchoModel(() => Math.random() * 30);
    for (const user of people) api.channels.set(directOf(user), { isMember: true });
    using home = tempDir(
      [
        `default_provider = "${model.provider}"`,
        'default_model = "m"',
        `[gateway]\nport = ${await freePort()}\nmessages_per_minute_per_sender = 10000\nmax_waiting_per_sender = 10000`,
        `[endpoints]\nslack_url = "${api.url}"`,
        `[channels.slack]\nallowed_users = [${people.map((user) => `"${user}"`).join(", ")}]`,
      ].join("\n"),
    );
    const env = {
      SERVICE_ALLOW_INSECURE_LOOPBACK: "1",
      SERVICE_SLACK_BOT_TOKEN: botToken,
      SERVICE_SLACK_APP_TOKEN: appToken,
    };
    const start = async (): Promise<ChildProcess> => {
      const { child } = startGantry(["daemon"], { dir: home.dir, env });
      await said(child, "stderr", /Gantry is ready/);
      return child;
    };

    const written = new Map<string, string[]>(people.map((user) => [user, []]));
    const over = new AbortController();
    const writer = async (user: string): Promise<void> => {
      for (let n = 0; !over.signal.aborted; n += 1) {
        const word = `message-${user}-${n}`;
        written.get(user)?.push(`re: ${word}`);
        sayTo(api, word, { user });
        await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 100));
        // A machine that is slow today gets no more than it can answer.
        while (!over.signal.aborted && unanswered() > 60)
          await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const told = () =>
      api
        .of("chat.postMessage")
        .filter(({ refused }) => !refused)
        .map(({ params }) => ({ channel: params["channel"] as string, text: seenOf(params) }));
    const unanswered = () => [...written.values()].flat().length - told().length;
    try {
      let child = await start();
      // What was written to nobody before the app was ever there is not its business.
      await api.until(() => api.socketMode.open > 0);
      const writers = people.map(writer);
      for (let i = 0; i < kills; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 400 + (i === 0 ? 1_000 : 0)));
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
        child = await start();
      }
      over.abort();
      await Promise.all(writers);
      const all = [...written.values()].flat();
      await api.until(() => {
        const seen = new Set(told().map(({ text }) => text));
        return all.every((word) => seen.has(word));
      });
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    } finally {
      over.abort();
      model.close();
    }

    const texts = told();
    const byText = Map.groupBy(texts, ({ text }) => text);
    const doubled = [...byText.values()].filter(({ length }) => length > 1).map(([one]) => one?.text);
    const firsts = people.map((user) => [
      ...new Set(texts.filter(({ channel }) => channel === directOf(user)).map(({ text }) => text)),
    ]);
    expect(doubled).toEqual([]);
    expect(firsts).toEqual([...written.values()]);
    expect(written.get(people[0] as string)?.length).toBeGreaterThan(5);
  },
);
