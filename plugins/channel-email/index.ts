import {
  Audit,
  Channels,
  Checks,
  Commands,
  definePlugin,
  Inbox,
  Media,
  optional,
  People,
  Runtime,
  Sandbox,
  Services,
  Standings,
  Store,
  Upstream,
} from "@gantry/sdk";
import { ChannelHealth, LetIn, pairedCommands, serveConnection, strangerGuard } from "@gantry/sdk/channel";
import { Pairing } from "@gantry/sdk/node";
import { emailChecks, forgeableSenders } from "./checks.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Intake } from "./intake.ts";
import { Logins } from "./logins.ts";
import { matchesAddress, readAddress } from "./mail-address.ts";
import { MailReader } from "./mail-reader.ts";
import { Mailbox } from "./mailbox.ts";
import { onboarding } from "./onboarding.ts";
import { Pace } from "./pace.ts";
import { Position } from "./position.ts";
import { Sender } from "./sender.ts";
import { SendingRecord } from "./sending-record.ts";
import { allowlistKey, settingsFrom } from "./settings.ts";
import { Smtp } from "./smtp.ts";
import { Threads } from "./threads.ts";
import { TwoPrograms } from "./two-programs.ts";

export default definePlugin({
  name: "channel-email",
  summary: "E-mail: any mailbox by IMAP, answers by SMTP.",
  table: "",
  config,
  needs: {
    audit: Audit,
    inbox: Inbox,
    media: optional(Media),
    people: People,
    runtime: Runtime,
    sandbox: optional(Sandbox),
    store: Store,
    upstream: Upstream,
  },
  provides: [Channels, Checks, Commands, Services, Standings],
  taps: ["onInboundMessage"],
  onboarding,
  errors,
  setup(host) {
    const { needs, log } = host;
    const { upstream } = needs;
    const { version } = needs.runtime;
    const settings = settingsFrom(host.config, process.env, () => needs.people.roles("email"));
    const store = () => needs.store;
    const values = () => needs.store.values;
    const people = new LetIn("email", { ...settings, matches: matchesAddress }, store);
    const threads = new Threads(values);
    const health = new ChannelHealth({ channel: "email", values, log });
    const record = new SendingRecord(settings.address, values, log);
    const twoPrograms = new TwoPrograms(settings, values, log);
    const smtp = new Smtp(settings, upstream);
    const logins = {
      imap: new Logins(settings, settings.imap, values),
      smtp: new Logins(settings, settings.smtp, values),
    };
    const sender = new Sender({
      settings,
      smtp,
      logins: logins.smtp,
      threads,
      pace: new Pace(settings.answersPerHour, store),
      record,
      store,
      open: async (id) => needs.media?.open(id),
    });
    const reader = new MailReader(import.meta.url, needs.sandbox?.confining);
    const intake = new Intake({
      ...needs,
      codes: new Pairing(needs.store),
      settings,
      people,
      threads,
      sender,
      reader,
      log,
    });

    host.provide(Channels, {
      name: "email",
      // References, which its sender writes, say which conversation a mail belongs to.
      needsQuestionId: true,
      idOf: readAddress,
      send: (message, signal) => sender.send(message, signal),
    });
    host.provide(Standings, people);
    const refuseStrangers = strangerGuard("email", allowlistKey, (id) => people.trust(id));
    host.hooks.onInboundMessage.tap(refuseStrangers);

    const open = async () => {
      const forgeable = forgeableSenders(settings);
      if (forgeable) log.warn({ channel: "email" }, `${forgeable.detail}: ${forgeable.cure}.`);
      const position = new Position(settings, values);
      await position.begin();
      return new Mailbox({
        settings,
        upstream,
        version,
        intake,
        reader,
        position,
        logins: logins.imap,
        twoPrograms,
        health,
        log,
      });
    };
    serveConnection(host, "email", open, { alone: true });
    const standing = { settings, health, record, twoPrograms, reader };
    for (const check of emailChecks({ ...standing, smtp, upstream, version, logins }))
      host.provide(Checks, check);
    for (const command of pairedCommands("email", people.paired)) host.provide(Commands, command);
  },
});
