import { expect, test } from "vitest";
import { killStorm, stormMs } from "../../test/e2e/kill-storm.ts";
import { appToken, botToken } from "./fake-slack.test-kit.ts";
import { directOf, sayTo, seenOf, startWorkspace } from "./slack.test-kit.ts";

const people = [1, 2, 3, 4, 5].map((n) => `UPERSON${n}`);

test(
  "CC-02: SL-02: SL-10: SL-14: kill -9 at any moment under load loses no message, keeps each person's order and doubles none",
  { timeout: stormMs },
  async () => {
    await using api = await startWorkspace();
    for (const user of people) api.channels.set(directOf(user), { isMember: true });
    const { expected, firsts, lost, doubled } = await killStorm({
      channel: "slack",
      config: [
        `[endpoints]\nslack_url = "${api.url}"`,
        `[channels.slack]\nallowed_users = ${JSON.stringify(people)}`,
      ].join("\n"),
      env: {
        SERVICE_ALLOW_INSECURE_LOOPBACK: "1",
        SERVICE_SLACK_BOT_TOKEN: botToken,
        SERVICE_SLACK_APP_TOKEN: appToken,
      },
      people,
      write: (user, text) => void sayTo(api, text, { user }),
      told: () =>
        api
          .of("chat.postMessage")
          .filter(({ refused }) => !refused)
          .map(({ params }) => ({
            person: String(params["channel"]).replace(/^D/, "U"),
            text: seenOf(params),
          })),
      // Messages written before the app was ever there are not its business.
      listens: () => api.until(() => api.socketMode.open > 0),
    });
    expect(lost).toEqual([]);
    expect(firsts).toEqual(expected);
    expect(doubled).toEqual([]);
    expect(Math.min(...expected.map(({ length }) => length))).toBeGreaterThan(5);
  },
);
