import { expect, test } from "vitest";
import { startChatapp } from "./chatapp.test-kit.ts";
import type { ChatappConfig } from "./config.ts";
import { settingsFrom } from "./settings.ts";

type Table = ChatappConfig["channels_config"]["chatapp"];
const whole = { access_token: "a", phone_number_id: "p", verify_token: "v", app_secret: "s" };
const read = (table: Partial<Table>, env: NodeJS.ProcessEnv = {}) =>
  settingsFrom(
    {
      channels_config: { chatapp: { allowed_numbers: [], owners: [], ...table } },
      endpoints: { graph_url: "https://graph.facebook.com" },
    },
    env,
  );

test("CHA-04: a variable wins over the key in the table", () => {
  const env = {
    SERVICE_CHATAPP_ACCESS_TOKEN: "A",
    SERVICE_CHATAPP_PHONE_NUMBER_ID: "P",
    SERVICE_CHATAPP_VERIFY_TOKEN: "V",
    SERVICE_CHATAPP_APP_SECRET: "S",
  };
  expect(read(whole)).toMatchObject({
    accessToken: "a",
    phoneNumberId: "p",
    verifyToken: "v",
    appSecret: "s",
  });
  expect(read(whole, env)).toMatchObject({
    accessToken: "A",
    phoneNumberId: "P",
    verifyToken: "V",
    appSecret: "S",
  });
  expect(read({}, env)).toMatchObject({
    accessToken: "A",
    phoneNumberId: "P",
    verifyToken: "V",
    appSecret: "S",
  });
  expect(read({ ...whole, app_secret: undefined }).appSecret).toBeUndefined();
});

test("CHA-04: what is missing is an error that names every key and its variable", () => {
  expect(() => read({ verify_token: "v" })).toThrow(
    /lacks access_token \(SERVICE_CHATAPP_ACCESS_TOKEN\), phone_number_id \(SERVICE_CHATAPP_PHONE_NUMBER_ID\): set the key/,
  );
});

test.each([
  "SERVICE_CHATAPP_ACCESS_TOKEN",
  "SERVICE_CHATAPP_PHONE_NUMBER_ID",
  "SERVICE_CHATAPP_VERIFY_TOKEN",
  "SERVICE_CHATAPP_APP_SECRET",
])("CHA-04: a blank %s is an error and never the same as no check", (name) => {
  for (const blank of ["", "  "])
    expect(() => read(whole, { [name]: blank })).toThrow(
      expect.objectContaining({ code: "CHANNEL_BLANK", exit: 2 }),
    );
});

test("CHA-04: the variables hold for the running channel", async () => {
  await using chatapp = await startChatapp({
    table: { verify_token: undefined },
    env: { SERVICE_CHATAPP_VERIFY_TOKEN: "from outside" },
  });
  const query = "hub.mode=subscribe&hub.verify_token=from+outside&hub.challenge=7";
  expect(await (await fetch(`${chatapp.url}/chatapp?${query}`)).text()).toBe("7");
});

test.each([
  [{ access_token: undefined }, "CHANNEL_MISSING"],
  [{ app_secret: "" }, "app_secret"],
  [{ app_secret: " " }, "app_secret"],
  [{ verify_token: "" }, "verify_token"],
  [{ allowed_numbers: ["15551234567"] }, "allowed_numbers"],
  [{ allowed_numbers: ["+1 555"] }, "allowed_numbers"],
  [{ allowed_numbers: "*" }, "allowed_numbers"],
  [{ allowed_number: ["*"] }, "allowed_number"],
])("CHA-04: %o stops the start and names it", async (table, name) => {
  const error = await startChatapp({ table }).catch((thrown: Error & { code: string }) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(`${(error as { code?: string }).code} ${(error as Error).message}`).toContain(name);
});
