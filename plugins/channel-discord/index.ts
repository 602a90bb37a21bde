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
  refuse,
  Services,
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
import { CatchUp } from "./catch-up.ts";
import { discordChecks } from "./checks.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Gateway } from "./gateway.ts";
import { Intake, isGuildAllowed } from "./intake.ts";
import { Nonces } from "./nonces.ts";
import { onboarding } from "./onboarding.ts";
import { OwnRoles } from "./own-roles.ts";
import { Places } from "./places.ts";
import { Questions } from "./questions.ts";
import { Rest } from "./rest.ts";
import { Sender } from "./sender.ts";
import { readAddress } from "./sent.ts";
import { allowlistKey, settingsFrom } from "./settings.ts";

/** The platform's sign fades after ten seconds. */
const typingMs = 8_000;

const personForm = /^[0-9]{17,20}$/;

export default definePlugin({
  name: "channel-discord",
  summary: "Discord: direct chats, server channels and threads, by the gateway.",
  table: "",
  config,
  needs: {
    approvals: Approvals,
    audit: Audit,
    inbox: Inbox,
    media: optional(Media),
    people: People,
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
    const settings = settingsFrom(host.config, process.env, () => needs.people.roles("discord"));
    const values = () => needs.store.values;
    const rest = new Rest(settings, needs.upstream);
    const people = new LetIn("discord", settings, () => needs.store);
    const health = new ChannelHealth({ channel: "discord", values, log });
    const nonces = new Nonces(values);
    const questions = new Questions({ rest, nonces, approvals: needs.approvals, people, log });
    const sender = new Sender({ rest, nonces, health, values, open: async (id) => needs.media?.open(id) });

    host.provide(Channels, {
      name: "discord",
      idOf: (written) => (personForm.test(written) ? written : undefined),
      send: (message, signal) => sender.send(message, signal),
      ask: (request, to, signal) => questions.ask(request, to, signal),
      settled: (request, decision) => questions.settled(request, decision),
      edit: (message, signal) => sender.edit(message, signal),
      working: (to, signal) =>
        showWorking(typingMs, signal, async (now) => {
          await rest.call("POST", `/channels/${readAddress(to)?.channel ?? "0"}/typing`, { signal: now });
        }),
    });
    host.provide(Standings, people);
    const refuseStrangers = strangerGuard("discord", allowlistKey, (id) => people.trust(id));
    host.hooks.onInboundMessage.tap((message) => {
      if (message.channel !== "discord") return undefined;
      const guild = readAddress(message.replyTo)?.guild;
      return isGuildAllowed(settings, guild) ? refuseStrangers(message) : refuse(errors.DISCORD_GUILD(guild));
    });

    const open = () => {
      const places = new Places(values);
      const intake = new Intake({
        ...needs,
        codes: new Pairing(needs.store),
        ownRoles: new OwnRoles(rest),
        settings,
        rest,
        people,
        places,
        nonces,
        health,
        log,
      });
      const catchUp = new CatchUp({ rest, places, intake });
      const press = questions.press.bind(questions);
      const { upstream } = needs;
      return new Gateway({ settings, upstream, rest, intake, catchUp, health, press, values });
    };
    serveConnection(host, "discord", open, { alone: true });
    for (const check of discordChecks(settings, rest, health)) host.provide(Checks, check);
    for (const command of pairedCommands("discord", people.paired)) host.provide(Commands, command);
  },
});
