import { textOf } from "@gantry/sdk";
import * as kit from "@gantry/sdk/channel";
import { Type } from "typebox";
import { botApi, conversationOf, readMessage } from "./bot-api.ts";
import type { BotMessage, Message, Place, Update } from "./bot-api.ts";

/** The most characters of one message. */
const max = 4_096;
const table = "plugins_config.channel-bot";
const ids = Type.Array(Type.String({ minLength: 1 }), { default: [], description: "Ids of people." });
const config = Type.Object({
  api_url: Type.String({ minLength: 1, description: "Address of the platform; https only." }),
  bot_token: Type.Optional(Type.String({ minLength: 1, description: "SERVICE_BOT_BOT_TOKEN wins over it." })),
  allowed_users: { ...ids, description: 'Who may write; "*" lets everybody in, as guests.' },
  owners: { ...ids, description: "Who of them may also approve." },
  groups: kit.GroupsKey,
});

interface Settings extends kit.ChatRules {
  readonly token: string;
  address(): string;
}

export default kit.chatChannel<typeof config, Settings, Place, BotMessage>({
  name: "bot",
  title: "the platform of bots",
  summary: "A platform of bots: direct chats, groups and topics by long polling, buttons, typing.",
  config,
  allowlist: `${table}.allowed_users`,
  personForm: /^\d+$/,
  settings({ api_url, bot_token, allowed_users: allowed, owners, groups }, env) {
    const keys = { values: { bot_token }, required: ["bot_token"] as const, env };
    const { bot_token: token = "" } = kit.readSecrets({ channel: "bot", table, ...keys });
    const isInsecureAllowed = env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
    const address = () => kit.platformAddress("api_url", api_url, isInsecureAllowed);
    return { token, address, people: { allowed, owners }, groups };
  },
  open: ({ token, address }, { upstream, health }) => {
    const call = botApi(address, token, upstream);
    const post = async (body: object, { address: to, signal }: kit.Delivery<Place>): Promise<number> =>
      (await call<Message>("sendMessage", { ...placeOf(to), ...body }, signal)).message_id;
    return {
      text: { max: max - kit.copyRoom },
      messageForm: /^\d{1,15}$/,
      readAddress(to) {
        const { chat, topic } = Object(to) as { chat?: unknown; topic?: unknown };
        if (typeof chat !== "number") return undefined;
        return { chat, ...(typeof topic === "number" && { topic }) };
      },
      receive: (frame) => ({ health, watchdogMs: 120_000, judge: kit.troubleOf, run: running(frame) }),
      async send(piece, to) {
        if (!("text" in piece)) throw new kit.PlatformFailure("refused", "this channel sends no files");
        const { text } = piece.text;
        return post({ text, entities: kit.renderEntities(piece.text, 100) }, to).catch((error: unknown) => {
          // An answer must not vanish for its looks.
          if (error instanceof kit.PlatformFailure && error.kind === "form") return post({ text }, to);
          throw error;
        });
      },
      async ask(text, buttons, to) {
        const keys = buttons.map(({ label, data }) => [{ text: label, callback_data: data }]);
        return post({ text, reply_markup: { inline_keyboard: keys } }, to);
      },
      edit({ address: { chat }, id }, parts, signal) {
        const body = { chat_id: chat, message_id: Number(id), text: textOf(parts).slice(0, max) };
        return call("editMessageText", body, signal);
      },
      typing: (to, signal) =>
        kit.showWorking(4_000, signal, (now) =>
          call("sendChatAction", { ...placeOf(to), action: "typing" }, now),
        ),
      account: () => `a bot token for ${address()}`,
      async check(signal) {
        const { username } = await call<{ username: string }>("getMe", {}, signal);
        return [{ what: "bot", state: "ok", detail: `the platform knows @${username}` }];
      },
    };

    /**
     * The platform forgets what an offset confirms, so that is told only once the inbox has it on
     * disk.
     */
    function running(frame: kit.ChatFrame<Place, BotMessage>): kit.ConnectionOptions["run"] {
      return async (signal, alive) => {
        const { username: me } = await call<{ username: string }>("getMe", {}, signal);
        health.up();
        for (let offset = 0; !signal.aborted; alive()) {
          const updates = await call<readonly Update[]>("getUpdates", { offset, timeout: 50 }, signal);
          const messages: BotMessage[] = [];
          for (const update of updates) {
            offset = update.update_id + 1;
            await pressed(update.callback_query, frame, signal);
            const message = await frame.read({ offset }, () => readMessage(update, me));
            if (message !== undefined) messages.push(message);
          }
          await frame.take(messages, signal);
        }
      };
    }

    async function pressed(
      press: Update["callback_query"],
      frame: kit.ChatFrame<Place, BotMessage>,
      signal: AbortSignal,
    ): Promise<void> {
      if (press?.message === undefined) return;
      const { id, from, data = "", message } = press;
      const question = { address: { chat: message.chat.id }, id: String(message.message_id) };
      const by = { data, sender: { id: String(from.id) }, conversation: conversationOf(message) };
      const { notice: text } = await frame.press(by, question);
      await call("answerCallbackQuery", { callback_query_id: id, text }, signal);
    }
  },
});

function placeOf({ chat, topic }: Place): object {
  return { chat_id: chat, ...(topic !== undefined && { message_thread_id: topic }) };
}
