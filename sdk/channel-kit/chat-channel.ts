import type { Static, TObject } from "typebox";
import { Checks, Commands, Services, type Check, type Command } from "../contract/command.ts";
import type { ErrorTable } from "../contract/errors.ts";
import type { OnboardingStep } from "../contract/onboarding.ts";
import { definePlugin, type Plugin, type PluginHost } from "../contract/plugin.ts";
import { optional } from "../contract/slot.ts";
import { Channels, type Channel } from "../messages/channel.ts";
import { Inbox } from "../messages/inbox.ts";
import { Media } from "../messages/media.ts";
import { Routes } from "../messages/route.ts";
import { Speaker, Transcriber } from "../messages/speech.ts";
import { Pairing } from "../node/pairing.ts";
import { Audit } from "../security/audit.ts";
import { People, Standings } from "../security/people.ts";
import { Store } from "../store/store.ts";
import { Upstream } from "../tools/net.ts";
import { Approvals } from "../turns/approval.ts";
import { channelChecks, rowsOf } from "./channel-checks.ts";
import { ChatIntake } from "./chat-intake.ts";
import type { ChatFrame, ChatHost, ChatPlatform, ChatRules } from "./chat-platform.ts";
import { ChatQuestions } from "./chat-questions.ts";
import { ChatSender } from "./chat-sender.ts";
import { ChannelHealth } from "./health.ts";
import { LetIn } from "./let-in.ts";
import { readMarkdown } from "./markdown.ts";
import { pairedCommands } from "./pairing.ts";
import { peopleRow, strangerGuard } from "./people.ts";
import type { PlatformMessage } from "./platform-message.ts";
import { serveConnection } from "./serve-connection.ts";

const needs = {
  approvals: Approvals,
  audit: Audit,
  inbox: Inbox,
  media: optional(Media),
  people: People,
  speaker: optional(Speaker),
  store: Store,
  transcriber: optional(Transcriber),
  upstream: Upstream,
};

/** A chat channel: its facts, its settings, and the functions of its platform. */
export interface ChatChannel<
  Config extends TObject,
  Settings extends ChatRules,
  Address,
  Message extends PlatformMessage,
> {
  /** Name of the channel; the plugin is `channel-<name>`. */
  readonly name: string;
  /** The platform, for people: `Telegram`. */
  readonly title: string;
  readonly summary: string;
  /** The table of `config`, as for {@link definePlugin}: `""` for the schema of the whole file. */
  readonly table?: string;
  readonly config: Config;
  readonly errors?: ErrorTable;
  /** Before the keys are written, a channel with a connection is tried by its check. */
  readonly onboarding?: Pick<OnboardingStep, "hint" | "ask"> & Partial<Pick<OnboardingStep, "title">>;
  /** The key of the configuration that lists who may write. */
  readonly allowlist: string;
  /** The form of a person's id, as people write it in `[people]`. */
  readonly personForm: RegExp;
  readonly commands?: readonly Command[];
  /** The platform delivers to HTTP routes of the channel instead of over its connection. */
  readonly webhook?: true;
  /** Returns the settings, of which a secret may come from `env`; throws coded errors. */
  settings(config: Static<Config>, env: NodeJS.ProcessEnv): Settings;
  open(settings: Settings, host: ChatHost): ChatPlatform<Address, Message>;
}

/**
 * Makes the plugin of a chat channel of a platform's few functions. The frame owns who may write,
 * intake, sending in parts, questions with buttons, health, checks and onboarding.
 */
export function chatChannel<
  Config extends TObject,
  Settings extends ChatRules,
  Address,
  Message extends PlatformMessage,
>(channel: ChatChannel<Config, Settings, Address, Message>): Plugin {
  const { name, title, summary, table, config, errors, onboarding } = channel;
  return definePlugin({
    name: `channel-${name}`,
    summary,
    ...(table !== undefined && { table }),
    config,
    needs,
    provides: [Channels, Checks, Commands, channel.webhook ? Routes : Services, Standings],
    taps: ["onInboundMessage"],
    ...(onboarding && {
      onboarding: { title, ...(!channel.webhook && { check: name }), ...onboarding },
    }),
    ...(errors && { errors }),
    setup: (host) => setUp(channel, host),
  });
}

function setUp<Config extends TObject, Settings extends ChatRules, Address, Message extends PlatformMessage>(
  channel: ChatChannel<Config, Settings, Address, Message>,
  host: PluginHost<Static<Config>, typeof needs>,
): void {
  const { name, title } = channel;
  const { log } = host;
  const settings = channel.settings(host.config, process.env);
  const named = () => host.needs.people.roles(name);
  const rules: ChatRules = { ...settings, people: { ...settings.people, named } };
  const values = () => host.needs.store.values;
  const people = new LetIn(name, rules, () => host.needs.store);
  const health = new ChannelHealth({ channel: name, values, log });
  const { upstream, media } = host.needs;
  const platform = channel.open(settings, { upstream, health, log, values });

  const parts = { ...host.needs, name, title, platform, people, rules, health, log, values };
  const questions = new ChatQuestions(parts);
  const open = async (id: string) => media?.open(id);
  const sender = new ChatSender({ ...parts, open, health: platform.receive && health });
  host.provide(Channels, channelOf(channel, platform, questions, sender));
  host.provide(Standings, people);

  const refuseStrangers = strangerGuard(name, channel.allowlist, (id) => people.trust(id));
  host.hooks.onInboundMessage.tap((message) => {
    if (message.channel !== name) return undefined;
    const address = platform.readAddress(message.replyTo);
    const refusal = address === undefined ? undefined : platform.refusePlace?.(address);
    return refusal ?? refuseStrangers(message);
  });

  const intake = new ChatIntake({ ...parts, codes: new Pairing(host.needs.store) });
  const frame: ChatFrame<Address, Message> = {
    read: (about, read) => intake.read(about, read),
    take: (messages, signal) => intake.take(messages, signal),
    deliver: (messages, request) => intake.deliver(messages, request),
    press: (press, question) => questions.press(press, question),
  };
  for (const route of platform.routes?.(frame) ?? []) host.provide(Routes, route);
  const { receive } = platform;
  if (receive) serveConnection(host, name, () => receive.call(platform, frame), { alone: true });
  // A service that has run out of descriptors still renders what it answers.
  host.onServe(async () => void (await readMarkdown("")));
  for (const check of checksOf(channel, rules, platform, receive && health)) host.provide(Checks, check);
  const paired = rules.pairing === undefined ? [] : pairedCommands(name, people.paired);
  for (const command of [...paired, ...(channel.commands ?? [])]) host.provide(Commands, command);
}

function checksOf<Address, Message extends PlatformMessage>(
  { name, allowlist }: { readonly name: string; readonly allowlist: string },
  { people, pairing }: ChatRules,
  platform: ChatPlatform<Address, Message>,
  health: ChannelHealth | undefined,
): readonly Check[] {
  return channelChecks(name, {
    standing: async () => [
      ...(await rowsOf(`${name} account`, () => platform.account())),
      peopleRow(name, allowlist, people, pairing),
    ],
    platform: (signal) => rowsOf(name, () => platform.check(signal)),
    ...(health && { health }),
  });
}

function channelOf<Address, Message extends PlatformMessage>(
  { name, personForm }: { readonly name: string; readonly personForm: RegExp },
  platform: ChatPlatform<Address, Message>,
  questions: ChatQuestions<Address, Message>,
  sender: ChatSender<Address, Message>,
): Channel {
  return {
    name,
    idOf: (written) => (personForm.test(written) ? written : undefined),
    send: (message, signal) => sender.send(message, signal),
    ...(platform.edit && { edit: (message, signal) => sender.edit(message, signal) }),
    ...(platform.ask && { ask: (request, to, signal) => questions.ask(request, to, signal) }),
    settled: (request, decision) => questions.settled(request, decision),
    async working(to, signal) {
      const address = platform.readAddress(to);
      if (address !== undefined) await platform.typing?.(address, signal);
    },
  };
}
