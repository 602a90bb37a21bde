import { expect, test } from "vitest";
import { killStorm, stormMs } from "../../test/e2e/kill-storm.ts";
import { chatOf, sayTo } from "./discord.test-kit.ts";
import { FakeDiscord, token } from "./fake-discord.test-kit.ts";

const people = [1, 2, 3, 4, 5].map((n) => `49000000000000000${n}`);
const chats = new Map(people.map((id) => [chatOf({ id }), id]));

/** Without the signs that keep the platform from reading marks. */
const textOf = (content: unknown): string => String(content).replaceAll("\\", "");
/**
 * The platform holds a session for minutes: every fourth time it is gone, with little before it
 * left to do.
 */
const isLost = (kill: number): boolean => kill % 4 === 3;

/** All that was written is on disk. */
const isCaughtUp = ({ gateway }: FakeDiscord): boolean =>
  gateway.open.some(({ seq, confirmed }) => seq === confirmed);

test(
  "CC-02: DC-04: DC-05: DC-12: kill -9 at any moment under load loses no message, keeps each person's order and sends nothing twice, also where the session is lost",
  { timeout: stormMs },
  async () => {
    await using api = await FakeDiscord.start();
    api.gateway.heartbeatMs = 200;
    const { expected, firsts, lost, doubled } = await killStorm({
      channel: "discord",
      config: [
        `[endpoints]\ndiscord_url = "${api.url}"`,
        `[channels.discord]\nbot_token = "${token}"\nallowed_user_ids = ${JSON.stringify(people)}`,
      ].join("\n"),
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
      people,
      write: (id, text) => void sayTo(api, text, { author: { id, username: `p${id.at(-1)}` } }),
      told: () =>
        api.said().map(({ channel_id, content }) => ({
          person: chats.get(channel_id as string) ?? "",
          text: textOf(content),
        })),
      listens: () => api.until(() => api.gateway.open.length > 0),
      async beforeKill(kill, hush) {
        if (isLost(kill)) await hush(() => api.until(() => isCaughtUp(api)));
      },
      afterKill: (kill) => isLost(kill) && api.gateway.forget(),
    });
    expect(lost).toEqual([]);
    expect(firsts).toEqual(expected);
    expect(doubled).toEqual([]);
    const { identified, resumed } = api.gateway;
    expect(resumed.length).toBeGreaterThan(0);
    expect(identified.length).toBeGreaterThan(1);
  },
);
