import { Bot, GrammyError, InlineKeyboard, InputFile } from "grammy";
import { expect, test } from "vitest";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";
import { bot as self, entity, group, owner, sayTo } from "./telegram.test-kit.ts";

/**
 * A bot of the client that people use, on our platform: what works here works as it does at the
 * real one.
 */
function grammy(api: FakeBotApi, secret: string = token): Bot {
  const bot = new Bot(secret, { client: { apiRoot: api.url } });
  bot.catch(() => {});
  return bot;
}

const failureOf = (call: Promise<unknown>): Promise<GrammyError> =>
  call.then(
    () => Promise.reject(new Error("it worked")),
    (error: GrammyError) => error,
  );

test("CHN-05: the fake platform is one to a well-kept client: updates, answers, topics, commands and buttons", async () => {
  await using api = await FakeBotApi.start();
  const bot = grammy(api);
  const seen: string[] = [];
  bot.command("ask", (context) => void seen.push(`command ${context.match}`));
  bot.on("message:text", async (context) => {
    seen.push(`${context.chat.type} ${context.message.message_thread_id ?? "-"} ${context.message.text}`);
    const keyboard = new InlineKeyboard().text("Yes", "yes").text("No", "no");
    await context.reply("really?", {
      reply_markup: keyboard,
      entities: [{ type: "bold", offset: 0, length: 6 }],
    });
  });
  bot.on("callback_query:data", async (context) => {
    seen.push(`pressed ${context.callbackQuery.data}`);
    await context.answerCallbackQuery("ok");
    await context.editMessageText("done");
  });
  const running = bot.start({ timeout: 2 });
  sayTo(api, "hello", { chat: { ...group, is_forum: true }, message_thread_id: 7, is_topic_message: true });
  sayTo(api, "/ask@gantry_bot now", {
    chat: group,
    entities: [entity("bot_command", "/ask@gantry_bot now", "/ask@gantry_bot")],
  });
  await api.until(() => api.of("sendMessage").length === 1);
  api.press({
    from: owner,
    message: { message_id: 5_001, date: 1, chat: group, from: self, text: "really?" },
    data: "yes",
  });
  await api.until(() => api.of("editMessageText").length === 1);
  await bot.stop();
  await running;
  expect(seen).toEqual(["supergroup 7 hello", "command now", "pressed yes"]);
  expect(bot.botInfo).toMatchObject({ id: self.id, username: "gantry_bot", is_bot: true });
  expect(api.updates).toEqual([]);
});

test("CHN-05: the fake platform sends and refuses in the words that the client reads", async () => {
  await using api = await FakeBotApi.start();
  const { api: call } = grammy(api);
  api.failures.push({
    method: "sendMessage",
    code: 429,
    description: "Too Many Requests: retry after 7",
    parameters: { retry_after: 7 },
  });
  expect(await failureOf(call.sendMessage(1, "x"))).toMatchObject({
    error_code: 429,
    parameters: { retry_after: 7 },
  });
  const refused = [
    call.sendMessage(1, "x".repeat(4_097)),
    call.sendMessage(1, "  "),
    call.sendMessage(1, "x", { entities: [{ type: "bold", offset: 0, length: 9 }] }),
    call.sendMessage(1, "x", { reply_markup: new InlineKeyboard().text("a", "x".repeat(65)) }),
    call.answerCallbackQuery("unknown"),
    call.getFile("unknown"),
  ];
  const codes = await Promise.all(refused.map(async (one) => (await failureOf(one)).error_code));
  expect(codes).toEqual([400, 400, 400, 400, 400, 400]);
  expect(await failureOf(grammy(api, `1:${"x".repeat(35)}`).api.getMe())).toMatchObject({ error_code: 401 });
  api.webhook = "https://hooks.example/";
  expect(await failureOf(call.getUpdates())).toMatchObject({ error_code: 409 });
  expect(await call.getWebhookInfo()).toMatchObject({ url: "https://hooks.example/" });
  await call.deleteWebhook();
  expect(await call.getUpdates({ timeout: 0 })).toEqual([]);
});

test("CHN-05: the fake platform takes files and hands them out as the client expects", async () => {
  await using api = await FakeBotApi.start();
  const { api: call } = grammy(api);
  await call.sendDocument(1, new InputFile(new Uint8Array([1, 2, 3]), "a.bin"));
  expect(api.of("sendDocument")).toHaveLength(1);
  api.files.set("one", new Uint8Array([4, 5]));
  const { file_path, file_size } = await call.getFile("one");
  const bytes = await fetch(`${api.url}/file/bot${token}/${file_path}`);
  expect([file_size, [...new Uint8Array(await bytes.arrayBuffer())]]).toEqual([2, [4, 5]]);
});

test("TG-02: what is handed out and not confirmed comes again; what an offset confirmed does not", async () => {
  await using api = await FakeBotApi.start();
  const { api: call } = grammy(api);
  sayTo(api, "one");
  sayTo(api, "two");
  const first = await call.getUpdates({ timeout: 0 });
  expect((await call.getUpdates({ timeout: 0 })).map(({ update_id }) => update_id)).toEqual(
    first.map(({ update_id }) => update_id),
  );
  const [one, two] = first.map(({ update_id }) => update_id) as [number, number];
  expect((await call.getUpdates({ offset: one + 1, timeout: 0 })).map(({ update_id }) => update_id)).toEqual([
    two,
  ]);
  expect(api.confirmed).toEqual([one]);
});
