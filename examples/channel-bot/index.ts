import { approvalTextWithin, Approvals, Channels, Checks, Inbox, Services, Store } from "@gantry/sdk";
import { definePlugin, isVerbatim, textOf, Upstream } from "@gantry/sdk";
import type { InboundMessage, Json, Sent } from "@gantry/sdk";
import * as kit from "@gantry/sdk/channel";
import { Type } from "typebox";
import { botApi, conversationOf, readMessage, type Message, type Update } from "./bot-api.ts";

const table = "plugins_config.channel-bot";
const ids = Type.Array(Type.String({ minLength: 1 }), { default: [], description: "Ids of people." });

export default definePlugin({
  name: "channel-bot",
  summary: "A platform of bots: direct chats, groups and topics by long polling, buttons, typing.",
  config: Type.Object({
    api_url: Type.String({ minLength: 1, description: "Address of the platform; https only." }),
    bot_token: Type.Optional(
      Type.String({ minLength: 1, description: "SERVICE_BOT_BOT_TOKEN wins over it." }),
    ),
    allowed_users: { ...ids, description: 'Who may write; "*" lets everybody in, as guests.' },
    owners: { ...ids, description: "Who of them may also approve." },
    groups: kit.GroupsKey,
  }),
  needs: { approvals: Approvals, inbox: Inbox, store: Store, upstream: Upstream },
  provides: [Channels, Checks, Services],
  taps: ["onInboundMessage"],
  setup(host) {
    const { approvals, inbox, store, upstream } = host.needs;
    const { api_url, bot_token, allowed_users: allowed, owners, groups } = host.config;
    const keys = { values: { bot_token }, required: ["bot_token"] as const, env: process.env };
    const secrets = kit.readSecrets({ channel: "bot", table, ...keys });
    const isInsecureAllowed = process.env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
    const address = () => kit.platformAddress("api_url", api_url, isInsecureAllowed);
    const call = botApi(address, secrets.bot_token ?? "", upstream);
    const values = () => store.values;
    const health = new kit.ChannelHealth({ channel: "bot", values, log: host.log });
    const people = new kit.LetIn("bot", { people: { allowed, owners }, pairing: false }, () => store);

    const sent = (send: () => Promise<Message>): Promise<Sent> =>
      kit.sentOf(async () => {
        try {
          return (await send()).message_id;
        } catch (error) {
          const { reason, refused } = kit.troubleOf(error);
          if (refused === true) health.refused(reason);
          throw error;
        }
      });
    /** Asked questions stand where their message does. */
    const questions = new kit.OpenQuestions<Message>({
      channel: "bot",
      approvals,
      people,
      settle: async ({ chat, message_id }, text) => {
        const body = { chat_id: chat.id, message_id, text };
        await call("editMessageText", body, AbortSignal.timeout(10_000)).catch(() => {});
      },
    });
    const press = async (pressed: Update["callback_query"], signal: AbortSignal): Promise<void> => {
      if (pressed?.message === undefined) return;
      const { id, from, data = "", message } = pressed;
      const conversation = conversationOf(message);
      const { notice: text } = await questions.press({ data, sender: { id: String(from.id) }, conversation });
      await call("answerCallbackQuery", { callback_query_id: id, text }, signal);
    };

    host.provide(Channels, {
      name: "bot",
      async send({ to, parts, key }, signal) {
        const place = placeOf(to);
        if (place === undefined) return { status: "refused", reason: `${JSON.stringify(to)} is no chat` };
        const text = textOf(parts);
        const max = 4_096;
        const pieces = isVerbatim(parts)
          ? kit.splitVerbatim(text, { max })
          : kit.splitRichText(await kit.readMarkdown(text), { max });
        const send = (piece: kit.RichText): Promise<Sent> => {
          const plain = { ...place, text: piece.text };
          const body = { ...plain, entities: kit.renderEntities(piece, 100) };
          // An answer must not vanish for its looks.
          const asPlain = (error: unknown): Promise<Message> => {
            if (!(error instanceof kit.PlatformFailure && error.kind === "form")) throw error;
            return call<Message>("sendMessage", plain, signal);
          };
          return sent(() => call<Message>("sendMessage", body, signal).catch(asPlain));
        };
        return kit.sendInParts({ values: values(), space: "bot.parts", key, parts: pieces, send });
      },
      ask(request, to, signal) {
        const buttons = kit
          .approvalButtons(request)
          .map(({ label, data }) => [{ text: label, callback_data: data }]);
        const text = approvalTextWithin(request, ({ length }) => length <= 4_096);
        const body = { ...placeOf(to), text, reply_markup: { inline_keyboard: buttons } };
        return questions.ask(request, (stands) =>
          sent(async () => {
            const message = await call<Message>("sendMessage", body, signal);
            stands(message);
            return message;
          }),
        );
      },
      settled: (request, decision) => questions.settled(request, decision),
      working: (to, signal) =>
        kit.showWorking(4_000, signal, async (now) => {
          await call("sendChatAction", { ...placeOf(to), action: "typing" }, now);
        }),
    });
    const allowlist = `${table}.allowed_users`;
    host.hooks.onInboundMessage.tap(kit.strangerGuard("bot", allowlist, (id) => people.trust(id)));

    /**
     * The platform forgets what an offset confirms, so that is told only once the inbox has it on
     * disk.
     */
    kit.serveConnection(host, "bot", () => ({
      health,
      watchdogMs: 120_000,
      judge: kit.troubleOf,
      async run(signal, alive) {
        const { username: me } = await call<{ username: string }>("getMe", {}, signal);
        health.up();
        for (let offset = 0; !signal.aborted; alive()) {
          const updates = await call<readonly Update[]>("getUpdates", { offset, timeout: 50 }, signal);
          const messages: InboundMessage[] = [];
          for (const update of updates) {
            offset = update.update_id + 1;
            await press(update.callback_query, signal);
            const trust = (await people.trust(String(update.message?.from?.id))) ?? "guest";
            const message = readMessage(update, me, trust);
            if (message === undefined) continue;
            const { conversation, mentioned = false } = message;
            const written = { kind: conversation.kind, group: conversation.id, mentioned };
            if (kit.isForAgent(written, groups)) messages.push(message);
          }
          if (messages.length > 0) await kit.receiveAll(inbox, messages, signal);
        }
      },
    }));
    const standing = async () => [kit.peopleRow("bot", allowlist, { allowed, owners })];
    for (const check of kit.channelChecks("bot", { standing, health })) host.provide(Checks, check);
  },
});

/** Reads the place that `readMessage` put into `replyTo`. */
function placeOf(to: Json): { readonly chat_id: number; readonly message_thread_id?: number } | undefined {
  const { chat, topic } = Object(to) as { chat?: unknown; topic?: unknown };
  if (typeof chat !== "number") return undefined;
  return { chat_id: chat, ...(typeof topic === "number" && { message_thread_id: topic }) };
}
