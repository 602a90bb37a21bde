import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { freePort, startEchoModel } from "../../test/e2e/platform.ts";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import { sayTo } from "./telegram.test-kit.ts";

const kills = process.env["GANTRY_LONG"] === undefined ? 4 : 50;
const people = [491, 492, 493, 494, 495].map((id) => ({ id, is_bot: false, first_name: `P${id}` }));

test(
  "CC-02: TG-02: kill -9 at any moment under load loses no message, keeps each person's order and repeats nothing that was confirmed",
  { timeout: 600_000 },
  async () => {
    await using api = await FakeBotApi.start();
    const model = await startEchoModel(() => Math.random() * 30);
    using home = tempDir(
      [
        `default_provider = "${model.provider}"`,
        'default_model = "m"',
        `[gateway]\nport = ${await freePort()}`,
        `[endpoints]\ntelegram_url = "${api.url}"`,
        `[channels.telegram]\nbot_token = "${token}"\nallowed_user_ids = [${people.map(({ id }) => id).join(", ")}]`,
      ].join("\n"),
    );
    const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };
    const lives: number[] = [];
    const start = async (): Promise<ChildProcess> => {
      lives.push(api.calls.length);
      const { child } = startGantry(["daemon"], { dir: home.dir, env });
      await said(child, "stderr", /Gantry is ready/);
      return child;
    };

    const written = new Map<number, string[]>(people.map(({ id }) => [id, []]));
    const over = new AbortController();
    const writer = async (from: (typeof people)[number]): Promise<void> => {
      for (let n = 0; !over.signal.aborted; n += 1) {
        const word = `message-${from.id}-${n}`;
        written.get(from.id)?.push(`re: ${word}`);
        sayTo(api, word, { from });
        await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60));
      }
    };
    try {
      let child = await start();
      const writers = people.map(writer);
      for (let i = 0; i < kills; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
        child = await start();
      }
      over.abort();
      await Promise.all(writers);
      const all = [...written.values()].flat();
      await api.until(() => {
        const told = new Set(api.of("sendMessage").map(({ params }) => params["text"]));
        return all.every((word) => told.has(word));
      });
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    } finally {
      over.abort();
      model.close();
    }

    const told = api.calls.flatMap(({ method, params }, i) =>
      method === "sendMessage" ? [{ chat: params["chat_id"], text: params["text"] as string, i }] : [],
    );
    const lifeOf = (i: number): number => lives.filter((begun) => begun <= i).length;
    const byText = Map.groupBy(told, ({ text }) => text);
    const doubledInOneLife = [...byText.values()].filter(
      (same) => new Set(same.map(({ i }) => lifeOf(i))).size < same.length,
    );
    const firsts = people.map(({ id }) => [
      ...new Set(told.filter(({ chat }) => chat === id).map(({ text }) => text)),
    ]);
    expect(firsts).toEqual([...written.values()]);
    expect(doubledInOneLife).toEqual([]);
    expect(written.get(491)?.length).toBeGreaterThan(5);
  },
);
