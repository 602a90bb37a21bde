import {
  Approvals,
  Audit,
  Channels,
  Checks,
  Commands,
  definePlugin,
  Inbox,
  Media,
  optional,
  People,
  Services,
  Speaker,
  Standings,
  Store,
  Transcriber,
  Upstream,
} from "@gantry/sdk";
import {
  ChannelHealth,
  LetIn,
  pairedCommands,
  serveConnection,
  showWorking,
  strangerGuard,
} from "@gantry/sdk/channel";
import { Pairing } from "@gantry/sdk/node";
import { BotApi } from "./bot-api.ts";
import { telegramChecks } from "./checks.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Intake } from "./intake.ts";
import { onboarding } from "./onboarding.ts";
import { Poller } from "./poller.ts";
import { Questions } from "./questions.ts";
import { Sender } from "./sender.ts";
import { readAddress, withoutQuote } from "./sent.ts";
import { allowlistKey, settingsFrom } from "./settings.ts";

/** The platform's sign fades after five seconds. */
const typingMs = 4_000;

const personForm = /^[1-9]\d{0,15}$/;

export default definePlugin({
  name: "channel-telegram",
  summary: "Telegram: direct chats, groups and topics, by long polling.",
  table: "",
  config,
  needs: {
    approvals: Approvals,
    audit: Audit,
    inbox: Inbox,
    media: optional(Media),
    people: People,
    speaker: optional(Speaker),
    store: Store,
    transcriber: optional(Transcriber),
    upstream: Upstream,
  },
  provides: [Channels, Checks, Commands, Services, Standings],
  taps: ["onInboundMessage"],
  onboarding,
  errors,
  setup(host) {
    const { needs, log } = host;
    const settings = settingsFrom(host.config, process.env, () => needs.people.roles("telegram"));
    const values = () => needs.store.values;
    const api = new BotApi(settings, needs.upstream);
    const people = new LetIn("telegram", settings, () => needs.store);
    const health = new ChannelHealth({ channel: "telegram", values, log });
    const questions = new Questions({ api, approvals: needs.approvals, people, log });
    const sender = new Sender({
      api,
      health,
      values,
      log,
      speaker: needs.speaker,
      open: async (id) => needs.media?.open(id),
    });
    const intake = new Intake({
      ...needs,
      codes: new Pairing(needs.store),
      settings,
      api,
      people,
      questions,
      log,
    });

    host.provide(Channels, {
      name: "telegram",
      idOf: (written) => (personForm.test(written) ? written : undefined),
      send: (message, signal) => sender.send(message, signal),
      ask: (request, to, signal) => questions.ask(request, to, signal),
      settled: (request, decision) => questions.settled(request, decision),
      edit: (message, signal) => sender.edit(message, signal),
      working(to, signal) {
        const chat = withoutQuote(readAddress(to) ?? { chat_id: 0 });
        return showWorking(typingMs, signal, async (now) => {
          await api.call("sendChatAction", { ...chat, action: "typing" }, { signal: now });
        });
      },
    });
    host.provide(Standings, people);
    const refuseStrangers = strangerGuard("telegram", allowlistKey, (id) => people.trust(id));
    host.hooks.onInboundMessage.tap(refuseStrangers);

    serveConnection(host, "telegram", () => new Poller({ api, intake, health, values }), { alone: true });
    for (const check of telegramChecks(settings, api, health)) host.provide(Checks, check);
    for (const command of pairedCommands("telegram", people.paired)) host.provide(Commands, command);
  },
});
