import { expect, test } from "vitest";
import { killStorm, stormMs } from "../../test/e2e/kill-storm.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import { sayTo } from "./telegram.test-kit.ts";

const copyMark = /^\(Sent again, as it may not have arrived\.\)\n/;
const people = ["491", "492", "493", "494", "495"];

test(
  "CC-02: TG-02: kill -9 at any moment under load loses no message, keeps each person's order and repeats nothing that was confirmed",
  { timeout: stormMs },
  async () => {
    await using api = await FakeBotApi.start();
    const raw = (): readonly { person: string; text: string }[] =>
      api
        .of("sendMessage")
        .map(({ params }) => ({ person: String(params["chat_id"]), text: params["text"] as string }));
    const { expected, firsts, lost, doubled } = await killStorm({
      channel: "telegram",
      config: [
        `[endpoints]\ntelegram_url = "${api.url}"`,
        `[channels.telegram]\nbot_token = "${token}"\nallowed_user_ids = [${people.join(", ")}]`,
      ].join("\n"),
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
      people,
      write: (person, text) =>
        void sayTo(api, text, { from: { id: Number(person), is_bot: false, first_name: "P" } }),
      told: () => raw().map(({ person, text }) => ({ person, text: text.replace(copyMark, "") })),
    });
    expect(lost).toEqual([]);
    expect(firsts).toEqual(expected);
    // The platform has no name for a message that is sent: what was under way may come once more,
    // and says so.
    expect(doubled.filter(({ times }) => times > 2)).toEqual([]);
    const bare = raw().map(({ text }) => text);
    expect(bare.filter((text, i) => bare.indexOf(text) !== i && text.startsWith("re: "))).toEqual([]);
    expect(Math.min(...expected.map(({ length }) => length))).toBeGreaterThan(5);
  },
);
