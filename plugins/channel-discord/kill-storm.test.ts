import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { freePort, startEchoModel } from "../../test/e2e/platform.ts";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { chatOf, sayTo } from "./discord.test-kit.ts";
import { FakeDiscord, token } from "./fake-discord.test-kit.ts";

const kills = process.env["GANTRY_LONG"] === undefined ? 4 : 50;
const people = [1, 2, 3, 4, 5].map((n) => ({ id: `49000000000000000${n}`, username: `p${n}` }));

/** Without the signs that keep the platform from reading marks. */
const textOf = (content: unknown): string => String(content).replaceAll("\\", "");

test(
  "CC-02: DC-04: DC-05: DC-12: kill -9 at any moment under load loses no message, keeps each person's order and sends nothing twice, also where the session is lost",
  { timeout: 900_000 },
  async () => {
    await using api = await FakeDiscord.start();
    api.gateway.heartbeatMs = 200;
    const model = await startEchoModel(() => Math.random() * 30);
    using home = tempDir(
      [
        `default_provider = "${model.provider}"`,
        'default_model = "m"',
        `[gateway]\nport = ${await freePort()}\nmessages_per_minute_per_sender = 10000\nmax_waiting_per_sender = 10000`,
        `[endpoints]\ndiscord_url = "${api.url}"`,
        `[channels.discord]\nbot_token = "${token}"\nallowed_user_ids = ${JSON.stringify(people.map(({ id }) => id))}`,
      ].join("\n"),
    );
    const start = async (): Promise<ChildProcess> => {
      const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };
      const { child } = startGantry(["daemon"], { dir: home.dir, env });
      await said(child, "stderr", /Gantry is ready/);
      return child;
    };

    const written = new Map<string, string[]>(people.map((person) => [chatOf(person), []]));
    const write = (author: (typeof people)[number], n: number): void => {
      const word = `message-${author.username}-${n}`;
      written.get(chatOf(author))?.push(`re: ${word}`);
      sayTo(api, word, { author });
    };
    // A start may take long on a loaded machine: what is written until then stays bounded.
    const mostWhileLost = 30;
    let isQuiet = false;
    const over = new AbortController();
    const writer = async (author: (typeof people)[number]): Promise<void> => {
      let missed = 0;
      for (let n = 1; !over.signal.aborted;) {
        missed = api.gateway.sessions.size === 0 ? missed + 1 : 0;
        if (missed <= mostWhileLost && !isQuiet) write(author, n++);
        await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60));
      }
    };
    let child = await start();
    try {
      await api.until(() => api.gateway.open.length > 0);
      // A chat in which the bot was never asked is not known to it once its session is lost.
      for (const author of people) write(author, 0);
      await api.sent(people.length);
      const writers = people.map(writer);
      for (let i = 0; i < kills; i += 1) {
        // The platform holds a session for minutes: every fourth time it is gone, with little before it left to do.
        const isLost = i % 4 === 3;
        isQuiet = isLost;
        if (isLost) await api.until(() => api.gateway.open.some(({ seq, confirmed }) => seq === confirmed));
        isQuiet = false;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
        if (isLost) api.gateway.forget();
        child = await start();
      }
      over.abort();
      await Promise.all(writers);
      const all = [...written.values()].flat();
      const isToldAll = (): boolean => {
        const told = new Set(api.said().map(({ content }) => textOf(content)));
        return all.every((word) => told.has(word));
      };
      const patience = AbortSignal.timeout(120_000);
      while (!isToldAll() && !patience.aborted) await new Promise((resolve) => setTimeout(resolve, 200));
    } finally {
      over.abort();
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      model.close();
    }

    const told = api
      .said()
      .map(({ channel_id, content }) => ({ chat: channel_id as string, text: textOf(content) }));
    const doubled = told.length - new Set(told.map(({ text }) => text)).size;
    const { identified, resumed } = api.gateway;
    expect(
      people.map((person) => told.filter(({ chat }) => chat === chatOf(person)).map(({ text }) => text)),
    ).toEqual([...written.values()]);
    expect(doubled).toBe(0);
    expect(resumed.length).toBeGreaterThan(0);
    expect(identified.length).toBeGreaterThan(1);
  },
);
